// SPDX-License-Identifier: MIT
//
// Eigenvectors of time slices in HDF5 files.
#pragma once

#include "kov/algebra/eigen/slice_eigenvectors.hpp"
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/contractions/distillation/vector_groups.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kov {

/// What a file says of the eigenvectors in it.
struct EigenvectorHeader {
  /// Of the lattice.
  Coord extent{};
  /// Eigenvectors of a time slice.
  int n = 0;
  /// Per real number: 64, 32 or 16.
  int bits = 64;
  /// Where they come from: {"configuration", "1000"}, {"stout_rho", 0.1}.
  std::map<std::string, LabelValue> labels = {};
};

/// Writes the dataset /eigenvectors/vectors, complex [t][n][z][y][x][colour], with /eigenvectors/values and residuals
/// [t][n]; the labels are attributes of /eigenvectors/labels.  With 16 bits the three colours of a site share a scale,
/// see docs/distillation.md.  The file is complete or absent.  One vector of one slice after the other goes through
/// rank 0. Collective; throws InputError for other bits and when the file cannot be written, NotBuilt without HDF5.
template <class T>
void write_eigenvectors(const std::filesystem::path& path, const SliceEigenvectors<T>& eigenvectors, int bits = 64,
                        const std::map<std::string, LabelValue>& labels = {});

/// The same file, written as the eigenvectors of some time slices after those of others are found.
class EigenvectorWriter {
 public:
  /// n: eigenvectors of a slice.  Collective; throws as above.
  EigenvectorWriter(const std::filesystem::path& path, const Lattice& lattice, int n, int bits = 64);
  ~EigenvectorWriter();

  /// Slice t of these fields, which may be on a smaller lattice of the same ranks, is slice times[t] of the file.
  /// Collective.
  template <class T>
  void write(const Field<ColorVector, T>& vectors, const std::vector<int>& times);
  /// When all slices are there: values and residuals, [t][n] of all.  Collective.
  void finish(const std::vector<double>& values, const std::vector<double>& residuals,
              const std::map<std::string, LabelValue>& labels);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Collective.  Throws FormatError for files that hold no eigenvectors or are damaged.
EigenvectorHeader read_eigenvector_header(const Comm& comm, const std::filesystem::path& path);

/// The eigenvectors of a file, with the values and residuals that were recorded; in 32 and 16 bits vectors come back
/// rounded.  The report is of the largest recorded residual; nothing is recomputed.  Every rank reads its part.
/// Collective.  Throws InputError for a lattice of other extents, FormatError as above.
template <class T>
SliceEigenvectors<T> read_eigenvectors(const Lattice& lattice, const std::filesystem::path& path);

/// The vectors that read_eigenvectors() gives, of which at_once are in memory at a time and are read when they are
/// asked for; the file stays open.  Collective; throws as above.
template <class T>
VectorGroups<T> eigenvector_groups(const Lattice& lattice, const std::filesystem::path& path, int at_once);

}  // namespace kov
