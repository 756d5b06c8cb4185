// SPDX-License-Identifier: MIT
//
// Private to the kernels of this room: arithmetic of the entries of matrices, which are real or complex.
#pragma once

#include "kov/core/site/complex.hpp"

#include <type_traits>

namespace kov::detail {

template <class Z>
using MatrixReal = typename RealOfNumber<std::remove_const_t<Z>>::type;
template <class Z>
inline constexpr bool is_complex_number = !std::is_arithmetic_v<std::remove_const_t<Z>>;
/// Flops of a product that is added.
template <class Z>
inline constexpr double product_flops = is_complex_number<Z> ? 8 : 2;

/// acc += a b
template <class R>
requires std::is_arithmetic_v<R> KOKKOS_FORCEINLINE_FUNCTION void accumulate(R& acc, R a, R b) {
  add_product(acc, a, b);
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void accumulate(Complex<R>& acc, const Complex<R>& a, const Complex<R>& b) {
  multiply_add(acc, a, b);
}
template <class R>
requires std::is_arithmetic_v<R> KOKKOS_FORCEINLINE_FUNCTION R conj_number(R a) { return a; }
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> conj_number(const Complex<R>& a) {
  return conj(a);
}
/// The same number in another precision.
template <class To, class R>
requires std::is_arithmetic_v<R> KOKKOS_FORCEINLINE_FUNCTION To converted(R a) { return To(a); }
template <class To, class R>
KOKKOS_FORCEINLINE_FUNCTION To converted(const Complex<R>& a) {
  using T = MatrixReal<To>;
  return {T(a.re), T(a.im)};
}

}  // namespace kov::detail
