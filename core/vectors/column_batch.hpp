// SPDX-License-Identifier: MIT
//
// The columns that one kernel works on and their coefficients, as they are passed to the kernel, and their sums: shared
// by column_ops.cpp, column_sums.cpp and the updates of solvers.  Not for users.
#pragma once

#include "kov/core/vectors/column_mask.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_combination.hpp"
#include "kov/core/vectors/group_sums.hpp"

#include <array>
#include <complex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kov::detail {

/// Columns of a batch: so few that three coefficients of 16 bytes for each fit into the parameters of a GPU's kernel.
inline constexpr int batch_columns = 32;

/// The groups of columns of a batch, one in each slot: those with a column that is not finished.
template <int width_>
struct ColumnGroups {
  static constexpr int width = width_;
  int n_slots = 0;
  int group[batch_columns / width];
};

/// The same with n coefficients of each column, of type T or Complex<T>.
template <class T, bool is_complex, int n, int width>
struct ColumnBatch : ColumnGroups<width> {
  /// [coefficient][slot * width + lane]; where they are real there are no imaginary parts.
  alignas(width > 1 ? 64 : 16) T re[n][batch_columns];
  alignas(width > 1 ? 64 : 16) T im[is_complex ? n : 1][is_complex ? batch_columns : 1];
  /// 1 for a finished column, else 0; is_mixed: whether any column of a slot is finished.  Only set where lanes are
  /// columns.
  alignas(width > 1 ? 64 : 16) T finished[width > 1 ? batch_columns : 1];
  bool is_mixed[batch_columns / width];

  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION auto coefficient(int i, int slot) const {
    if constexpr (is_complex)
      return Complex<R>{lanes<R>(re[i], slot), lanes<R>(im[i], slot)};
    else
      return lanes<R>(re[i], slot);
  }
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION R lanes(const T* values, int slot) {
    if constexpr (width == 1)
      return R(values[slot]);
    else
      return R::load(values + slot * width);
  }
};

/// Coefficients of a term for every column; where there are none, 1 for all.
template <class C>
using ColumnCoefficients = std::optional<std::span<const C>>;

/// Whether x is a single column that is not finished and whose lanes are sites: the kernels of whole fields are faster
/// there, and give the same bits.  n: numbers of coefficients.
template <VectorField F, class... Sizes>
bool is_single_column(const F& x, const ColumnMask& finished, Sizes... n) {
  return F::Lanes::width == 1 && x.n_components() == 1 && finished.size() <= 1 && !finished.is_finished(0) &&
         ((n == 1) && ...);
}

/// The groups with columns that are not finished, in batches, of a field of that name.
template <int width>
std::vector<ColumnGroups<width>> column_groups(const std::string& field, int n_columns, const ColumnMask& finished) {
  require_mask(finished, field, n_columns);
  std::vector<ColumnGroups<width>> batches;
  for (int group = 0; group * width < n_columns; ++group) {
    const int first = group * width, end = std::min(first + width, n_columns);
    bool is_finished = true;
    for (int column = first; column < end; ++column) is_finished = is_finished && finished.is_finished(column);
    if (is_finished) continue;
    if (batches.empty() || batches.back().n_slots == batch_columns / width) batches.emplace_back();
    batches.back().group[batches.back().n_slots++] = group;
  }
  return batches;
}

/// The same with coefficients.
template <class T, int width, class C, std::size_t n>
auto column_batches(const std::string& field, int n_columns, const std::array<ColumnCoefficients<C>, n>& c,
                    const ColumnMask& finished) {
  constexpr bool is_complex = !std::is_same_v<C, double>;
  using Batch = ColumnBatch<T, is_complex, int(n), width>;
  for (const auto& term : c)
    if (term) require_columns("coefficients", term->size(), field, n_columns);
  std::vector<Batch> batches;
  for (const auto& groups : column_groups<width>(field, n_columns, finished)) {
    Batch& batch = batches.emplace_back();
    static_cast<ColumnGroups<width>&>(batch) = groups;
    for (int place = 0; place < groups.n_slots * width; ++place) {
      const int slot = place / width, column = groups.group[slot] * width + place % width;
      const bool exists = column < n_columns;
      for (std::size_t i = 0; i < n; ++i) {
        const C value = !c[i] ? C(1) : exists ? (*c[i])[std::size_t(column)] : C(0);
        batch.re[i][place] = T(std::real(value));
        if constexpr (is_complex) batch.im[i][place] = T(std::imag(value));
      }
      if constexpr (width > 1) {
        if (place % width == 0) batch.is_mixed[slot] = false;
        batch.finished[place] = exists && finished.is_finished(column);
        if (batch.finished[place] > 0) batch.is_mixed[slot] = true;
      }
    }
  }
  return batches;
}

