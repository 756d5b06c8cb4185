// SPDX-License-Identifier: MIT
#include "apps/gauge_files.hpp"

#include "apps/suggest.hpp"

#include <cstdio>

namespace kov::app {

void GaugeFileOptions::declare(Arguments& arguments) {
  arguments.option("--extent", extent, "extents, for files that do not record them");
  arguments.option(
      "--ignore", ignore,
      "go on although a check fails: checksums, plaquette, link-trace or unitarity; recorded in every output");
}

ReadGaugeOptions read_gauge_options(const std::vector<std::string>& ignore) {
  ReadGaugeOptions options;
  for (const std::string& name : ignore) {
    if (name == "checksums")
      options.ignore_checksums = true;
    else if (name == "plaquette")
      options.ignore_plaquette = true;
    else if (name == "link-trace")
      options.ignore_link_trace = true;
    else if (name == "unitarity")
      options.ignore_unitarity = true;
    else
      throw InputError("there is no check '" + name + "' to ignore" +
                       did_you_mean(name, {"checksums", "plaquette", "link-trace", "unitarity"}) +
                       " Checks are checksums, plaquette, link-trace and unitarity");
  }
  return options;
}

Lattice lattice_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options) {
  ReadOptions read;
  read.extent = options.extent;
  return Lattice(comm, read_gauge_header(comm, file, read).extent);
}

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names{"nersc", "nersc-3x2", "ildg", "hdf5"};
  return names;
}

namespace {
std::string format_of_ending(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".nersc") return "nersc";
  if (ending == ".lime" || ending == ".ildg") return "ildg";
  if (ending == ".h5" || ending == ".hdf5") return "hdf5";
  throw InputError("the ending of " + file +
                   " names no format (.nersc, .lime, .ildg, .h5, .hdf5): add --format nersc, nersc-3x2, ildg or hdf5");
}
}  // namespace

GaugeFormat output_format(const std::string& name, const std::string& file) {
  return gauge_format(name.empty() ? format_of_ending(file) : name);
}

void require_precision(int bits) {
  require(bits == 32 || bits == 64, "--precision is", bits, "- it must be 32 or 64 (bits)");
}

std::string twelve_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.12f", value);
  return text;
}

void warn_overridden(const Session& session, const GaugeReport& report) {
  for (const std::string& text : report.header.warnings) session.warn(report.source + ": " + text);
  for (const std::string& text : report.overridden) session.warn(report.source + ": " + text);
}

}  // namespace kov::app
