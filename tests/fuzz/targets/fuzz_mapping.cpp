// SPDX-License-Identifier: MIT
//
// The mapping of `kovariant analyze` for files of other codes.
#include "apps/analyze/correlator_mapping.hpp"
#include "kov/core/io/hdf5.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

namespace {

/// A file with correlators of three shapes.
const std::filesystem::path& foreign_file() {
  static const std::string bytes = written([](const std::filesystem::path& path) {
    Hdf5File file = Hdf5File::create(path);
    const std::vector<double> numbers(24, 0.5);
    file.write<double>("/pt2/pion/p1_0_0/real", numbers, {6, 4});
    file.write<double>("/pt2/pion/p1_0_0/imag", numbers, {6, 4});
    file.write<double>("/cfg_100/rho", numbers, {4, 2, 3});
    file.commit();
  });
  static const std::filesystem::path path = in_memory(bytes, ".h5");
  return path;
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      "[[correlator]]\ndataset = \"pt2/{channel}/p{px}_{py}_{pz}/real\"\nimaginary = "
      "\"pt2/{channel}/p{px}_{py}_{pz}/imag\"\nkind = \"meson\"\nfactor = -1.0\n",
      "[[correlator]]\ndataset = \"cfg_{configuration}/{channel}\"\naxes = [\"t\", \"part\", \"source\"]\n",
      "[[correlator]]\ndataset = \"cfg_100/rho\"\naxes = [\"t\", \"smearing\", \"momentum\"]\nmomenta = [[0, 0, 0], "
      "[1, 0, 0], [1, 1, 0]]\nchannel = \"rho\"\n[[correlator]]\ndataset = \"{a}/{b}\"\naxes = [\"t\", \"x\", "
      "\"y\"]\n"};
}

void read(const std::string& input) {
  app::CorrelatorMapping(input, "input").visit(foreign_file().string(), [](CorrelatorArray, std::size_t, std::size_t) {
  });
}

}  // namespace kov::fuzz
