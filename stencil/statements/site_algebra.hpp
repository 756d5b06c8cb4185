// SPDX-License-Identifier: MIT
//
// What the operations of expressions do with the values of one site: real numbers R, Complex<R> and site objects, where
// R is float, double or a pack.  A field of Scalar has Complex values here.  Not for users.
#pragma once

#include "kov/core/field/reduce.hpp"
#include "kov/core/site/spin_matrix.hpp"
#include "kov/core/site/su3.hpp"

#include <complex>

namespace kov::detail {

template <class V>
inline constexpr bool is_complex_v = false;
template <class R>
inline constexpr bool is_complex_v<Complex<R>> = true;
template <class V>
inline constexpr bool is_real_v = !SiteObject<V> && !is_complex_v<V>;
template <template <class> class SiteT, class V>
inline constexpr bool is_site_v = false;
template <template <class> class SiteT, class R>
inline constexpr bool is_site_v<SiteT, SiteT<R>> = true;
template <class V>
struct ValueReal {
  using type = V;
};
template <class R>
struct ValueReal<Complex<R>> {
  using type = R;
};
template <SiteObject S>
struct ValueReal<S> {
  using type = typename S::Real;
};
template <class V>
using value_real_t = typename ValueReal<V>::type;

/// The value of a product that does not exist, after the message that says so.
struct WrongValue {};

/// Whether a field of SiteT can hold values V.
template <template <class> class SiteT, class V>
constexpr bool holds_value() {
  if constexpr (std::is_same_v<V, WrongValue>) {
    return false;
  } else {
    using S = SiteT<value_real_t<V>>;
    constexpr bool object = !SiteObject<V> || std::is_same_v<V, S>, number = SiteObject<V> || S::n_complex == 1;
    static_assert(object, "the expression has another site type than the field");
    static_assert(number, "numbers go into fields of Scalar");
    return object && number;
  }
}

/// What a value is as a site object SiteT.
template <template <class> class SiteT, class V>
KOKKOS_FORCEINLINE_FUNCTION SiteT<value_real_t<V>> as_site(const V& v) {
  if constexpr (SiteObject<V>)
    return v;
  else if constexpr (is_complex_v<V>)
    return {{v}};
  else
    return {{{v, V(0)}}};
}

template <class V>
KOKKOS_FORCEINLINE_FUNCTION Complex<value_real_t<V>> as_complex(const V& v) {
  if constexpr (is_complex_v<V>)
    return v;
  else
    return {v, V(0)};
}

struct Add {
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const A& a, const B& b) const {
    static_assert(SiteObject<A> == SiteObject<B>, "a number cannot be added to a vector or matrix");
    if constexpr (is_complex_v<A> != is_complex_v<B>) {
      return as_complex(a) + as_complex(b);
    } else {
      static_assert(std::is_same_v<A, B>, "two sites of different types cannot be added");
      return a + b;
    }
  }
};

struct Subtract {
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const A& a, const B& b) const {
    static_assert(SiteObject<A> == SiteObject<B>, "a number cannot be subtracted from a vector or matrix");
    if constexpr (is_complex_v<A> != is_complex_v<B>) {
      return as_complex(a) - as_complex(b);
    } else {
      static_assert(std::is_same_v<A, B>, "two sites of different types cannot be subtracted");
      return a - b;
    }
  }
};

struct Negate {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V operator()(const V& v) const {
    if constexpr (SiteObject<V>)
      return value_real_t<V>(-1) * v;
    else
      return -v;
  }
};

