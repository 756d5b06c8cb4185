// SPDX-License-Identifier: MIT
//
// Private to slice_columns.cpp: products and combinations of vectors on time slices on CPUs, in packs of sites.
#pragma once

#include "kov/algebra/eigen/slice_kernels.hpp"
#include "kov/core/launch/for_each_team.hpp"

#include <cstdint>
#include <limits>

namespace kov::detail {

#if !defined(KOKKOS_ENABLE_CUDA)

/// Sites of a slice in packs: how vectors are brought to scratch memory, [vector][colour][re|im][site], and back.
template <class T>
struct SlicePacks {
  static constexpr int width = 64 / int(sizeof(T)), lanes = default_lanes;
  using R = Pack<T, width>;

  SliceTable::Sites sites;

  /// Sites first, ... in groups of `lanes` that are one outer site, else one by one; to is zero past the last one.
  template <class Vectors>
  void load(const Vectors& from, int vector, int slice, int first, int count, int padded, T* to) const {
    int s = 0;
    while (s < count) {
      const LaneSite x = sites.site(slice, first + s);
      const bool whole = is_whole(slice, first, s, count);
      for (int a = 0; a < 3; ++a) {
        T* const re = to + 2 * a * padded + s;
        if (whole) {
          const auto z = from.read(PackSite{x.outer}, vector, a);
          z.re.store(re);
          z.im.store(re + padded);
        } else {
          const auto z = from.read(x, vector, a);
          re[0] = z.re;
          re[padded] = z.im;
        }
      }
      s += whole ? lanes : 1;
    }
    for (int row = 0; row < 6; ++row) std::fill(to + row * padded + count, to + (row + 1) * padded, T(0));
  }
  template <class Vectors>
  void store(const Vectors& to, int vector, int slice, int first, int count, int padded, const T* from) const {
    for (int s = 0; s < count;) {
      const LaneSite x = sites.site(slice, first + s);
      const bool whole = is_whole(slice, first, s, count);
      for (int a = 0; a < 3; ++a) {
        const T* const re = from + 2 * a * padded + s;
        using P = Pack<T, lanes>;
        if (whole)
          to.write(PackSite{x.outer}, vector, a, Complex<P>{P::load(re), P::load(re + padded)});
        else
          to.write(x, vector, a, Complex<T>{re[0], re[padded]});
      }
      s += whole ? lanes : 1;
    }
  }

 private:
  /// Whether sites s, ... of a run are all lanes of an outer site, in their order and at an aligned place.
  bool is_whole(int slice, int first, int s, int count) const {
    if (s % lanes != 0 || s + lanes > count) return false;
    const LaneSite x = sites.site(slice, first + s), y = sites.site(slice, first + s + lanes - 1);
    return x.lane == 0 && y.outer == x.outer && y.lane == lanes - 1;
  }
};

/// One tile of the products of one chunk of a slice, of one momentum.  Sums stay in packs of sites to the end of the
/// chunk, so that no number is broadcast or moved to another lane.
template <class T, class F>
struct SliceGram {
  using Packs = SlicePacks<T>;
  using R = typename Packs::R;
  static constexpr int rows = 32, columns = 32, threads = 1, width = Packs::width;
  static constexpr int at_once = 32;  // sites in scratch memory
  static constexpr int block_rows = register_bytes == 64 ? 4 : 2, block_columns = 2;
  static constexpr int of_vector = 6 * at_once;

  SliceVectors<Field<ColorVector, T>> x;
  SliceVectors<F> y;
  SliceTable::Sites sites;
  typename MomentumPhases<T>::View phases;
  const int* momentum_is_zero;
  int n_chunks, row_tiles, column_tiles, n_momenta;
  double* partial;  // [slice][momentum][chunk][row][column][re|im]

  static constexpr std::size_t tile_bytes() {
    return sizeof(T) * of_vector * (rows + columns) + sizeof(Complex<R>) * rows * columns +
           sizeof(Complex<T>) * at_once + 4 * 64;
  }