/// The numbers of a finished column as they were, of the others as they were changed.
template <class R, class Batch>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> keep_finished(const Batch& batch, int slot, const Complex<R>& old,
                                                     const Complex<R>& changed) {
  if constexpr (Batch::width > 1) {
    if (batch.is_mixed[slot]) {
      const R finished = R::load(batch.finished + slot * Batch::width), none(0);
      return Complex<R>{where_greater(finished, none, old.re, changed.re),
                        where_greater(finished, none, old.im, changed.im)};
    }
  }
  return changed;
}

/// out = sum over i of c[i] in[i], each column with its own coefficients.  Finished columns keep what is in out.
template <class View, class T, bool is_complex, int n, int width>
struct ColumnCombineKernel {
  static constexpr bool takes_pairs = View::outers == 2;

  Kokkos::Array<View, n> in;
  View out;
  /// Whole sites, as in CombineKernel.
  PartsOfSite<false> parts;
  ColumnBatch<T, is_complex, n, width> batch;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int slot) const {
    store_combination(*this, x, slot);
  }
  KOKKOS_FORCEINLINE_FUNCTION int component(int slot) const { return batch.group[slot]; }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto value(Site x, int slot) const {
    const int group = batch.group[slot];
    using S = decltype(in[0](x, group));
    using R = typename S::Real;
    S sum = batch.template coefficient<R>(0, slot) * in[0](x, group);
    for (int i = 1; i < n; ++i) multiply_add(sum, batch.template coefficient<R>(i, slot), in[i](x, group));
    if constexpr (width > 1) {
      if (batch.is_mixed[slot]) {
        const S old = out(x, group);
        for (int k = 0; k < S::n_complex; ++k) sum.z[k] = keep_finished(batch, slot, old.z[k], sum.z[k]);
      }
    }
    return sum;
  }
  /// Number k of a part.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto number(Site x, int slot, int part, int k) const {
    auto sum = in[0].element(x, part, k);
    using R = decltype(sum.re);
    sum = batch.template coefficient<R>(0, slot) * sum;
    for (int i = 1; i < n; ++i) multiply_add(sum, batch.template coefficient<R>(i, slot), in[i].element(x, part, k));
    if constexpr (width > 1) {
      if (batch.is_mixed[slot]) return keep_finished(batch, slot, out.element(x, part, k), sum);
    }
    return sum;
  }
};

/// Calls f(kernel, batch) for each batch of columns, with the kernel of y = sum of c x over its terms.
template <class C, VectorField F, class Function, class... Xs>
void for_each_combination(const F& y, const std::array<ColumnCoefficients<C>, sizeof...(Xs)>& c,
                          const ColumnMask& finished, const Function& f, const Xs&... x) {
  require_conforming(y, x...);
  using View = typename F::View;
  constexpr int n = int(sizeof...(Xs));
  for (const auto& batch : column_batches<typename F::Real, F::Lanes::width>(y.name(), y.n_components(), c, finished))
    f(
        ColumnCombineKernel<View, typename F::Real, !std::is_same_v<C, double>, n, F::Lanes::width>{
            {x.view()...}, y.view(), {}, batch},
        batch);
}

/// n numbers of every column, [column][number], zero where nothing is added.
template <int n, VectorField F>
class SumsOfColumns {
 public:
  SumsOfColumns(const F& x, const Exec& exec) : x_(x.alias()), exec_(exec), sums_(std::size_t(x.n_components() * n)) {}

  static constexpr int width = F::Lanes::width;

  /// Adds kernel(site, slot) over the sites of this rank.
  template <class Kernel>
  void add(const char* name, const ColumnGroups<width>& groups, const Kernel& kernel) {
    std::vector<double> of_slot(std::size_t(groups.n_slots * width * n));
    sum_groups<ColumnSiteOf<F>, n, sums_at_once>(name, x_.range(), x_.layout(), groups.n_slots, kernel,
                                                 x_.lattice().sum_scratch(), of_slot, exec_);
    for (std::size_t i = 0; i < of_slot.size(); ++i) {
      const std::size_t place = i / n, column = std::size_t(groups.group[place / width]) * width + place % width;
      if (column * n < sums_.size()) sums_[column * n + i % n] = of_slot[i];
    }
  }
  /// The sums over all ranks; finished columns count nothing.
  std::vector<double> over_ranks(const ColumnMask& finished) {
    for (std::size_t i = 0; i < sums_.size(); ++i)
      if (finished.is_finished(int(i) / n)) sums_[i] = 0;
    if (!finished.all_finished()) x_.lattice().comm().sum(sums_);
    return std::move(sums_);
  }

 private:
  F x_;
  Exec exec_;
  std::vector<double> sums_;
};

/// From three sums for each column: the real and the imaginary part of an inner product, and a norm.
inline ColumnProducts column_products(const std::vector<double>& sums) {
  const std::size_t n = sums.size() / 3;
  ColumnProducts products{ByColumn<std::complex<double>>::repeated(int(n), 0), ByColumn<double>::repeated(int(n), 0)};
  for (std::size_t k = 0; k < n; ++k) {
    products.inner_product[k] = {sums[3 * k], sums[3 * k + 1]};
    products.norm2[k] = sums[3 * k + 2];
  }
  return products;
}

}  // namespace kov::detail
