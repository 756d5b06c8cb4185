// SPDX-License-Identifier: MIT
//
// Private to trace*.cpp: traces by teams on GPUs.  A team takes a part of the inner index (split-k); its threads form
// groups that take turns on it, and every thread of a group has a block of the results in its registers.
#pragma once

#include "kov/contractions/kernels/cuda/tile_threads.hpp"
#include "kov/contractions/kernels/matrix_entries.hpp"
#include "kov/contractions/kernels/trace.hpp"

#include <algorithm>

namespace kov::detail {

/// A group of across x down threads, each with rows x columns results; depth of the inner index in a tile; stages tiles
/// in flight or in use; at least `threads` threads in a team, in whole groups where they fit.
template <int rows_, int columns_, int down_, int across_, int depth_, int threads_, int stages_, int min_teams_ = 1>
struct TraceShape {
  static constexpr int rows = rows_, columns = columns_, down = down_, across = across_, depth = depth_,
                       threads = threads_, stages = stages_, min_teams = min_teams_;
  static constexpr int group = down * across, n_groups = threads / group;
  static constexpr int most_left = rows * down, most_right = columns * across;
  static_assert(n_groups >= 1 && threads % 32 == 0 && stages >= 2);
};

/// How the threads of a team multiply tiles of both sides.  Thread (x, y) of a group has results (y + down r, x +
/// across q).  A number that is read from a tile is used `rows` or `columns` times, one from memory n_left or n_right
/// times.  Sums are of type S.
template <class Z, class S, class Shape>
struct TraceRegisterTiles {
  using Sum = S;
  static constexpr bool by_tensor_cores = false;
  static constexpr int max_threads = Shape::threads, min_teams = Shape::min_teams;
  static constexpr int most_left = Shape::most_left, most_right = Shape::most_right, depth = Shape::depth,
                       stages = Shape::stages, n_groups = Shape::n_groups, group_size = Shape::group;
  static constexpr int n = Sixteen<Z>::n, rows = Shape::rows, columns = Shape::columns, tile_row = depth + n;
  static_assert(depth % n == 0);

  struct Sums {
    S sum[rows][columns];
  };

  static KOKKOS_FORCEINLINE_FUNCTION void clear(Sums& sums) {
    repeat<rows>([&](int r) { repeat<columns>([&](int q) { sums.sum[r][q] = S{}; }); });
  }

  /// sums += left right, the part of the inner index that the thread's group takes.
  static KOKKOS_FORCEINLINE_FUNCTION void add_tiles(int thread, const Z* a, const Z* b, Sums& sums) {
    const int group = thread / group_size, in_group = thread % group_size;
    a += in_group % Shape::down * tile_row;
    b += in_group / Shape::down * tile_row;
    // Unrolled, loads of several steps would take the registers of further teams.
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (int k = n * group; k < depth; k += n * n_groups) {
      Sixteen<Z> x[rows], y[columns];
      repeat<rows>([&](int r) { x[r] = load_sixteen(a + Shape::down * r * tile_row + k); });
      repeat<columns>([&](int q) { y[q] = load_sixteen(b + Shape::across * q * tile_row + k); });
      repeat<rows>([&](int r) {
        repeat<columns>([&](int q) {
          repeat<n>([&](int i) { accumulate(sums.sum[r][q], converted<S>(x[r].z[i]), converted<S>(y[q].z[i])); });
        });
      });
    }
  }

  /// f(row, column, sum)
  template <class F>
  static KOKKOS_FORCEINLINE_FUNCTION void for_sums(int in_group, const Sums& sums, const F& f) {
    repeat<rows>([&](int r) {
      repeat<columns>([&](int q) {
        f(in_group % Shape::down + Shape::down * r, in_group / Shape::down + Shape::across * q, sums.sum[r][q]);
      });
    });
  }
};

/// Traces of a batch.  Tiles says how large the tiles are and how they are multiplied.
template <class Z, class Tiles>
struct TraceTiles {
  using S = typename Tiles::Sum;
  using Sums = typename Tiles::Sums;
  static constexpr int max_threads = Tiles::max_threads, min_teams = Tiles::min_teams;
  static constexpr int most_left = Tiles::most_left, most_right = Tiles::most_right, depth = Tiles::depth,
                       stages = Tiles::stages, n_groups = Tiles::n_groups, group_size = Tiles::group_size,
                       tile_row = Tiles::tile_row;
  static constexpr int left_tile = most_left * tile_row, stage = left_tile + most_right * tile_row;
  static constexpr int n_sums = most_left * most_right;
  static constexpr std::size_t fetched_bytes = std::size_t(stages) * stage * sizeof(Z),
                               sums_bytes = std::size_t(n_sums) * sizeof(S);
  static constexpr std::size_t tile_bytes = std::max(fetched_bytes, n_groups > 1 ? sums_bytes : 0);
  /// Groups whose sums fit into the memory of the tiles.
  static constexpr int groups_at_once = std::clamp(int(tile_bytes / sums_bytes), 1, n_groups);

