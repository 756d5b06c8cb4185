// SPDX-License-Identifier: MIT
//
// Private to ladder*.cpp: the kernels of the ladder.
#pragma once

#include "kov/contractions/kernels/cuda/team_resources.hpp"
#include "kov/contractions/kernels/cuda/tile_threads.hpp"
#include "kov/contractions/kernels/ladder/cuda/rung_teams.hpp"
#include "kov/contractions/kernels/ladder/ladder.hpp"

#include <algorithm>
#include <limits>

namespace kov::detail {

enum class TileStorage { none, plain, split, pointers };
enum class TilePrefetch { none, memory, tile };

/// Rows and columns of a tile, a thread for each of its numbers.
inline constexpr int rung_width = 16;
static_assert(rung_width * rung_width == rung_threads);

/// A tile of 16 x 16 complex numbers: parts side by side, or, split, the real parts of a row before its imaginary parts
/// and one word of padding.
template <class T, bool split>
struct RungTile {
  static constexpr int row = 2 * rung_width + (split ? 1 : 0), size = rung_width * row;
  static KOKKOS_FORCEINLINE_FUNCTION Complex<T> get(const T* tile, int r, int c) {
    const T* const p = tile + r * row;
    return split ? Complex<T>{p[c], p[rung_width + c]} : Complex<T>{p[2 * c], p[2 * c + 1]};
  }
  static KOKKOS_FORCEINLINE_FUNCTION void set(T* tile, int r, int c, const Complex<T>& z) {
    T* const p = tile + r * row;
    p[split ? c : 2 * c] = z.re;
    p[split ? rung_width + c : 2 * c + 1] = z.im;
  }
};

/// c_i = a_i b: `fused` left factors for each tile of b, `repeats` times in one team.  8 n flops for each number.
template <class T, TileStorage storage, TilePrefetch prefetch, int fused, int repeats>
struct RungProduct {
  static constexpr bool in_tiles = storage != TileStorage::none;
  using Z = Complex<T>;
  using Tile = RungTile<T, storage == TileStorage::split || storage == TileStorage::pointers>;
  static constexpr int tile_numbers = in_tiles ? (fused + 1) * Tile::size : 0;
  static constexpr std::size_t tile_bytes = std::size_t(tile_numbers) * sizeof(T);

  const Z *a, *b;
  Z* c;
  int n, n_left, across;

