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
  const Gamma g = Gamma::direction(leg / 2);
  const bool minus = (leg % 2 == 0) == (variant == SpinProjection::variant(false));
  std::vector<detail::HeldReal> reals;
  for (int spin = 0; spin < 2; ++spin)
    for (int color = 0; color < 3; ++color) {
      // a + i^phase b
      const int a = 2 * (3 * spin + color), b = 2 * (3 * g.column[std::size_t(spin)] + color);
      const int phase = (g.phase[std::size_t(spin)] + (minus ? 2 : 0)) & 3, sign = phase < 2 ? 1 : -1;
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
