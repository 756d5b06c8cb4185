// SPDX-License-Identifier: MIT
//
// Gauge fields from files and into files.  What a file records about its links (checksums, plaquette, link trace) is
// compared with the links, and what was found goes into a GaugeReport, which every output carries.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"
#include "kov/stencil/observables/observables.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kov {

/// Links further from SU(3) than this are refused: unitarity_deviation() of 32-bit files is about 1e-6.
inline constexpr double unitarity_limit = 1e-4;

/// Checks that a user switches off.  What they let pass is noted in GaugeReport::overridden.
struct ReadGaugeOptions {
  /// Goes on where these are not as recorded, or links are further from SU(3) than unitarity_limit.
  bool ignore_checksums = false;
  bool ignore_plaquette = false;
  bool ignore_link_trace = false;
  bool ignore_unitarity = false;
};

/// The source of links and their measured properties.
struct GaugeReport {
  /// The path as it was given, or what the links were made by.
  std::string source;
  /// The file's header; its format is empty when the links do not come from a file.
  GaugeHeader header;
  /// Computed in double with exact sums: the same bits on every decomposition.
  Plaquettes plaquettes;
  /// The mean of Re tr U / 3 over all links.
  double link_trace = 0;
  /// The largest |element| of U U^+ - 1 and of det U - 1.
  double unitarity_deviation = 0;
  /// "suma sumb", hexadecimal: the SciDAC checksum pair of the links as 64-bit big-endian numbers in ILDG order, so the
  /// same for the same links in any format.
  std::string links_checksum;
  /// A sentence for each failed check that an option let pass; empty when none failed.
  std::vector<std::string> overridden;

  /// The report as names and values for attributes and text files: source, format, checksum (as recorded), ...
  std::vector<std::pair<std::string, std::string>> attributes() const;
};

/// The report of links that come from no file.  source: "heatbath, beta 6.0, ...".  Collective.
template <class T>
GaugeReport describe_gauge(const GaugeField<T>& gauge, const std::string& source);

/// Reads any format that read_gauge_file() knows; where a file has no dimensions they are the lattice's.  Collective.
///
/// Verifies the file's checksums, plaquette and link trace (to GaugeHeader::recorded_tolerance) and that the links are
/// SU(3) to unitarity_limit, all in double before rounding to T.  Throws FormatError with both values when one is not
/// as recorded, and like read_gauge_file().
template <class T>
GaugeField<T> read_gauge(const Lattice& lattice, const std::filesystem::path& path,
                         const ReadGaugeOptions& options = {}, GaugeReport* report = nullptr);

/// How write_gauge() stores links, and what it records.
struct WriteGaugeOptions {
  /// Of the file.
  GaugeFormat format = GaugeFormat::ildg;
  /// Per real number: 32 (rounded to nearest) or 64.
  int bits = 64;
  /// Recorded as WriteOptions::metadata says.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  /// Recorded as it is; empty: now, UTC.
  std::string date = {};
};

/// Writes the links with their plaquette and link trace, reads the file again and compares every link.  Collective.
///
/// Returns the report of the file.  Throws InputError when the links are not SU(3) to unitarity_limit and like
/// write_gauge_file(), FormatError when what is read back differs.
template <class T>
GaugeReport write_gauge(const GaugeField<T>& gauge, const std::filesystem::path& path,
                        const WriteGaugeOptions& options = {});

}  // namespace kov
