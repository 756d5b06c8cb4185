// SPDX-License-Identifier: MIT
//
// Objects on a site.  Every type is a template on its real number R: R = double is a site on paper, R = Pack<double, 8>
// is eight sites in SIMD registers, R = float is what a GPU thread holds.
#pragma once

#include "kov/core/site/complex.hpp"
#include "kov/core/site/unroll.hpp"

#include <concepts>

namespace kov {

/// psi[color]
template <class R>
struct ColorVector {
  using Real = R;
  static constexpr int n_complex = 3;
  Complex<R> z[3];
  KOKKOS_FORCEINLINE_FUNCTION const Complex<R>& operator()(int a) const { return z[a]; }
  KOKKOS_FORCEINLINE_FUNCTION Complex<R>& operator()(int a) { return z[a]; }
};

/// U[row][column]
template <class R>
struct ColorMatrix {
  using Real = R;
  static constexpr int n_complex = 9;
  /// z[3 row + column]
  Complex<R> z[9];
  KOKKOS_FORCEINLINE_FUNCTION const Complex<R>& operator()(int a, int b) const { return z[3 * a + b]; }
  KOKKOS_FORCEINLINE_FUNCTION Complex<R>& operator()(int a, int b) { return z[3 * a + b]; }
};

/// phi[a], a = 0..7: the adjoint representation of SU(3), phi = sum of phi[a] lambda_{a+1} / 2 with the Gell-Mann
/// matrices.
template <class R>
struct AdjointVector {
  using Real = R;
  static constexpr int n_complex = 8;
  Complex<R> z[8];
  KOKKOS_FORCEINLINE_FUNCTION const Complex<R>& operator()(int a) const { return z[a]; }
  KOKKOS_FORCEINLINE_FUNCTION Complex<R>& operator()(int a) { return z[a]; }
};

/// psi[spin][color], in the DeGrand-Rossi basis.
template <class R>
struct Spinor {
  using Real = R;
  static constexpr int n_complex = 12;
  /// z[3 spin + color]
  Complex<R> z[12];
  KOKKOS_FORCEINLINE_FUNCTION const Complex<R>& operator()(int spin, int color) const { return z[3 * spin + color]; }
  KOKKOS_FORCEINLINE_FUNCTION Complex<R>& operator()(int spin, int color) { return z[3 * spin + color]; }
};

/// The two independent spins of a projected spinor: h[spin][color].
template <class R>
struct HalfSpinor {
  using Real = R;
  static constexpr int n_complex = 6;
  /// z[3 spin + color]
  Complex<R> z[6];
  KOKKOS_FORCEINLINE_FUNCTION const Complex<R>& operator()(int spin, int color) const { return z[3 * spin + color]; }
  KOKKOS_FORCEINLINE_FUNCTION Complex<R>& operator()(int spin, int color) { return z[3 * spin + color]; }
};

/// S[row][column] in spin.
template <class R>
struct SpinMatrix {
  using Real = R;
  static constexpr int n_complex = 16;
  /// z[4 row + column]
  Complex<R> z[16];
  KOKKOS_FORCEINLINE_FUNCTION const Complex<R>& operator()(int s, int r) const { return z[4 * s + r]; }
  KOKKOS_FORCEINLINE_FUNCTION Complex<R>& operator()(int s, int r) { return z[4 * s + r]; }
};

/// One complex number per site.
template <class R>
struct Scalar {
  using Real = R;
  static constexpr int n_complex = 1;
  Complex<R> z[1];
};

/// An object on a site: n_complex complex numbers z[i] over Real.
template <class S>
concept SiteObject = requires(S s) {
  typename S::Real;
  { S::n_complex } -> std::convertible_to<int>;
  s.z[0];
};

/// The object whose numbers are all 0.
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION S zero() {
  S r;
  using R = typename S::Real;
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { r.z[i] = {R(0), R(0)}; });
  return r;
}
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION S& operator+=(S& a, const S& b) {
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { a.z[i] += b.z[i]; });
  return a;
}
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION S& operator-=(S& a, const S& b) {
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { a.z[i] -= b.z[i]; });
  return a;
}
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION S operator+(const S& a, const S& b) {
  S r;
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { r.z[i] = a.z[i] + b.z[i]; });
  return r;
}
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION S operator-(const S& a, const S& b) {
  S r;
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { r.z[i] = a.z[i] - b.z[i]; });
  return r;
}
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION S operator*(const typename S::Real& a, const S& b) {
  S r;
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { r.z[i] = {a * b.z[i].re, a * b.z[i].im}; });
  return r;
}
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION S operator*(const Complex<typename S::Real>& a, const S& b) {
  S r;
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { r.z[i] = a * b.z[i]; });
  return r;
}
/// acc += a b for a real a
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION void multiply_add(S& acc, const typename S::Real& a, const S& b) {
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { multiply_add(acc.z[i], a, b.z[i]); });
}
/// acc += a b for a complex a
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION void multiply_add(S& acc, const Complex<typename S::Real>& a, const S& b) {
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { multiply_add(acc.z[i], a, b.z[i]); });
}
/// Sum of |z|^2 over all components.
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION typename S::Real norm2(const S& a) {
  typename S::Real sum(0);
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) {
    sum += a.z[i].re * a.z[i].re;
    sum += a.z[i].im * a.z[i].im;
  });
  return sum;
}
/// Sum of conj(a) b over all components.
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION Complex<typename S::Real> inner_product(const S& a, const S& b) {
  Complex<typename S::Real> sum{typename S::Real(0), typename S::Real(0)};
  unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { conj_multiply_add(sum, a.z[i], b.z[i]); });
  return sum;
}

