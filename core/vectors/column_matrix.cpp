// SPDX-License-Identifier: MIT
#include "kov/core/vectors/column_matrix.hpp"

#include "kov/core/launch/streaming.hpp"
#include "kov/core/vectors/cuda/column_matrix_tiles.hpp"
#include "kov/core/vectors/group_sums.hpp"

#include <algorithm>

namespace kov::detail {

/// Inner products of a tile of columns: x_i of row i, y_j of column j of the tile; past the last column, of the last.
/// Where lanes are columns, a row is a group of x.  GPUs have GramTiles.
template <class View, int rows_, int columns_>
struct GramKernel {
  static constexpr int rows = rows_, columns = columns_, n_sums = 2 * rows * columns;
  View a, b;
  GramShape shape;

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
    Values<R, n_sums> in_registers = sums;
    for (int k = 0; k < View::n_complex; ++k) {
      Complex<R> v[rows];
      kov::unroll<rows>([&](int i) __attribute__((always_inline)) {
        v[i] = to_double(a.element(x, first_row + i < shape.n_rows ? first_row + i : shape.n_rows - 1, k));
      });
      kov::unroll<columns>([&](int j) __attribute__((always_inline)) {
        const int column = first_column + j < shape.n_columns ? first_column + j : shape.n_columns - 1;
        const auto z = to_double(column_element(b, x, column, k));
        const Complex<R> w = widened<R>(z);
        kov::unroll<rows>([&](int i) __attribute__((always_inline)) {
          R* const sum = in_registers.v + 2 * (i * columns + j);
          Complex<R> s{sum[0], sum[1]};
          conj_multiply_add(s, v[i], w);
          sum[0] = s.re;
          sum[1] = s.im;
        });
      });
    }
    sums = in_registers;
  }
  /// This tile's share of what all tiles read at x.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int tile) const {
    if (!shape.streaming) return;
    const int n_rows = shape.n_rows, n = n_rows + shape.n_groups;
    const int n_tiles = (n_rows + rows - 1) / rows * shape.tiles_in_row;
    for (int g = n * tile / n_tiles; g < n * (tile + 1) / n_tiles; ++g)
      g < n_rows ? a.prefetch(x.outer, g) : b.prefetch(x.outer, g - n_rows);
  }

 private:
  template <class R, class Z>
  static KOKKOS_FORCEINLINE_FUNCTION Complex<R> widened(const Z& z) {
    return {R(z.re), R(z.im)};
  }
};

/// The largest part of a rotation that one kernel takes along.
inline constexpr int most_inputs = has_packs ? 32 : 16, most_outputs = has_packs ? 32 : 8;

/// Columns first_out, first_out + 1, ... of out from columns first_in to first_in + n_in - 1 of in; real and imaginary
/// parts of the matrix are [input][output].
template <class View>
struct RotationKernel {
  using T = typename View::Real;
  static constexpr int n_complex = View::n_complex;
  static constexpr int width = has_packs && View::holds_columns ? View::lanes : 1;
  View in, out;
  int first_in, n_in, first_group, n_out;
  bool adds, streaming;
  alignas(width > 1 ? 64 : 16) T re[most_inputs][most_outputs];
  alignas(width > 1 ? 64 : 16) T im[most_inputs][most_outputs];

  /// A group of columns of `out`.  GPUs have RotationTiles.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int group) const {
    using S = decltype(out(x, 0));
    using R = typename S::Real;
    S sum = adds ? out(x, first_group + group) : kov::zero<S>();
    for (int j = 0; j < n_in; ++j) {
      const Complex<R> c{lanes<R>(re[j], group), lanes<R>(im[j], group)};
      kov::unroll<S::n_complex>([&](int k) __attribute__((always_inline)) {
        const auto z = column_element(in, x, first_in + j, k);
        multiply_add(sum.z[k], c, Complex<R>{R(z.re), R(z.im)});
      });
    }
    if (streaming && !adds)
      out.stream(x, sum, first_group + group);
    else
      out.set(x, sum, first_group + group);
  }

 private:
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION R lanes(const T* values, int group) {
    if constexpr (width == 1)
      return R(values[group]);
    else
      return R::load(values + group * width);
  }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <class View, int width>
using GramOf = GramTiles<View>;
#else
template <class View, int width>
using GramOf = GramKernel<View, width == 1 ? 4 : 1, width == 1 ? 2 : 8>;
#endif

namespace {

template <class F>
void require_same_sites(const F& x, const F& y) {
  require(x.lattice() == y.lattice() && x.subset() == y.subset(), "a matrix between the columns of", x.name(), "and",
          y.name(), "was asked for, which differ in lattice or sites: give it fields on the same sites");
}

}  // namespace

