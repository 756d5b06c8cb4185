// SPDX-License-Identifier: MIT
#include "apps/settings/formula.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

std::vector<std::string> seeds() {
  return {"exp(-4*p2) + 0.5*sin(pi*p2)/(1+p2^2)", "-2^2^3 + abs(erf(p2) - erfc(.5e-3))",
          "log(sqrt(tanh(p2+1)))*cos(0)"};
}

void read(const std::string& input) { app::parse_formula(input, "p2", "--profile")(0.5); }

}  // namespace kov::fuzz
