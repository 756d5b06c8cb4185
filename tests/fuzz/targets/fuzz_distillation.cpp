// SPDX-License-Identifier: MIT
//
// Eigenvectors, elementals and perambulators in HDF5 files.
#include "kov/contractions/distillation/eigenvector_file.hpp"
#include "kov/contractions/distillation/slice_matrix_file.hpp"
#include "tests/fuzz/hdf5_file.hpp"

namespace kov::fuzz {

namespace {

Lattice lattice_of_vectors() { return Lattice(Comm::self(), {2, 2, 2, 4}); }

}  // namespace

std::vector<std::string> seeds() {
  const Lattice lattice = lattice_of_vectors();
  const SliceEigenvectors<double> vectors{.vectors = Field<ColorVector, double>(lattice, "vectors", 2),
                                          .values = std::vector<double>(8, 0.5),
                                          .residuals = std::vector<double>(8, 1e-11),
                                          .report = {}};
  const SliceMatrices matrices(lattice, 1, 3, 2);
  std::vector<std::string> files;
  for (const int bits : {64, 16}) {
    files.push_back(written([&](const std::filesystem::path& path) {
      write_eigenvectors(path, vectors, bits, {{"configuration", "1000"}, {"rho", 0.1}});
    }));
    files.push_back(written([&](const std::filesystem::path& path) {
      write_slice_matrices(path, lattice, matrices,
                           {.kind = "elementals", .names = {"dx, p = 1 0 0"}, .labels = {{"job", "x"}}, .bits = bits});
    }));
  }
  files.push_back(without_user_block(files[0]));
  files.push_back(without_user_block(files[3]));
  return files;
}

void read(const std::string& input) {
  static const Lattice lattice = lattice_of_vectors();
  const std::filesystem::path file = hdf5_in_memory(input);
  if (input.find("eigenvectors") != input.npos) {
    read_eigenvectors<double>(lattice, file);
    return;
  }
  SliceMatrixHeader header;
  read_slice_matrices(lattice, file, &header);
  for (const std::string& name : header.names) elemental_label(name);
}

}  // namespace kov::fuzz
