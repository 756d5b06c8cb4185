// SPDX-License-Identifier: MIT
//
// Private to slice_columns.cpp: the sites of time slices in the order of memory, and the two kernels, which work on
// tiles in scratch memory: on CPUs with packs of columns, on GPUs with blocks of 4 x 4 numbers for each thread.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/lattice/momentum.hpp"
#include "kov/core/launch/for_each_team.hpp"

#include <algorithm>
#include <vector>

namespace kov::detail {

/// The sites of this rank's part of every time slice, in the order of memory.
class SliceSites {
 public:
  explicit SliceSites(const Lattice& lattice) : lanes_(lattice.layout().lanes()), layout_(lattice.layout()) {
    const Coord box = lattice.geometry().local_extent();
    n_slices_ = box[3];
    n_sites_ = box[0] * box[1] * box[2];
    std::vector<int> slots;
    for (int t = 0; t < box[3]; ++t) {
      const std::size_t begin = slots.size();
      for (int i = 0; i < n_sites_; ++i) {
        Coord x = coordinate(i, {box[0], box[1], box[2], 1});
        x[3] = t;
        const Layout::Position at = layout_.locate(x);
        slots.push_back(at.outer * lanes_ + at.lane);
      }
      std::sort(slots.begin() + std::ptrdiff_t(begin), slots.end());
    }
    slots_ = Buffer<int>("sites of slices", std::span<const int>(slots));
  }
  static const SliceSites& of(const Lattice& lattice) {
    return lattice.remember<SliceSites>(0, [&] { return SliceSites(lattice); });
  }

  int n_slices() const { return n_slices_; }
  int n_sites() const { return n_sites_; }

  struct View {
    const int* slots;
    Layout::View layout;
    int n_slices, n_sites, lanes;

    KOKKOS_FORCEINLINE_FUNCTION LaneSite site(int slice, int i) const {
      const int slot = slots[std::ptrdiff_t(slice) * n_sites + i];
      return {slot / lanes, slot % lanes};
    }
    KOKKOS_FORCEINLINE_FUNCTION Coord coordinate(LaneSite x) const { return layout.coordinate(x.outer, x.lane); }
  };
  View view() const { return {slots_.data(), layout_.view(), n_slices_, n_sites_, lanes_}; }

 private:
  int lanes_, n_slices_ = 0, n_sites_ = 0;
  Layout layout_;
  Buffer<int> slots_;
};

/// A field as colour vectors: of spinors, number s * n_components + c is spin s of component c.
template <class F>
struct SliceVectors {
  using View = typename F::View;
  static constexpr int spins = View::n_complex / 3;
  View view;
  int n_components;

  explicit SliceVectors(const F& field) : view(field.view()), n_components(field.n_components()) {}
  KOKKOS_FORCEINLINE_FUNCTION int n() const { return spins * n_components; }
  KOKKOS_FORCEINLINE_FUNCTION auto read(LaneSite x, int vector, int color) const {
    if constexpr (spins == 1) return view.element(x, vector, color);
    return view.element(x, vector % n_components, vector / n_components * 3 + color);
  }
  template <class Z>
  KOKKOS_FORCEINLINE_FUNCTION void write(LaneSite x, int vector, int color, const Z& z) const {
    if constexpr (spins == 1)
      view.set_element(x, vector, color, z);
    else
      view.set_element(x, vector % n_components, vector / n_components * 3 + color, z);
  }
};

/// The block of a product that stays in registers: `rows` broadcast numbers times `packs` packs of `width` columns.
template <class T>
struct SliceBlock {
#if defined(KOKKOS_ENABLE_CUDA)
  using R = T;
  static constexpr int width = 1, packs = 4, rows = 4;
  static KOKKOS_FORCEINLINE_FUNCTION R load(const T* p) { return *p; }
  static KOKKOS_FORCEINLINE_FUNCTION T lane(const R& r, int) { return r; }
#else
  static constexpr int width = 64 / int(sizeof(T)), packs = 1, rows = register_bytes == 64 ? 8 : 4;
  using R = Pack<T, width>;
  static KOKKOS_FORCEINLINE_FUNCTION R load(const T* p) { return R::load(p); }
  static KOKKOS_FORCEINLINE_FUNCTION T lane(const R& r, int i) { return r.lane(i); }
#endif
  static constexpr int columns = width * packs;

  Complex<R> sum[rows][packs];