/// a b: numbers with anything, matrices with matrices and vectors of their space.
struct Multiply {
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const A& a, const B& b) const {
    if constexpr (!SiteObject<A> && (SiteObject<B> || is_complex_v<B> || is_real_v<A>)) {
      return a * b;
    } else if constexpr (!SiteObject<B>) {
      return b * a;
    } else if constexpr (is_site_v<ColorMatrix, A>) {
      constexpr bool known =
          is_site_v<ColorMatrix, B> || is_site_v<ColorVector, B> || is_site_v<Spinor, B> || is_site_v<HalfSpinor, B>;
      static_assert(known, "a colour matrix multiplies colour matrices, colour vectors and spinors");
      if constexpr (known)
        return a * b;
      else
        return WrongValue();
    } else {
      constexpr bool known = is_site_v<SpinMatrix, A> && (is_site_v<SpinMatrix, B> || is_site_v<Spinor, B>);
      static_assert(
          known, "these two have no product: multiply matrices with matrices or vectors of their space, or take dot()");
      if constexpr (known)
        return spin_product(a, b);
      else
        return WrongValue();
    }
  }

 private:
  template <class R, class S>
  static KOKKOS_FORCEINLINE_FUNCTION S spin_product(const SpinMatrix<R>& m, const S& v) {
    constexpr int n = S::n_complex / 4;
    S r = zero<S>();
    for (int s = 0; s < 4; ++s)
      for (int k = 0; k < 4; ++k)
        for (int i = 0; i < n; ++i) multiply_add(r.z[n * s + i], m(s, k), v.z[n * k + i]);
    return r;
  }
};

struct Divide {
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const A& a, const B& b) const {
    static_assert(is_real_v<B>, "expressions are divided by real numbers");
    if constexpr (is_real_v<A>)
      return a / b;
    else
      return (B(1) / b) * a;
  }
};

struct Adjoint {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V operator()(const V& v) const {
    if constexpr (is_complex_v<V>) {
      return conj(v);
    } else if constexpr (is_site_v<ColorMatrix, V>) {
      return kov::adj(v);
    } else {
      static_assert(is_site_v<SpinMatrix, V>,
                    "adj() is for matrices and numbers: take dot() or outer_product() of vectors");
      V r;
      for (int s = 0; s < 4; ++s)
        for (int k = 0; k < 4; ++k) r(s, k) = conj(v(k, s));
      return r;
    }
  }
};

struct Trace {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    static_assert(is_site_v<ColorMatrix, V> || is_site_v<SpinMatrix, V>, "trace() is for matrices");
    constexpr int n = V::n_complex == 9 ? 3 : 4;
    auto sum = v(0, 0);
    for (int k = 1; k < n; ++k) sum += v(k, k);
    return sum;
  }
};

struct RealPart {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION value_real_t<V> operator()(const V& v) const {
    static_assert(!SiteObject<V>, "real() is for numbers: take the trace() of a matrix or dot() of vectors first");
    return as_complex(v).re;
  }
};

struct ImaginaryPart {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION value_real_t<V> operator()(const V& v) const {
    static_assert(!SiteObject<V>, "imag() is for numbers: take the trace() of a matrix or dot() of vectors first");
    return as_complex(v).im;
  }
};

/// Of every element.
struct Conjugate {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V operator()(const V& v) const {
    if constexpr (SiteObject<V>) {
      V r;
      for (int i = 0; i < V::n_complex; ++i) r.z[i] = conj(v.z[i]);
      return r;
    } else if constexpr (is_complex_v<V>) {
      return conj(v);
    } else {
      return v;
    }
  }
};

/// The sum of conj(a) b over the elements of a site.
struct Dot {
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const A& a, const B& b) const {
    static_assert(std::is_same_v<A, B>, "dot() wants two values of one type");
    if constexpr (SiteObject<A>)
      return inner_product(a, b);
    else
      return conj(as_complex(a)) * as_complex(b);
  }
};

/// M[a][b] = a[s, a] conj(b[s, b]), summed over spins where there are any.
struct Outer {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<value_real_t<V>> operator()(const V& v, const V& w) const {
    static_assert(is_site_v<ColorVector, V> || is_site_v<Spinor, V> || is_site_v<HalfSpinor, V>,
                  "outer_product() is for colour vectors and spinors");
    auto m = zero<ColorMatrix<value_real_t<V>>>();
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        for (int s = 0; s < V::n_complex / 3; ++s) conj_multiply_add(m(a, b), w.z[3 * s + b], v.z[3 * s + a]);
    return m;
  }
};

