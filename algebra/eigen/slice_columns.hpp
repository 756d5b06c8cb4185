// SPDX-License-Identifier: MIT
//
// Vectors on time slices: component i of a field of colour vectors is a vector v_i(t) on every slice t, with inner
// products and combinations of its own.  Used by eigensolvers of operators in space, elementals and perambulators.
#pragma once

#include "kov/algebra/eigen/slice_matrices.hpp"
#include "kov/core/base/queue.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/lattice/momentum.hpp"

#include <cstddef>

namespace kov {

namespace detail {

template <class T, class F>
struct SliceColumnMatrices {
  static SliceMatrices gram(const Field<ColorVector, T>& x, const F& y, const std::vector<Momentum>& momenta,
                            const Coord& origin, const Exec& exec, std::size_t numbers_of_all);
  /// most_rows: of a pass; 0: as many as the kernel takes.
  static void rotate(const Field<ColorVector, T>& x, const SliceMatrices& r, const F& y, bool adds, const Exec& exec,
                     int most_rows = 0);
};

}  // namespace detail

// T: float or double.  x: colour vectors, m = n_components() of them on each slice.  y: colour vectors, or spinors,
// each of which counts as four colour vectors on each slice: vector number s * n_components() + c is spin s of
// component c. Fields have all sites of one lattice; else InputError.

/// G(t)_ij = sum over the sites x of slice t of e^{-i p.(x - origin)} conj(x_i(x)) y_j(x), for every momentum: matrix k
/// of a slice is that of momenta[k], with m rows.  Products are summed in T over the sites of a chunk (CPU: in each
/// lane of a pack) or 16 sites (GPU), then in double, in a fixed order; ranks that share a slice add theirs.
/// Collective; waits for exec.
///
/// 24 m n flops for each site and momentum (18 n more for a momentum that is not 0); a team reads 6 (rows + columns)
/// reals for each site and tile of the matrix, 32 x 32 on CPUs and GPUs.
///
/// numbers_of_all: where a matrix is part of one that has as many numbers, so that these have the same bits in any
/// part: how many chunks there are depends on the size of a matrix.  0: it is all.
template <class T, class F>
SliceMatrices gram_by_slice(const Field<ColorVector, T>& x, const F& y, const std::vector<Momentum>& momenta = {{}},
                            const Coord& origin = {}, const Exec& exec = {}, std::size_t numbers_of_all = 0) {
  return detail::SliceColumnMatrices<T, F>::gram(x, y, momenta, origin, exec, numbers_of_all);
}

/// y_j(t) = sum over i of x_i(t) r(t)_ij.  r: m rows, as many columns as y has vectors, one matrix a slice; rounded to
/// T.  For colour vectors y may be x, or its first components.  Waits for exec.  24 m n flops for each site; reads 6 m
/// and writes 6 n reals.  On GPUs a pass takes 736 rows in double and 1472 in single precision: with more, every
/// further pass reads and writes y again, and where y shares memory with x, n vectors are kept beside it meanwhile.
template <class T, class F>
void rotate_by_slice(const Field<ColorVector, T>& x, const SliceMatrices& r, const F& y, const Exec& exec = {}) {
  detail::SliceColumnMatrices<T, F>::rotate(x, r, y, false, exec);
}
/// y_j(t) = y_j(t) + sum over i of x_i(t) r(t)_ij; y and x share no component.
template <class T, class F>
void rotate_add_by_slice(const Field<ColorVector, T>& x, const SliceMatrices& r, const F& y, const Exec& exec = {}) {
  detail::SliceColumnMatrices<T, F>::rotate(x, r, y, true, exec);
}

}  // namespace kov