  TraceProblem<Z> problem;
  /// [pair][split][i][j]
  Complex<double>* parts;
  int n_splits;
  /// Blocks of left and right that teams take.
  int down, across;
  /// Whether 16 bytes are copied at a time.
  bool wide;

  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    Sixteen<Z>* const memory = team.template tile<Sixteen<Z>>(int(tile_bytes / 16));
    Z* const tiles = reinterpret_cast<Z*>(memory);
    const int first_right = team.index() % across * most_right, first_left = team.index() / across % down * most_left;
    const int split = team.index() / across / down % n_splits, pair = team.index() / across / down / n_splits;
    const int n_left = problem.n_left - first_left, n_right = problem.n_right - first_right;
    const Z* const left = problem.left + pair * problem.left_stride + first_left * problem.length;
    const Z* const right = problem.right + pair * problem.right_stride + first_right * problem.length;
    const std::int64_t n_tiles = (problem.length + depth - 1) / depth, begin = n_tiles * split / n_splits;
    const int n_steps = int(n_tiles * (split + 1) / n_splits - begin);

    TileThreads<max_threads, Sums> threads;
    threads.each(team, max_threads, [&](int, Sums& sums) { Tiles::clear(sums); });
    const auto fetch = [&](int step) {
      if (step < n_steps) {
        const std::int64_t k = (begin + step) * depth;
        const int length = int(problem.length - k < depth ? problem.length - k : depth);
        Z* const to = tiles + step % stages * stage;
        threads.each(team, max_threads, [&](int thread, Sums&) {
          if (wide)
            fetch_tile<Sixteen<Z>>(thread, to, left + k, right + k, n_left, n_right, length);
          else
            fetch_tile<Z>(thread, to, left + k, right + k, n_left, n_right, length);
        });
      }
      end_copy_group();
    };
    for (int step = 0; step < stages - 1; ++step) fetch(step);
    for (int step = 0; step < n_steps; ++step) {
      wait_for_copies<stages - 2>();
      team.barrier();
      fetch(step + stages - 1);
      const Z* const tile = tiles + step % stages * stage;
      threads.each(team, max_threads, [&](int thread, Sums& sums) {
        if (thread < group_size * n_groups) Tiles::add_tiles(thread, tile, tile + left_tile, sums);
      });
    }
    wait_for_copies<0>();
    team.barrier();
    Complex<double>* const to = parts + (std::int64_t(pair) * n_splits + split) * problem.n_left * problem.n_right +
                                std::int64_t(first_left) * problem.n_right + first_right;
    if constexpr (n_groups == 1) {
      for_results(team, threads, [&](int, int row, int column, const S& sum) {
        if (row < n_left && column < n_right)
          to[std::int64_t(row) * problem.n_right + column] = converted<Complex<double>>(sum);
      });
    } else {
      // Groups write their sums side by side, further groups add theirs, and the results add what lies side by side.
      S* const side = reinterpret_cast<S*>(memory);
      for (int first = 0; first < n_groups; first += groups_at_once) {
        for_results(team, threads, [&](int group, int row, int column, const S& sum) {
          if (group < first || group >= first + groups_at_once) return;
          S& all = side[(group - first) * n_sums + row * most_right + column];
          if (first == 0)
            all = sum;
          else
            all += sum;
        });
        team.barrier();
      }
      team.share(n_sums, [&](int i) {
        const int row = i / most_right, column = i % most_right;
        if (row >= n_left || column >= n_right) return;
        S total = side[i];
        for (int k = 1; k < groups_at_once; ++k) total += side[k * n_sums + i];
        to[std::int64_t(row) * problem.n_right + column] = converted<Complex<double>>(total);
      });
    }
  }

 private:
  /// Past the last row and the last number come zeros.
  template <class N>
  KOKKOS_FORCEINLINE_FUNCTION void fetch_tile(int thread, Z* to, const Z* left, const Z* right, int n_left, int n_right,
                                              int length) const {
    constexpr int width = int(sizeof(N) / sizeof(Z)), in_row = depth / width;
    constexpr int most = most_left > most_right ? most_left : most_right, n_copies = most * in_row;
    repeat<(n_copies + max_threads - 1) / max_threads>([&](int copy) {
      const int i = copy * max_threads + thread, row = i / in_row, k = i % in_row * width;
      const std::int64_t at = row * problem.length + k;
      if (row < most_left) {
        const bool exists = row < n_left && k < length;
        start_tile_copy<N>(to + row * tile_row + k, exists ? left + at : problem.left, exists);
      }
      if (row < most_right) {
        const bool exists = row < n_right && k < length;
        start_tile_copy<N>(to + left_tile + row * tile_row + k, exists ? right + at : problem.right, exists);
      }
    });
  }

  /// f(group, row, column, sum) for the results of each thread that has some.
  template <class TeamT, class Threads, class F>
  static KOKKOS_FORCEINLINE_FUNCTION void for_results(const TeamT& team, Threads& threads, const F& f) {
    threads.each(team, max_threads, [&](int thread, Sums& sums) {
      const int group = thread / group_size, in_group = thread % group_size;
      if (group >= n_groups) return;
      Tiles::for_sums(in_group, sums, [&](int row, int column, const S& sum) { f(group, row, column, sum); });
    });
  }
};

}  // namespace kov::detail
