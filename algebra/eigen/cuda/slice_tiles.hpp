// SPDX-License-Identifier: MIT
//
// Private to slice_columns.cpp: products and combinations of vectors on time slices on GPUs, by blocks of 4 x 4 numbers
// for each thread.
#pragma once

#include "kov/algebra/eigen/slice_kernels.hpp"
#include "kov/core/launch/for_each_team.hpp"

namespace kov::detail {

#if defined(KOKKOS_ENABLE_CUDA)

/// The block of a product that a thread keeps in registers.
template <class T>
struct SliceBlock {
  static constexpr int rows = 4, columns = 4;
  Complex<T> sum[rows][columns];

  KOKKOS_FORCEINLINE_FUNCTION SliceBlock() {
    kov::unroll<rows * columns>([&](int i) { sum[i / columns][i % columns] = Complex<T>{T(0), T(0)}; });
  }
  /// Adds the products of left[i], i < rows, conjugate if so, with the columns at right_re and right_im.
  template <bool conjugate>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Complex<T>* left, const T* right_re, const T* right_im) {
    Complex<T> right[columns];
    kov::unroll<columns>([&](int j) { right[j] = {right_re[j], right_im[j]}; });
    kov::unroll<rows>([&](int i) {
      const Complex<T> a = left[i];
      kov::unroll<columns>([&](int j) {
        if constexpr (conjugate)
          conj_multiply_add(sum[i][j], a, right[j]);
        else
          multiply_add(sum[i][j], a, right[j]);
      });
    });
  }
};

/// One tile of the products of one chunk of a slice, of one momentum.
template <class T, class F>
struct SliceGram {
  using Block = SliceBlock<T>;
  static constexpr int rows = 32, columns = 32, threads = 64;
  // Sites in scratch memory; the tiles and the sums of a team stay below 48 KiB on GPUs.
  static constexpr int at_once = sizeof(T) == 4 ? 16 : 8, depth = 3 * at_once;

  SliceVectors<Field<ColorVector, T>> x;
  SliceVectors<F> y;
  SliceTable::Sites sites;
  typename MomentumPhases<T>::View phases;
  const int* momentum_is_zero;
  int n_chunks, row_tiles, column_tiles, n_momenta;
  double* partial;  // [slice][momentum][chunk][row][column][re|im]

  static constexpr std::size_t tile_bytes() {
    return sizeof(Complex<T>) * depth * (rows + columns) + sizeof(Complex<double>) * rows * columns;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Team<Member>& team) const {
    int index = team.index();
    const int first_column = index % column_tiles * columns;
    index /= column_tiles;
    const int first_row = index % row_tiles * rows;
    index /= row_tiles;
    const int chunk = index % n_chunks;
    index /= n_chunks;
    const int momentum = index % n_momenta, slice = index / n_momenta;
    const int n_rows = least(rows, x.n() - first_row), n_columns = least(columns, y.n() - first_column);
    Complex<T>* const left = team.template tile<Complex<T>>(depth * rows);  // [site and colour][row]
    T* const right = team.template tile<T>(2 * depth * columns);            // [..][re|im][column]
    Complex<double>* const sum = team.template tile<Complex<double>>(rows * columns);
    team.share(rows * columns, [&](int i) { sum[i] = {0, 0}; });
    const int begin = int(std::int64_t(sites.n_sites) * chunk / n_chunks),
              end = int(std::int64_t(sites.n_sites) * (chunk + 1) / n_chunks);
    const int row_blocks = (n_rows + Block::rows - 1) / Block::rows,
              column_blocks = (n_columns + Block::columns - 1) / Block::columns;
    for (int first = begin; first < end; first += at_once) {
      const int count = least(at_once, end - first);
      team.barrier();
      fill(team, left, right, slice, first, count, momentum, first_row, n_rows, first_column, n_columns);
      team.barrier();
      team.share(row_blocks * column_blocks, [&](int b) {
        const int i = b / column_blocks * Block::rows, j = b % column_blocks * Block::columns;
        Block block;
        for (int k = 0; k < 3 * count; ++k)
          block.template add<true>(left + k * rows + i, right + 2 * k * columns + j, right + (2 * k + 1) * columns + j);
        for (int r = 0; r < Block::rows; ++r)
          for (int c = 0; c < Block::columns; ++c) {
            const Complex<T> z = block.sum[r][c];
            sum[(i + r) * columns + j + c] += Complex<double>{z.re, z.im};
          }
      });
    }
    team.barrier();
    double* const to = partial + ((std::size_t(slice) * n_momenta + momentum) * n_chunks + chunk) * std::size_t(x.n()) *
                                     std::size_t(y.n()) * 2;
    team.share(n_rows * n_columns, [&](int i) {
      const Complex<double> z = sum[i / n_columns * columns + i % n_columns];
      double* const p = to + ((std::size_t(first_row) + i / n_columns) * y.n() + first_column + i % n_columns) * 2;
      p[0] = z.re;
      p[1] = z.im;
    });
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION int least(int a, int b) { return a < b ? a : b; }

  /// Neighbouring threads read neighbouring sites of one vector.  Numbers past the last row or column of the matrix are
  /// 0 up to the end of a block.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void fill(const Team<Member>& team, Complex<T>* left, T* right, int slice, int first,
                                        int count, int momentum, int first_row, int n_rows, int first_column,
                                        int n_columns) const {
    team.share(rows * count, [&](int index) {
      const int i = index / count, s = index % count;
      if (i >= (n_rows + Block::rows - 1) / Block::rows * Block::rows) return;
      const LaneSite site = sites.site(slice, first + s);
      for (int a = 0; a < 3; ++a)
        left[(3 * s + a) * rows + i] = i < n_rows ? x.read(site, first_row + i, a) : Complex<T>{T(0), T(0)};
    });
    const bool at_rest = momentum_is_zero[momentum] != 0;
    team.share(columns * count, [&](int index) {
      const int j = index / count, s = index % count;
      if (j >= (n_columns + Block::columns - 1) / Block::columns * Block::columns) return;
      const LaneSite site = sites.site(slice, first + s);
      Complex<T> phase{T(1), T(0)};
      if (!at_rest) phase = conj(phases(sites.coordinate(site), momentum));
      for (int a = 0; a < 3; ++a) {
        Complex<T> z = j < n_columns ? y.read(site, first_column + j, a) : Complex<T>{T(0), T(0)};
        if (!at_rest) z = phase * z;
        right[2 * (3 * s + a) * columns + j] = z.re;
        right[(2 * (3 * s + a) + 1) * columns + j] = z.im;
      }
    });
  }
};

