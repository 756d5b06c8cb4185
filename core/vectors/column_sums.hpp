// SPDX-License-Identifier: MIT
//
// Norms and inner products of every column of a field in one pass, and updates that return them.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/vectors/by_column.hpp"
#include "kov/core/vectors/column_ops.hpp"

#include <complex>

namespace kov {

/// What inner_product_norm2_by_column(x, y) returns, a number for each column: sum of conj(x_k) y_k, and |x_k|^2.
struct ColumnProducts {
  ByColumn<std::complex<double>> inner_product;
  ByColumn<double> norm2;
};

namespace detail {

template <VectorField F>
struct ColumnSums {
  static ByColumn<double> norm2(const F& x, const ColumnMask& finished, const Exec& exec);
  static ByColumn<std::complex<double>> inner_product(const F& x, const F& y, const ColumnMask& finished,
                                                      const Exec& exec);
  static ColumnProducts inner_product_norm2(const F& x, const F& y, const ColumnMask& finished, const Exec& exec);
};

/// C: double or std::complex<double>.
template <VectorField F, class C>
struct ColumnUpdateSums {
  static ByColumn<double> axpy_norm2(std::span<const C> a, const F& x, const F& y, const ColumnMask& finished,
                                     const Exec& exec);
};

}  // namespace detail

// As in column_ops.hpp; in addition all are collective and wait only for exec, once for every 32 columns.  They return
// a number for each column, 0 for finished ones; where all are finished, without communication.  Products and sums are
// taken in double for either precision; results are bitwise the same for any number of threads and, on a CPU, as from
// the same function of a single column.

/// |x_k|^2 for each column k
template <detail::VectorField F>
ByColumn<double> norm2_by_column(const F& x, const ColumnMask& finished = {}, const Exec& exec = {}) {
  return detail::ColumnSums<F>::norm2(x, finished, exec);
}
/// sum of conj(x_k) y_k for each column k
template <detail::VectorField F>
ByColumn<std::complex<double>> inner_product_by_column(const F& x, const F& y, const ColumnMask& finished = {},
                                                       const Exec& exec = {}) {
  return detail::ColumnSums<F>::inner_product(x, y, finished, exec);
}
/// The sum of conj(x_k) y_k and |x_k|^2 for each column k, in one pass.
template <detail::VectorField F>
ColumnProducts inner_product_norm2_by_column(const F& x, const F& y, const ColumnMask& finished = {},
                                             const Exec& exec = {}) {
  return detail::ColumnSums<F>::inner_product_norm2(x, y, finished, exec);
}
/// y_k = y_k + a_k x_k; returns |y_k|^2 for each column k.
template <detail::ColumnNumbers A, detail::VectorField F>
ByColumn<double> axpy_norm2(const A& a, const F& x, const F& y, const ColumnMask& finished = {},
                            const Exec& exec = {}) {
  return detail::ColumnUpdateSums<F, detail::NumberOf<A>>::axpy_norm2(a, x, y, finished, exec);
}

}  // namespace kov
