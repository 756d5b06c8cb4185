// SPDX-License-Identifier: MIT
//
// What the operations of expressions do with the values of one site: real numbers R, Complex<R> and site objects, where
// R is float, double or a pack.  A field of Scalar has Complex values here.  Not for users.
#pragma once

#include "kov/core/site/spin_color_algebra.hpp"
#include "kov/core/site/spin_matrix.hpp"

namespace kov::detail {

// What a value V at a site is: a complex number, a real one, a site object.
template <class V>
inline constexpr bool is_complex_v = false;
template <class R>
inline constexpr bool is_complex_v<Complex<R>> = true;
template <class V>
inline constexpr bool is_real_v = !SiteObject<V> && !is_complex_v<V> && !LazySpinColor<V>;
template <template <class> class SiteT, class V>
inline constexpr bool is_site_v = false;
template <template <class> class SiteT, class R>
inline constexpr bool is_site_v<SiteT, SiteT<R>> = true;
/// The real type that a value consists of.
template <class V>
struct ValueReal : RealOfNumber<V> {};
template <SiteObject S>
struct ValueReal<S> {
  using type = typename S::Real;
};
template <LazySpinColor M>
struct ValueReal<M> {
  using type = typename M::Real;
};
template <class V>
using value_real_t = typename ValueReal<V>::type;

/// The value of a product that does not exist; the message that says so is printed once.
struct WrongValue {};

/// V as a value that can be stored: lazy products of propagators are computed.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto settled(const V& v) {
  if constexpr (LazySpinColor<V>)
    return to_matrix(v);
  else
    return v;
}

template <class V>
using settled_t = decltype(settled(std::declval<V>()));

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

/// A value converted to a site object SiteT.
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

/// a + b.
struct Add {
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const A& a, const B& b) const {
    static_assert(SpinColorBlocks<A> == SpinColorBlocks<B> && SiteObject<settled_t<A>> == SiteObject<settled_t<B>>,
                  "a number cannot be added to a vector or matrix");
    if constexpr (SpinColorBlocks<A> && SpinColorBlocks<B>) {
      return a + b;
    } else if constexpr (is_complex_v<A> != is_complex_v<B>) {
      return as_complex(a) + as_complex(b);
    } else {
      static_assert(std::is_same_v<A, B>, "two sites of different types cannot be added");
      return a + b;
    }
  }
};

/// a - b.
struct Subtract {
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const A& a, const B& b) const {
    static_assert(SpinColorBlocks<A> == SpinColorBlocks<B> && SiteObject<settled_t<A>> == SiteObject<settled_t<B>>,
                  "a number cannot be subtracted from a vector or matrix");
    if constexpr (SpinColorBlocks<A> && SpinColorBlocks<B>) {
      return a - b;
    } else if constexpr (is_complex_v<A> != is_complex_v<B>) {
      return as_complex(a) - as_complex(b);
    } else {
      static_assert(std::is_same_v<A, B>, "two sites of different types cannot be subtracted");
      return a - b;
    }
  }
};

/// -a.
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
    constexpr bool number_a = is_complex_v<A> || is_real_v<A>, number_b = is_complex_v<B> || is_real_v<B>;
    if constexpr (number_a && (!number_b || is_complex_v<B> || is_real_v<A>)) {
      return a * b;
    } else if constexpr (SpinColorBlocks<A> || SpinColorBlocks<B>) {
      if constexpr (number_b) {
        return b * a;
      } else {
        constexpr bool known = multiplies_propagators<A> && multiplies_propagators<B>;
        static_assert(known,
                      "a propagator is multiplied by propagators, colour matrices, spin matrices, gammas and numbers");
        if constexpr (known)
          return a * b;
        else
          return WrongValue();
      }
    } else if constexpr (number_b) {
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
  template <class V>
  static constexpr bool multiplies_propagators =
      SpinColorBlocks<V> || is_site_v<ColorMatrix, V> || is_site_v<SpinMatrix, V>;
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

/// a / b, b a real number.
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

/// The adjoint of a matrix, the complex conjugate of a number.
struct Adjoint {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    if constexpr (is_complex_v<V>) {
      return conj(v);
    } else if constexpr (is_site_v<ColorMatrix, V> || SpinColorBlocks<V>) {
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

/// The trace in spin and colour, or in the one of them that the matrix has.
struct Trace {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    if constexpr (SpinColorBlocks<V>) {
      return kov::trace(v);
    } else {
      static_assert(is_site_v<ColorMatrix, V> || is_site_v<SpinMatrix, V>, "trace() is for matrices");
      constexpr int n = V::n_complex == 9 ? 3 : 4;
      auto sum = v(0, 0);
      for (int k = 1; k < n; ++k) sum += v(k, k);
      return sum;
    }
  }
};

// These four are of propagators and their products alone.

/// The trace in spin alone: a colour matrix.
struct TraceSpin {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    static_assert(SpinColorBlocks<V>, "trace_spin() is for propagators");
    return kov::trace_spin(v);
  }
};
/// The trace in colour alone: a spin matrix.
struct TraceColor {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    static_assert(SpinColorBlocks<V>, "trace_color() is for propagators");
    return kov::trace_color(v);
  }
};
/// Rows and columns exchanged.
struct Transpose {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    static_assert(SpinColorBlocks<V>, "transpose() is for propagators");
    return kov::transpose(v);
  }
};
/// See diquark().
struct Diquark {
  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const X& x, const Y& y) const {
    static_assert(SpinColorBlocks<X> && SpinColorBlocks<Y>, "diquark() is for propagators");
    return kov::diquark(x, y);
  }
};

