// SPDX-License-Identifier: MIT
//
// Private to product.cpp: products by teams, tiles of both factors in scratch memory, the sums in registers: a block of
// the result in those of every thread (hierarchical tiling with a register outer product), or as tensor cores have them
// (cuda/product_tensor_tiles.hpp).
#pragma once

#include "kov/contractions/kernels/cuda/tile_threads.hpp"
#include "kov/contractions/kernels/product_problem.hpp"

namespace kov::detail {

/// A team computes block_rows x block_columns numbers, `depth` of the inner index at a time, a thread rows x columns of
/// them.  stages tiles of the inner index are in flight or in use.  A warp's threads lie lanes_x beside each other.
template <int block_rows_, int block_columns_, int depth_, int rows_, int columns_, int stages_, int lanes_x_ = 8,
          int min_teams_ = 1>
struct ProductShape {
  static constexpr int block_rows = block_rows_, block_columns = block_columns_, depth = depth_, rows = rows_,
                       columns = columns_, stages = stages_, lanes_x = lanes_x_, min_teams = min_teams_;
  static constexpr int threads_x = block_columns / columns, threads_y = block_rows / rows;
  static constexpr int max_threads = threads_x * threads_y;
  static_assert(block_columns % columns == 0 && block_rows % rows == 0 && stages >= 2);
  static_assert(max_threads % 32 == 0 && 32 % lanes_x == 0 && threads_x % lanes_x == 0 &&
                threads_y % (32 / lanes_x) == 0);
};

/// How the threads of a team multiply two tiles in scratch memory.  Thread (x, y) has rows y + threads_y r and, n
/// numbers of 16 bytes at a time, columns n (x + threads_x q).  A number that is read from a tile is used `rows` or
/// `columns` times; a number from memory block_rows or block_columns times.  Sums are of type S.
template <class Z, class Shape, class S = Z>
struct RegisterTiles {
  static constexpr int max_threads = Shape::max_threads, min_teams = Shape::min_teams;
  static constexpr int block_rows = Shape::block_rows, block_columns = Shape::block_columns, depth = Shape::depth,
                       stages = Shape::stages;
  static constexpr int n = Sixteen<Z>::n, rows = Shape::rows, columns = Shape::columns;
  static_assert(depth % n == 0 && columns % n == 0);
  /// Rows of a tile of a are 16 bytes apart, so that threads on different rows meet different banks.
  static constexpr int a_row = depth + n, b_row = block_columns;

  struct Sums {
    S sum[rows][columns];
  };

  static KOKKOS_FORCEINLINE_FUNCTION void clear(Sums& sums) {
    repeat<rows>([&](int r) { repeat<columns>([&](int q) { sums.sum[r][q] = S{}; }); });
  }
  static KOKKOS_FORCEINLINE_FUNCTION void negate(Sums& sums) {
    repeat<rows>([&](int r) { repeat<columns>([&](int q) { sums.sum[r][q] = -sums.sum[r][q]; }); });
  }

  /// sums += a b
  static KOKKOS_FORCEINLINE_FUNCTION void add_tiles(int thread, const Z* a, const Z* b, Sums& sums) {
    a += y_of(thread) * a_row;
    b += x_of(thread) * n;
    repeat<depth / n>([&](int part) {
      Sixteen<Z> x[rows];
      repeat<rows>([&](int r) { x[r] = load_sixteen(a + Shape::threads_y * r * a_row + part * n); });
      repeat<n>([&](int h) {
        Sixteen<Z> y[columns / n];
        repeat<columns / n>([&](int q) { y[q] = load_sixteen(b + (part * n + h) * b_row + Shape::threads_x * q * n); });
        repeat<rows>([&](int r) {
          repeat<columns>(
              [&](int q) { accumulate(sums.sum[r][q], converted<S>(x[r].z[h]), converted<S>(y[q / n].z[q % n])); });
        });
      });
    });
  }