  template <class Member>
  void operator()(const Team<Member>& team) const {
    int index = team.index();
    const int first_column = index % column_tiles * columns;
    index /= column_tiles;
    const int first_row = index % row_tiles * rows;
    index /= row_tiles;
    const int chunk = index % n_chunks;
    index /= n_chunks;
    const int momentum = index % n_momenta, slice = index / n_momenta;
    const int n_rows = std::min(rows, x.n() - first_row), n_columns = std::min(columns, y.n() - first_column);
    constexpr int line = 64 / int(sizeof(T));
    T* const left = aligned_to(64, team.template tile<T>(of_vector * rows + line));
    T* const right = aligned_to(64, team.template tile<T>(of_vector * columns + line));
    T* const sum_tile = aligned_to(64, team.template tile<T>(2 * width * rows * columns + line));
    Complex<R>* const sum = reinterpret_cast<Complex<R>*>(sum_tile);  // [block][row of it][column of it]
    T* const phase = aligned_to(64, team.template tile<T>(2 * at_once + line));
    const int row_blocks = (n_rows + block_rows - 1) / block_rows,
              column_blocks = (n_columns + block_columns - 1) / block_columns;
    constexpr int of_block = block_rows * block_columns;
    std::fill_n(sum_tile, 2 * width * row_blocks * column_blocks * of_block, T(0));
    // Rows and columns past the last ones of the matrix, up to the end of a block.
    for (int i = n_rows; i < row_blocks * block_rows; ++i) std::fill_n(left + i * of_vector, of_vector, T(0));
    for (int j = n_columns; j < column_blocks * block_columns; ++j) std::fill_n(right + j * of_vector, of_vector, T(0));
    const Packs packs{sites};
    const int begin = int(std::int64_t(sites.n_sites) * chunk / n_chunks),
              end = int(std::int64_t(sites.n_sites) * (chunk + 1) / n_chunks);
    for (int first = begin; first < end; first += at_once) {
      const int count = std::min(at_once, end - first);
      for (int i = 0; i < n_rows; ++i) packs.load(x, first_row + i, slice, first, count, at_once, left + i * of_vector);
      for (int j = 0; j < n_columns; ++j)
        packs.load(y, first_column + j, slice, first, count, at_once, right + j * of_vector);
      if (!momentum_is_zero[momentum]) multiply_phases(right, n_columns, phase, slice, first, count, momentum);
      const int used = (count + width - 1) / width * width;
      for (int i = 0; i < row_blocks; ++i)
        for (int j = 0; j < column_blocks; ++j)
          add_products(sum + (i * column_blocks + j) * of_block, left + i * block_rows * of_vector,
                       right + j * block_columns * of_vector, used);
    }
    double* const to = partial + ((std::size_t(slice) * n_momenta + momentum) * n_chunks + chunk) * std::size_t(x.n()) *
                                     std::size_t(y.n()) * 2;
    for (int i = 0; i < n_rows; ++i)
      for (int j = 0; j < n_columns; ++j) {
        const Complex<R>& z = sum[(i / block_rows * column_blocks + j / block_columns) * of_block +
                                  i % block_rows * block_columns + j % block_columns];
        double re = 0, im = 0;
        for (int lane = 0; lane < width; ++lane) {
          re += double(z.re.lane(lane));
          im += double(z.im.lane(lane));
        }
        double* const p = to + ((std::size_t(first_row) + i) * y.n() + first_column + j) * 2;
        p[0] = re;
        p[1] = im;
      }
  }

 private:
  void multiply_phases(T* right, int n_columns, T* phase, int slice, int first, int count, int momentum) const {
    std::fill_n(phase, 2 * at_once, T(0));
    for (int s = 0; s < count; ++s) {
      const Complex<T> z = phases(sites.coordinate(sites.site(slice, first + s)), momentum);
      phase[s] = z.re;
      phase[at_once + s] = -z.im;
    }
    for (int row = 0; row < 3 * n_columns; ++row)
      for (int s = 0; s < at_once; s += width) {
        T* const p = right + 2 * row * at_once + s;
        const Complex<R> z =
            Complex<R>{R::load(phase + s), R::load(phase + at_once + s)} * Complex<R>{R::load(p), R::load(p + at_once)};
        z.re.store(p);
        z.im.store(p + at_once);
      }
  }
  static void add_products(Complex<R>* to, const T* left, const T* right, int n_sites) {
    constexpr int n = block_rows * block_columns;
    Complex<R> sum[n];
    kov::unroll<n>([&](int k) __attribute__((always_inline)) { sum[k] = to[k]; });
    for (int a = 0; a < 3; ++a)
      for (int s = 0; s < n_sites; s += width) {
        const int at = 2 * a * at_once + s;
        Complex<R> v[block_rows];
        kov::unroll<block_rows>([&](int i) __attribute__((always_inline)) {
          v[i] = {R::load(left + i * of_vector + at), R::load(left + i * of_vector + at + at_once)};
        });
        kov::unroll<block_columns>([&](int j) __attribute__((always_inline)) {
          const Complex<R> w{R::load(right + j * of_vector + at), R::load(right + j * of_vector + at + at_once)};
          kov::unroll<block_rows>([&](int i) __attribute__((always_inline)) {
            conj_multiply_add(sum[i * block_columns + j], v[i], w);
          });
        });
      }
    kov::unroll<n>([&](int k) __attribute__((always_inline)) { to[k] = sum[k]; });
  }
};

/// New vectors at some sites of a slice.  All old vectors at these sites are in scratch memory before the first new one
/// is written, so that fields may be rotated in place.
template <class T, class F>
struct SliceRotation {
  using Packs = SlicePacks<T>;
  using R = typename Packs::R;
  static constexpr int columns = 4, threads = 1, width = Packs::width;  // of a block that stays in registers

