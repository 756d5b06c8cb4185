// SPDX-License-Identifier: MIT
#include "apps/info_command.hpp"

#include "apps/files/gauge_files.hpp"

#include <cstdio>

namespace kov::app {

namespace {

struct InfoOptions {
  std::string file;
  GaugeFileOptions gauge;
  bool header_only = false, metadata = false;
};

void row(const Session& session, const std::string& name, const std::string& value) {
  session.say(name + std::string(name.size() < 16 ? 16 - name.size() : 1, ' ') + value);
}

std::string number(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

void print_header(const Session& session, const std::string& file, const GaugeHeader& header, bool all_metadata) {
  row(session, "file", file);
  row(session, "format",
      sentence(header.format + ",", header.bits, "bit,", header.big_endian ? "big" : "little", "endian,", header.rows,
               "rows"));
  row(session, "extent", sentence(to_string(header.extent), "(x y z t),", volume(header.extent), "sites"));
  for (const auto& [name, value] : header.checksums) row(session, name, value + " (recorded)");
  if (header.checksums.empty()) row(session, "checksum", "none recorded");
  for (const std::string& text : header.warnings) row(session, "warning", text);
  if (all_metadata)
    for (const auto& [name, value] : header.metadata) {
      std::string line = value;
      for (char& c : line)
        if (c == '\n' || c == '\r' || c == '\0') c = ' ';
      row(session, "  " + name, line);
    }
}

std::string verdict(const std::optional<double>& recorded, double computed, double tolerance) {
  if (!recorded) return "  (none recorded)";
  const bool good = std::abs(*recorded - computed) <= tolerance;
  return sentence("  (recorded", number("%.10g", *recorded) + ":", good ? "verified to" : "DIFFERS by more than",
                  number("%.0e", tolerance) + ")");
}

void info(const Session& session, const InfoOptions& options) {
  const GaugeHeader header = header_of(session.comm, options.file, options.gauge);
  if (options.header_only) return print_header(session, options.file, header, options.metadata);

  session.begin();
  GaugeReport report;
  const Lattice lattice(session.comm, header.extent);
  const auto gauge = read_configuration(session, lattice, options.file, options.gauge, report);
  const std::complex<double> loop = polyakov_loop(gauge, SumMode::exact);
  print_header(session, options.file, report.header, options.metadata);
  const Plaquettes& p = report.plaquettes;
  const double tolerance = report.header.recorded_tolerance;
  if (!report.header.checksums.empty())
    row(session, "checksums", report.header.overridden.empty() ? "verified" : "DIFFER, ignored on request");
  row(session, "plaquette", twelve_digits(p.mean()) + verdict(report.header.plaquette, p.mean(), tolerance));
  row(session, "  spatial", twelve_digits(p.spatial()));
  row(session, "  temporal", twelve_digits(p.temporal()));
  constexpr const char* planes[6] = {"  plane xy", "  plane xz", "  plane xt",
                                     "  plane yz", "  plane yt", "  plane zt"};
  for (int k = 0; k < 6; ++k) row(session, planes[k], twelve_digits(p.planes[std::size_t(k)]));
  row(session, "link trace",
      twelve_digits(report.link_trace) + verdict(report.header.link_trace, report.link_trace, tolerance));
  row(session, "Polyakov loop", twelve_digits(loop.real()) + " " + twelve_digits(loop.imag()) + " i");
  row(session, "unitarity", "within " + number("%.1e", report.unitarity_deviation));
  row(session, "links", report.links_checksum + " (SciDAC checksums of the links in ILDG order, 64 bit)");
}

}  // namespace

Command info_command() {
  return {"info", "say what a gauge configuration is and verify it",
          "Formats are recognised by content: NERSC, ILDG and SciDAC LIME, MILC, openQCD, Kovariant HDF5.\n"
          "Every checksum, plaquette and link trace in the file is compared with its links; a file that fails ends "
          "with code 2.",
          [](Arguments& arguments) -> Action {
            auto options = std::make_shared<InfoOptions>();
            arguments.positional("FILE", options->file, "the gauge configuration");
            options->gauge.declare(arguments);
            arguments.flag("--header-only", options->header_only, "print the header and do not read the links");
            arguments.flag("--metadata", options->metadata, "print every header key and record as well");
            return [options](const Session& session) { info(session, *options); };
          }};
}

}  // namespace kov::app