  /// Numbers in memory that for_runs() hands on together.
  static constexpr int run = n;
  /// f(row, column, z): the numbers z[0], ..., z[run - 1] in this row, from this column on.
  template <class F>
  static KOKKOS_FORCEINLINE_FUNCTION void for_runs(int thread, const Sums& sums, const F& f) {
    repeat<rows>([&](int r) {
      repeat<columns / n>([&](int q) {
        Z z[n];
        repeat<n>([&](int i) { z[i] = converted<Z>(sums.sum[r][q * n + i]); });
        f(y_of(thread) + Shape::threads_y * r, (x_of(thread) + Shape::threads_x * q) * n, z);
      });
    });
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION int x_of(int thread) {
    return thread / 32 % (Shape::threads_x / Shape::lanes_x) * Shape::lanes_x + thread % Shape::lanes_x;
  }
  static KOKKOS_FORCEINLINE_FUNCTION int y_of(int thread) {
    return thread / 32 / (Shape::threads_x / Shape::lanes_x) * (32 / Shape::lanes_x) + thread % 32 / Shape::lanes_x;
  }
};

/// Products of a batch.  Tiles says how large the tiles are and how they are multiplied.
template <class Z, class Tiles>
struct ProductTiles {
  static constexpr int max_threads = Tiles::max_threads, min_teams = Tiles::min_teams;
  static constexpr int n = Sixteen<Z>::n, block_rows = Tiles::block_rows, block_columns = Tiles::block_columns,
                       depth = Tiles::depth, stages = Tiles::stages, a_row = Tiles::a_row, b_row = Tiles::b_row;
  static_assert(depth % n == 0 && a_row % n == 0 && b_row % n == 0);
  static constexpr int a_tile = block_rows * a_row, stage = a_tile + depth * b_row;
  static constexpr std::size_t tile_bytes = std::size_t(stages) * stage * sizeof(Z);
  using Sums = typename Tiles::Sums;

  ProductProblem<Z> problem;
  int across, down;
  /// Whether both factors, and the result, are read and written 16 bytes at a time.
  bool wide_a, wide_b, wide_c;

  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    Z* const tiles = team.template tile<Z>(int(stages) * int(stage));
    const int first_column = team.index() % across * block_columns,
              first_row = team.index() / across % down * block_rows;
    const std::int64_t number = team.index() / across / down;
    const Z* const a = problem.a.data + problem.offset(problem.a.strides, problem.batch, number);
    const Z* const b = problem.b.data + problem.offset(problem.b.strides, problem.batch, number) + first_column;
    const int half_steps = (problem.first[1] + depth - 1) / depth,
              n_steps = half_steps + (problem.first[2] - problem.first[1] + depth - 1) / depth;

    TileThreads<max_threads, Sums> threads;
    threads.each(team, max_threads, [&](int, Sums& sums) { Tiles::clear(sums); });
    const auto fetch = [&](int step) {
      if (step < n_steps) {
        const int range = step < half_steps ? 0 : 1;
        const int k = range == 0 ? step * depth : problem.first[1] + (step - half_steps) * depth;
        Z* const to = tiles + step % stages * stage;
        threads.each(team, max_threads, [&](int thread, Sums&) {
          fetch_a(thread, to, a + problem.column_shift(range) + k, first_row, problem.first[range + 1] - k);
          fetch_b(thread, to + a_tile, b + k * problem.b.row_stride, problem.first[range + 1] - k,
                  problem.c.n_columns - first_column);
        });
      }
      end_copy_group();
    };
    for (int step = 0; step < stages - 1; ++step) fetch(step);
    for (int step = 0; step < n_steps; ++step) {
      wait_for_copies<stages - 2>();
      team.barrier();
      fetch(step + stages - 1);
      if (step == half_steps && problem.gamma5 == Gamma5Fold::signs)
        threads.each(team, max_threads, [&](int, Sums& sums) { Tiles::negate(sums); });
      const Z* const tile = tiles + step % stages * stage;
      threads.each(team, max_threads,
                   [&](int thread, Sums& sums) { Tiles::add_tiles(thread, tile, tile + a_tile, sums); });
    }
    Z* const c = problem.c.data + problem.offset(problem.c.strides, problem.batch, number);
    threads.each(team, max_threads, [&](int thread, Sums& sums) { store(thread, c, first_row, first_column, sums); });
  }

