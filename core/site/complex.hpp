// SPDX-License-Identifier: MIT
//
// Complex<R> over R = float, double or Pack: an aggregate, with products written as fused multiply-adds.
#pragma once

#include "kov/core/site/pack.hpp"

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <complex>
#include <type_traits>

namespace kov {

/// re + i im.
template <class R>
struct Complex {
  R re, im;
};

namespace detail {

/// The real type that a number consists of: R of R and of Complex<R>.
template <class Z>
struct RealOfNumber {
  using type = Z;
};
template <class R>
struct RealOfNumber<Complex<R>> {
  using type = R;
};

}  // namespace detail

/// Real numbers and std::complex, the same at every site; rounded to the precision of the expression.
template <class C>
concept SiteNumber =
    std::is_arithmetic_v<C> || std::is_same_v<C, std::complex<double>> || std::is_same_v<C, std::complex<float>>;

/// The complex conjugate.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> conj(const Complex<R>& a) {
  return {a.re, -a.im};
}
/// |a|^2
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R norm2(const Complex<R>& a) {
  return a.re * a.re + a.im * a.im;
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> operator+(const Complex<R>& a, const Complex<R>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> operator-(const Complex<R>& a, const Complex<R>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> operator-(const Complex<R>& a) {
  return {-a.re, -a.im};
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R>& operator+=(Complex<R>& a, const Complex<R>& b) {
  a.re += b.re;
  a.im += b.im;
  return a;
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R>& operator-=(Complex<R>& a, const Complex<R>& b) {
  a.re -= b.re;
  a.im -= b.im;
  return a;
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> operator*(const std::type_identity_t<R>& a, const Complex<R>& b) {
  return {a * b.re, a * b.im};
}
/// i a
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> times_i(const Complex<R>& a) {
  return {-a.im, a.re};
}
/// -i a
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> times_minus_i(const Complex<R>& a) {
  return {a.im, -a.re};
}

/// a b.  A may be the scalar of a Pack: a number that all lanes share.
template <class A, class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> operator*(const Complex<A>& a, const Complex<R>& b) {
  Complex<R> r{a.re * b.re, a.re * b.im};
  r.re -= a.im * b.im;
  r.im += a.im * b.re;
  return r;
}
namespace detail {
/// acc + a b with one rounding.  On GPUs an explicit fused operation, because nvcc does not fuse a product that is
/// subtracted; on CPUs the compiler fuses it, for packs too.
template <class A, class R>
KOKKOS_FORCEINLINE_FUNCTION void add_product(R& acc, const A& a, const R& b) {
#if defined(__CUDA_ARCH__)
  acc = Kokkos::fma(a, b, acc);
#else
  acc += a * b;
#endif
}
template <class A, class R>
KOKKOS_FORCEINLINE_FUNCTION void subtract_product(R& acc, const A& a, const R& b) {
#if defined(__CUDA_ARCH__)
  acc = Kokkos::fma(-a, b, acc);
#else
  acc -= a * b;
#endif
}
}  // namespace detail

/// acc += a b, as four fused multiply-adds.
template <class A, class R>
KOKKOS_FORCEINLINE_FUNCTION void multiply_add(Complex<R>& acc, const Complex<A>& a, const Complex<R>& b) {
  detail::add_product(acc.re, a.re, b.re);
  detail::add_product(acc.im, a.re, b.im);
  detail::subtract_product(acc.re, a.im, b.im);
  detail::add_product(acc.im, a.im, b.re);
}
/// acc += a b for a real a
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void multiply_add(Complex<R>& acc, const R& a, const Complex<R>& b) {
  acc.re += a * b.re;
  acc.im += a * b.im;
}
/// acc += conj(a) b
template <class A, class R>
KOKKOS_FORCEINLINE_FUNCTION void conj_multiply_add(Complex<R>& acc, const Complex<A>& a, const Complex<R>& b) {
  detail::add_product(acc.re, a.re, b.re);
  detail::add_product(acc.im, a.re, b.im);
  detail::add_product(acc.re, a.im, b.im);
  detail::subtract_product(acc.im, a.im, b.re);
}

/// The same number in double.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION auto to_double(const Complex<R>& a) -> Complex<decltype(to_double(a.re))> {
  return {to_double(a.re), to_double(a.im)};
}

/// i^k b, k known at compile time.
template <int k, class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> times_i_power(const Complex<R>& b) {
  if constexpr ((k & 3) == 0)
    return b;
  else if constexpr ((k & 3) == 1)
    return times_i(b);
  else if constexpr ((k & 3) == 2)
    return -b;
  else
    return times_minus_i(b);
}

/// i^k b for any k.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> times_i_power(int k, const Complex<R>& b) {
  switch (k & 3) {
    case 0:
      return b;
    case 1:
      return times_i(b);
    case 2:
      return -b;
    default:
      return times_minus_i(b);
  }
}

}  // namespace kov
