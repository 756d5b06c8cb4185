// SPDX-License-Identifier: MIT
//
// Gauge configurations in files: recognised by content, verified while they are read, written complete or not at all.
// Links travel as doubles [site of the local box, x fastest][mu][row][column][re, im]; fields are the layer above.
#pragma once

#include "kov/core/comm/comm.hpp"
#include "kov/core/lattice/geometry.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kov {

/// Doubles per link and per site.
inline constexpr int reals_per_link = 18, reals_per_site = 72;

/// What a file says of itself.
struct GaugeHeader {
  /// "NERSC", "ILDG", "SciDAC", "MILC v5", "MILC", "openQCD" or "Kovariant HDF5".
  std::string format;
  /// Sites in x, y, z and t.
  Coord extent{};
  /// Per real number: 32 or 64.
  int bits = 64;
  /// Of the links' numbers in the file.
  bool big_endian = true;
  /// Rows of each matrix in the file: 3, or 2 where the third is their conjugate cross product.
  int rows = 3;
  /// Recorded mean Re tr P / 3 over all planes and mean Re tr U / 3, whatever the file's own normalisation.
  std::optional<double> plaquette, link_trace;
  /// How far a recomputed plaquette or link trace may lie from the recorded one: a unit in the last digit printed, at
  /// least 1e-6 for 32-bit links and 1e-11 for 64-bit ones, at most 1e-5.
  double recorded_tolerance = 0;
  /// Every header key, XML record or attribute as found.
  std::vector<std::pair<std::string, std::string>> metadata;
  /// Names and values (hexadecimal) as recorded; empty when the file has none.
  std::vector<std::pair<std::string, std::string>> checksums;
  /// What is not as it should be and did not keep the file from being read, such as text that is not XML.
  std::vector<std::string> warnings;
  /// Checksum mismatches that ReadOptions::ignore_checksums let pass, in words; goes into every output made from the
  /// links.
  std::vector<std::string> overridden;
};

/// The value that WriteOptions::metadata recorded under this name, in any format that is written; nothing when there is
/// none.
std::optional<std::string> recorded_metadata(const GaugeHeader& header, const std::string& name);

/// How a configuration is read.
struct ReadOptions {
  /// For files without dimensions; where a file has them, they must be these.
  std::optional<Coord> extent = std::nullopt;
  /// Goes on after a checksum mismatch and notes it in GaugeHeader::overridden.
  bool ignore_checksums = false;
};

/// The header alone.  Collective.  Makes sure that the file is as long as the header promises; the links are not looked
/// at.  Throws InputError when the file cannot be opened or dimensions are missing, FormatError when it is no gauge
/// configuration or damaged.
GaugeHeader read_gauge_header(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options = {});

/// The links of this rank's box, geometry.origin() to origin + local_extent.  Collective: every rank reads its own
/// part. Verifies the checksums over all ranks and that every number is finite.
///
/// links: geometry.local_volume() * 72 doubles, in the order given on top; numbers of 32 bits are widened, missing
/// third rows completed in double.  Throws like read_gauge_header(), FormatError for a checksum mismatch or a link that
/// is not finite, InputError when the file's extents are not the geometry's; when one rank throws, all do.
GaugeHeader read_gauge_file(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                            std::span<double> links, const ReadOptions& options = {});

/// What write_gauge_file() can write.
enum class GaugeFormat {
  /// NERSC archive, three rows, big endian.
  nersc,
  /// NERSC archive with the first two rows of each matrix; the links must be in SU(3).
  nersc_two_rows,
  /// ILDG, with SciDAC records and checksums.
  ildg,
  /// HDF5: /gauge/links, complex [t][z][y][x][mu][row][column].
  hdf5
};

/// By name: "nersc", "nersc-3x2", "ildg", "hdf5".  Throws InputError with this list.
GaugeFormat gauge_format(const std::string& name);

/// How a configuration is written, and what is recorded with it.
struct WriteOptions {
  GaugeFormat format = GaugeFormat::ildg;
  /// Per real number: 32 (rounded to nearest) or 64.
  int bits = 64;
  /// Mean Re tr P / 3 and mean Re tr U / 3 of the links, computed by the caller; recorded in the file.
  double plaquette = 0, link_trace = 0;
  /// Recorded as NERSC keys, as lines of the ILDG record's info, or as HDF5 attributes of /gauge/metadata.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  /// Recorded as it is; empty: now, UTC.
  std::string date = {};
};

/// Writes the links of all ranks to one file.  Collective: rank 0 gathers time slice by time slice and writes.  The
/// file is read back and its checksum compared before it gets its name, so the target is either complete and verified
/// or untouched.  links as for read_gauge_file().  Throws InputError for what cannot be written (a folder that is
/// missing, a full disk, links that are not finite or do not fit the precision), on all ranks.
void write_gauge_file(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                      std::span<const double> links, const WriteOptions& options);

}  // namespace kov
