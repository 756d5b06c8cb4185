// SPDX-License-Identifier: MIT
//
// SpinColorMatrix: a propagator at a site, a 12 x 12 matrix in spin and colour, with its products and traces.
#pragma once

#include "kov/core/site/gamma.hpp"
#include "kov/core/site/su3.hpp"

namespace kov {

/// S[sink spin s][sink colour a][source spin r][source colour b].  In memory column after column, z[12 (3 r + b) + 3 s
/// + a]: column 3 r + b is the spinor that the source of spin r and colour b makes, as a propagator has them.
template <class R>
struct SpinColorMatrix {
  using Real = R;
  static constexpr int n_complex = 144;
  Complex<R> z[144];

  /// Entry S[s][a][r][b].
  KOKKOS_FORCEINLINE_FUNCTION const Complex<R>& operator()(int s, int a, int r, int b) const {
    return z[12 * (3 * r + b) + 3 * s + a];
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<R>& operator()(int s, int a, int r, int b) {
    return z[12 * (3 * r + b) + 3 * s + a];
  }
  /// The colour matrix of a spin at the sink and one at the source.
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> block(int s, int r) const {
    ColorMatrix<R> m;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) m(a, b) = (*this)(s, a, r, b);
    return m;
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_block(int s, int r, const ColorMatrix<R>& m) {
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) (*this)(s, a, r, b) = m(a, b);
  }
};

/// Gamma S: permutes the spins of the sink and multiplies them by phases.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> operator*(const Gamma& gamma, const SpinColorMatrix<R>& m) {
  SpinColorMatrix<R> out;
  for (int column = 0; column < 12; ++column)
    for (int s = 0; s < 4; ++s)
      for (int a = 0; a < 3; ++a)
        out.z[12 * column + 3 * s + a] = times_i_power(gamma.phase[s], m.z[12 * column + 3 * gamma.column[s] + a]);
  return out;
}

/// S Gamma: permutes the spins of the source and multiplies them by phases.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> operator*(const SpinColorMatrix<R>& m, const Gamma& gamma) {
  SpinColorMatrix<R> out;
  for (int r = 0; r < 4; ++r)
    for (int i = 0; i < 36; ++i) out.z[36 * gamma.column[r] + i] = times_i_power(gamma.phase[r], m.z[36 * r + i]);
  return out;
}

/// m S: any matrix in spin on the left.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> operator*(const SpinMatrix<R>& m, const SpinColorMatrix<R>& s) {
  SpinColorMatrix<R> out = zero<SpinColorMatrix<R>>();
  for (int column = 0; column < 12; ++column)
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k)
        for (int a = 0; a < 3; ++a) multiply_add(out.z[12 * column + 3 * i + a], m(i, k), s.z[12 * column + 3 * k + a]);
  return out;
}
/// S m
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> operator*(const SpinColorMatrix<R>& s, const SpinMatrix<R>& m) {
  SpinColorMatrix<R> out = zero<SpinColorMatrix<R>>();
  for (int k = 0; k < 4; ++k)
    for (int r = 0; r < 4; ++r)
      for (int i = 0; i < 36; ++i) multiply_add(out.z[36 * r + i], m(k, r), s.z[36 * k + i]);
  return out;
}

/// u S: colour at the sink.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> operator*(const ColorMatrix<R>& u, const SpinColorMatrix<R>& m) {
  SpinColorMatrix<R> out = zero<SpinColorMatrix<R>>();
  for (int i = 0; i < 144; i += 3)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) multiply_add(out.z[i + a], u(a, b), m.z[i + b]);
  return out;
}
/// S u: colour at the source.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> operator*(const SpinColorMatrix<R>& m, const ColorMatrix<R>& u) {
  SpinColorMatrix<R> out = zero<SpinColorMatrix<R>>();
  for (int r = 0; r < 4; ++r)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        for (int i = 0; i < 12; ++i) multiply_add(out.z[12 * (3 * r + b) + i], u(a, b), m.z[12 * (3 * r + a) + i]);
  return out;
}

