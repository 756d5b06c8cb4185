// SPDX-License-Identifier: MIT
//
// Private to trace_launch.hpp: tiles of traces that the tensor cores of GPUs multiply.
#pragma once

#include "kov/contractions/kernels/cuda/tensor_cores.hpp"
#include "kov/contractions/kernels/trace_tiles.hpp"

namespace kov::detail {

/// A team makes most_left x most_right traces, `depth` of the inner index at a time.  Its groups take turns on eight of
/// these; the warps of a group have down x across blocks of the traces.
template <int most_left_, int most_right_, int down_, int across_, int groups_, int depth_, int stages_, int min_teams_>
struct TraceTensorShape {
  static constexpr int most_left = most_left_, most_right = most_right_, down = down_, across = across_,
                       groups = groups_, depth = depth_, stages = stages_, min_teams = min_teams_;
  static_assert(most_left % (16 * down) == 0 && most_right % (8 * across) == 0 && depth % (8 * groups) == 0);
};

#if defined(KOKKOS_ENABLE_CUDA)
/// As TraceRegisterTiles, with the sums of a warp as tensor cores have them.
template <class Z, class S, class Shape>
struct TraceTensorTiles {
  using Sum = S;
  static constexpr bool by_tensor_cores = true;
  static constexpr int group_size = 32 * Shape::down * Shape::across, n_groups = Shape::groups,
                       max_threads = group_size * n_groups, min_teams = Shape::min_teams;
  static constexpr int most_left = Shape::most_left, most_right = Shape::most_right, depth = Shape::depth,
                       stages = Shape::stages;
  /// The threads of a warp read from 8 rows and 4 columns at a time: each number from other banks.
  static constexpr int tile_row = depth + 4;
  static constexpr int warp_rows = most_left / Shape::down, warp_columns = most_right / Shape::across;
  using Sums = TensorSums<Z, S, warp_rows / 16, warp_columns / 8>;

  static KOKKOS_FORCEINLINE_FUNCTION void clear(Sums& sums) { sums.clear(); }

  static KOKKOS_FORCEINLINE_FUNCTION void add_tiles(int thread, const Z* a, const Z* b, Sums& sums) {
    const int group = thread / group_size, g = thread % 32 / 4, t = thread % 4;
    a += (first_row(thread % group_size) + g) * tile_row + t + 8 * group;
    b += (first_column(thread % group_size) + g) * tile_row + t + 8 * group;
    repeat<depth / (8 * n_groups)>(
        [&](int k) { sums.template add<tile_row, 1, tile_row>(a + 8 * n_groups * k, b + 8 * n_groups * k); });
  }

  template <class F>
  static KOKKOS_FORCEINLINE_FUNCTION void for_sums(int in_group, const Sums& sums, const F& f) {
    sums.for_pairs(in_group % 32 / 4, in_group % 4, [&](int row, int column, const S& z0, const S& z1) {
      f(first_row(in_group) + row, first_column(in_group) + column, z0);
      f(first_row(in_group) + row, first_column(in_group) + column + 1, z1);
    });
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION int first_row(int in_group) { return in_group / 32 % Shape::down * warp_rows; }
  static KOKKOS_FORCEINLINE_FUNCTION int first_column(int in_group) {
    return in_group / 32 / Shape::down * warp_columns;
  }
};

#endif

}  // namespace kov::detail
