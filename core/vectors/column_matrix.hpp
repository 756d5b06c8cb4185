// SPDX-License-Identifier: MIT
//
// Matrices between the columns of fields: all their inner products, and new columns that are combinations of old ones.
// Used by orthogonalisation, deflation and block solvers.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/vectors/field_columns.hpp"

#include <complex>
#include <span>
#include <type_traits>
#include <vector>

namespace kov {

/// A field with matrices between its columns: spinors or color vectors, in float or double, in lanes for which these
/// are compiled (KOV_FOR_LANES).
template <class F>
concept ColumnMatrixField = detail::VectorField<F> && std::is_floating_point_v<typename F::Storage> &&
                            (F::Lanes::columns > 1 ? F::Lanes::columns * sizeof(typename F::Storage) <= 64
                                                   : !F::Lanes::holds_columns) &&
                            (std::is_same_v<F, Field<Spinor, typename F::Storage, typename F::Lanes>> ||
                             std::is_same_v<F, Field<ColorVector, typename F::Storage, typename F::Lanes>>);

namespace detail {

template <ColumnMatrixField F>
struct ColumnMatrices {
  static std::vector<std::complex<double>> gram_matrix(const F& x, const F& y, const Exec& exec);
  static void rotate(const F& x, std::span<const std::complex<double>> r, const F& y, bool adds, const Exec& exec);
};

}  // namespace detail

// x has m columns, y has n, on the same sites of the same lattice.  Matrices have m rows and n columns and lie row by
// row.  All throw InputError when lattice, sites or the matrix do not fit.

/// G_ij = sum over sites of conj(x_i) y_j, at [i * n + j].  Products and sums are taken in double, in a fixed order.
/// Reads x and y from memory once as long as the columns of 32 packs of sites fit into the second-level cache (CPU), or
/// as long as m and n are at most 8 (GPU); 8 m n flops for each complex number of a site.  Collective; waits only for
/// exec.
template <ColumnMatrixField F>
std::vector<std::complex<double>> gram_matrix(const F& x, const F& y, const Exec& exec = {}) {
  return detail::ColumnMatrices<F>::gram_matrix(x, y, exec);
}

/// y_i = sum over j of x_j r_ji, with r_ji at r[j * n + i].  y must share no column with x; throws InputError if y is
/// x.  A kernel takes 32 columns of x and of y (GPU: 16 and 8), reads them once and writes those of y; where x has
/// more, those of y are read and written again.  Asynchronous.
template <ColumnMatrixField F>
void rotate(const F& x, std::span<const std::complex<double>> r, const F& y, const Exec& exec = {}) {
  detail::ColumnMatrices<F>::rotate(x, r, y, false, exec);
}
/// y_i = y_i + sum over j of x_j r_ji; otherwise the same.
template <ColumnMatrixField F>
void rotate_add(const F& x, std::span<const std::complex<double>> r, const F& y, const Exec& exec = {}) {
  detail::ColumnMatrices<F>::rotate(x, r, y, true, exec);
}

}  // namespace kov
