// SPDX-License-Identifier: MIT
//
// Private to trace*.cpp: traces on CPUs.  SIMD lanes are neighbours in the inner index; a block of results has its sums
// in registers while a part of the inner index passes by.
#pragma once

#include "kov/contractions/kernels/product_packs.hpp"
#include "kov/contractions/kernels/trace.hpp"

#include <array>

namespace kov::detail {

#if !defined(KOKKOS_ENABLE_CUDA)

/// The sums over the lanes of up to eight registers, all at once: sums[k] is that of v[k].
template <class P>
struct LaneSums {
  using Word = typename P::Word;
  static constexpr int lanes = P::width, levels = lanes >= 8 ? 3 : lanes == 4 ? 2 : lanes == 2 ? 1 : 0, n = 1 << levels;

  /// Lanes of a where bit `half` of the lane's number is 0 and of b where it is 1, each added to the lane with the
  /// other bit.
  template <int half, int... lane>
  static KOKKOS_FORCEINLINE_FUNCTION Word merge(const Word& a, const Word& b, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, b, ((lane & half) ? lanes + lane : lane)...) +
           __builtin_shufflevector(a, b, ((lane & half) ? lanes + (lane ^ half) : (lane ^ half))...);
  }
  template <int half>
  static KOKKOS_FORCEINLINE_FUNCTION Word merge(const Word& a, const Word& b) {
    return merge<half>(a, b, std::make_integer_sequence<int, lanes>{});
  }
  template <int level>
  static KOKKOS_FORCEINLINE_FUNCTION Word merged(const P* v) {
    if constexpr (level == 0) {
      return v->word[0];
    } else {
      constexpr int half = lanes >> level;
      return merge<half>(merged<level - 1>(v), merged<level - 1>(v + (1 << (level - 1))));
    }
  }
  static KOKKOS_FORCEINLINE_FUNCTION std::array<scalar_t<P>, n> of(const P* v) {
    Word w = merged<levels>(v);
    if constexpr (lanes == 16) w = merge<1>(w, w);
    std::array<scalar_t<P>, n> sums;
    for (int k = 0; k < n; ++k) {
      int lane = 0;
      for (int level = 0; level < levels; ++level) lane += (k >> level & 1) * (lanes >> (level + 1));
      sums[k] = w[lane];
    }
    return sums;
  }
};

/// A team is one thread; it takes a part of the inner index of one pair, block by block.  Z is what lies in memory, T
/// what is computed in; sums over blocks are in double.
template <class Z, class T>
struct TracePacks {
  using P = RegisterPack<T>;
  static constexpr int lanes = P::width;
  /// Of a block of results: as many sums as there are registers for, beside a column and a number.
  static constexpr int rows = register_bytes == 64 ? 4 : 2, columns = register_bytes == 64 ? 3 : 2;
  /// The rows and columns of a block take most of the first-level cache.
  static constexpr int depth = int(28 * 1024 / ((rows + columns) * 2 * sizeof(T))) / lanes * lanes;
  /// Of one of the copies: rows are a cache line apart, as otherwise all begin in the same set of a cache.
  static constexpr int copy_row = 2 * depth + 64 / int(sizeof(T));
  /// Rows of left and right that are copied together.
  static constexpr int most = 64;
  /// Of the inner index that a team takes: the number of parts depends on the length alone.
  static constexpr int part_length = 16 * depth;
  static constexpr int numbers = 2 * most * copy_row + register_bytes / int(sizeof(T)), n_sums = most * most;
  static constexpr std::size_t tile_bytes =
      std::size_t(numbers) * sizeof(T) + std::size_t(n_sums) * sizeof(Complex<double>) + 32;

  TraceProblem<Z> problem;
  /// [pair][split][i][j]
  Complex<double>* parts;
  int n_splits;
  /// Blocks of left and right that teams take.
  int down, across;

