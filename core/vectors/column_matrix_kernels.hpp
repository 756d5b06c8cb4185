// SPDX-License-Identifier: MIT
//
// Private to column_matrix.cpp: what kernels of matrices between columns are given, and the kernels of CPUs, whose
// tiles fit into the registers.  Those of GPUs are in cuda/column_matrix_tiles.hpp.
#pragma once

#include "kov/core/vectors/cuda/rotation_parts.hpp"
#include "kov/core/vectors/field_columns.hpp"
#include "kov/core/vectors/group_sums.hpp"

#include <algorithm>
#include <cstdint>

namespace kov::detail {

/// How tiles of some rows and columns cover a Gram matrix.
struct GramShape {
  int n_rows, n_columns, tiles_in_row;
  /// Groups of components of the second field.
  int n_groups;
  bool streaming;
};

/// The largest part of a rotation that one kernel takes along.
inline constexpr int most_inputs = has_packs ? 32 : RotationParts::most_inputs,
                     most_outputs = has_packs ? 32 : RotationParts::most_outputs;

/// n_out columns of out, from the first of first_group on, made of columns first_in to first_in + n_in - 1 of in; real
/// and imaginary parts of the matrix are [input][output], 0 past n_in and n_out.
template <class View>
struct Rotation {
  using T = typename View::Real;
  View in, out;
  int first_in, n_in, first_group, n_out;
  bool adds, streaming;
  alignas(64) T re[most_inputs][most_outputs];
  alignas(64) T im[most_inputs][most_outputs];
};

#if !defined(KOKKOS_ENABLE_CUDA)

/// Registers of a CPU.
inline constexpr int n_registers = register_bytes == 64 ? 32 : 16;

/// Inner products of a tile of columns: x_i of row i, y_j of column j of the tile; past the last column, of the last.
/// Where lanes are columns, a row is a group of x.  One kernel for all types of site, whose numbers follow one another
/// in memory: View is of colour vectors, of which a site has several.
template <class View>
struct GramPacks {
  /// The sums of a tile take half of the registers.
  static constexpr int registers_of_pack = Pack<double, View::lanes>::n_words,
                       n_products = std::max(n_registers / (4 * registers_of_pack), 1),
                       columns = View::holds_columns ? n_products : std::max(n_products / 4, 1),
                       rows = n_products / columns, n_sums = 2 * rows * columns;
  View a, b;
  GramShape shape;
  int parts;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int tile) const {
    using R = DoubleOf<typename decltype(a(x, 0))::Real>;
    Values<R, n_sums> sums;
    for (R& v : sums.v) v = R(0.0);
    add_to(sums, x, tile);
    return sums;
  }
  template <class R, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void add_to(Values<R, n_sums>& sums, Site x, int tile) const {
    const int first_row = tile / shape.tiles_in_row * rows, first_column = tile % shape.tiles_in_row * columns;
    // Copies that stay in registers, taken one by one: compilers copy a whole array by way of memory.
    Complex<R> sum[rows][columns];
    kov::unroll<rows * columns>([&](int i) __attribute__((always_inline)) {
      sum[i / columns][i % columns] = {sums.v[2 * i], sums.v[2 * i + 1]};
    });
    for (int k = 0; k < parts * View::n_complex; ++k) {
      Complex<R> v[rows];
      kov::unroll<rows>([&](int i) __attribute__((always_inline)) {
        const int row = first_row + i < shape.n_rows ? first_row + i : shape.n_rows - 1;
        v[i] = to_double(a.element(x, parts * row, k));
        if constexpr (n_registers == 32) {  // loaded once, not in every product
          v[i].re.stay();
          v[i].im.stay();
        }
      });
      kov::unroll<columns>([&](int j) __attribute__((always_inline)) {
        const int column = first_column + j < shape.n_columns ? first_column + j : shape.n_columns - 1;
        const auto z = to_double(number_of_column(x, column, k));
        const R re(z.re), im(z.im);
        kov::unroll<rows>([&](int i) __attribute__((always_inline)) {
          sum[i][j].re += v[i].re * re;
          sum[i][j].im += v[i].re * im;
          sum[i][j].re += v[i].im * im;
          sum[i][j].im -= v[i].im * re;
        });
      });
    }
    kov::unroll<rows * columns>([&](int i) __attribute__((always_inline)) {
      sums.v[2 * i] = sum[i / columns][i % columns].re;
      sums.v[2 * i + 1] = sum[i / columns][i % columns].im;
    });
  }
  /// This tile's share of what all tiles read at x.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int tile) const {
    if (!shape.streaming) return;
    const int n_rows = shape.n_rows, n = n_rows + shape.n_groups;
    const int n_tiles = (n_rows + rows - 1) / rows * shape.tiles_in_row;
    const auto share = [&](int t) { return int(std::int64_t(parts) * n * t / n_tiles); };
    for (int g = share(tile); g < share(tile + 1); ++g)
      g < parts* n_rows ? prefetch_ahead(a, x, g) : prefetch_ahead(b, x, g - parts * n_rows);
  }

 private:
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto number_of_column(Site x, int column, int k) const {
    if constexpr (std::is_same_v<Site, ColumnSite>)
      return b.element(LaneSite{x.outer, column % View::lanes}, parts * (column / View::lanes), k);
    else
      return b.element(x, parts * column, k);
  }
};

