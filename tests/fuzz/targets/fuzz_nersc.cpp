// SPDX-License-Identifier: MIT
#include "tests/fuzz/gauge.hpp"

namespace kov::fuzz {

std::vector<std::string> seeds() {
  return {written_gauge({.format = GaugeFormat::nersc, .metadata = {{"beta", "6.0"}}}),
          written_gauge({.format = GaugeFormat::nersc, .bits = 32}),
          written_gauge({.format = GaugeFormat::nersc_two_rows})};
}

void read(const std::string& input) { read_gauge_input(input); }

}  // namespace kov::fuzz
