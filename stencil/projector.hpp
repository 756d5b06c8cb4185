// SPDX-License-Identifier: MIT
//
// Spin projection of the Wilson hop: (1 + sign gamma_mu) psi has two independent spins, the upper two here; the lower two
// are phases times them.
#pragma once

#include "kov/core/gamma.hpp"

namespace kov {

/// The upper two spins of (1 + sign gamma_mu) psi.  12 flops.
template <int mu, int sign, class R>
KOKKOS_FORCEINLINE_FUNCTION HalfSpinor<R> project(const Spinor<R>& psi) {
  constexpr Gamma g = Gamma::direction(mu);
  HalfSpinor<R> h;
  for (int a = 0; a < 3; ++a) {
    h(0, a) = psi(0, a) + times_i_power(g.phase[0] + (sign < 0 ? 2 : 0), psi(g.column[0], a));
    h(1, a) = psi(1, a) + times_i_power(g.phase[1] + (sign < 0 ? 2 : 0), psi(g.column[1], a));
  }
  return h;
}

/// acc += the full spinor of a projected half h.  24 flops.
template <int mu, int sign, class R>
KOKKOS_FORCEINLINE_FUNCTION void reconstruct_add(Spinor<R>& acc, const HalfSpinor<R>& h) {
  constexpr Gamma g = Gamma::direction(mu);
  for (int a = 0; a < 3; ++a) {
    acc(0, a) += h(0, a);
    acc(1, a) += h(1, a);
    acc(2, a) += times_i_power(g.phase[2] + (sign < 0 ? 2 : 0), h(g.column[2], a));
    acc(3, a) += times_i_power(g.phase[3] + (sign < 0 ? 2 : 0), h(g.column[3], a));
  }
}

}  // namespace kov
