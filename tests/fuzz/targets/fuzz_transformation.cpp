// SPDX-License-Identifier: MIT
//
// Gauge transformations in HDF5.
#include "kov/core/field/site_map.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/io/transformation_io.hpp"
#include "tests/fuzz/hdf5_file.hpp"

namespace kov::fuzz {

namespace {

Lattice small_lattice() { return Lattice(Comm::self(), {2, 2, 2, 4}); }

}  // namespace

std::vector<std::string> seeds() {
  const Field<ColorMatrix, double> one(small_lattice(), "one");
  std::vector<double> matrices(std::size_t(one.lattice().volume()) * 18);
  for (std::size_t i = 0; i < matrices.size(); ++i) matrices[i] = i % 18 % 8 == 0 ? 1 : 0;
  import_sites(matrices, one);
  const std::string bytes = written([&](const std::filesystem::path& path) {
    write_transformation(one, path, {{"GAUGE", "landau"}});
  });
  return {bytes, without_user_block(bytes)};
}

void read(const std::string& input) {
  static const Lattice lattice = small_lattice();
  read_transformation(lattice, hdf5_in_memory(input));
}

}  // namespace kov::fuzz
