// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/halo_compressor.hpp"

#include "kov/core/site/gamma.hpp"

namespace kov {

std::vector<detail::HeldReal> SpinProjection::held(int leg, int variant) {
  const Gamma g = Gamma::direction(leg / 2);
  const bool minus = (leg % 2 == 0) == (variant == hop);
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
