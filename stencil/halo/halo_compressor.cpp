// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/halo_compressor.hpp"

#include "kov/core/site/gamma.hpp"

#include <cstdlib>

namespace kov {

bool SpinProjection::fits(const std::vector<Coord>& legs) {
  bool fits = legs.size() == 8;
  for (std::size_t l = 0; fits && l < 8; ++l) {
    int reach = 0;
    for (const int d : legs[l]) reach += std::abs(d);
    fits = reach > 0 && legs[l][l / 2] == (l % 2 == 0 ? reach : -reach);
  }
  return fits;
}

std::vector<detail::HeldReal> SpinProjection::held(int leg, int variant) {
  const SpinBasis basis = variant / 2 == 0 ? SpinBasis::chiral : SpinBasis::nonrelativistic;
  const Gamma g = Gamma::direction(leg / 2, basis);
  const bool minus = (leg % 2 == 0) == (variant % 2 == 0);
  std::vector<detail::HeldReal> reals;
  const auto phase_of = [&](int spin) { return (g.phase[std::size_t(spin)] + (minus ? 2 : 0)) & 3; };
  if (g.column[0] == 0) {
    const int left = phase_of(0) == 0 ? 0 : 2;
    for (int k = 6 * left; k < 6 * left + 12; ++k) reals.push_back({k, k, 0});
    return reals;
  }
  for (int spin = 0; spin < 2; ++spin)
    for (int color = 0; color < 3; ++color) {
      // a + i^phase b
      const int a = 2 * (3 * spin + color), b = 2 * (3 * g.column[std::size_t(spin)] + color);
      const int phase = phase_of(spin), sign = phase < 2 ? 1 : -1;
      if (phase % 2 == 0) {
        reals.push_back({a, b, sign});
        reals.push_back({a + 1, b + 1, sign});
      } else {
        reals.push_back({a, b + 1, -sign});
        reals.push_back({a + 1, b, sign});
      }
    }
  return reals;
}

}  // namespace kov