/// The real part of a number.
struct RealPart {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION value_real_t<V> operator()(const V& v) const {
    static_assert(!SiteObject<V>, "real() is for numbers: take the trace() of a matrix or dot() of vectors first");
    return as_complex(v).re;
  }
};

/// The imaginary part of a number.
struct ImaginaryPart {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION value_real_t<V> operator()(const V& v) const {
    static_assert(!SiteObject<V>, "imag() is for numbers: take the trace() of a matrix or dot() of vectors first");
    return as_complex(v).im;
  }
};

/// The complex conjugate of every element.
struct Conjugate {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    if constexpr (LazySpinColor<V>) {
      return kov::conj(v);
    } else if constexpr (SiteObject<V>) {
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
    static_assert(!LazySpinColor<A>, "dot() is for vectors: of propagators take trace(adj(a) * b)");
    static_assert(std::is_same_v<A, B>, "dot() takes two values of one type");
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

/// Gamma times a value with spin.
struct GammaTimes {
  Gamma gamma;
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    if constexpr (SpinColorBlocks<V>) {
      return gamma * v;
    } else {
      static_assert(is_site_v<Spinor, V> || is_site_v<SpinMatrix, V>,
                    "a gamma matrix multiplies spinors, spin matrices and propagators");
      constexpr int n = V::n_complex / 4;
      V r;
      for (int s = 0; s < 4; ++s)
        for (int i = 0; i < n; ++i) r.z[n * s + i] = times_i_power(gamma.phase[s], v.z[n * gamma.column[s] + i]);
      return r;
    }
  }
};
/// A value with spin times Gamma.
struct TimesGamma {
  Gamma gamma;
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    static_assert(SpinColorBlocks<V>, "a gamma matrix multiplies propagators from the right");
    return v * gamma;
  }
};

/// A matrix in spin, the same at every site, most of whose elements may be zero.
template <class T>
struct SharedSpin {
  SpinMatrix<T> matrix;

  explicit SharedSpin(const SpinMatrix<double>& m) {
    for (int i = 0; i < 16; ++i) matrix.z[i] = {T(m.z[i].re), T(m.z[i].im)};
  }
  /// In all lanes.
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION SpinMatrix<R> everywhere() const {
    SpinMatrix<R> m;
    for (int i = 0; i < 16; ++i) m.z[i] = {R(matrix.z[i].re), R(matrix.z[i].im)};
    return m;
  }
};
/// The matrix times a value with spin, and a value times the matrix.
template <class T>
struct SpinTimes : SharedSpin<T> {
  using SharedSpin<T>::SharedSpin;
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    if constexpr (LazySpinColor<V>) {
      return this->matrix * v;
    } else if constexpr (SpinColorBlocks<V>) {
      return this->template everywhere<typename V::Real>() * v;
    } else {
      static_assert(is_site_v<Spinor, V> || is_site_v<SpinMatrix, V>,
                    "a sum of gamma matrices multiplies spinors, spin matrices and propagators");
      constexpr int n = V::n_complex / 4;
      V r = zero<V>();
      for (int s = 0; s < 4; ++s)
        for (int k = 0; k < 4; ++k) {
          const Complex<T> m = this->matrix(s, k);
          if (m.re == 0 && m.im == 0) continue;
          const Complex<typename V::Real> factor{typename V::Real(m.re), typename V::Real(m.im)};
          for (int i = 0; i < n; ++i) multiply_add(r.z[n * s + i], factor, v.z[n * k + i]);
        }
      return r;
    }
  }
};
template <class T>
struct TimesSpin : SharedSpin<T> {
  using SharedSpin<T>::SharedSpin;
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    static_assert(SpinColorBlocks<V>, "a sum of gamma matrices multiplies propagators from the right");
    if constexpr (LazySpinColor<V>)
      return v * this->matrix;
    else
      return v * this->template everywhere<typename V::Real>();
  }
};

}  // namespace kov::detail
