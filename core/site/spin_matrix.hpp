// SPDX-License-Identifier: MIT
//
// 4 x 4 spin matrices on the host: products and sums of gamma matrices and numbers, such as (1 + Gamma::direction(3))
// / 2.
#pragma once

#include "kov/core/site/gamma.hpp"

namespace kov {

/// The matrix with entry i^phase[row] at (row, column[row]).
inline SpinMatrix<double> spin_matrix(const Gamma& gamma) {
  SpinMatrix<double> m = zero<SpinMatrix<double>>();
  for (int row = 0; row < 4; ++row)
    m(row, gamma.column[std::size_t(row)]) = times_i_power(gamma.phase[std::size_t(row)], Complex<double>{1, 0});
  return m;
}
/// A number times the unit matrix.
template <SiteNumber C>
SpinMatrix<double> spin_matrix(C c) {
  const std::complex<double> a(c);
  SpinMatrix<double> m = zero<SpinMatrix<double>>();
  for (int s = 0; s < 4; ++s) m(s, s) = {a.real(), a.imag()};
  return m;
}
inline const SpinMatrix<double>& spin_matrix(const SpinMatrix<double>& m) { return m; }

/// The product of matrices in spin, a b.
inline SpinMatrix<double> operator*(const SpinMatrix<double>& a, const SpinMatrix<double>& b) {
  SpinMatrix<double> m = zero<SpinMatrix<double>>();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) multiply_add(m(i, j), a(i, k), b(k, j));
  return m;
}

/// Whether all entries are equal.
inline bool operator==(const SpinMatrix<double>& a, const SpinMatrix<double>& b) {
  for (int i = 0; i < 16; ++i)
    if (a.z[i].re != b.z[i].re || a.z[i].im != b.z[i].im) return false;
  return true;
}

namespace detail {
template <class X>
inline constexpr bool is_gamma_v = std::is_same_v<X, Gamma>;
template <class X>
inline constexpr bool is_spin_matrix_v = std::is_same_v<X, SpinMatrix<double>>;
}  // namespace detail

/// Pairs of gammas, spin matrices and numbers whose sum or product is a spin matrix and is not defined elsewhere.
template <class A, class B>
concept SpinFactors = (detail::is_gamma_v<A> && (SiteNumber<B> || detail::is_spin_matrix_v<B>)) ||
                      (detail::is_gamma_v<B> && (SiteNumber<A> || detail::is_spin_matrix_v<A>)) ||
                      (detail::is_spin_matrix_v<A> && SiteNumber<B>) || (detail::is_spin_matrix_v<B> && SiteNumber<A>);

/// In sums, a number stands for that number times the unit matrix.
template <class A, class B>
requires(SpinFactors<A, B> || (detail::is_gamma_v<A> && detail::is_gamma_v<B>)) SpinMatrix<double>
operator+(const A& a, const B& b) { return spin_matrix(a) + spin_matrix(b); }
template <class A, class B>
requires(SpinFactors<A, B> || (detail::is_gamma_v<A> && detail::is_gamma_v<B>)) SpinMatrix<double>
operator-(const A& a, const B& b) { return spin_matrix(a) - spin_matrix(b); }
template <class A, class B>
requires(SpinFactors<A, B> && !(std::is_arithmetic_v<A> && detail::is_spin_matrix_v<B>)) SpinMatrix<double>
operator*(const A& a, const B& b) { return spin_matrix(a) * spin_matrix(b); }
template <class A, SiteNumber C>
requires SpinFactors<A, C> SpinMatrix<double>
operator/(const A& a, C c) { return spin_matrix(a) * spin_matrix(1.0 / std::complex<double>(c)); }
inline SpinMatrix<double> operator-(const Gamma& gamma) { return spin_matrix(-1.0) * spin_matrix(gamma); }
inline SpinMatrix<double> operator-(const SpinMatrix<double>& m) { return spin_matrix(-1.0) * m; }

}  // namespace kov
