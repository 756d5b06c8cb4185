// SPDX-License-Identifier: MIT
//
// Propagators in files: Kovariant's HDF5, SciDAC (LIME) files as Chroma has them, which hold the same numbers in the
// same order, so that their checksums agree, and USQCD's, which hold the columns one by one with their sources.
#pragma once

#include "kov/contractions/sources/propagator.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kov {

/// What write_propagator() can write.
enum class PropagatorFormat {
  /// The dataset /propagator/matrices, complex [t][z][y][x][sink spin][source spin][sink colour][source colour], with
  /// labels and checksums as attributes.
  hdf5,
  /// One QIO record of a LIME file, as Chroma (QDP++) writes it: datatype "Lattice", big endian, the same order.
  scidac,
  /// USQCD_DiracFermion_ScalarSource_TwelveSink: a LIME file with the source, one complex number a site, and twelve
  /// records of spinors, [sink spin][sink colour], one for each spin and colour of the source, colour faster.
  usqcd,
  /// USQCD_DiracFermion_Source_Sink_Pairs: a record of spinors with the source before each of the twelve.
  usqcd_pairs
};

/// By name: "hdf5", "scidac", "usqcd", "usqcd-pairs".  Throws InputError with this list.
PropagatorFormat propagator_format(const std::string& name);

/// What a file says of the propagator in it.
struct PropagatorHeader {
  /// "Kovariant HDF5", "SciDAC" or "USQCD".
  std::string format;
  Coord extent{};
  /// Per real number: 32 or 64.
  int bits = 64;
  /// As far as the file has them: all that Kovariant wrote; of Chroma's files origin (t_srce), boundary and, in others,
  /// mass and kappa; defaults for the rest.
  PropagatorLabels labels = {};
  /// Whether the file has the labels origin and boundary.
  bool has_origin = false, has_boundary = false;
  /// What was recorded by WritePropagatorOptions::metadata.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  /// "suma sumb" of each record, hexadecimal; empty where the file has none.
  std::vector<std::string> checksums = {};

  /// The value of the metadata with this name, nothing where there is none.
  std::optional<std::string> metadata_value(const std::string& name) const;
};

/// How write_propagator() stores numbers, and what it records.
struct WritePropagatorOptions {
  PropagatorFormat format = PropagatorFormat::hdf5;
  /// Per real number: 32 (rounded to nearest) or 64.
  int bits = 64;
  /// Recorded beside the labels: names and values without line ends.
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

/// How QIO records of 4 x 4 x 3 x 3 numbers are ordered.  QDP++ calls their type "Lattice", so that nobody has to say;
/// "QDP_D3_DiracPropagator" is what both call theirs.
enum class PropagatorOrder {
  qdpxx,  ///< [sink spin][source spin][sink colour][source colour]: Chroma
  qla     ///< [sink colour][sink spin][source colour][source spin]: QDP/C, Qlua
};

/// What read_propagator() cannot find in some files.
struct ReadPropagatorOptions {
  /// For SciDAC files whose datatype leaves it open.
  std::optional<PropagatorOrder> order = {};
};

/// Writes S and its labels, reads the file again and compares every number before it gets its name.  Collective; rank 0
/// gathers time slice by time slice.  Spins are in the basis of all our fields, DeGrand and Rossi's, which is Chroma's.
///
/// Returns the header.  Throws InputError for a number that is not finite (or too large for 32 bits), labels or
/// metadata with line ends, a format with the source in it, and a file that cannot be written; FormatError when what is
/// read back differs; NotBuilt for hdf5 without HDF5.
template <class T>
PropagatorHeader write_propagator(const Propagator<T>& s, const std::filesystem::path& path,
                                  const WritePropagatorOptions& options = {});

/// The same in one of USQCD's formats, with the source: that of column 3 * spin + colour is a spinor at every site, or,
/// in the format usqcd, a number common to all columns in this spin and colour.  Both are read again and compared.
/// Labels and metadata are text in the file's XML; programs with QIO 2.3 and older keep 1023 bytes of it.
///
/// Throws InputError, too, for another format and by require_scalar_source().
template <class T>
PropagatorHeader write_propagator(const Propagator<T>& s, const Propagator<T>& source,
                                  const std::filesystem::path& path, const WritePropagatorOptions& options);

/// Throws InputError unless the source at every site is a number times 1 in spin and colour, as that of a point or wall
/// without smearing is, which the format usqcd holds.  Collective.
template <class T>
void require_scalar_source(const Propagator<T>& source);

/// Reads what write_propagator() writes, Chroma's propagators in QIO files, and the three USQCD propagator formats
/// (twelve records of spinors; sources in the file are skipped).  Collective: every rank reads its own part.  Numbers
/// are rounded to T and otherwise as they are in the file: MILC's are S / (2 kappa).
///
/// Throws FormatError for another file, a truncated or damaged one, a checksum that differs, and numbers that are not
/// finite; InputError when its lattice is another one or the order of its numbers has to be given; NotBuilt.
template <class T>
Propagator<T> read_propagator(const Lattice& lattice, const std::filesystem::path& path,
                              const ReadPropagatorOptions& options = {}, PropagatorHeader* header = nullptr);

/// The source in a USQCD file, of the first two kinds above or with a complex source before each column; its labels
/// are those of the propagator.  Collective.  Throws as read_propagator() does, FormatError, too, for a file of a type
/// that holds no source, and where one is missing, at another place than before its column, of another precision, or on
/// one time slice alone.
template <class T>
Propagator<T> read_propagator_source(const Lattice& lattice, const std::filesystem::path& path);

/// The header alone.  Collective.  Makes sure that the file is as long as it promises; the numbers are not looked at.
PropagatorHeader read_propagator_header(const Comm& comm, const std::filesystem::path& path,
                                        const ReadPropagatorOptions& options = {});

}  // namespace kov
