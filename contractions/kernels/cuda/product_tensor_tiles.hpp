// SPDX-License-Identifier: MIT
//
// Private to product_launch.hpp: tiles of products that the tensor cores of GPUs multiply.
#pragma once

#include "kov/contractions/kernels/cuda/tensor_cores.hpp"
#include "kov/contractions/kernels/product_tiles.hpp"

namespace kov::detail {

/// A team computes block_rows x block_columns numbers, `depth` of the inner index at a time, and each of its warps down
/// x across a block of these.
template <int block_rows_, int block_columns_, int depth_, int down_, int across_, int stages_, int min_teams_>
struct ProductTensorShape {
  static constexpr int block_rows = block_rows_, block_columns = block_columns_, depth = depth_, down = down_,
                       across = across_, stages = stages_, min_teams = min_teams_;
  static_assert(block_rows % (16 * down) == 0 && block_columns % (8 * across) == 0 && depth % 8 == 0);
};

#if defined(KOKKOS_ENABLE_CUDA)
/// As RegisterTiles, with the sums of a warp as tensor cores have them.
template <class Z, class Shape, class S = Z>
struct ProductTensorTiles {
  static constexpr int max_threads = 32 * Shape::down * Shape::across, min_teams = Shape::min_teams;
  static constexpr int block_rows = Shape::block_rows, block_columns = Shape::block_columns, depth = Shape::depth,
                       stages = Shape::stages;
  /// The threads of a warp read a from 8 rows and 4 columns at a time and b from 4 rows and 8 columns: each number from
  /// other banks.
  static constexpr int a_row = depth + 4, b_row = block_columns + int(32 / sizeof(Z));
  static constexpr int warp_rows = block_rows / Shape::down, warp_columns = block_columns / Shape::across;
  using Sums = TensorSums<Z, S, warp_rows / 16, warp_columns / 8>;

  static KOKKOS_FORCEINLINE_FUNCTION void clear(Sums& sums) { sums.clear(); }
  static KOKKOS_FORCEINLINE_FUNCTION void negate(Sums& sums) { sums.negate(); }

  static KOKKOS_FORCEINLINE_FUNCTION void add_tiles(int thread, const Z* a, const Z* b, Sums& sums) {
    const int g = thread % 32 / 4, t = thread % 4;
    a += (first_row(thread) + g) * a_row + t;
    b += t * b_row + first_column(thread) + g;
    repeat<depth / 8>([&](int k) { sums.template add<a_row, b_row, 1>(a + 8 * k, b + 8 * k * b_row); });
  }

  static constexpr int run = 2;
  template <class F>
  static KOKKOS_FORCEINLINE_FUNCTION void for_runs(int thread, const Sums& sums, const F& f) {
    sums.for_pairs(thread % 32 / 4, thread % 4, [&](int row, int column, const S& z0, const S& z1) {
      Z z[2] = {converted<Z>(z0), converted<Z>(z1)};
      f(first_row(thread) + row, first_column(thread) + column, z);
    });
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION int first_row(int thread) { return thread / 32 % Shape::down * warp_rows; }
  static KOKKOS_FORCEINLINE_FUNCTION int first_column(int thread) { return thread / 32 / Shape::down * warp_columns; }
};

#endif

}  // namespace kov::detail