template <VectorField F>
std::vector<std::complex<double>> ColumnMatrices<F>::gram_matrix(const F& x, const F& y, const Exec& exec) {
  require_same_sites(x, y);
  constexpr int width = F::Lanes::width;
  using View = typename F::View;
  using Kernel = GramOf<View, width>;
  constexpr int rows = Kernel::rows, columns = Kernel::columns, n = Kernel::n_sums;
  const int m = x.n_components(), n_columns = y.n_components();
  const int n_rows = x.n_groups(), beside = (n_columns + columns - 1) / columns;
  const int n_tiles = (n_rows + rows - 1) / rows * beside;
  const Kernel kernel{
      x.view(), y.view(), {n_rows, n_columns, beside, y.n_groups(), worth_streaming(x.bytes() + y.bytes())}};
  std::vector<double> sums(std::size_t(n_tiles) * width * n);
  sum_groups<ColumnSiteOf<F>, n, many_sums_at_once>("gram_matrix", x.range(), x.layout(), n_tiles, kernel,
                                                    x.lattice().sum_scratch(), sums, exec);
  std::vector<double> parts(std::size_t(2 * m) * std::size_t(n_columns));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n_columns; ++j) {
      const int row = i / width, tile = row / rows * beside + j / columns;
      const double* const of_tile = sums.data() + (std::size_t(tile) * width + std::size_t(i % width)) * n;
      for (int part = 0; part < 2; ++part)
        parts[std::size_t(2 * (i * n_columns + j) + part)] = of_tile[2 * (row % rows * columns + j % columns) + part];
    }
  x.lattice().comm().sum(parts);
  std::vector<std::complex<double>> gram;
  for (std::size_t i = 0; i < parts.size(); i += 2) gram.emplace_back(parts[i], parts[i + 1]);
  return gram;
}

template <VectorField F>
void ColumnMatrices<F>::rotate(const F& x, std::span<const std::complex<double>> r, const F& y, bool adds,
                               const Exec& exec) {
  require_same_sites(x, y);
  const int m = x.n_components(), n = y.n_components();
  require(r.size() == std::size_t(m) * std::size_t(n), "a rotation of", m, "columns into", n, "got a matrix of",
          r.size(), "numbers: give it m times n");
  require(x.data() != y.data(), "a rotation cannot work in place on", x.name(), ": give it two different fields");
  using T = typename F::Real;
  constexpr int width = F::Lanes::width;
  // Stores of half a cache line are not faster past the caches.
  const bool whole_lines = !has_packs || sizeof(T) * F::Lanes::lanes >= 64;
  const bool streaming = whole_lines && worth_streaming(x.bytes() + y.bytes());
  for (int first_out = 0; first_out < n; first_out += most_outputs)
    for (int first_in = 0; first_in < m; first_in += most_inputs) {
      const int n_out = std::min(most_outputs, n - first_out);
      using Kernel = RotationKernel<typename F::View>;
      Kernel kernel{.in = x.view(),
                    .out = y.view(),
                    .first_in = first_in,
                    .n_in = std::min(most_inputs, m - first_in),
                    .first_group = first_out / width,
                    .n_out = n_out,
                    .adds = adds || first_in > 0,
                    .streaming = streaming,
                    .re = {},
                    .im = {}};
      for (int j = 0; j < kernel.n_in; ++j)
        for (int i = 0; i < n_out; ++i) {
          const std::complex<double> c = r[std::size_t(first_in + j) * std::size_t(n) + std::size_t(first_out + i)];
          kernel.re[j][i] = T(c.real());
          kernel.im[j][i] = T(c.imag());
        }
      launch_rotation(y, n_out, kernel, exec);
    }
}

template struct ColumnMatrices<Field<ColorVector, float>>;
template struct ColumnMatrices<Field<ColorVector, double>>;
template struct ColumnMatrices<Field<Spinor, float>>;
template struct ColumnMatrices<Field<Spinor, double>>;
template struct ColumnMatrices<Field<ColorVector, float, ColumnLanes<4>>>;
template struct ColumnMatrices<Field<ColorVector, double, ColumnLanes<4>>>;
template struct ColumnMatrices<Field<Spinor, float, ColumnLanes<4>>>;
template struct ColumnMatrices<Field<Spinor, double, ColumnLanes<4>>>;
template struct ColumnMatrices<Field<ColorVector, float, ColumnLanes<8>>>;
template struct ColumnMatrices<Field<ColorVector, double, ColumnLanes<8>>>;
template struct ColumnMatrices<Field<Spinor, float, ColumnLanes<8>>>;
template struct ColumnMatrices<Field<Spinor, double, ColumnLanes<8>>>;
template struct ColumnMatrices<Field<ColorVector, float, ColumnLanes<16>>>;
template struct ColumnMatrices<Field<ColorVector, double, ColumnLanes<16>>>;
template struct ColumnMatrices<Field<Spinor, float, ColumnLanes<16>>>;
template struct ColumnMatrices<Field<Spinor, double, ColumnLanes<16>>>;

}  // namespace kov::detail
