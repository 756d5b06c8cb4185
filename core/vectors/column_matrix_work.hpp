// SPDX-License-Identifier: MIT
//
// Private to column_matrix*.hpp and .cpp: what the kernels of matrices between columns are given.
#pragma once

#include "kov/core/vectors/field_columns.hpp"

namespace kov::detail {

/// How tiles of some rows and columns cover a Gram matrix.
struct GramShape {
  int n_rows, n_columns, tiles_in_row;
  /// Of the second field.
  int n_groups;
  bool streaming;
};

/// The largest part of a rotation that one kernel takes along.
inline constexpr int most_inputs = has_packs ? 32 : 16, most_outputs = has_packs ? 32 : 8;

/// n_out columns of out, from the first of first_group on, made of columns first_in to first_in + n_in - 1 of in; real
/// and imaginary parts of the matrix are [input][output], 0 past n_in and n_out.
template <class View>
struct Rotation {
  using T = typename View::Real;
  View in, out;
  int first_in, n_in, first_group, n_out;
  bool adds, streaming;
  alignas(64) T re[most_inputs][most_outputs];
  alignas(64) T im[most_inputs][most_outputs];
};

}  // namespace kov::detail