/// New vectors at some sites of a slice.  All old vectors at these sites are in scratch memory before the first new one
/// is written, so that fields may be rotated in place.
template <class T, class F>
struct SliceRotation {
  using Block = SliceBlock<T>;
  static constexpr int columns = Block::columns, threads = 128;
  static constexpr std::size_t most_tile_bytes = std::size_t(46) << 10;

  SliceVectors<Field<ColorVector, T>> in;
  SliceVectors<F> out;
  SliceTable::Sites sites;
  const T* r;           // [slice][row][re|im][padded]
  const int* is_empty;  // of each slice: whether its matrix is 0
  int m_of_matrix, n, padded, at_once;
  bool adds;

  /// As many sites as scratch memory has room for, at most 16.
  static int sites_at_once(int m) {
    int n = 16;
    while (n > 1 && tile_bytes(m, n) > most_tile_bytes) --n;
    return n;
  }
  /// Whose old vectors at one site fit.
  static int most_rows() { return int(most_tile_bytes / tile_bytes(1, 1)); }
  static std::size_t tile_bytes(int m, int at_once) {
    return std::size_t(rows_of(at_once)) * std::size_t(m) * sizeof(Complex<T>);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Team<Member>& team) const {
    const int parts = (sites.n_sites + at_once - 1) / at_once;
    const int slice = team.index() / parts, first = team.index() % parts * at_once;
    const int m = is_empty[slice] ? 0 : m_of_matrix;
    if (adds && m == 0) return;
    const int count = at_once < sites.n_sites - first ? at_once : sites.n_sites - first;
    const int n_rows = rows_of(count);
    Complex<T>* const old =
        team.template tile<Complex<T>>(rows_of(at_once) * m_of_matrix);  // [vector][site and colour]
    team.share(m * count, [&](int index) {
      const int i = index / count, s = index % count;
      const LaneSite site = sites.site(slice, first + s);
      for (int a = 0; a < 3; ++a) old[i * n_rows + 3 * s + a] = in.read(site, i, a);
    });
    team.share(m * (n_rows - 3 * count), [&](int index) {
      const int extra = n_rows - 3 * count;
      old[index / extra * n_rows + 3 * count + index % extra] = {T(0), T(0)};
    });
    team.barrier();
    const T* const matrix = r + std::size_t(slice) * m_of_matrix * 2 * padded;
    const int column_blocks = padded / columns;
    team.share(n_rows / Block::rows * column_blocks, [&](int b) {
      const int k = b / column_blocks * Block::rows, j = b % column_blocks * columns;
      Block block;
      // Sums go on from what is there, so that vectors in groups give the bits of all at once.
      if (adds)
        for_each_number(slice, first, count, k, j,
                        [&](int row, int c, LaneSite site, int a) { block.sum[row][c] = out.read(site, j + c, a); });
      for (int i = 0; i < m; ++i)
        block.template add<false>(old + i * n_rows + k, matrix + std::size_t(i) * 2 * padded + j,
                                  matrix + (std::size_t(i) * 2 + 1) * padded + j);
      for_each_number(slice, first, count, k, j,
                      [&](int row, int c, LaneSite site, int a) { out.write(site, j + c, a, block.sum[row][c]); });
    });
  }

 private:
  /// Calls f(row, column, site, colour) for the numbers of the block at (k, j) that the new vectors have.
  template <class Function>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_number(int slice, int first, int count, int k, int j,
                                                   const Function& f) const {
    kov::unroll<Block::rows>([&](int row) {
      if (k + row >= 3 * count) return;
      const LaneSite site = sites.site(slice, first + (k + row) / 3);
      kov::unroll<columns>([&](int c) {
        if (j + c < n) f(row, c, site, (k + row) % 3);
      });
    });
  }
  static KOKKOS_FORCEINLINE_FUNCTION int rows_of(int n_sites) {
    return (3 * n_sites + Block::rows - 1) / Block::rows * Block::rows;
  }
};

#endif

}  // namespace kov::detail