/// S T, 1728 complex products.  For the trace of a product use trace_of_product().
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> operator*(const SpinColorMatrix<R>& s, const SpinColorMatrix<R>& t) {
  SpinColorMatrix<R> out;
  for (int column = 0; column < 12; ++column) {
    Complex<R> sum[12];
    for (int i = 0; i < 12; ++i) sum[i] = s.z[i] * t.z[12 * column];
    for (int k = 1; k < 12; ++k)
      for (int i = 0; i < 12; ++i) multiply_add(sum[i], s.z[12 * k + i], t.z[12 * column + k]);
    for (int i = 0; i < 12; ++i) out.z[12 * column + i] = sum[i];
  }
  return out;
}

/// The adjoint: complex conjugate transpose in spin and colour.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> adj(const SpinColorMatrix<R>& m) {
  SpinColorMatrix<R> out;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) out.z[12 * j + i] = conj(m.z[12 * i + j]);
  return out;
}
/// The transpose in spin and colour.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> transpose(const SpinColorMatrix<R>& m) {
  SpinColorMatrix<R> out;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) out.z[12 * j + i] = m.z[12 * i + j];
  return out;
}

/// The trace over spin, sum over s of m(s a, s b): a colour matrix [a][b].
template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> trace_spin(const SpinColorMatrix<R>& m) {
  ColorMatrix<R> sum = m.block(0, 0);
  for (int s = 1; s < 4; ++s) sum += m.block(s, s);
  return sum;
}
/// The trace over colour, sum over a of m(s a, r a): a spin matrix [s][r].
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinMatrix<R> trace_color(const SpinColorMatrix<R>& m) {
  SpinMatrix<R> sum;
  for (int s = 0; s < 4; ++s)
    for (int r = 0; r < 4; ++r) sum(s, r) = m(s, 0, r, 0) + m(s, 1, r, 1) + m(s, 2, r, 2);
  return sum;
}
/// The trace over spin and colour, sum over s and a of m(s a, s a), without a factor 1 / 12.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> trace(const SpinColorMatrix<R>& m) {
  Complex<R> sum = m.z[0];
  for (int i = 1; i < 12; ++i) sum += m.z[13 * i];
  return sum;
}
/// trace(S T) without the product: 144 complex products.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> trace_of_product(const SpinColorMatrix<R>& s, const SpinColorMatrix<R>& t) {
  Complex<R> sum = s.z[0] * t.z[0];
  for (int i = 1; i < 144; ++i) multiply_add(sum, s.z[i], t.z[12 * (i % 12) + i / 12]);
  return sum;
}

namespace detail {

/// acc -= a b
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void multiply_subtract(Complex<R>& acc, const Complex<R>& a, const Complex<R>& b) {
  acc.re -= a.re * b.re;
  acc.im -= a.re * b.im;
  acc.re += a.im * b.im;
  acc.im -= a.im * b.re;
}

/// acc_kk' += eps_ijk eps_i'j'k' x_ii' y_jj'
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void add_cross(ColorMatrix<R>& acc, const ColorMatrix<R>& x, const ColorMatrix<R>& y) {
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      const int i = (k + 1) % 3, j = (k + 2) % 3, p = (l + 1) % 3, q = (l + 2) % 3;
      multiply_add(acc(k, l), x(i, p), y(j, q));
      multiply_subtract(acc(k, l), x(i, q), y(j, p));
      multiply_subtract(acc(k, l), x(j, p), y(i, q));
      multiply_add(acc(k, l), x(j, q), y(i, p));
    }
}

}  // namespace detail

/// The diquark of a baryon: D[s k'][t k] = eps_ijk eps_i'j'k' X[r i][s i'] Y[r j][t j'], summed over the colours i j i'
/// j' and the spin r at the sink.  Its rows are of the source and its columns of the sink, so that a third quark Q
/// closes it: trace_color(Q D) where Q takes the spin s at the source, trace_color(Q trace_spin(D)) where it keeps its
/// own.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<R> diquark(const SpinColorMatrix<R>& x, const SpinColorMatrix<R>& y) {
  SpinColorMatrix<R> out;
  for (int s = 0; s < 4; ++s)
    for (int t = 0; t < 4; ++t) {
      ColorMatrix<R> sum = zero<ColorMatrix<R>>();
      for (int r = 0; r < 4; ++r) detail::add_cross(sum, x.block(r, s), y.block(r, t));
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) out(s, l, t, k) = sum(k, l);
    }
  return out;
}

}  // namespace kov
