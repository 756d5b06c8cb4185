// SPDX-License-Identifier: MIT
#include "kov/stencil/io/gauge_io.hpp"

#include "kov/core/base/host_threads.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/io/gauge/gauge_reader.hpp"
#include "kov/core/io/gauge/gauge_writer.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace kov {

namespace {

/// All digits of a double.
std::string seventeen_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// The groups of rows of a gauge field, by all threads, each with memory for a group of its own:
/// work(group, thread, doubles of a group).
template <class Work>
void for_each_group(const SiteRows& rows, const Work& work) {
  const std::size_t reals = std::size_t(rows.group_sites()) * reals_per_site;
  std::vector<std::vector<double>> groups(n_host_threads(), std::vector<double>(reals));
  on_host_threads("gauge_rows", rows.n_groups,
                  [&](std::int64_t group, int thread) { work(group, thread, groups[std::size_t(thread)]); });
}

std::string checksum_text(const std::array<std::uint32_t, 2>& sums) { return to_hex(sums[0]) + " " + to_hex(sums[1]); }

std::string links_checksum(const GaugeField<double>& gauge) {
  const Geometry& geometry = gauge.lattice().geometry();
  const detail::SiteFormat format;  // 64 bits, big endian, three rows
  const FieldRows field(gauge);
  const SiteRows& rows = field.rows();
  ThreadChecksums sums(ChecksumKind::scidac, format.order);
  for_each_group(rows, [&](std::int64_t group, int thread, std::span<double> links) {
    field.export_group(group, links);
    const std::size_t row = std::size_t(rows.length) * reals_per_site;
    for (int r = 0; r < rows.rows; ++r)
      detail::add_links(sums.of(thread), format,
                        lexicographic(geometry.global(rows.first(group, r)), geometry.extent()),
                        links.subspan(std::size_t(r) * row, row));
  });
  SiteChecksum sum = sums.sum();
  sum.combine(gauge.lattice().comm());
  return checksum_text(sum.values());
}

GaugeReport measure(const GaugeField<double>& gauge) {
  const LinkMeasures found = measure_links(gauge);
  GaugeReport report;
  report.plaquettes = found.plaquettes;
  report.link_trace = found.link_trace;
  report.unitarity_deviation = found.unitarity_deviation;
  return report;
}

using Failed = std::vector<detail::FailedCheck>;

void check_recorded(const GaugeReport& report, const char* what, const char* formula,
                    const std::optional<double>& recorded, double computed, bool ignored, Failed& failed) {
  const double tolerance = report.header.recorded_tolerance;
  if (!recorded || std::abs(*recorded - computed) <= tolerance) return;
  failed.push_back({sentence("records the", what, seventeen_digits(*recorded), "and its links have",
                             seventeen_digits(computed), "(mean", formula, "/ 3), further apart than", tolerance),
                    sentence("the links or the header are damaged; fetch the file again, or ask to ignore the", what),
                    ignored});
}

/// Adds the checks that the links of a file fail.
void check(const GaugeReport& report, const ReadGaugeOptions& options, Failed& failed) {
  check_recorded(report, "plaquette", "Re tr P", report.header.plaquette, report.plaquettes.mean(),
                 options.ignore_plaquette, failed);
  check_recorded(report, "link trace", "Re tr U", report.header.link_trace, report.link_trace,
                 options.ignore_link_trace, failed);
  if (!(report.unitarity_deviation <= unitarity_limit))
    failed.push_back({sentence("has links that are not in SU(3): the largest element of U U^+ - 1 or det U - 1 is",
                               report.unitarity_deviation, "where", unitarity_limit, "is allowed"),
                      "the links are damaged or were never projected; fetch the file again, or ask to ignore unitarity",
                      options.ignore_unitarity});
}

/// The report of links that were read, all checks made.  name: for messages.
GaugeReport report_of(GaugeReport report, detail::GaugeRead read, const std::string& name,
                      const ReadGaugeOptions& options) {
  report.source = name;
  report.header = std::move(read.header);
  report.links_checksum = checksum_text(read.links_sums);
  // With numbers that are not finite every other check fails as well.
  if (read.finite) check(report, options, read.failed);
  report.overridden = report.header.overridden;
  detail::settle(name, read.failed, report.overridden);
  return report;
}

/// The links that a reader of the file will have: the same, or rounded to 32 bits, with third rows made of the others.
GaugeField<double> as_stored(const GaugeField<double>& gauge, const WriteGaugeOptions& options) {
  const bool two_rows = options.format == GaugeFormat::nersc_two_rows;
  if (options.bits == 64 && !two_rows) return gauge.alias();
  const GaugeField<double> result(gauge.lattice(), "stored links", 4);
  const FieldRows from(gauge), to(result, HostAccess::write_all);
  for_each_group(from.rows(), [&](std::int64_t group, int, std::span<double> links) {
    from.export_group(group, links);
    if (options.bits == 32)
      for (double& real : links) real = float(real);
    if (two_rows)
      for (std::size_t i = 0; i < links.size(); i += reals_per_link) detail::complete_third_row(links.data() + i);
    to.import_group(group, links);
  });
  to.commit();
  return result;
}

template <class T>
GaugeField<double> in_double(const GaugeField<T>& gauge) {
  if constexpr (std::is_same_v<T, double>) {
    return gauge.alias();
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
  result.push_back({"plaquette", seventeen_digits(plaquettes.mean())});
  result.push_back({"plaquette_spatial", seventeen_digits(plaquettes.spatial())});
  result.push_back({"plaquette_temporal", seventeen_digits(plaquettes.temporal())});
  result.push_back({"link_trace", seventeen_digits(link_trace)});
  result.push_back({"unitarity_deviation", seventeen_digits(unitarity_deviation)});
  std::string ignored;
  for (const std::string& text : overridden) ignored += (ignored.empty() ? "" : "; ") + text;
  result.push_back({"checks_overridden", ignored.empty() ? "none" : ignored});
  return result;
}

template <class T>
GaugeReport describe_gauge(const GaugeField<T>& gauge, const std::string& source) {
  require_gauge(gauge);
  const GaugeField<double> wide = in_double(gauge);
  GaugeReport report = measure(wide);
  report.links_checksum = links_checksum(wide);
  report.source = source;
  return report;
}

template <class T>
GaugeField<T> read_gauge(const Lattice& lattice, const std::filesystem::path& path, const ReadGaugeOptions& options,
                         GaugeReport* report) {
  const GaugeField<double> gauge(lattice, path.filename().string(), 4);
  const FieldRows field(gauge, HostAccess::write_all);
  detail::GaugeRead read = detail::read_gauge_rows(
      lattice.comm(), path, lattice.geometry(), field.rows(),
      [&](std::int64_t group, int, std::span<const double> links) { field.import_group(group, links); },
      {.extent = lattice.extent(), .ignore_checksums = options.ignore_checksums});
  field.commit();
  GaugeReport found = report_of(measure(gauge), std::move(read), path.string(), options);
  if (report) *report = std::move(found);
  if constexpr (std::is_same_v<T, double>) {
    return gauge;
  } else {
    GaugeField<T> rounded(lattice, gauge.name(), 4);
    convert(gauge, rounded);
    return rounded;
  }
}

namespace {

/// This rank's part of a time slice (local t), sites in lexicographic order.
void export_slice(const FieldRows<ColorMatrix, double>& field, const Coord& box, int t, std::span<double> slice) {
  const SiteRows& rows = field.rows();
  // Groups come in lexicographic order, t slowest; where t is cut into lanes they have rows of several t.
  std::int64_t of_a_t = 1;
  while (of_a_t < rows.n_groups && rows.first(of_a_t, 0)[3] == 0) ++of_a_t;
  SiteRows wanted = rows;
  wanted.n_groups = of_a_t;
  const std::int64_t first_group = t % (rows.n_groups / of_a_t) * of_a_t;
  const std::size_t row_reals = std::size_t(rows.length) * reals_per_site;
  for_each_group(wanted, [&](std::int64_t i, int, std::span<double> links) {
    const std::int64_t group = first_group + i;
    field.export_group(group, links);
    for (int r = 0; r < rows.rows; ++r) {
      Coord x = rows.first(group, r);
      if (x[3] != t) continue;
      x[3] = 0;
      std::copy_n(links.begin() + std::ptrdiff_t(std::size_t(r) * row_reals), row_reals,
                  slice.begin() + lexicographic(x, box) * reals_per_site);
    }
  });
}

/// Reads what was written and compares it with the links as they should be stored; returns the report of the file.
/// before: of these links.
GaugeReport compare_written(const GaugeField<double>& stored, const GaugeReport& before,
                            const std::filesystem::path& written, const std::filesystem::path& path,
                            const WriteGaugeOptions& options) {
  const Comm& comm = stored.lattice().comm();
  const FieldRows links(stored);
  std::vector<double> worst(n_host_threads());
  std::vector<std::vector<double>> groups(n_host_threads());
  const auto compare = [&](std::int64_t group, int thread, std::span<const double> read) {
    std::vector<double>& expected = groups[std::size_t(thread)];
    expected.resize(read.size());
    links.export_group(group, expected);
    double largest = worst[std::size_t(thread)];
    for (std::size_t i = 0; i < read.size(); ++i) {
      const double difference = std::abs(read[i] - expected[i]);
      largest = difference > largest ? difference : largest;
    }
    worst[std::size_t(thread)] = largest;
  };
  detail::GaugeRead read = detail::read_gauge_rows(comm, written, stored.lattice().geometry(), links.rows(), compare,
                                                   {.extent = stored.lattice().extent()});
  GaugeReport report = report_of(before, std::move(read), path.string(), ReadGaugeOptions{});
  // Third rows are made twice, and compilers may round the two in different ways; all else comes back bit for bit.
  const double tolerance = options.format == GaugeFormat::nersc_two_rows ? 1e-14 : 0;
  std::array<double, 1> difference{*std::max_element(worst.begin(), worst.end())};
  comm.max(difference);
  require<FormatError>(difference[0] <= tolerance, "the links in", path.string(), "differ by", difference[0],
                       "from those that were written: the file is damaged; write it again");
  return report;
}

}  // namespace

template <class T>
GaugeReport write_gauge(const GaugeField<T>& gauge, const std::filesystem::path& path,
                        const WriteGaugeOptions& options) {
  require_gauge(gauge);
  const Lattice& lattice = gauge.lattice();
  const GaugeField<double> links = in_double(gauge);
  const GaugeField<double> stored = as_stored(links, options);
  const GaugeReport before = measure(stored);
  require(before.unitarity_deviation <= unitarity_limit, gauge.name(), "is not in SU(3) by", before.unitarity_deviation,
          "where", unitarity_limit, "is allowed: a reader would refuse it, so", path.string(),
          "was not written; project the links first");
  const FieldRows field(links);
  GaugeReport report;
  detail::write_gauge_slices(
      lattice.comm(), path, lattice.geometry(),
      [&](int t, std::span<double> slice) { export_slice(field, lattice.geometry().local_extent(), t, slice); },
      {.format = options.format,
       .bits = options.bits,
       .plaquette = before.plaquettes.mean(),
       .link_trace = before.link_trace,
       .metadata = options.metadata,
       .date = options.date},
      [&](const std::filesystem::path& written) { report = compare_written(stored, before, written, path, options); });
  return report;
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
