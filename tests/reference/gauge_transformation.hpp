// SPDX-License-Identifier: MIT
//
// Gauge transformations of plain arrays: psi(x) -> g(x) psi(x), U_mu(x) -> g(x) U_mu(x) adj(g(x + mu)).
#pragma once

#include "tests/reference/global_array.hpp"

namespace kov::reference {

/// Colour on the left of n / 3 colour vectors a site.
inline GlobalArray transform_quarks(const GlobalArray& g, const GlobalArray& psi) {
  GlobalArray out(psi.extent, psi.n);
  fill_sites(out, [&](const Coord& x) {
    for (int i = 0; i < psi.n; i += 3)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) out.at(x)[i + a] += g.at(x)[3 * a + b] * psi.at(x)[i + b];
  });
  return out;
}

/// gauge: four links a site.
inline GlobalArray transform_links(const GlobalArray& g, const GlobalArray& gauge) {
  GlobalArray out(gauge.extent, 36);
  fill_sites(out, [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu) {
      const Number *left = g.at(x), *right = g.at(shifted(x, mu, 1)), *u = gauge.at(x) + 9 * mu;
      for (int a = 0; a < 3; ++a)
        for (int d = 0; d < 3; ++d)
          for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 3; ++c)
              out.at(x)[9 * mu + 3 * a + d] += left[3 * a + b] * u[3 * b + c] * std::conj(right[3 * d + c]);
    }
  });
  return out;
}

/// The unit matrix on every link.
inline GlobalArray unit_gauge(const Coord& extent) {
  GlobalArray u(extent, 36);
  for (std::size_t i = 0; i < u.data.size(); i += 9)
    for (std::size_t a = 0; a < 3; ++a) u.data[i + 4 * a] = 1;
  return u;
}

}  // namespace kov::reference
