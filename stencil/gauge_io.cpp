// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge_io.hpp"

#include "kov/core/io/gauge_source.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/site_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace kov {

namespace {

/// All digits of a double.
std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string links_checksum(const Lattice& lattice, std::span<const double> links) {
  const Geometry& geometry = lattice.geometry();
  const detail::SiteFormat format;  // 64 bits, big endian, three rows
  SiteChecksum checksum(ChecksumKind::scidac, format.order);
  std::vector<std::byte> bytes(format.bytes());
  for (std::int64_t i = 0; i < geometry.local_volume(); ++i) {
    detail::encode_site(links.data() + i * reals_per_site, format, bytes.data());
    checksum.add(lexicographic(geometry.global(coordinate(i, geometry.local_extent())), geometry.extent()), bytes);
  }
  checksum.combine(lattice.comm());
  return to_hex(checksum.values()[0]) + " " + to_hex(checksum.values()[1]);
}

GaugeReport measure(const GaugeField<double>& gauge, std::span<const double> links) {
  GaugeReport report;
  report.plaquettes = plaquettes(gauge, SumMode::exact);
  report.link_trace = link_trace(gauge, SumMode::exact);
  report.unitarity_deviation = unitarity_deviation(gauge);
  report.links_checksum = links_checksum(gauge.lattice(), links);
  return report;
}

/// A failed check: an error, or, where it is ignored, a note in the report.
void fail(GaugeReport& report, bool ignored, const std::string& problem, const std::string& remedy) {
  require<FormatError>(ignored, report.source, problem + ":", remedy);
  report.overridden.push_back(problem);
}

void check_recorded(GaugeReport& report, const char* what, const char* formula, const std::optional<double>& recorded,
                    double computed, bool ignored) {
  const double tolerance = report.header.recorded_tolerance;
  if (!recorded || std::abs(*recorded - computed) <= tolerance) return;
  fail(report, ignored,
       sentence("records the", what, digits(*recorded), "and its links have", digits(computed), "(mean", formula,
                "/ 3), further apart than", tolerance),
       sentence("the links or the header are damaged; fetch the file again, or ask to ignore the", what));
}

void check(GaugeReport& report, const ReadGaugeOptions& options) {
  check_recorded(report, "plaquette", "Re tr P", report.header.plaquette, report.plaquettes.mean(),
                 options.ignore_plaquette);
  check_recorded(report, "link trace", "Re tr U", report.header.link_trace, report.link_trace,
                 options.ignore_link_trace);
  if (!(report.unitarity_deviation <= unitarity_limit))
    fail(report, options.ignore_unitarity,
         sentence("has links that are not in SU(3): the largest element of U U^+ - 1 or det U - 1 is",
                  report.unitarity_deviation, "where", unitarity_limit, "is allowed"),
         "the links are damaged or were never projected; fetch the file again, or ask to ignore unitarity");
}

/// Of the links that a reader makes of their first two rows.
GaugeReport measure_completed(const Lattice& lattice, std::vector<double> links) {
  for (std::size_t i = 0; i < links.size(); i += reals_per_link) detail::complete_third_row(links.data() + i);
  const GaugeField<double> gauge(lattice, "completed links", 4);
  import_sites(links, gauge);
  return measure(gauge, links);
}

/// Writing keeps every bit, or rounds to 32 of them, or drops a third row that the others determine.
double written_tolerance(const WriteGaugeOptions& options) {
  if (options.format == GaugeFormat::nersc_two_rows) return 1e-5;
  return options.bits == 64 ? 0 : 0x1p-24;
}

template <class T>
GaugeField<double> in_double(const GaugeField<T>& gauge) {
  if constexpr (std::is_same_v<T, double>) {
    return gauge;
  } else {
    GaugeField<double> wide(gauge.lattice(), gauge.name(), 4);
    convert(gauge, wide);
    return wide;
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> GaugeReport::attributes() const {
  std::vector<std::pair<std::string, std::string>> result{{"source", source}};
  if (!header.format.empty()) {
    result.push_back({"format", sentence(header.format + ",", header.bits, "bits,",
                                         header.big_endian ? "big endian" : "little endian")});
    std::string recorded;
    for (const auto& [name, value] : header.checksums) recorded += (recorded.empty() ? "" : " ") + name + "=" + value;
    result.push_back({"file_checksum", recorded.empty() ? "none recorded" : recorded});
  }
  result.push_back({"links_checksum", links_checksum});
  result.push_back({"plaquette", digits(plaquettes.mean())});
  result.push_back({"plaquette_spatial", digits(plaquettes.spatial())});
  result.push_back({"plaquette_temporal", digits(plaquettes.temporal())});
  result.push_back({"link_trace", digits(link_trace)});
  result.push_back({"unitarity_deviation", digits(unitarity_deviation)});
  std::string ignored;
  for (const std::string& text : overridden) ignored += (ignored.empty() ? "" : "; ") + text;
  result.push_back({"checks_overridden", ignored.empty() ? "none" : ignored});
  return result;
}

template <class T>
GaugeReport describe_gauge(const GaugeField<T>& gauge, const std::string& source) {
  require_gauge(gauge);
  GaugeReport report = measure(in_double(gauge), export_sites(gauge));
  report.source = source;
  return report;
}

template <class T>
GaugeField<T> read_gauge(const Lattice& lattice, const std::filesystem::path& path, const ReadGaugeOptions& options,
                         GaugeReport* report) {
  const Geometry& geometry = lattice.geometry();
  std::vector<double> links(std::size_t(geometry.local_volume()) * reals_per_site);
  ReadOptions file_options;
  file_options.extent = lattice.extent();
  file_options.ignore_checksums = options.ignore_checksums;
  GaugeHeader header = read_gauge_file(lattice.comm(), path, geometry, links, file_options);
  const GaugeField<double> gauge(lattice, path.filename().string(), 4);
  import_sites(links, gauge);
  GaugeReport found = measure(gauge, links);
  found.source = path.string();
  found.overridden = header.overridden;
  found.header = std::move(header);
  check(found, options);
  if (report) *report = std::move(found);
  if constexpr (std::is_same_v<T, double>) {
    return gauge;
  } else {
    GaugeField<T> rounded(lattice, gauge.name(), 4);
    convert(gauge, rounded);
    return rounded;
  }
}

template <class T>
GaugeReport write_gauge(const GaugeField<T>& gauge, const std::filesystem::path& path,
                        const WriteGaugeOptions& options) {
  require_gauge(gauge);
  const Lattice& lattice = gauge.lattice();
  const std::vector<double> links = export_sites(gauge);
  const GaugeReport before = options.format == GaugeFormat::nersc_two_rows ? measure_completed(lattice, links)
                                                                           : measure(in_double(gauge), links);
  require(before.unitarity_deviation <= unitarity_limit, gauge.name(), "is not in SU(3) by", before.unitarity_deviation,
          "where", unitarity_limit, "is allowed: a reader would refuse it, so", path.string(),
          "was not written; project the links first");
  write_gauge_file(lattice.comm(), path, lattice.geometry(), links,
                   {.format = options.format,
                    .bits = options.bits,
                    .plaquette = before.plaquettes.mean(),
                    .link_trace = before.link_trace,
                    .metadata = options.metadata,
                    .date = options.date});
  GaugeReport after;
  const std::vector<double> read = export_sites(read_gauge<double>(lattice, path, {}, &after));
  std::array<double, 1> difference{0};
  for (std::size_t i = 0; i < links.size(); ++i) difference[0] = std::max(difference[0], std::abs(read[i] - links[i]));
  lattice.comm().max(difference);
  require<FormatError>(
      difference[0] <= written_tolerance(options), "the links in", path.string(), "differ by", difference[0],
      "from those that were written, more than their format rounds: the file is damaged; write it again");
  return after;
}

template GaugeReport describe_gauge(const GaugeField<float>&, const std::string&);
template GaugeReport describe_gauge(const GaugeField<double>&, const std::string&);
template GaugeField<float> read_gauge(const Lattice&, const std::filesystem::path&, const ReadGaugeOptions&,
                                      GaugeReport*);
template GaugeField<double> read_gauge(const Lattice&, const std::filesystem::path&, const ReadGaugeOptions&,
                                       GaugeReport*);
template GaugeReport write_gauge(const GaugeField<float>&, const std::filesystem::path&, const WriteGaugeOptions&);
template GaugeReport write_gauge(const GaugeField<double>&, const std::filesystem::path&, const WriteGaugeOptions&);

}  // namespace kov
