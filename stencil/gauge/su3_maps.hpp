// SPDX-License-Identifier: MIT
//
// Maps into SU(3): the exponential of an antihermitian matrix, and steps in SU(2) subgroups, of which heatbath,
// overrelaxation and the projection by maximal trace are made.
#pragma once

#include "kov/core/site/su3.hpp"

namespace kov {

/// v[0] + i (v[1] sigma_1 + v[2] sigma_2 + v[3] sigma_3): a multiple of an SU(2) matrix.
template <class R>
struct Quaternion {
  R v[4];
};

/// a b
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Quaternion<R> operator*(const Quaternion<R>& a, const Quaternion<R>& b) {
  return {{a.v[0] * b.v[0] - a.v[1] * b.v[1] - a.v[2] * b.v[2] - a.v[3] * b.v[3],
           a.v[0] * b.v[1] + a.v[1] * b.v[0] - a.v[2] * b.v[3] + a.v[3] * b.v[2],
           a.v[0] * b.v[2] + a.v[2] * b.v[0] - a.v[3] * b.v[1] + a.v[1] * b.v[3],
           a.v[0] * b.v[3] + a.v[3] * b.v[0] - a.v[1] * b.v[2] + a.v[2] * b.v[1]}};
}

/// v[0]^2 + v[1]^2 + v[2]^2 + v[3]^2, the determinant of the 2 x 2 matrix.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R norm2(const Quaternion<R>& a) {
  return a.v[0] * a.v[0] + a.v[1] * a.v[1] + a.v[2] * a.v[2] + a.v[3] * a.v[3];
}

/// Rows and columns i < j of the SU(2) subgroup k = 0, 1, 2: (0, 1), (1, 2), (0, 2).
KOKKOS_FORCEINLINE_FUNCTION constexpr int subgroup_i(int k) { return k == 1 ? 1 : 0; }
KOKKOS_FORCEINLINE_FUNCTION constexpr int subgroup_j(int k) { return k == 0 ? 1 : 2; }

/// The quaternion r for which Re tr(g w) = 2 (g r)_0 + a constant, for every g of subgroup k.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Quaternion<R> subgroup_part(const ColorMatrix<R>& w, int k) {
  const int i = subgroup_i(k), j = subgroup_j(k);
  const R half(0.5);
  return {{half * (w(i, i).re + w(j, j).re), half * (w(i, j).im + w(j, i).im), half * (w(i, j).re - w(j, i).re),
           half * (w(i, i).im - w(j, j).im)}};
}

/// u = g u for g of subgroup k.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void multiply_subgroup(ColorMatrix<R>& u, const Quaternion<R>& g, int k) {
  const int i = subgroup_i(k), j = subgroup_j(k);
  const Complex<R> ii{g.v[0], g.v[3]}, ij{g.v[2], g.v[1]}, ji{-g.v[2], g.v[1]}, jj{g.v[0], -g.v[3]};
  for (int b = 0; b < 3; ++b) {
    const Complex<R> top = u(i, b), bottom = u(j, b);
    u(i, b) = ii * top;
    multiply_add(u(i, b), ij, bottom);
    u(j, b) = ji * top;
    multiply_add(u(j, b), jj, bottom);
  }
}

/// exp(a) for a traceless antihermitian a with norm 2^halvings at most (any matrix norm): the Taylor series of a /
/// 2^halvings, its powers reduced by Cayley and Hamilton (a^3 = det(a) + tr(a^2) a / 2), then squared as often.
/// Accurate to a few roundings times 2^halvings.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> exponential(ColorMatrix<R> a, int halvings) {
  constexpr int order = sizeof(scalar_t<R>) == 4 ? 12 : 20;  // 1 / order! is below a rounding
  scalar_t<R> scale(1);
  for (int k = 0; k < halvings; ++k) scale *= scalar_t<R>(0.5);
  a = R(scale) * a;
  const ColorMatrix<R> a2 = a * a;
  const Complex<R> det = determinant(a), half_trace = R(0.5) * trace(a2);
  // The sum so far is c0 + c1 a + c2 a^2; Horner's step is sum = 1 + a sum / n.
  Complex<R> c0{R(1), R(0)}, c1{R(0), R(0)}, c2{R(0), R(0)};
  for (int n = order; n > 0; --n) {
    const R inverse(scalar_t<R>(1) / scalar_t<R>(n));
    const Complex<R> d0 = inverse * (c2 * det), d1 = inverse * (c0 + c2 * half_trace), d2 = inverse * c1;
    c0 = {R(1) + d0.re, d0.im};
    c1 = d1;
    c2 = d2;
  }
  ColorMatrix<R> sum = c1 * a;
  multiply_add(sum, c2, a2);
  for (int i = 0; i < 3; ++i) sum(i, i) += c0;
  for (int k = 0; k < halvings; ++k) sum = sum * sum;
  return sum;
}

}  // namespace kov