  struct State {
    Z sum[fused], next_a[fused], next_b;
    const Z *from_a[fused], *from_b;
  };

  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    T* const tiles = team.template tile<T>(int(tile_numbers));
    const int first_column = team.index() % across * rung_width,
              first_row = team.index() / across % across * rung_width;
    TileThreads<rung_threads, State> threads;
    for (int repeat_number = 0; repeat_number < repeats; ++repeat_number) {
      const int first = (team.index() / across / across * repeats + repeat_number) * fused;
      if (first >= n_left) return;
      threads.each(team, rung_threads, [&](int thread, State& s) {
        begin(first, first_row + thread / rung_width, first_column + thread % rung_width, s);
      });
      if constexpr (in_tiles)
        add_tiles(team, threads, tiles, first_row, first_column);
      else
        threads.each(team, rung_threads, [&](int thread, State& s) {
          const int row = first_row + thread / rung_width, column = first_column + thread % rung_width;
          if (row >= n || column >= n) return;
          for (int k = 0; k < n; ++k)
            multiply_add(s.sum[0], a[matrix(first) + std::int64_t(row) * n + k], b[std::int64_t(k) * n + column]);
        });
      threads.each(team, rung_threads, [&](int thread, State& s) {
        const int row = first_row + thread / rung_width, column = first_column + thread % rung_width;
        repeat<fused>([&](int i) {
          if (row < n && column < n && first + i < n_left)
            c[matrix(first + i) + std::int64_t(row) * n + column] = s.sum[i];
        });
      });
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t matrix(int i) const { return std::int64_t(i) * n * n; }
  KOKKOS_FORCEINLINE_FUNCTION void begin(int first, int row, int column, State& s) const {
    repeat<fused>([&](int i) {
      s.sum[i] = Z{0, 0};
      // Past the last left factor comes that one again.
      const int number = first + i < n_left ? first + i : n_left - 1;
      s.from_a[i] = a + matrix(number) + std::int64_t(row) * n + column % rung_width;
    });
    s.from_b = b + std::int64_t(row % rung_width) * n + column;
  }
  /// The numbers of the tiles that begin at k.
  KOKKOS_FORCEINLINE_FUNCTION void load(int k, int row, int column, State& s) const {
    const int x = column % rung_width, y = row % rung_width;
    const std::int64_t along = storage == TileStorage::pointers ? 0 : k,
                       down = storage == TileStorage::pointers ? 0 : std::int64_t(k) * n;
    repeat<fused>([&](int i) { s.next_a[i] = row < n && k + x < n ? s.from_a[i][along] : Z{0, 0}; });
    s.next_b = k + y < n && column < n ? s.from_b[down] : Z{0, 0};
    if constexpr (storage == TileStorage::pointers) {
      repeat<fused>([&](int i) { s.from_a[i] += rung_width; });
      s.from_b += std::int64_t(rung_width) * n;
    }
  }

  template <class TeamT, class Threads>
  KOKKOS_FORCEINLINE_FUNCTION void add_tiles(const TeamT& team, Threads& threads, T* tiles, int first_row,
                                             int first_column) const {
    const auto load_from = [&](int k) {
      threads.each(team, rung_threads, [&](int thread, State& s) {
        load(k, first_row + thread / rung_width, first_column + thread % rung_width, s);
      });
    };
    if (prefetch != TilePrefetch::none) load_from(0);
    for (int k = 0; k < n; k += rung_width) {
      if (prefetch == TilePrefetch::none) load_from(k);
      threads.each(team, rung_threads, [&](int thread, State& s) {
        const int y = thread / rung_width, x = thread % rung_width;
        repeat<fused>([&](int i) { Tile::set(tiles + i * Tile::size, y, x, s.next_a[i]); });
        Tile::set(tiles + fused * Tile::size, y, x, s.next_b);
      });
      team.barrier();
      if (prefetch != TilePrefetch::none && k + rung_width < n) load_from(k + rung_width);
      threads.each(team, rung_threads,
                   [&](int thread, State& s) { add_tile(tiles, thread / rung_width, thread % rung_width, s); });
      team.barrier();
    }
  }
  static KOKKOS_FORCEINLINE_FUNCTION void add_tile(const T* tiles, int y, int x, State& s) {
    const T* const b_tile = tiles + fused * Tile::size;
    if constexpr (prefetch == TilePrefetch::tile) {
      Z next_a[fused], next_b = Tile::get(b_tile, 0, x);
      repeat<fused>([&](int i) { next_a[i] = Tile::get(tiles + i * Tile::size, y, 0); });
      repeat<rung_width>([&](int k) {
        Z now_a[fused];
        const Z now_b = next_b;
        repeat<fused>([&](int i) { now_a[i] = next_a[i]; });
        if (k + 1 < rung_width) {
          next_b = Tile::get(b_tile, k + 1, x);
          repeat<fused>([&](int i) { next_a[i] = Tile::get(tiles + i * Tile::size, y, k + 1); });
        }
        repeat<fused>([&](int i) { multiply_add(s.sum[i], now_a[i], now_b); });
      });
    } else {
      repeat<rung_width>([&](int k) {
        const Z factor = Tile::get(b_tile, k, x);
        repeat<fused>([&](int i) { multiply_add(s.sum[i], Tile::get(tiles + i * Tile::size, y, k), factor); });
      });
    }
  }
};

/// One trace by one team.  As a tree: half of the threads add the sums of the other half, then a quarter, ...
template <class T, bool tree>
struct RungSingleTrace {
  using Z = Complex<T>;
  static constexpr std::size_t tile_bytes = 2 * sizeof(T) * rung_threads;
  TraceProblem<Z> problem;
  Complex<double>* sums;

  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    // Real and imaginary parts far apart, as in the tiles.
    T* const parts = team.template tile<T>(2 * int(rung_threads));
    const Z* const left = problem.left + team.index() / problem.n_right * problem.length;
    const Z* const right = problem.right + team.index() % problem.n_right * problem.length;
    team.share(rung_threads, [&](int thread) {
      Z sum{0, 0};
      for (std::int64_t k = thread; k < problem.length; k += rung_threads) multiply_add(sum, left[k], right[k]);
      parts[thread] = sum.re;
      parts[rung_threads + thread] = sum.im;
    });
    team.barrier();
    if constexpr (tree)
      for (int half = rung_threads / 2; half > 0; half /= 2) {
        team.share(half, [&](int thread) {
          parts[thread] += parts[thread + half];
          parts[rung_threads + thread] += parts[rung_threads + thread + half];
        });
        team.barrier();
      }
    if (team.thread() != 0) return;
    if constexpr (!tree)
      for (int thread = 1; thread < rung_threads; ++thread) {
        parts[0] += parts[thread];
        parts[int(rung_threads)] += parts[rung_threads + thread];
      }
    sums[team.index()] = {double(parts[0]), double(parts[int(rung_threads)])};
  }
};

/// 16 x 16 traces by one team, one for every thread: the matrix product with a long inner index.
template <class T, bool prefetch>
struct RungTiledTrace {
  using Z = Complex<T>;
  using Tile = RungTile<T, true>;
  static constexpr std::size_t tile_bytes = 2 * Tile::size * sizeof(T);
  TraceProblem<Z> problem;
  Complex<double>* sums;
  int across;

