// SPDX-License-Identifier: MIT
//
// Private to product.cpp: products on CPUs.  Blocks of both factors are copied to where the caches hold them, real and
// imaginary parts apart; a tile of the result stays in the SIMD registers.
#pragma once

#include "kov/contractions/kernels/product_problem.hpp"
#include "kov/core/site/unroll.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace kov::detail {

#if !defined(KOKKOS_ENABLE_CUDA)

template <class T>
using RegisterPack = Pack<T, int(register_bytes / sizeof(T))>;

/// A tile of `rows` rows and `words` registers of columns: as many sums as there are registers for, beside one row of b
/// and one number of a.
template <class Z>
struct PackTile {
  static constexpr bool is_complex = is_complex_number<Z>;
  static constexpr int words = register_bytes == 64 ? 2 : is_complex ? 1 : 2;
  static constexpr int rows = register_bytes == 64 ? (is_complex ? 6 : 12) : 6;
};

/// A team is one thread; it takes some rows of one matrix.  Z is what lies in memory, T what is computed in.
template <class Z, class T = MatrixReal<Z>>
struct ProductPacks {
  using P = RegisterPack<T>;
  static constexpr int parts = is_complex_number<Z> ? 2 : 1;
  /// Sums of another type stay beside the tiles until the inner index is over; others go to the result at once.
  static constexpr bool keeps_sums = !std::is_same_v<T, MatrixReal<Z>>;
  static constexpr int lanes = P::width, rows = PackTile<Z>::rows, words = PackTile<Z>::words, width = words * lanes;
  /// Numbers of the inner index that are taken together: `depth` rows of b in one tile take half the first-level cache
  /// or a little more.
  static constexpr int depth = int(24 * 1024 / (width * parts * sizeof(T)));
  /// Rows of a block of a, and columns of a block of b: each takes half a second-level cache at most.
  static constexpr int most_rows = keeps_sums ? 96 : (256 + rows - 1) / rows * rows, most_columns = 256;

  ProductProblem<Z> problem;
  int row_blocks, block_rows;

  static constexpr std::size_t padded(int size, int unit) { return std::size_t((size + unit - 1) / unit * unit); }
  static constexpr std::size_t numbers_of_a = padded(most_rows, rows) * depth * parts,
                               numbers_of_b = padded(most_columns, width) * depth * parts;
  static constexpr std::size_t kept_sums = keeps_sums ? std::size_t(most_rows) * most_columns * parts : 0;
  static constexpr int numbers = int(numbers_of_a + numbers_of_b + kept_sums + register_bytes / sizeof(T));
  static constexpr std::size_t tile_bytes = std::size_t(numbers) * sizeof(T);

  template <class TeamT>
  void operator()(const TeamT& team) const {
    T* const b_block = aligned_to(register_bytes, team.template tile<T>(int(numbers)));
    T* const a_block = b_block + numbers_of_b;
    [[maybe_unused]] T* const kept = a_block + numbers_of_a;  // [row][column][part]
    const std::int64_t number = team.index() / row_blocks;
    const int first_row = team.index() % row_blocks * block_rows,
              n_rows = std::min(block_rows, problem.c.n_rows - first_row);
    const Z* const a = problem.a.data + problem.offset(problem.a.strides, problem.batch, number);
    const Z* const b = problem.b.data + problem.offset(problem.b.strides, problem.batch, number);
    Z* const c = problem.c.data + problem.offset(problem.c.strides, problem.batch, number);
    for (int column = 0; column < problem.c.n_columns; column += most_columns) {
      const int n_columns = std::min(+most_columns, problem.c.n_columns - column);
      for (int k = 0; k == 0 || k < problem.first[2]; k += depth) {
        const int n = std::min(+depth, problem.first[2] - k);
        copy_b(b + k * problem.b.row_stride + column, n, n_columns, b_block);
        copy_a(a, first_row, n_rows, k, n, a_block);
        for (int right = 0; right < n_columns; right += width)
          for (int down = 0; down < n_rows; down += rows) {
            alignas(64) T sums[rows * parts * width];
            multiply_tile(n, a_block + std::size_t(down) * parts * n, b_block + std::size_t(right) * parts * n, sums);
            const int n_down = std::min(+rows, n_rows - down), n_right = std::min(+width, n_columns - right);
            if constexpr (keeps_sums)
              keep(sums, n_down, n_right, k > 0, kept + (std::size_t(down) * n_columns + right) * parts, n_columns);
            else
              store(sums, n_down, n_right, k > 0, c + (first_row + down) * problem.c.row_stride + column + right);
          }
      }
      if constexpr (keeps_sums) store_kept(kept, n_rows, n_columns, c + first_row * problem.c.row_stride + column);
    }
  }