struct GammaTimes {
  Gamma gamma;
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V operator()(const V& v) const {
    static_assert(is_site_v<Spinor, V> || is_site_v<SpinMatrix, V>,
                  "a gamma matrix multiplies spinors and spin matrices");
    constexpr int n = V::n_complex / 4;
    V r;
    for (int s = 0; s < 4; ++s)
      for (int i = 0; i < n; ++i) r.z[n * s + i] = times_i_power(gamma.phase[s], v.z[n * gamma.column[s] + i]);
    return r;
  }
};

/// A matrix in spin, the same at every site, most of whose elements may be zero.
template <class T>
struct SpinTimes {
  SpinMatrix<T> matrix;

  explicit SpinTimes(const SpinMatrix<double>& m) {
    for (int i = 0; i < 16; ++i) matrix.z[i] = {T(m.z[i].re), T(m.z[i].im)};
  }
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V operator()(const V& v) const {
    static_assert(is_site_v<Spinor, V> || is_site_v<SpinMatrix, V>,
                  "a sum of gamma matrices multiplies spinors and spin matrices");
    constexpr int n = V::n_complex / 4;
    V r = zero<V>();
    for (int s = 0; s < 4; ++s)
      for (int k = 0; k < 4; ++k) {
        const Complex<T> m = matrix(s, k);
        if (m.re == 0 && m.im == 0) continue;
        const Complex<typename V::Real> factor{typename V::Real(m.re), typename V::Real(m.im)};
        for (int i = 0; i < n; ++i) multiply_add(r.z[n * s + i], factor, v.z[n * k + i]);
      }
    return r;
  }
};

/// The reals of a value in double, added to a sum; and what the sum over sites is called by the host.
template <class V>
struct SumOf {
  static constexpr int n = 1;
  static double result(const double* v) { return *v; }
  template <class Sum>
  static KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, const V& v) {
    sum.v[0] += to_double(v);
  }
};
template <class R>
struct SumOf<Complex<R>> {
  static constexpr int n = 2;
  static std::complex<double> result(const double* v) { return {v[0], v[1]}; }
  template <class Sum>
  static KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, const Complex<R>& z) {
    sum.v[0] += to_double(z.re);
    sum.v[1] += to_double(z.im);
  }
};
template <template <class> class SiteT, class R>
requires SiteObject<SiteT<R>>
struct SumOf<SiteT<R>> {
  static constexpr int n = 2 * SiteT<R>::n_complex;
  static SiteT<double> result(const double* v) {
    SiteT<double> s;
    for (int i = 0; i < n / 2; ++i) s.z[i] = {v[2 * i], v[2 * i + 1]};
    return s;
  }
  template <class Sum>
  static KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, const SiteT<R>& s) {
    for (int i = 0; i < n / 2; ++i) {
      sum.v[2 * i] += to_double(s.z[i].re);
      sum.v[2 * i + 1] += to_double(s.z[i].im);
    }
  }
};

/// The same site in double.
template <template <class> class SiteT, class R>
KOKKOS_FORCEINLINE_FUNCTION auto convert_site(const SiteT<R>& s) {
  SiteT<decltype(to_double(R()))> r;
  for (int i = 0; i < SiteT<R>::n_complex; ++i) r.z[i] = to_double(s.z[i]);
  return r;
}

/// conj(a) b and |a|^2 with products in double, as inner_product() and norm2() of fields take them.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto in_double(const V& v) {
  if constexpr (SiteObject<V>) {
    return convert_site(v);
  } else {
    return to_double(v);
  }
}
struct DoubleDot {
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const A& a, const B& b) const {
    return Dot{}(in_double(a), in_double(b));
  }
};
struct DoubleNorm2 {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    if constexpr (is_real_v<V>)
      return to_double(v) * to_double(v);
    else
      return norm2(in_double(v));
  }
};

}  // namespace kov::detail