  SliceVectors<Field<ColorVector, T>> in;
  SliceVectors<F> out;
  SliceTable::Sites sites;
  const T* r;           // [slice][row][re|im][padded]
  const int* is_empty;  // of each slice: whether its matrix is 0
  int m_of_matrix, n, padded, at_once;
  bool adds;

  /// A few packs, whose vectors fit into the second-level cache.
  static int sites_at_once(int m) {
    constexpr std::size_t most = std::size_t(256) << 10;
    const int fit = int(most / (std::size_t(6) * std::size_t(m) * sizeof(T)));
    return std::clamp(fit / width * width, width, 32);
  }
  /// Tiles may grow beyond any cache.
  static int most_rows() { return std::numeric_limits<int>::max(); }
  static std::size_t tile_bytes(int m, int at_once) {
    return sizeof(T) * 6 * std::size_t(at_once) * std::size_t(m + columns) + 2 * 64;
  }

  template <class Member>
  void operator()(const Team<Member>& team) const {
    const int parts = (sites.n_sites + at_once - 1) / at_once;
    const int slice = team.index() / parts, first = team.index() % parts * at_once;
    const int m = is_empty[slice] ? 0 : m_of_matrix;
    if (adds && m == 0) return;
    const int count = std::min(at_once, sites.n_sites - first), of_vector = 6 * at_once;
    constexpr int line = 64 / int(sizeof(T));
    T* const old = aligned_to(64, team.template tile<T>(of_vector * m_of_matrix + line));
    T* const made = aligned_to(64, team.template tile<T>(of_vector * columns + line));
    const Packs packs{sites};
    for (int i = 0; i < m; ++i) packs.load(in, i, slice, first, count, at_once, old + i * of_vector);
    const T* const matrix = r + std::size_t(slice) * m_of_matrix * 2 * padded;
    for (int j = 0; j < n; j += columns) {
      const int n_here = std::min(columns, n - j);
      for (int k = 0; k < n_here; ++k) {
        if (adds)
          packs.load(out, j + k, slice, first, count, at_once, made + k * of_vector);
        else
          std::fill_n(made + k * of_vector, of_vector, T(0));
      }
      for (int a = 0; a < 3; ++a)
        for (int s = 0; s < at_once; s += width) {
          const int at = 2 * a * at_once + s;
          add_combination(made + at, old + at, matrix + j, m, of_vector);
        }
      for (int k = 0; k < n_here; ++k) packs.store(out, j + k, slice, first, count, at_once, made + k * of_vector);
    }
  }

 private:
  void add_combination(T* made, const T* old, const T* matrix, int m, int of_vector) const {
    Complex<R> sum[columns];
    kov::unroll<columns>([&](int j) __attribute__((always_inline)) {
      sum[j] = {R::load(made + j * of_vector), R::load(made + j * of_vector + at_once)};
    });
    for (int i = 0; i < m; ++i) {
      const Complex<R> v{R::load(old + i * of_vector), R::load(old + i * of_vector + at_once)};
      const T* const row = matrix + std::size_t(i) * 2 * padded;
      kov::unroll<columns>([&](int j) __attribute__((always_inline)) {
        multiply_add(sum[j], Complex<T>{row[j], row[padded + j]}, v);
      });
    }
    kov::unroll<columns>([&](int j) __attribute__((always_inline)) {
      sum[j].re.store(made + j * of_vector);
      sum[j].im.store(made + j * of_vector + at_once);
    });
  }
};

#endif

}  // namespace kov::detail
