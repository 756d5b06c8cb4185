// SPDX-License-Identifier: MIT
//
// SU(3) matrices as eight real numbers: to_eight() and su3_of_eight().  Neither needs a root or an angle, and no matrix
// loses accuracy.
#pragma once

#include "kov/core/site/su3.hpp"

#include <type_traits>

namespace kov {

// The first row of U is a point of the sphere S^5 and the other two, in a basis that the first row determines, a point
// of S^3.  Both points are projected stereographically, from the antipodes of (1, 0, 0) and of the unit matrix:
//   y0 = Im U_00 / (1 + Re U_00), (z1, z2) = (U_01, U_02) / (1 + Re U_00), and with q = (1 + i y0, z1, z2)
//   U^T = (-H) (1 + W), H = 1 - 2 q q^+ / (|q|^2 conj(q_0)), a unitary matrix with H (1, 0, 0) = -(first row of U);
//   W = S diag(1, conj(q_0) / q_0), S = (s0 + i s1, -s2 + i s3; s2 + i s3, s0 - i s1), v = (s1, s2, s3) / (1 + s0).
// The numbers are y0, Re z1, Im z1, Re z2, Im z2, v1, v2, v3.

/// R: a real or a pack of them.
template <class R>
struct EightReals {
  /// y0, Re z1, Im z1, Re z2, Im z2, v1, v2, v3.
  R x[8];
};

namespace detail {

/// The real type of a real or of the lanes of a pack.
template <class R>
struct RealOfLanes {
  using Type = R;
};
template <class R>
requires requires { typename R::Real; }
struct RealOfLanes<R> {
  using Type = typename R::Real;
};

/// Of the point (s, others) of a unit sphere, rest = |others|^2: 1 + s without cancellation.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R one_plus(const R& s, const R& rest) {
  return where_greater(s, R(0), R(1) + s, rest / (R(1) - s));
}

/// Coordinate x / one_plus; at the antipode, where all coordinates are infinite, `there`.  Keeps NaN.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R project(const R& x, const R& plus, double there) {
  using T = typename RealOfLanes<R>::Type;
  return where_greater(R(sizeof(T) == 4 ? T(1e-16) : T(1e-32)), plus, R(T(there)), x / plus);
}

/// a / b, to two units in the last place on GPUs, which divide floats exactly in ten instructions and more.  b: from 1
/// to 2^126.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R quotient(const R& a, const R& b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<R, float>) return __fdividef(a, b);
#endif
  return a / b;
}

/// (1 + i y) z
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> times_one_plus_i(const R& y, const Complex<R>& z) {
  Complex<R> r = z;
  subtract_product(r.re, y, z.im);
  add_product(r.im, y, z.re);
  return r;
}

/// The sum of their squares.
template <class R, class... Rs>
KOKKOS_FORCEINLINE_FUNCTION R sum_of_squares(R sum, const Rs&... x) {
  (add_product(sum, x, x), ...);
  return sum;
}

}  // namespace detail

// Sums of products below add one product to a number at a time, from zero if there is none: of two products in a sum
// the compiler may fuse either, another one for packs than for single lanes, and decompositions would have other bits.

/// u: in SU(3).
template <class R>
KOKKOS_INLINE_FUNCTION EightReals<R> to_eight(const ColorMatrix<R>& u) {
  using detail::project, detail::sum_of_squares, detail::times_one_plus_i;
  constexpr double far = sizeof(typename detail::RealOfLanes<R>::Type) == 4 ? 1e9 : 1e17;
  const R im = u(0, 0).im;
  const R plus = detail::one_plus(u(0, 0).re, sum_of_squares(R(0), im, u(0, 1).re, u(0, 1).im, u(0, 2).re, u(0, 2).im));
  EightReals<R> r;
  r.x[0] = project(im, plus, 0);
  for (int j = 0; j < 2; ++j) {
    r.x[1 + 2 * j] = project(u(0, 1 + j).re, plus, j == 0 ? far : 0);
    r.x[2 + 2 * j] = project(u(0, 1 + j).im, plus, 0);
  }
  const R& y0 = r.x[0];
  const Complex<R> z1{r.x[1], r.x[2]}, z2{r.x[3], r.x[4]};
  const R n0 = sum_of_squares(R(1), y0), n = sum_of_squares(n0, z1.re, z1.im, z2.re, z2.im);
  // The first column of W: that of (-H)^+ U^T.
  Complex<R> overlap = times_one_plus_i(-y0, u(1, 0));
  conj_multiply_add(overlap, z1, u(1, 1));
  conj_multiply_add(overlap, z2, u(1, 2));
  const Complex<R> along = (R(2) / (n * n0)) * times_one_plus_i(-y0, overlap);
  Complex<R> w0 = -u(1, 1), w1 = -u(1, 2);
  multiply_add(w0, z1, along);
  multiply_add(w1, z2, along);
  const R others[3] = {w0.im, w1.re, w1.im};
  const R above = detail::one_plus(w0.re, sum_of_squares(R(0), others[0], others[1], others[2]));
  for (int k = 0; k < 3; ++k) r.x[5 + k] = project(others[k], above, k == 0 ? far : 0);
  return r;
}

/// 135 flops and two divisions.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> su3_of_eight(const EightReals<R>& r) {
  using detail::subtract_product, detail::sum_of_squares, detail::times_one_plus_i;
  const auto& x = r.x;
  const R& y0 = x[0];
  const Complex<R> z1{x[1], x[2]}, z2{x[3], x[4]};
  const R n0 = sum_of_squares(R(1), y0), n = sum_of_squares(n0, x[1], x[2], x[3], x[4]);
  const R t = detail::quotient(R(2), n * n0), s = detail::quotient(R(2), sum_of_squares(R(1), x[5], x[6], x[7]));
  const Complex<R> s0{s - R(1), s * x[5]}, s1{s * x[6], s * x[7]};
  // conj(q_0) / q_0 = conj(q_0)^2 / n0; n0 t / 2 = 1 / n and n t / 2 = 1 / n0.
  R real(1);
  subtract_product(real, y0, y0);
  const Complex<R> phase = (R(0.5) * n * t) * Complex<R>{real, R(-2) * y0};
  const Complex<R> none{R(0), R(0)};
  Complex<R> w[2][2] = {{s0, s1}, {none, none}};
  conj_multiply_add(w[1][0], s1, -phase);
  conj_multiply_add(w[1][1], s0, phase);
  ColorMatrix<R> u;
  const R first = n0 * t;
  u(0, 0) = {first - R(1), first * y0};
  u(0, 1) = first * z1;
  u(0, 2) = first * z2;
  for (int k = 0; k < 2; ++k) {
    Complex<R> along = none;
    conj_multiply_add(along, z1, w[k][0]);
    conj_multiply_add(along, z2, w[k][1]);
    along = t * times_one_plus_i(y0, along);
    u(1 + k, 0) = times_one_plus_i(y0, along);
    u(1 + k, 1) = -w[k][0];
    u(1 + k, 2) = -w[k][1];
    multiply_add(u(1 + k, 1), z1, along);
    multiply_add(u(1 + k, 2), z2, along);
  }
  return u;
}

}  // namespace kov
