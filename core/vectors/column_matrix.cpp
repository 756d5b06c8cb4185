// SPDX-License-Identifier: MIT
#include "kov/core/vectors/column_matrix.hpp"

#include "kov/core/launch/streaming.hpp"
#include "kov/core/vectors/column_matrix_kernels.hpp"
#include "kov/core/vectors/cuda/column_matrix_tiles.hpp"

#include <algorithm>

namespace kov::detail {

#if defined(KOKKOS_ENABLE_CUDA)
template <class F>
using GramKernel = GramTiles<typename F::View>;

template <class F>
GramKernel<F> gram_kernel(const F& x, const F& y, const GramShape& shape) {
  return {x.view(), y.view(), shape};
}
#else
template <class F>
using GramKernel = GramPacks<FieldView<ColorVector, typename F::Storage, typename F::Lanes>>;

template <template <class> class SiteT, class T, class Lanes>
GramKernel<Field<SiteT, T, Lanes>> gram_kernel(const Field<SiteT, T, Lanes>& x, const Field<SiteT, T, Lanes>& y,
                                               const GramShape& shape) {
  return {x.template view_of_parts<ColorVector>(), y.template view_of_parts<ColorVector>(), shape,
          parts_of<ColorVector, SiteT>};
}
#endif

namespace {

template <class F>
void require_same_sites(const F& x, const F& y) {
  require(x.lattice() == y.lattice() && x.subset() == y.subset(), "a matrix between the columns of", x.name(), "and",
          y.name(), "was asked for, which differ in lattice or sites: give it fields on the same sites");
}

}  // namespace

template <ColumnMatrixField F>
std::vector<std::complex<double>> ColumnMatrices<F>::gram_matrix(const F& x, const F& y, const Exec& exec) {
  require_same_sites(x, y);
  constexpr int width = F::Lanes::width;
  using Kernel = GramKernel<F>;
  constexpr int rows = Kernel::rows, columns = Kernel::columns, n = Kernel::n_sums;
  const int m = x.n_components(), n_columns = y.n_components();
  const int n_rows = x.n_groups(), beside = (n_columns + columns - 1) / columns;
  const int n_tiles = (n_rows + rows - 1) / rows * beside;
  const Kernel kernel =
      gram_kernel(x, y, {n_rows, n_columns, beside, y.n_groups(), worth_streaming(x.bytes() + y.bytes())});
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

template <ColumnMatrixField F>
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
  const bool whole_lines = sizeof(T) * F::View::row >= 64;
  const bool streaming = whole_lines && worth_streaming(x.bytes() + y.bytes());
  for (int first_out = 0; first_out < n; first_out += most_outputs)
    for (int first_in = 0; first_in < m; first_in += most_inputs) {
      const int n_out = std::min(most_outputs, n - first_out);
      Rotation<typename F::View> rotation{.in = x.view(),
                                          .out = y.view(),
                                          .first_in = first_in,
                                          .n_in = std::min(most_inputs, m - first_in),
                                          .first_group = first_out / width,
                                          .n_out = n_out,
                                          .adds = adds || first_in > 0,
                                          .streaming = streaming,
                                          .re = {},
                                          .im = {}};
      for (int j = 0; j < rotation.n_in; ++j)
        for (int i = 0; i < n_out; ++i) {
          const std::complex<double> c = r[std::size_t(first_in + j) * std::size_t(n) + std::size_t(first_out + i)];
          rotation.re[j][i] = T(c.real());
          rotation.im[j][i] = T(c.imag());
        }
      launch_rotation(y, rotation, exec);
    }
}

#define KOV_INSTANTIATE(T, Lanes)                               \
  template struct ColumnMatrices<Field<ColorVector, T, Lanes>>; \
  template struct ColumnMatrices<Field<Spinor, T, Lanes>>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov::detail
