// SPDX-License-Identifier: MIT
//
// Matrices of time slices in HDF5 files, elementals and perambulators alike: written as a whole, read slice by slice.
#pragma once

#include "kov/algebra/eigen/slice_matrices.hpp"
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/contractions/distillation/elementals.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kov {

/// What a file says of the matrices in it.
struct SliceMatrixHeader {
  /// "elementals", "perambulators" or a name of one's own.
  std::string kind;
  /// A name for each of the matrices of a slice; of elementals to_string() of their labels.
  std::vector<std::string> names = {""};
  /// Where they come from; of perambulators {"source_time", 3} and what was solved.
  std::map<std::string, LabelValue> labels = {};
  /// Per real number: 64, 32 or 16.
  int bits = 64;
  /// Of the whole lattice, and of each matrix; the writer takes them from the matrices.
  int n_slices = 0, rows = 0, columns = 0;
};

/// Writes the dataset /matrices/numbers, complex [t][name][row][column], and /matrices/names; kind and conventions are
/// attributes of /matrices, the labels of /matrices/labels.  With 16 bits the numbers of a row share a scale.  The file
/// is complete or absent, so that a run which is resumed asks whether it is there.  Collective; one slice after the
/// other goes through rank 0.  Throws InputError when there is not a name for each matrix, for other bits and when the
/// file cannot be written, NotBuilt without HDF5.
void write_slice_matrices(const std::filesystem::path& path, const Lattice& lattice, const SliceMatrices& matrices,
                          const SliceMatrixHeader& header);

/// The same for elementals, whose names are their labels.
void write_elementals(const std::filesystem::path& path, const Lattice& lattice, const Elementals& elementals,
                      int bits = 64, const std::map<std::string, LabelValue>& labels = {});

/// A file of matrices, open for reading by this process alone: each rank, or each thread that loads the next slices,
/// may have its own.  What read() returns takes 16 bytes for each complex number, and twice that while numbers of 16
/// bits are read.
class SliceMatrixFile {
 public:
  /// Compares the checksum of the file.  Throws FormatError for damaged files and others.
  explicit SliceMatrixFile(const std::filesystem::path& path);
  ~SliceMatrixFile();
  SliceMatrixFile(SliceMatrixFile&&) noexcept;
  SliceMatrixFile& operator=(SliceMatrixFile&&) noexcept;

  const SliceMatrixHeader& header() const;
  /// The matrices of time slice t, [name][row][column].  Throws InputError for a slice that does not exist.
  std::vector<std::complex<double>> read(int t) const;
  /// Matrix k alone.
  std::vector<std::complex<double>> read(int t, int k) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The slices of this rank.  Collective.  Throws InputError for a lattice with another number of time slices.
SliceMatrices read_slice_matrices(const Lattice& lattice, const std::filesystem::path& path,
                                  SliceMatrixHeader* header = nullptr);

/// The label that a name of write_elementals() is of.  Throws InputError for other texts.
ElementalLabel elemental_label(const std::string& name);

}  // namespace kov
