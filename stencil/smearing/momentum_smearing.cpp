// SPDX-License-Identifier: MIT
#include "kov/stencil/smearing/momentum_smearing.hpp"

#include <cmath>

namespace kov {

LegFactors momentum_factors(const std::array<double, 3>& k) {
  LegFactors factors;
  for (std::size_t j = 0; j < 3; ++j) {
    require(std::isfinite(k[j]), "the smearing momentum", k[0], k[1], k[2],
            "is not finite: give three numbers in radians per site");
    factors.direction[j] = std::polar(1.0, -k[j]);
  }
  return factors;
}

}  // namespace kov
