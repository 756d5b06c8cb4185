// SPDX-License-Identifier: MIT
#include "tests/fuzz/gauge.hpp"

namespace kov::fuzz {

std::vector<std::string> seeds() {
  std::string unterminated = written_gauge({});
  const std::string name = "http://www.lqcd.org/ildg\"";
  unterminated[unterminated.find(name) + name.size() - 1] = ' ';
  return {written_gauge({.metadata = {{"beta", "6.0 <&>"}}}), written_gauge({.bits = 32}), unterminated};
}

void read(const std::string& input) { read_gauge_input(input); }

}  // namespace kov::fuzz