  KOKKOS_FORCEINLINE_FUNCTION SliceBlock() {
    kov::unroll<rows * packs>([&](int i) __attribute__((always_inline)) {
      sum[i / packs][i % packs] = Complex<R>{R(T(0)), R(T(0))};
    });
  }
  /// Adds the products of left[i], i < rows, conjugate if so, with the columns at right_re and right_im.
  template <bool conjugate>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Complex<T>* left, int stride, const T* right_re, const T* right_im) {
    Complex<R> right[packs];
    kov::unroll<packs>([&](int j) __attribute__((always_inline)) {
      right[j] = {load(right_re + j * width), load(right_im + j * width)};
    });
    kov::unroll<rows>([&](int i) __attribute__((always_inline)) {
      const Complex<T> a = left[i * stride];
      kov::unroll<packs>([&](int j) __attribute__((always_inline)) {
        if constexpr (conjugate)
          conj_multiply_add(sum[i][j], a, right[j]);
        else
          multiply_add(sum[i][j], a, right[j]);
      });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<T> at(int i, int column) const {
    const Complex<R>& z = sum[i][column / width];
    return {lane(z.re, column % width), lane(z.im, column % width)};
  }
};

/// A tile of scratch memory whose numbers packs can load: 48 bytes more than it needs, to align it to 64.
inline constexpr int tile_padding_bytes = 48;
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* aligned_tile(T* p) {
#if defined(KOKKOS_ENABLE_CUDA)
  return p;
#else
  return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(p) + 63) / 64 * 64);
#endif
}

/// One tile of the products of one chunk of a slice, of one momentum.
template <class T, class F>
struct SliceGram {
  using Block = SliceBlock<T>;
  static constexpr int rows = 32, columns = 32, threads = 64;
  // Sites in scratch memory; the tiles and the sums of a team stay below 48 KiB on GPUs.
  static constexpr int at_once = has_packs || sizeof(T) == 4 ? 16 : 8, depth = 3 * at_once;

  SliceVectors<Field<ColorVector, T>> x;
  SliceVectors<F> y;
  SliceSites::View sites;
  typename MomentumPhases<T>::View phases;
  const int* momentum_is_zero;
  int n_chunks, row_tiles, column_tiles, n_momenta;
  double* partial;  // [slice][momentum][chunk][row][column][re|im]

  static constexpr std::size_t tile_bytes() {
    return sizeof(Complex<T>) * depth * (rows + columns) + sizeof(Complex<double>) * rows * columns +
           tile_padding_bytes;
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
    T* const right = aligned_tile(
        team.template tile<T>(2 * depth * columns + int(tile_padding_bytes / sizeof(T))));  // [..][re|im][column]
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
          block.template add<true>(left + k * rows + i, 1, right + 2 * k * columns + j,
                                   right + (2 * k + 1) * columns + j);
        for (int r = 0; r < Block::rows; ++r)
          for (int c = 0; c < Block::columns; ++c) {
            const Complex<T> z = block.at(r, c);
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

/// Adds the chunks of each matrix in their order; an item is a real number of a matrix.
struct AddSliceChunks {
  const double* partial;
  double* sums;
  int n_chunks;
  std::size_t n;  // reals of a matrix
  std::size_t first;
  KOKKOS_FUNCTION void operator()(int item) const {
    const std::size_t to = first + std::size_t(item), matrix = to / n, i = to % n;
    const double* const from = partial + matrix * std::size_t(n_chunks) * n + i;
    double sum = 0;
    for (int chunk = 0; chunk < n_chunks; ++chunk) sum += from[std::size_t(chunk) * n];
    sums[to] = sum;
  }
};

/// New vectors at some sites of a slice.  All old vectors at these sites are in scratch memory before the first new one
/// is written, so that fields may be rotated in place.
template <class T, class F>
struct SliceRotation {
  using Block = SliceBlock<T>;
  static constexpr int columns = Block::columns, threads = 128;

  SliceVectors<Field<ColorVector, T>> in;
  SliceVectors<F> out;
  SliceSites::View sites;
  const T* r;           // [slice][row][re|im][padded]
  const int* is_empty;  // of each slice: whether its matrix is 0
  int m_of_matrix, n, padded, at_once;
  bool adds;

  /// As many sites as scratch memory has room for (GPU), or the second-level cache (CPU).
  static int sites_at_once(int m) {
    constexpr std::size_t most = has_packs ? std::size_t(256) << 10 : std::size_t(44) << 10;
    const int fit = int(most / (3 * std::size_t(m) * sizeof(Complex<T>)));
    return std::clamp(fit, 1, 16);
  }
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
      for (int i = 0; i < m; ++i)
        block.template add<false>(old + i * n_rows + k, 1, matrix + std::size_t(i) * 2 * padded + j,
                                  matrix + (std::size_t(i) * 2 + 1) * padded + j);
      for (int row = 0; row < Block::rows && k + row < 3 * count; ++row) {
        const LaneSite site = sites.site(slice, first + (k + row) / 3);
        const int a = (k + row) % 3;
        for (int c = 0; c < columns && j + c < n; ++c) {
          Complex<T> z = block.at(row, c);
          if (adds) z += out.read(site, j + c, a);
          out.write(site, j + c, a, z);
        }
      }
    });
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION int rows_of(int n_sites) {
    return (3 * n_sites + Block::rows - 1) / Block::rows * Block::rows;
  }
};

}  // namespace kov::detail