  struct State {
    Z sum, next_left, next_right;
  };

  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    T* const left_tile = team.template tile<T>(2 * int(Tile::size));
    T* const right_tile = left_tile + int(Tile::size);
    const int first_left = team.index() / across * rung_width, first_right = team.index() % across * rung_width;
    TileThreads<rung_threads, State> threads;
    const auto load_from = [&](std::int64_t k0) {
      threads.each(team, rung_threads, [&](int thread, State& s) {
        const int y = thread / rung_width;
        const std::int64_t k = k0 + thread % rung_width;
        s.next_left = first_left + y < problem.n_left && k < problem.length
                          ? problem.left[(first_left + y) * problem.length + k]
                          : Z{0, 0};
        s.next_right = first_right + y < problem.n_right && k < problem.length
                           ? problem.right[(first_right + y) * problem.length + k]
                           : Z{0, 0};
      });
    };
    threads.each(team, rung_threads, [&](int, State& s) { s.sum = Z{0, 0}; });
    if (prefetch) load_from(0);
    for (std::int64_t k = 0; k < problem.length; k += rung_width) {
      if (!prefetch) load_from(k);
      threads.each(team, rung_threads, [&](int thread, State& s) {
        const int y = thread / rung_width, x = thread % rung_width;
        Tile::set(left_tile, y, x, s.next_left);
        Tile::set(right_tile, x, y, s.next_right);
      });
      team.barrier();
      if (prefetch && k + rung_width < problem.length) load_from(k + rung_width);
      threads.each(team, rung_threads, [&](int thread, State& s) {
        const int y = thread / rung_width, x = thread % rung_width;
        repeat<rung_width>(
            [&](int i) { multiply_add(s.sum, Tile::get(left_tile, y, i), Tile::get(right_tile, i, x)); });
      });
      team.barrier();
    }
    threads.each(team, rung_threads, [&](int thread, State& s) {
      const int row = first_left + thread / rung_width, column = first_right + thread % rung_width;
      if (row < problem.n_left && column < problem.n_right)
        sums[row * problem.n_right + column] = {double(s.sum.re), double(s.sum.im)};
    });
  }
};

template <class T>
struct RungFactors {
  const Complex<T>*a, *b;
  Complex<T>* c;
  int n, n_left;
  bool batched;
  /// Where to say what the kernel takes, in the place of running it.
  KernelResources* resources = nullptr;
};

template <TileStorage storage, TilePrefetch prefetch, int fused, int repeats, class T>
void launch_rung(const RungFactors<T>& f, const Exec& exec) {
  using Kernel = RungProduct<T, storage, prefetch, fused, repeats>;
  const int across = (f.n + rung_width - 1) / rung_width, at_once = fused * repeats;
  for (int first = 0; first < f.n_left; first += f.batched ? f.n_left : at_once) {
    const int n_left = f.batched ? f.n_left : std::min(at_once, f.n_left - first);
    const std::int64_t n_teams = std::int64_t(across) * across * ((n_left + at_once - 1) / at_once);
    require(n_teams <= std::numeric_limits<int>::max(), n_left, "products are too many for one launch: take fewer");
    const std::int64_t matrix = std::int64_t(f.n) * f.n;
    const TeamShape shape{int(n_teams), rung_threads, Kernel::tile_bytes};
    const Kernel kernel{f.a + first * matrix, f.b, f.c + first * matrix, f.n, n_left, across};
    if (f.resources)
      *f.resources = team_resources(shape, kernel);
    else
      for_each_team("ladder_product", shape, kernel, exec);
  }
}

