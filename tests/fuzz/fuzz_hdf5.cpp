// SPDX-License-Identifier: MIT
//
// Our own HDF5 files.  What the HDF5 library does with damaged files of others is not tested.
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/user_block.hpp"
#include "tests/fuzz/gauge.hpp"

namespace kov::fuzz {

std::vector<std::string> seeds() {
  return {written_gauge({.format = GaugeFormat::hdf5, .metadata = {{"beta", "6.0"}}}),
          written_gauge({.format = GaugeFormat::hdf5, .bits = 32})};
}

void read(const std::string& input) {
  const auto file = in_memory(input);
  if (!input.empty() && !detail::has_user_block(InputFile(file))) return;
  read_gauge_input(input);
}

}  // namespace kov::fuzz
