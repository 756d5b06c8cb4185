// SPDX-License-Identifier: MIT
//
// Anisotropy: what an action that treats time apart changes in a Dirac operator.
#pragma once

#include "kov/stencil/links/leg_factors.hpp"

namespace kov {

/// Hops in space are multiplied by nu / xi0, and D contains 1 + 3 nu / xi0 instead of 4, as in Chroma: xi0 is the bare
/// anisotropy of the gauge action, nu the bare velocity of the quark.
struct Anisotropy {
  double xi0 = 1, nu = 1;

  /// nu / xi0, the factor of hops in space.
  double space() const { return nu / xi0; }
  /// 1 + 3 nu / xi0 + m; m = 1 / (2 kappa) - 4 here too.
  double diagonal(double mass) const { return 1 + 3 * space() + mass; }
  /// For the GaugeLinks of the operator.
  LegFactors factors(const BoundaryAngles& boundary) const {
    LegFactors f(boundary);
    for (int mu = 0; mu < 3; ++mu) f.direction[std::size_t(mu)] = space();
    return f;
  }
};

namespace detail {
/// Throws InputError unless xi0 and nu are positive numbers.
inline void require_anisotropy(const Anisotropy& a) {
  const auto fits = [](double v) { return v > 0 && v < 1e9; };
  require(fits(a.xi0) && fits(a.nu), "an anisotropy with xi0 =", a.xi0, "and nu =", a.nu,
          "describes no action: give two positive numbers, both 1 for an isotropic lattice");
}
}  // namespace detail

}  // namespace kov