template <class T>
void launch_rung_of(ProductRung rung, const RungFactors<T>& f, const Exec& exec) {
  constexpr auto pointers = TileStorage::pointers;
  constexpr auto none = TilePrefetch::none, memory = TilePrefetch::memory;
  switch (rung) {
    case ProductRung::naive:
      return launch_rung<TileStorage::none, none, 1, 1>(f, exec);
    case ProductRung::tiled:
      return launch_rung<TileStorage::plain, none, 1, 1>(f, exec);
    case ProductRung::split:
      return launch_rung<TileStorage::split, none, 1, 1>(f, exec);
    case ProductRung::pointers:
      return launch_rung<pointers, none, 1, 1>(f, exec);
    case ProductRung::prefetch:
      return launch_rung<pointers, memory, 1, 1>(f, exec);
    case ProductRung::prefetch_tile:
      return launch_rung<pointers, TilePrefetch::tile, 1, 1>(f, exec);
    case ProductRung::fused2:
      return launch_rung<pointers, none, 2, 1>(f, exec);
    case ProductRung::fused2_prefetch:
      return launch_rung<pointers, memory, 2, 1>(f, exec);
    case ProductRung::fused3:
      return launch_rung<pointers, none, 3, 1>(f, exec);
    case ProductRung::fused3_prefetch:
      return launch_rung<pointers, memory, 3, 1>(f, exec);
    case ProductRung::fused4:
      return launch_rung<pointers, none, 4, 1>(f, exec);
    case ProductRung::fused4_prefetch:
      return launch_rung<pointers, memory, 4, 1>(f, exec);
    case ProductRung::fused2_2:
      return launch_rung<pointers, none, 2, 2>(f, exec);
    case ProductRung::fused2_2_prefetch:
      return launch_rung<pointers, memory, 2, 2>(f, exec);
  }
}

template <class T>
void launch_trace_rung(TraceRung rung, const TraceProblem<Complex<T>>& problem, Complex<double>* sums,
                       TraceWorkspace& workspace, const Exec& exec) {
  const int n_results = problem.n_left * problem.n_right;
  const int down = (problem.n_left + rung_width - 1) / rung_width,
            across = (problem.n_right + rung_width - 1) / rung_width;
  switch (rung) {
    case TraceRung::single:
      return for_each_team("ladder_single_trace", {n_results, rung_threads, RungSingleTrace<T, true>::tile_bytes},
                           RungSingleTrace<T, true>{problem, sums}, exec);
    case TraceRung::one_thread:
      return for_each_team("ladder_single_trace", {n_results, rung_threads, RungSingleTrace<T, false>::tile_bytes},
                           RungSingleTrace<T, false>{problem, sums}, exec);
    case TraceRung::tiled:
      return for_each_team("ladder_tiled_trace", {down * across, rung_threads, RungTiledTrace<T, false>::tile_bytes},
                           RungTiledTrace<T, false>{problem, sums, across}, exec);
    case TraceRung::tiled_prefetch:
      return for_each_team("ladder_tiled_trace", {down * across, rung_threads, RungTiledTrace<T, true>::tile_bytes},
                           RungTiledTrace<T, true>{problem, sums, across}, exec);
    case TraceRung::split_k:
      return traces(problem, {sums, 0, 1}, workspace, {}, exec);
  }
}

}  // namespace kov::detail

namespace kov {

/// See ladder.hpp.
template <class T>
void multiply_on_rung(ProductRung rung, const Complex<T>* a, const Complex<T>* b, Complex<T>* c, int n, int n_left,
                      bool batched, const Exec& exec) {
  require(n >= 0 && n_left >= 0, n_left, "products of matrices with", n, "rows: neither may be negative");
  detail::launch_rung_of<T>(rung, {a, b, c, n, n_left, batched}, exec);
}

/// See ladder.hpp.
template <class T>
KernelResources rung_resources(ProductRung rung) {
  KernelResources resources;
  detail::launch_rung_of<T>(rung, {nullptr, nullptr, nullptr, 1, 1, true, &resources}, Exec());
  return resources;
}

/// See ladder.hpp.
template <class T>
void traces_on_rung(TraceRung rung, const TraceProblem<Complex<T>>& problem, Complex<double>* sums,
                    TraceWorkspace& workspace, const Exec& exec) {
  require(problem.n_pairs == 1, "a rung of the ladder takes one pair, not", problem.n_pairs, ": use traces()");
  detail::launch_trace_rung<T>(rung, problem, sums, workspace, exec);
}

}  // namespace kov