  template <class TeamT>
  void operator()(const TeamT& team) const {
    T* const left_copy = aligned_to(register_bytes, team.template tile<T>(int(numbers)));
    T* const right_copy = left_copy + most * copy_row;
    Complex<double>* const sums = team.template tile<Complex<double>>(int(n_sums));
    const int across_at = team.index() % across, down_at = team.index() / across % down;
    const int split = team.index() / across / down % n_splits, pair = team.index() / across / down / n_splits;
    const int first_left = part_begin(problem.n_left, down, down_at),
              n_left = part_begin(problem.n_left, down, down_at + 1) - first_left;
    const int first_right = part_begin(problem.n_right, across, across_at),
              n_right = part_begin(problem.n_right, across, across_at + 1) - first_right;
    const std::int64_t begin = std::int64_t(split) * part_length, end = std::min(begin + part_length, problem.length);
    std::fill(sums, sums + n_left * n_right, Complex<double>{0, 0});
    for (std::int64_t k = begin; k < end; k += depth) {
      const int n = int(std::min<std::int64_t>(depth, end - k)), n_words = (n + lanes - 1) / lanes;
      copy(problem.left + pair * problem.left_stride + first_left * problem.length + k, n_left, n, left_copy);
      copy(problem.right + pair * problem.right_stride + first_right * problem.length + k, n_right, n, right_copy);
      const int row_blocks = (n_left + rows - 1) / rows, column_blocks = (n_right + columns - 1) / columns;
      for (int i = 0; i < row_blocks; ++i)
        for (int j = 0; j < column_blocks; ++j) {
          const int row = part_begin(n_left, row_blocks, i), column = part_begin(n_right, column_blocks, j);
          add_block<rows>(part_begin(n_left, row_blocks, i + 1) - row,
                          part_begin(n_right, column_blocks, j + 1) - column, left_copy + row * copy_row,
                          right_copy + column * copy_row, n_words, sums + row * n_right + column, n_right);
        }
    }
    Complex<double>* const to = parts + (std::int64_t(pair) * n_splits + split) * problem.n_left * problem.n_right;
    for (int i = 0; i < n_left; ++i)
      for (int j = 0; j < n_right; ++j)
        to[std::int64_t(first_left + i) * problem.n_right + first_right + j] = sums[i * n_right + j];
  }

 private:
  /// n things in n_parts parts whose sizes differ by one at most: where part i begins.
  static int part_begin(int n, int n_parts, int i) { return int(std::int64_t(n) * i / n_parts); }

  /// [row][word][part][lane], zeros past the last number.
  void copy(const Z* from, int n_rows, int n, T* to) const {
    for (int row = 0; row < n_rows; ++row, from += problem.length, to += copy_row) {
      const int whole = n / lanes * lanes;
      for (int k = 0; k < whole; k += lanes)
        for (int lane = 0; lane < lanes; ++lane) {
          to[2 * k + lane] = T(from[k + lane].re);
          to[2 * k + lanes + lane] = T(from[k + lane].im);
        }
      if (whole == n) continue;
      std::fill(to + 2 * whole, to + 2 * (whole + lanes), T(0));
      for (int lane = 0; lane < n - whole; ++lane) {
        to[2 * whole + lane] = T(from[whole + lane].re);
        to[2 * whole + lanes + lane] = T(from[whole + lane].im);
      }
    }
  }

  template <int r, class... Rest>
  static void add_block(int n_rows, int n_columns, const Rest&... rest) {
    if constexpr (r > 0) {
      if (n_rows == r)
        add_columns<r, columns>(n_columns, rest...);
      else
        add_block<r - 1>(n_rows, n_columns, rest...);
    }
  }
  template <int r, int c, class... Rest>
  static void add_columns(int n_columns, const Rest&... rest) {
    if constexpr (c > 0) {
      if (n_columns == c)
        add_results<r, c>(rest...);
      else
        add_columns<r, c - 1>(n_columns, rest...);
    }
  }
  /// Adds r x c results.
  template <int r, int c>
  static void add_results(const T* a, const T* b, int n_words, Complex<double>* sums, int row_stride) {
    using L = LaneSums<P>;
    constexpr int n = 2 * r * c, padded = (n + L::n - 1) / L::n * L::n;
    P sum[padded];
    kov::unroll<padded>([&](int i) __attribute__((always_inline)) { sum[i] = P(T(0)); });
    for (int word = 0; word < n_words; ++word, a += 2 * lanes, b += 2 * lanes) {
      P re[c], im[c];
      kov::unroll<c>([&](int q) __attribute__((always_inline)) {
        re[q] = P::load(b + q * copy_row);
        im[q] = P::load(b + q * copy_row + lanes);
      });
      kov::unroll<r>([&](int i) __attribute__((always_inline)) {
        const P x = P::load(a + i * copy_row), y = P::load(a + i * copy_row + lanes);
        kov::unroll<c>([&](int q) __attribute__((always_inline)) {
          sum[2 * (i * c + q)] += x * re[q];
          sum[2 * (i * c + q) + 1] += x * im[q];
          sum[2 * (i * c + q)] -= y * im[q];
          sum[2 * (i * c + q) + 1] += y * re[q];
        });
      });
    }
    alignas(64) T totals[padded];
    kov::unroll<padded / L::n>([&](int i) __attribute__((always_inline)) {
      const auto of = L::of(sum + i * L::n);
      for (int k = 0; k < L::n; ++k) totals[i * L::n + k] = of[k];
    });
    for (int i = 0; i < r; ++i)
      for (int q = 0; q < c; ++q) {
        Complex<double>& to = sums[i * row_stride + q];
        to.re += double(totals[2 * (i * c + q)]);
        to.im += double(totals[2 * (i * c + q) + 1]);
      }
  }
};

#endif

}  // namespace kov::detail