/// Element i of a site object.  A SiteInMemory has an overload that loads it from memory.
template <SiteObject S>
KOKKOS_FORCEINLINE_FUNCTION const Complex<typename S::Real>& element(const S& site, int i) {
  return site.z[i];
}

/// acc += u psi: colour on the left of every spin.  Every element of u and psi is read once.
template <class Matrix, SiteObject S, class Vector>
requires(S::n_complex == 3 || S::n_complex == 6 || S::n_complex == 12) KOKKOS_FORCEINLINE_FUNCTION
    void color_multiply_add(S& acc, const Matrix& u, const Vector& psi) {
  constexpr int n_spins = S::n_complex / 3, at_once = has_packs && n_spins == 4 ? 2 : n_spins;
  unroll<3 * n_spins / at_once>([&](int k) __attribute__((always_inline)) {
    const int b = k * at_once / n_spins, first = k % (n_spins / at_once) * at_once;
    Complex<typename S::Real> column[at_once];
    unroll<at_once>([&](int s) __attribute__((always_inline)) { column[s] = element(psi, 3 * (first + s) + b); });
    unroll<3>([&](int a) __attribute__((always_inline)) {
      const auto w = element(u, 3 * a + b);
      unroll<at_once>([&](int s)
                          __attribute__((always_inline)) { multiply_add(acc.z[3 * (first + s) + a], w, column[s]); });
    });
  });
}
template <class A, SiteObject S>
requires(S::n_complex == 3 || S::n_complex == 6 || S::n_complex == 12) KOKKOS_FORCEINLINE_FUNCTION
    void multiply_add(S& acc, const ColorMatrix<A>& u, const S& psi) {
  color_multiply_add(acc, u, psi);
}

/// u psi
template <class A, template <class> class SiteT, class R>
requires(SiteT<R>::n_complex == 3 || SiteT<R>::n_complex == 6 ||
         SiteT<R>::n_complex == 12) KOKKOS_FORCEINLINE_FUNCTION SiteT<R>
operator*(const ColorMatrix<A>& u, const SiteT<R>& psi) {
  SiteT<R> r;
  unroll<9>([&](int k) __attribute__((always_inline)) {
    const int a = k / 3, b = k % 3;
    unroll<SiteT<R>::n_complex / 3>([&](int s) __attribute__((always_inline)) {
      if (b == 0)
        r.z[3 * s + a] = u.z[k] * psi.z[3 * s];
      else
        multiply_add(r.z[3 * s + a], u.z[k], psi.z[3 * s + b]);
    });
  });
  return r;
}

}  // namespace kov
