// SPDX-License-Identifier: MIT
//
// Private to slice_table.cpp: how long the chunks of slices are that GPUs sum.
#pragma once

#include <algorithm>

namespace kov::detail {

/// The fewest outer sites of a chunk on GPUs, for n_outer in all: few on a small lattice, as a team of threads takes a
/// chunk.
inline int shortest_slice_chunk(int n_outer) { return std::clamp(n_outer / 256, 2, 4); }

}  // namespace kov::detail
