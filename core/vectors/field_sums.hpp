// SPDX-License-Identifier: MIT
//
// Norms and inner products of fields, and updates that return them.  A field is one vector here, as in field_ops.hpp.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/vectors/field_columns.hpp"

#include <complex>
#include <type_traits>
#include <utility>

namespace kov {

/// A factor of a vector: a real or a complex number.
template <class C>
concept Coefficient = std::is_convertible_v<C, std::complex<double>>;

namespace detail {

/// The type that kernels use for a coefficient of type C: real numbers stay real.
template <Coefficient C>
using CoefficientOf = std::conditional_t<std::is_convertible_v<C, double>, double, std::complex<double>>;

template <VectorField F>
struct FieldSums {
  static double norm2(const F& x, const Exec& exec);
  static std::complex<double> inner_product(const F& x, const F& y, const Exec& exec);
  static std::pair<std::complex<double>, double> inner_product_norm2(const F& x, const F& y, const Exec& exec);
};

/// C: double or std::complex<double>.
template <VectorField F, class C>
struct FieldUpdateSums {
  static double axpy_norm2(C a, const F& x, const F& y, const Exec& exec);
};

}  // namespace detail

// All are collective; they run on exec and wait only for exec, once.  Products and sums are taken in double for either
// precision; results are bitwise the same for any number of threads.  Memory traffic is each field named, read once,
// and the result, written once.  All throw InputError when the fields differ in lattice, sites or components.

/// y = y + a x; returns |y|^2.
template <Coefficient C, detail::VectorField F>
double axpy_norm2(C a, const F& x, const F& y, const Exec& exec = {}) {
  return detail::FieldUpdateSums<F, detail::CoefficientOf<C>>::axpy_norm2(a, x, y, exec);
}
/// |x|^2
template <detail::VectorField F>
double norm2(const F& x, const Exec& exec = {}) {
  return detail::FieldSums<F>::norm2(x, exec);
}
/// sum of conj(x) y
template <detail::VectorField F>
std::complex<double> inner_product(const F& x, const F& y, const Exec& exec = {}) {
  return detail::FieldSums<F>::inner_product(x, y, exec);
}
/// The sum of conj(x) y and |x|^2, in one pass.
template <detail::VectorField F>
std::pair<std::complex<double>, double> inner_product_norm2(const F& x, const F& y, const Exec& exec = {}) {
  return detail::FieldSums<F>::inner_product_norm2(x, y, exec);
}

}  // namespace kov
