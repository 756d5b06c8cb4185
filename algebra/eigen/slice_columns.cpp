// SPDX-License-Identifier: MIT
#include "kov/algebra/eigen/slice_columns.hpp"

#include "kov/algebra/eigen/cuda/slice_tiles.hpp"
#include "kov/algebra/eigen/slice_packs.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/launch/for_each_team.hpp"
#include "kov/core/launch/work.hpp"

#include <algorithm>

namespace kov::detail {

namespace {

template <class X, class Y>
void require_slices(const X& x, const Y& y) {
  require(x.lattice() == y.lattice() && x.subset() == Subset::all && y.subset() == Subset::all, "the vectors", x.name(),
          "and", y.name(),
          "are on different lattices or have one parity only: give fields on all sites of one lattice");
}

constexpr std::size_t most_items = std::size_t(1) << 30;

/// Chunks of a slice whose partial sums are kept apart: enough to share the work, few enough for memory.
int chunks_of_slice(int n_sites, std::size_t numbers_of_slices) {
  constexpr int sites = 512;
  constexpr std::size_t most_numbers = std::size_t(1) << 22;
  const std::size_t fit = std::max<std::size_t>(1, most_numbers / std::max<std::size_t>(1, numbers_of_slices));
  return int(std::min<std::size_t>(std::size_t(std::max(1, n_sites / sites)), fit));
}

/// Some rows of the matrix of each slice.
SliceMatrices rows_of_slices(const Lattice& lattice, const SliceMatrices& r, int first, int count) {
  SliceMatrices rows(lattice, 1, count, r.columns);
  for (int t = 0; t < r.n_slices; ++t)
    std::copy_n(r.at(t) + std::ptrdiff_t(first) * r.columns, std::ptrdiff_t(count) * r.columns, rows.at(t));
  return rows;
}

}  // namespace

template <class T, class F>
SliceMatrices SliceColumnMatrices<T, F>::gram(const Field<ColorVector, T>& x, const F& y,
                                              const std::vector<Momentum>& momenta, const Coord& origin,
                                              const Exec& exec, std::size_t numbers_of_all) {
  require_slices(x, y);
  require(!momenta.empty(), "inner products on slices were asked for without a momentum: give {0, 0, 0} at least");
  const Lattice& lattice = x.lattice();
  const SliceTable::Sites sites = SliceTable::of(lattice).sites();
  using Kernel = SliceGram<T, F>;
  const SliceVectors<F> left_of_y(y);
  SliceMatrices result(lattice, int(momenta.size()), x.n_components(), left_of_y.n());
  const std::size_t numbers = result.values.size(), n_matrices = std::size_t(sites.n_slices) * momenta.size();
  const MomentumPhases<T> phases(lattice, momenta, origin, exec);
  Kernel kernel{.x = SliceVectors<Field<ColorVector, T>>(x),
                .y = left_of_y,
                .sites = sites,
                .phases = phases.view(),
                .momentum_is_zero = {},
                .n_chunks = chunks_of_slice(sites.n_sites, std::max(numbers, n_matrices * numbers_of_all)),
                .row_tiles = (result.rows + Kernel::rows - 1) / Kernel::rows,
                .column_tiles = (result.columns + Kernel::columns - 1) / Kernel::columns,
                .n_momenta = int(momenta.size()),
                .partial = nullptr};
  std::vector<int> zero;
  for (const Momentum& p : momenta) zero.push_back(p == Momentum{0, 0, 0});
  const Buffer<int> zero_on_device("momenta", std::span<const int>(zero), exec);
  kernel.momentum_is_zero = zero_on_device.data();
  const Buffer<double> partial("partial products on slices", 2 * numbers * std::size_t(kernel.n_chunks), exec);
  kernel.partial = partial.data();
  for_each_team(
      "gram_by_slice",
      {.n_teams = sites.n_slices * kernel.n_momenta * kernel.n_chunks * kernel.row_tiles * kernel.column_tiles,
       .threads = Kernel::threads,
       .tile_bytes = Kernel::tile_bytes()},
      kernel, exec);
  const Buffer<double> sums("products on slices", 2 * numbers, exec);
  for (std::size_t first = 0; first < 2 * numbers; first += most_items)
    for_each_item("add_slice_chunks", int(std::min(most_items, 2 * numbers - first)),
                  AddSliceChunks{partial.data(), sums.data(), kernel.n_chunks,
                                 2 * std::size_t(result.rows) * std::size_t(result.columns), first},
                  exec);
  sums.copy_to(std::span(reinterpret_cast<double*>(result.values.data()), 2 * numbers), exec);
  sum_over_slice_ranks(lattice, std::span(reinterpret_cast<double*>(result.values.data()), 2 * numbers));
  const double work = double(sites.n_slices) * sites.n_sites * double(momenta.size());
  count_work(24.0 * work * result.rows * result.columns, 6.0 * sizeof(T) * work * (result.rows + result.columns));
  return result;
}

template <class T, class F>
void SliceColumnMatrices<T, F>::rotate(const Field<ColorVector, T>& x, const SliceMatrices& r, const F& y, bool adds,
                                       const Exec& exec, int most_rows) {
  require_slices(x, y);
  const SliceTable::Sites sites = SliceTable::of(x.lattice()).sites();
  using Kernel = SliceRotation<T, F>;
  if (most_rows == 0) most_rows = Kernel::most_rows();
  const SliceVectors<Field<ColorVector, T>> in(x);
  const SliceVectors<F> out(y);
  require(r.rows == in.n() && r.columns == out.n() && r.per_slice == 1 && r.n_slices == sites.n_slices,
          "a combination of", in.n(), "vectors on each slice into", out.n(), "got matrices of", r.rows, "rows and",
          r.columns, "columns on", r.n_slices, "slices: give it one for each of the", sites.n_slices,
          "slices of this rank");
  const bool shares_memory = static_cast<const void*>(x.data()) == static_cast<const void*>(y.data());
  require(!(adds && shares_memory), "a combination of", x.name(),
          "cannot be added to its own vectors: give it another field");
  if (r.rows > most_rows) {
    // Old vectors are read until the last pass: where new ones take their place, they wait elsewhere.
    const F made = shares_memory ? y.like("combined vectors", exec) : y.alias();
    const int passes = (r.rows + most_rows - 1) / most_rows;
    for (int pass = 0; pass < passes; ++pass) {
      const int first = int(std::int64_t(r.rows) * pass / passes),
                end = int(std::int64_t(r.rows) * (pass + 1) / passes);
      rotate(x.components(first, end - first), rows_of_slices(x.lattice(), r, first, end - first), made,
             adds || pass > 0, exec, most_rows);
    }
    if (shares_memory) copy_components(made, 0, y, 0, y.n_components(), exec);
    return;
  }
  // [slice][row][re|im][column], columns padded to whole packs.
  const int padded = (r.columns + Kernel::columns - 1) / Kernel::columns * Kernel::columns;
  std::vector<T> numbers(std::size_t(r.n_slices) * std::size_t(r.rows) * 2 * std::size_t(padded));
  std::vector<int> is_empty(std::size_t(r.n_slices), 1);
  for (int t = 0; t < r.n_slices; ++t)
    for (int i = 0; i < r.rows; ++i)
      for (int j = 0; j < r.columns; ++j) {
        const std::complex<double> z = r.at(t)[std::size_t(i) * std::size_t(r.columns) + std::size_t(j)];
        T* const row =
            numbers.data() + (std::size_t(t) * std::size_t(r.rows) + std::size_t(i)) * 2 * std::size_t(padded);
        if (z != 0.0) is_empty[std::size_t(t)] = 0;
        row[j] = T(z.real());
        row[padded + j] = T(z.imag());
      }
  const Buffer<T> matrices("combinations on slices", std::span<const T>(numbers), exec);
  const Buffer<int> empty("slices without a combination", std::span<const int>(is_empty), exec);
  const int at_once = Kernel::sites_at_once(r.rows);
  const Kernel kernel{.in = in,
                      .out = out,
                      .sites = sites,
                      .r = matrices.data(),
                      .is_empty = empty.data(),
                      .m_of_matrix = r.rows,
                      .n = r.columns,
                      .padded = padded,
                      .at_once = at_once,
                      .adds = adds};
  for_each_team("rotate_by_slice",
                {.n_teams = sites.n_slices * ((sites.n_sites + at_once - 1) / at_once),
                 .threads = Kernel::threads,
                 .tile_bytes = Kernel::tile_bytes(r.rows, at_once)},
                kernel, exec);
  exec.fence("rotate_by_slice");  // before the matrices are freed
  const double work = double(sites.n_slices) * sites.n_sites;
  count_work(24.0 * work * r.rows * r.columns, 6.0 * sizeof(T) * work * (r.rows + r.columns));
}

template struct SliceColumnMatrices<float, Field<ColorVector, float>>;
template struct SliceColumnMatrices<double, Field<ColorVector, double>>;
template struct SliceColumnMatrices<float, SpinorField<float>>;
template struct SliceColumnMatrices<double, SpinorField<double>>;

}  // namespace kov::detail
