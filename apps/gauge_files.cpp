// SPDX-License-Identifier: MIT
#include "apps/gauge_files.hpp"

#include "apps/suggest.hpp"
#include "apps/typeset.hpp"

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

namespace {

/// The library's remedies in words of the program's options.
std::string with_options(std::string message) {
  const std::pair<const char*, const char*> options[] = {
      {"ask to ignore checksums", "go on with --ignore checksums"},
      {"ask to ignore the plaquette", "go on with --ignore plaquette"},
      {"ask to ignore the link trace", "go on with --ignore link-trace"},
      {"ask to ignore unitarity", "go on with --ignore unitarity"},
      {"give the extents", "give the extents: --extent X Y Z T"},
      {"leave the extents out where", "leave --extent out where"},
  };
  for (const auto& [ours, option] : options)
    for (std::size_t at = message.find(ours); at != message.npos; at = message.find(ours, at + 1))
      message.replace(at, std::string(ours).size(), option);
  return message;
}

template <class Read>
auto naming_options(const Read& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(with_options(error.what()));
  } catch (const FormatError& error) {
    throw FormatError(with_options(error.what()));
  }
}

}  // namespace

GaugeHeader header_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options) {
  ReadOptions read;
  read.extent = options.extent;
  return naming_options([&] { return read_gauge_header(comm, file, read); });
}

Lattice lattice_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options) {
  return Lattice(comm, header_of(comm, file, options).extent);
}

GaugeField<double> read_configuration(const Session& session, const Lattice& lattice, const std::string& file,
                                      const GaugeFileOptions& options, GaugeReport& report) {
  const auto gauge =
      naming_options([&] { return read_gauge<double>(lattice, file, read_gauge_options(options.ignore), &report); });
  warn_overridden(session, report);
  return gauge;
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

std::string ignored_text(const std::vector<std::string>& overridden) {
  std::string text;
  for (const std::string& check : overridden) text += (text.empty() ? "IGNORED CHECKS: " : "; ") + plain(check);
  return text.empty() ? "" : text + ". ";
}

void warn_overridden(const Session& session, const GaugeReport& report) {
  for (const std::string& text : report.header.warnings) session.warn(report.source + ": " + text);
  for (const std::string& text : report.overridden) session.warn(report.source + ": " + text);
}

}  // namespace kov::app