/// A rotation at one site, or pair of sites.  Sums of some outputs, and of as many complex numbers of each as there are
/// registers for, are made together, so that a number that is loaded is used several times.
template <class View>
struct RotationPacks {
  static constexpr bool takes_pairs = View::outers == 2;
  static constexpr int n_complex = View::n_complex, width = View::holds_columns ? View::lanes : 1;
  static constexpr int most_at_once = n_registers == 32 ? 4 : 2;  // outputs
  Rotation<View> rotation;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int) const {
    const int n = (rotation.n_out + width - 1) / width;
    int group = 0;
    for (; group + most_at_once <= n; group += most_at_once) rotate<most_at_once>(x, group);
    if constexpr (most_at_once == 4)
      if (group + 2 <= n) {
        rotate<2>(x, group);
        group += 2;
      }
    if (group < n) rotate<1>(x, group);
  }

 private:
  /// Complex numbers whose sums for n outputs fit into the registers, with n coefficients and one number of an input.
  static constexpr int numbers_at_once(int n) {
    int numbers = n_complex;
    while (numbers > 1 && (n_complex % numbers != 0 || 2 * (n * numbers + n + 1) > n_registers)) --numbers;
    return numbers;
  }

  template <int n, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void rotate(Site x, int group) const {
    for (int k = 0; k < n_complex; k += numbers_at_once(n)) rotate_numbers<n>(x, group, k);
  }
  /// Numbers k, k + 1, ... of outputs group, group + 1, ...
  template <int n, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void rotate_numbers(Site x, int group, int k) const {
    constexpr int numbers = numbers_at_once(n);
    using Z = decltype(rotation.out.element(x, 0, 0));
    using R = decltype(Z::re);
    const Rotation<View>& r = rotation;
    Z sum[n][numbers];
    kov::unroll<n * numbers>([&](int i) __attribute__((always_inline)) {
      sum[i / numbers][i % numbers] = Z{R(0), R(0)};
    });
    if (r.adds)
      kov::unroll<n * numbers>([&](int i) __attribute__((always_inline)) {
        sum[i / numbers][i % numbers] = r.out.element(x, r.first_group + group + i / numbers, k + i % numbers);
      });
    const int tile = group / most_at_once, n_tiles = (r.n_out + width * most_at_once - 1) / (width * most_at_once);
    for (int j = 0; j < r.n_in; ++j) {
      // Each tile prefetches some inputs of the next site: spread out, as only so many loads can be in flight.
      if (r.streaming && (r.first_in + j) % width == 0 && j / width % n_tiles == tile)
        r.in.prefetch(x.outer + View::outers, (r.first_in + j) / width, k, numbers);
      Z c[n];
      kov::unroll<n>([&](int i) __attribute__((always_inline)) {
        c[i] = Z{lanes<R>(r.re[j], group + i), lanes<R>(r.im[j], group + i)};
      });
      kov::unroll<numbers>([&](int number) __attribute__((always_inline)) {
        const auto z = column_element(r.in, x, r.first_in + j, k + number);
        const Z w{R(z.re), R(z.im)};
        kov::unroll<n>([&](int i) __attribute__((always_inline)) { multiply_add(sum[i][number], c[i], w); });
      });
    }
    kov::unroll<n * numbers>([&](int i) __attribute__((always_inline)) {
      const int to = r.first_group + group + i / numbers;
      if (r.streaming && !r.adds)
        r.out.stream_element(x, to, k + i % numbers, sum[i / numbers][i % numbers]);
      else
        r.out.set_element(x, to, k + i % numbers, sum[i / numbers][i % numbers]);
    });
  }
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION R lanes(const typename View::Real* values, int group) {
    if constexpr (width == 1)
      return R(values[group]);
    else
      return R::load(values + group * width);
  }
};

/// Runs a rotation on the sites of y.
template <class F>
void launch_rotation(const F& y, const Rotation<typename F::View>& rotation, const Exec& exec) {
  for_each_group("rotate", y, 1, RotationPacks<typename F::View>{rotation}, exec);
}

#endif

}  // namespace kov::detail