 private:
  /// from: the first column of this tile; left: columns that there are from it on.
  template <class N>
  KOKKOS_FORCEINLINE_FUNCTION void fetch_rows_of_a(int thread, Z* to, const Z* from, int first_row, int left) const {
    constexpr int width = int(sizeof(N) / sizeof(Z)), in_row = depth / width, n_copies = block_rows * in_row;
    repeat<(n_copies + max_threads - 1) / max_threads>([&](int copy) {
      const int i = copy * max_threads + thread, row = i / in_row, k = i % in_row * width;
      if (n_copies % max_threads != 0 && i >= n_copies) return;
      const bool exists = first_row + row < problem.c.n_rows && k < left;
      const std::int64_t at = exists ? problem.row_of_a(first_row + row) * problem.a.row_stride + k : 0;
      start_tile_copy<N>(to + row * a_row + k, exists ? from + at : problem.a.data, exists);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void fetch_a(int thread, Z* to, const Z* from, int first_row, int left) const {
    if (wide_a)
      fetch_rows_of_a<Sixteen<Z>>(thread, to, from, first_row, left);
    else
      fetch_rows_of_a<Z>(thread, to, from, first_row, left);
  }
  template <class N>
  KOKKOS_FORCEINLINE_FUNCTION void fetch_rows_of_b(int thread, Z* to, const Z* from, int rows_left,
                                                   int columns_left) const {
    constexpr int width = int(sizeof(N) / sizeof(Z)), in_row = block_columns / width, n_copies = depth * in_row;
    repeat<(n_copies + max_threads - 1) / max_threads>([&](int copy) {
      const int i = copy * max_threads + thread, k = i / in_row, column = i % in_row * width;
      if (n_copies % max_threads != 0 && i >= n_copies) return;
      const bool exists = k < rows_left && column < columns_left;
      start_tile_copy<N>(to + k * b_row + column, exists ? from + k * problem.b.row_stride + column : problem.b.data,
                         exists);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void fetch_b(int thread, Z* to, const Z* from, int rows_left, int columns_left) const {
    if (wide_b)
      fetch_rows_of_b<Sixteen<Z>>(thread, to, from, rows_left, columns_left);
    else
      fetch_rows_of_b<Z>(thread, to, from, rows_left, columns_left);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(int thread, Z* c, int first_row, int first_column, const Sums& sums) const {
    constexpr int run = Tiles::run;
    Tiles::for_runs(thread, sums, [&](int in_row, int in_column, Z(&z)[run]) {
      const int row = first_row + in_row, column = first_column + in_column;
      if (row >= problem.c.n_rows) return;
      // Sums that were negated between the halves have the opposite sign of those of the first half.
      const bool negative = problem.gamma5 == Gamma5Fold::signs && !problem.changes_sign(row);
      repeat<run>([&](int i) {
        const Z with_sign = negative ? -z[i] : z[i];
        z[i] = problem.conjugate ? conj_number(with_sign) : with_sign;
      });
      Z* const to = c + row * problem.c.row_stride + column;
      if (run == n && wide_c && column < problem.c.n_columns) {
        Sixteen<Z> sixteen;
        repeat<n>([&](int i) { sixteen.z[i] = z[i % run]; });
        *reinterpret_cast<Sixteen<Z>*>(to) = sixteen;
      } else {
        repeat<run>([&](int i) {
          if (column + i < problem.c.n_columns) to[i] = z[i];
        });
      }
    });
  }
};

}  // namespace kov::detail
