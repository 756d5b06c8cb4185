// SPDX-License-Identifier: MIT
//
// Gauge transformations of plain arrays: psi(x) -> g(x) psi(x), U_mu(x) -> g(x) U_mu(x) adj(g(x + mu)).
#pragma once

#include "tests/reference/global_array.hpp"

namespace kov::reference {

/// Collective, as the next one: colour on the left of n / 3 colour vectors a site.
inline GlobalArray transform_quarks(const GlobalArray& g, const GlobalArray& psi) {
  return filled(psi.extent, psi.n, [&](const Coord& x, Number* out) {
    for (int i = 0; i < psi.n; i += 3)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) out[i + a] += g.at(x)[3 * a + b] * psi.at(x)[i + b];
  });
}

/// gauge: four links a site.
inline GlobalArray transform_links(const GlobalArray& g, const GlobalArray& gauge) {
  return filled(gauge.extent, 36, [&](const Coord& x, Number* out) {
    for (int mu = 0; mu < 4; ++mu) {
      const Number *left = g.at(x), *right = g.at(shifted(x, mu, 1)), *u = gauge.at(x) + 9 * mu;
      for (int a = 0; a < 3; ++a)
        for (int d = 0; d < 3; ++d)
          for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 3; ++c)
              out[9 * mu + 3 * a + d] += left[3 * a + b] * u[3 * b + c] * std::conj(right[3 * d + c]);
    }
  });
}

/// The unit matrix on every link.
inline GlobalArray unit_gauge(const Coord& extent) {
  GlobalArray u(extent, 36);
  for (std::size_t i = 0; i < u.data.size(); i += 9)
    for (std::size_t a = 0; a < 3; ++a) u.data[i + 4 * a] = 1;
  return u;
}

}  // namespace kov::reference