 private:
  /// [tile of columns][k][part][column], zeros past the last column.
  void copy_b(const Z* b, int n, int n_columns, T* to) const {
    for (int right = 0; right < n_columns; right += width) {
      const int n_here = std::min(+width, n_columns - right);
      for (int k = 0; k < n; ++k, to += width * parts) {
        const Z* const from = b + k * problem.b.row_stride + right;
        if (n_here == width) {
          copy_row<true>(from, to, width);
        } else {
          std::fill(to, to + width * parts, T(0));
          copy_row<false>(from, to, n_here);
        }
      }
    }
  }
  template <bool whole>
  static void copy_row(const Z* from, T* to, int n) {
    for (int i = 0; i < (whole ? +width : n); ++i)
      if constexpr (parts == 2) {
        to[i] = T(from[i].re);
        to[width + i] = T(from[i].im);
      } else {
        to[i] = T(from[i]);
      }
  }
  /// [tile of rows][k][row][part], with the signs of gamma_5; zeros past the last row.
  void copy_a(const Z* a, int first_row, int n_rows, int k0, int n, T* to) const {
    for (int down = 0; down < n_rows; down += rows, to += std::size_t(n) * rows * parts) {
      const int n_here = std::min(+rows, n_rows - down);
      for (int range = 0; range < 2; ++range) {
        const int begin = std::max(k0, problem.first[range]), end = std::min(k0 + n, problem.first[range + 1]);
        const Z* from[rows];
        T sign[rows];
        for (int r = 0; r < rows; ++r) {
          const int row = first_row + down + std::min(r, n_here - 1);
          from[r] = a + problem.row_of_a(row) * problem.a.row_stride + problem.column_shift(range);
          const bool negative = problem.gamma5 == Gamma5Fold::signs && problem.changes_sign(row) != (range == 1);
          sign[r] = T(r >= n_here ? 0 : negative ? -1 : 1);
        }
        for (int k = begin; k < end; ++k)
          for (int r = 0; r < rows; ++r) set(to + ((k - k0) * rows + r) * parts, sign[r], from[r][k]);
      }
    }
  }
  static void set(T* to, T sign, const Z& z) {
    if constexpr (parts == 2) {
      to[0] = sign * T(z.re);
      to[1] = sign * T(z.im);
    } else {
      to[0] = sign * T(z);
    }
  }

  /// Sums over n of the inner index, [row][part][column].
  static void multiply_tile(int n, const T* a, const T* b, T* sums) {
    P sum[rows][parts][words];
    kov::unroll<rows * parts * words>([&](int i) __attribute__((always_inline)) {
      sum[i / (parts * words)][i / words % parts][i % words] = P(T(0));
    });
    for (int k = 0; k < n; ++k, a += rows * parts, b += width * parts) {
      P y[parts][words];
      kov::unroll<parts * words>([&](int i) __attribute__((always_inline)) {
        y[i / words][i % words] = P::load(b + i * lanes);
      });
      kov::unroll<rows>([&](int r) __attribute__((always_inline)) {
        if constexpr (parts == 2) {
          const P re(a[2 * r]), im(a[2 * r + 1]);
          kov::unroll<words>([&](int w) __attribute__((always_inline)) {
            sum[r][0][w] += re * y[0][w];
            sum[r][1][w] += re * y[1][w];
            sum[r][0][w] -= im * y[1][w];
            sum[r][1][w] += im * y[0][w];
          });
        } else {
          const P x(a[r]);
          kov::unroll<words>([&](int w) __attribute__((always_inline)) { sum[r][0][w] += x * y[0][w]; });
        }
      });
    }
    kov::unroll<rows * parts * words>([&](int i) __attribute__((always_inline)) {
      sum[i / (parts * words)][i / words % parts][i % words].store(sums + i * lanes);
    });
  }

  void store(const T* sums, int n_rows, int n_columns, bool adds, Z* c) const {
    const auto store_rows = [&]<bool whole>(std::bool_constant<whole>) {
      for (int r = 0; r < n_rows; ++r, sums += parts * width, c += problem.c.row_stride)
        adds ? store_row<true, whole>(sums, reinterpret_cast<T*>(c), n_columns)
             : store_row<false, whole>(sums, reinterpret_cast<T*>(c), n_columns);
    };
    if (n_columns == width)
      store_rows(std::true_type());
    else
      store_rows(std::false_type());
  }
  /// whole: n is the width of a tile, so that the row stays in registers.
  template <bool adds, bool whole>
  void store_row(const T* __restrict sums, T* __restrict to, int n) const {
    const T sign = problem.conjugate ? T(-1) : T(1);
    for (int i = 0; i < (whole ? +width : n); ++i)
      if constexpr (parts == 2) {
        to[2 * i] = adds ? to[2 * i] + sums[i] : sums[i];
        to[2 * i + 1] = adds ? to[2 * i + 1] + sign * sums[width + i] : sign * sums[width + i];
      } else {
        to[i] = adds ? to[i] + sums[i] : sums[i];
      }
  }

  void keep(const T* sums, int n_rows, int n_columns, bool adds, T* kept, int kept_columns) const {
    for (int r = 0; r < n_rows; ++r)
      for (int i = 0; i < n_columns; ++i)
        for (int part = 0; part < parts; ++part) {
          T& to = kept[(std::size_t(r) * std::size_t(kept_columns) + std::size_t(i)) * parts + part];
          const T sum = sums[(r * parts + part) * width + i];
          to = adds ? to + sum : sum;
        }
  }
  void store_kept(const T* kept, int n_rows, int n_columns, Z* c) const {
    using R = MatrixReal<Z>;
    const T sign = problem.conjugate ? T(-1) : T(1);
    for (int r = 0; r < n_rows; ++r)
      for (int i = 0; i < n_columns; ++i, kept += parts)
        if constexpr (parts == 2)
          c[r * problem.c.row_stride + i] = Z{R(kept[0]), R(sign * kept[1])};
        else
          c[r * problem.c.row_stride + i] = R(kept[0]);
  }
};

#endif

}  // namespace kov::detail
