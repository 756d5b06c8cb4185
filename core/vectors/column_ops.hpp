// SPDX-License-Identifier: MIT
//
// Vector algebra by column: every column of a field is a vector of its own, with its own coefficients; used by block
// solvers.  Norms and products are in column_sums.hpp.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/vectors/column_mask.hpp"
#include "kov/core/vectors/field_columns.hpp"

#include <complex>
#include <span>

namespace kov {

namespace detail {

template <VectorField F>
struct ColumnCopies {
  static void copy(const F& x, const F& y, const ColumnMask& finished, const Exec& exec);
};

/// C: double or std::complex<double>.
template <VectorField F, class C>
struct ColumnUpdates {
  using Span = std::span<const C>;
  static void scale(Span a, const F& x, const ColumnMask& finished, const Exec& exec);
  static void axpy(Span a, const F& x, const F& y, const ColumnMask& finished, const Exec& exec);
  static void axpbypz(Span a, const F& x, Span b, const F& y, const F& z, const ColumnMask& finished, const Exec& exec);
  static void xpay(const F& x, Span a, const F& y, const ColumnMask& finished, const Exec& exec);
  static void xpaypbz(const F& x, Span a, const F& y, Span b, const F& z, const ColumnMask& finished, const Exec& exec);
};

/// Coefficients of columns: whatever a span of real or of complex numbers is made of.
template <class A>
concept RealColumns = std::is_convertible_v<const A&, std::span<const double>>;
template <class A>
concept ComplexColumns = std::is_convertible_v<const A&, std::span<const std::complex<double>>>;
template <class A>
concept ColumnNumbers = RealColumns<A> || ComplexColumns<A>;
template <ColumnNumbers A>
using NumberOf = std::conditional_t<RealColumns<A>, double, std::complex<double>>;

}  // namespace detail

// x_k is column k: component k of a field, with all sites.  What is written comes last.  a, b: a real or a complex
// number for each column (ByColumn, std::vector, std::array or std::span), in double, rounded to the fields' precision.
// Columns that `finished` names are not written and, where each column is a component in memory, not read; their
// coefficients are ignored, and NaN in them does not spread.  One kernel for every 32 columns runs on exec,
// asynchronously; a field of one column, with sites in lanes, takes the kernels of field_ops.hpp. Memory traffic is
// each field named, read once, and the result, written once.  All throw InputError when the fields differ in lattice,
// sites or columns, or when coefficients or mask are of another number of columns.

/// y_k = x_k
template <detail::VectorField F>
void copy(const F& x, const F& y, const ColumnMask& finished, const Exec& exec = {}) {
  detail::ColumnCopies<F>::copy(x, y, finished, exec);
}
/// x_k = a_k x_k
template <detail::ColumnNumbers A, detail::VectorField F>
void scale(const A& a, const F& x, const ColumnMask& finished = {}, const Exec& exec = {}) {
  detail::ColumnUpdates<F, detail::NumberOf<A>>::scale(a, x, finished, exec);
}
/// y_k = y_k + a_k x_k
template <detail::ColumnNumbers A, detail::VectorField F>
void axpy(const A& a, const F& x, const F& y, const ColumnMask& finished = {}, const Exec& exec = {}) {
  detail::ColumnUpdates<F, detail::NumberOf<A>>::axpy(a, x, y, finished, exec);
}
/// z_k = z_k + a_k x_k + b_k y_k; a and b are of one type.
template <detail::ColumnNumbers A, detail::VectorField F>
void axpbypz(const A& a, const F& x, const A& b, const F& y, const F& z, const ColumnMask& finished = {},
             const Exec& exec = {}) {
  detail::ColumnUpdates<F, detail::NumberOf<A>>::axpbypz(a, x, b, y, z, finished, exec);
}
/// y_k = x_k + a_k y_k
template <detail::ColumnNumbers A, detail::VectorField F>
void xpay(const F& x, const A& a, const F& y, const ColumnMask& finished = {}, const Exec& exec = {}) {
  detail::ColumnUpdates<F, detail::NumberOf<A>>::xpay(x, a, y, finished, exec);
}
/// z_k = x_k + a_k y_k + b_k z_k; a and b are of one type.
template <detail::ColumnNumbers A, detail::VectorField F>
void xpaypbz(const F& x, const A& a, const F& y, const A& b, const F& z, const ColumnMask& finished = {},
             const Exec& exec = {}) {
  detail::ColumnUpdates<F, detail::NumberOf<A>>::xpaypbz(x, a, y, b, z, finished, exec);
}

}  // namespace kov
