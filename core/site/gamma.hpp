// SPDX-License-Identifier: MIT
//
// The 16 Dirac matrices as permutations with phases, in the DeGrand-Rossi basis unless another one is asked for: one
// entry i^phase per row.
#pragma once

#include "kov/core/site/spin_basis.hpp"

#include <Kokkos_Array.hpp>

#include <array>
#include <string>

namespace kov {

/// (Gamma psi)[row] = i^phase[row] psi[column[row]].
struct Gamma {
  /// Of the only entry of each row that is not 0, and the power of i that it is: 0 to 3.
  std::array<int, 4> column{0, 1, 2, 3};
  std::array<int, 4> phase{0, 0, 0, 0};

  /// Gamma(n) = g1^b0 g2^b1 g3^b2 g4^b3 for n = b0 + 2 b1 + 4 b2 + 8 b3, as Chroma numbers them; 15 is gamma_5 =
  /// diag(1, 1, -1, -1).  Directions 1..4 are x, y, z, t.
  static constexpr Gamma number(int n, SpinBasis basis = SpinBasis::chiral);
  /// gamma_mu for mu = 0..3.
  static constexpr Gamma direction(int mu, SpinBasis basis = SpinBasis::chiral) { return number(1 << mu, basis); }
  static constexpr Gamma five(SpinBasis basis = SpinBasis::chiral) { return number(15, basis); }

  friend constexpr Gamma operator*(const Gamma& a, const Gamma& b) {
    Gamma r;
    for (int row = 0; row < 4; ++row) {
      r.column[row] = b.column[a.column[row]];
      r.phase[row] = (a.phase[row] + b.phase[a.column[row]]) & 3;
    }
    return r;
  }
  /// Gamma^+, which is Gamma^-1.
  constexpr Gamma adjoint() const {
    Gamma r;
    for (int row = 0; row < 4; ++row) {
      r.column[column[row]] = row;
      r.phase[column[row]] = (4 - phase[row]) & 3;
    }
    return r;
  }
  constexpr bool operator==(const Gamma&) const = default;
};

constexpr Gamma Gamma::number(int n, SpinBasis basis) {
  constexpr Gamma chiral[4] = {
      {{3, 2, 1, 0}, {1, 1, 3, 3}},  // [[0,0,0,i],[0,0,i,0],[0,-i,0,0],[-i,0,0,0]]
      {{3, 2, 1, 0}, {2, 0, 0, 2}},  // [[0,0,0,-1],[0,0,1,0],[0,1,0,0],[-1,0,0,0]]
      {{2, 3, 0, 1}, {1, 3, 3, 1}},  // [[0,0,i,0],[0,0,0,-i],[-i,0,0,0],[0,i,0,0]]
      {{2, 3, 0, 1}, {0, 0, 0, 0}},  // [[0,0,1,0],[0,0,0,1],[1,0,0,0],[0,1,0,0]]
  };
  constexpr Gamma nonrelativistic[4] = {
      {{3, 2, 1, 0}, {3, 3, 1, 1}},
      {{3, 2, 1, 0}, {0, 2, 2, 0}},
      {{2, 3, 0, 1}, {3, 1, 1, 3}},
      {{0, 1, 2, 3}, {0, 0, 2, 2}},  // [[1,0,0,0],[0,1,0,0],[0,0,-1,0],[0,0,0,-1]]
  };
  Gamma r;
  for (int mu = 0; mu < 4; ++mu)
    if (n >> mu & 1) r = r * (basis == SpinBasis::chiral ? chiral[mu] : nonrelativistic[mu]);
  return r;
}

/// Names of the local meson interpolators psibar Gamma(n) psi: "a0", "rho_x", ..., "pion".
const std::array<std::string, 16>& meson_names();

/// gamma_5 psi
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Spinor<R> gamma5(const Spinor<R>& psi) {
  Spinor<R> r;
  for (int i = 0; i < 6; ++i) r.z[i] = psi.z[i];
  for (int i = 6; i < 12; ++i) r.z[i] = -psi.z[i];
  return r;
}

/// acc += i a gamma_5 psi
template <SpinBasis basis = SpinBasis::chiral, class R>
KOKKOS_FORCEINLINE_FUNCTION void add_twist(Spinor<R>& acc, const std::type_identity_t<R>& a, const Spinor<R>& psi) {
  if constexpr (basis == SpinBasis::nonrelativistic) {
    unroll<12>([&](int i) __attribute__((always_inline)) {
      acc.z[i].re -= a * psi.z[(i + 6) % 12].im;
      acc.z[i].im += a * psi.z[(i + 6) % 12].re;
    });
    return;
  }
  unroll<6>([&](int i) __attribute__((always_inline)) {
    acc.z[i].re -= a * psi.z[i].im;
    acc.z[i].im += a * psi.z[i].re;
  });
  unroll<6>([&](int i) __attribute__((always_inline)) {
    acc.z[6 + i].re += a * psi.z[6 + i].im;
    acc.z[6 + i].im -= a * psi.z[6 + i].re;
  });
}

/// Gamma psi
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Spinor<R> multiply(const Gamma& gamma, const Spinor<R>& psi) {
  Spinor<R> r;
  for (int s = 0; s < 4; ++s)
    for (int a = 0; a < 3; ++a) r(s, a) = times_i_power(gamma.phase[s], psi(gamma.column[s], a));
  return r;
}

}  // namespace kov
