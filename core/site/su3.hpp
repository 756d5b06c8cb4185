// SPDX-License-Identifier: MIT
//
// Algebra of 3 x 3 colour matrices: products, adjoint, trace, projection to SU(3), exponential.
#pragma once

#include "kov/core/site/color_spin.hpp"

#include <Kokkos_MathematicalFunctions.hpp>

namespace kov {

/// u^+
template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> adj(const ColorMatrix<R>& u) {
  ColorMatrix<R> r;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) r(a, b) = conj(u(b, a));
  return r;
}

/// u v
template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> operator*(const ColorMatrix<R>& u, const ColorMatrix<R>& v) {
  ColorMatrix<R> r;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      Complex<R> w = u(a, 0) * v(0, b);
      multiply_add(w, u(a, 1), v(1, b));
      multiply_add(w, u(a, 2), v(2, b));
      r(a, b) = w;
    }
  return r;
}

/// tr u, the sum of u(a, a) over the three colours, without a factor 1 / 3.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> trace(const ColorMatrix<R>& u) {
  return u(0, 0) + u(1, 1) + u(2, 2);
}

/// Re tr u v^+, without a factor 1 / 3: 18 products.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R real_trace_adj(const ColorMatrix<R>& u, const ColorMatrix<R>& v) {
  R sum(0);
  for (int i = 0; i < 9; ++i) {
    sum += u.z[i].re * v.z[i].re;
    sum += u.z[i].im * v.z[i].im;
  }
  return sum;
}

/// The unit matrix.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> unit_matrix() {
  ColorMatrix<R> r = zero<ColorMatrix<R>>();
  for (int a = 0; a < 3; ++a) r(a, a).re = R(1);
  return r;
}

/// det u
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> determinant(const ColorMatrix<R>& u) {
  Complex<R> sum{R(0), R(0)};
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    multiply_add(sum, u(0, a), u(1, b) * u(2, c) - u(1, c) * u(2, b));
  }
  return sum;
}

/// The third row of an SU(3) matrix from its first two: row2 = conj(row0 x row1).
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void complete_third_row(ColorMatrix<R>& u) {
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    u(2, a) = conj(u(0, b) * u(1, c) - u(0, c) * u(1, b));
  }
}

/// Gram-Schmidt on the rows: keeps the direction of the first row and makes the determinant 1.
template <class T>
KOKKOS_INLINE_FUNCTION void reunitarise(ColorMatrix<T>& u) {
  using Kokkos::sqrt;
  for (int row = 0; row < 2; ++row) {
    if (row == 1) {
      Complex<T> overlap{T(0), T(0)};
      for (int a = 0; a < 3; ++a) conj_multiply_add(overlap, u(0, a), u(1, a));
      for (int a = 0; a < 3; ++a) u(1, a) -= overlap * u(0, a);
    }
    T sum(0);
    for (int a = 0; a < 3; ++a) sum += norm2(u(row, a));
    const T scale = T(1) / sqrt(sum);
    for (int a = 0; a < 3; ++a) u(row, a) = scale * u(row, a);
  }
  complete_third_row(u);
}

/// The traceless antihermitian part (A - A^+) / 2 - tr(A - A^+) / 6.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> traceless_antihermitian(const ColorMatrix<R>& a) {
  ColorMatrix<R> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r(i, j) = R(0.5) * (a(i, j) - conj(a(j, i)));
  const R third = R(1.0 / 3) * (r(0, 0).im + r(1, 1).im + r(2, 2).im);
  for (int i = 0; i < 3; ++i) r(i, i).im -= third;
  return r;
}

}  // namespace kov
