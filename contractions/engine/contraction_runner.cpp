// SPDX-License-Identifier: MIT
#include "kov/contractions/engine/contraction_runner.hpp"

#include "kov/contractions/kernels/product.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/launch/for_each_item.hpp"

#include <algorithm>

namespace kov {

namespace detail {

/// to[item][j][i] = from[item][i][j], an item of the launch being one number; 4 reals of traffic for each.
template <class T>
struct TransposeMatrices {
  const Complex<T>* from;
  Complex<T>* to;
  int n_rows, n_columns;  // of `from`

  KOKKOS_FUNCTION void operator()(int number) const {
    // Tiles of 8 x 8: a cache line of both is used by the same thread, or by neighbouring ones.
    constexpr int tile = 8;
    const int across = (n_columns + tile - 1) / tile, down = (n_rows + tile - 1) / tile;
    const int in_tile = number % (tile * tile), of_matrix = number / (tile * tile);
    const int at = of_matrix % (across * down);
    const int i = at / across * tile + in_tile % tile, j = at % across * tile + in_tile / tile;
    if (i >= n_rows || j >= n_columns) return;
    const std::int64_t first = std::int64_t(of_matrix / (across * down)) * n_rows * n_columns;
    to[first + std::int64_t(j) * n_rows + i] = from[first + std::int64_t(i) * n_columns + j];
  }
};

template <class T>
void transpose_matrices(const Complex<T>* from, Complex<T>* to, int n_rows, int n_columns, int n, const Exec& exec) {
  const std::int64_t of_matrix = std::int64_t((n_rows + 7) / 8) * ((n_columns + 7) / 8) * 64;
  const int at_once = int(std::max<std::int64_t>(1, (std::int64_t(1) << 30) / of_matrix));
  for (int first = 0; first < n; first += at_once) {
    const std::int64_t begin = std::int64_t(first) * n_rows * n_columns;
    for_each_item("transpose_matrices", int(of_matrix * std::min(at_once, n - first)),
                  TransposeMatrices<T>{from + begin, to + begin, n_rows, n_columns}, exec);
  }
}

namespace {

/// A value of a plan as multiply() takes it.
template <class Z>
struct PlacedValue {
  Z* data;
  ContractionValue value;

  /// Numbers of one item, or 0 if all share one.
  std::int64_t stride() const { return value.shared ? 0 : value.size(); }
};

/// One product of all items, by the spaces of its factors.
template <class Z>
void multiply_values(const PlacedValue<const Z>& left, const PlacedValue<const Z>& right, const PlacedValue<Z>& made,
                     int n_items, const Exec& exec) {
  using enum MatrixSpace;
  const MatrixSpace l = left.value.space, r = right.value.space;
  const std::int64_t sl = left.stride(), sr = right.stride(), sm = made.stride();
  const int items = made.value.shared ? 1 : n_items;
  const int rows = made.value.rows, inner = left.value.columns, columns = made.value.columns;
  if (l == r) {
    const int f = l == vectors ? 1 : 4;
    const int m = l == spins ? 4 : f * rows, k = l == spins ? 4 : f * inner, n = l == spins ? 4 : f * columns;
    return multiply<Z>({left.data, m, k, k, {sl}}, {right.data, k, n, n, {sr}}, {made.data, m, n, n, {sm}},
                       {{items, 1, 1, 1}}, {}, exec);
  }
  if (l == spins) {  // 4 x 4 times 4 x (everything else)
    const int n = 4 * rows * columns;
    return multiply<Z>({left.data, 4, 4, 4, {sl}}, {right.data, 4, n, n, {sr}}, {made.data, 4, n, n, {sm}},
                       {{items, 1, 1, 1}}, {}, exec);
  }
  if (r == spins)  // `right` is transposed; in each row, 4 x 4 times 4 x columns
    return multiply<Z>({right.data, 4, 4, 4, {0, sr}}, {left.data, 4, columns, columns, {4 * columns, sl}},
                       {made.data, 4, columns, columns, {4 * columns, sm}}, {{4 * rows, items, 1, 1}}, {}, exec);
  if (l == vectors) {  // each spin of the rows
    const std::int64_t from = std::int64_t(inner) * 4 * columns, to = std::int64_t(rows) * 4 * columns;
    return multiply<Z>({left.data, rows, inner, inner, {0, sl}},
                       {right.data, inner, 4 * columns, 4 * columns, {from, sr}},
                       {made.data, rows, 4 * columns, 4 * columns, {to, sm}}, {{4, items, 1, 1}}, {}, exec);
  }
  // Each spin of the columns.
  multiply<Z>({left.data, 4 * rows, inner, 4 * inner, {inner, sl}}, {right.data, inner, columns, columns, {0, sr}},
              {made.data, 4 * rows, columns, 4 * columns, {columns, sm}}, {{4, items, 1, 1}}, {}, exec);
}

}  // namespace

}  // namespace detail

template <class T>
ContractionRunner<T>::ContractionRunner(ContractionPlan plan)
    : plan_(std::move(plan)),
      workspace_("products of contractions", std::size_t(plan_.workspace_numbers())),
      sums_("traces of contractions", std::size_t(plan_.n_computed_traces()) * std::size_t(plan_.n_items())) {
  std::vector<Complex<T>> host;
  for (const ContractionStep& step : plan_.steps()) {
    if (step.kind != ContractionStep::Kind::trace || step.right >= 0) continue;
    const int rows = plan_.values()[std::size_t(step.left)].rows;
    const std::size_t n = 4 * std::size_t(rows), begin = host.size();
    if (!unit_of_rows_.emplace(rows, begin).second) continue;
    host.resize(begin + n * n, {T(0), T(0)});
    for (std::size_t i = 0; i < n; ++i) host[begin + i * (n + 1)].re = T(1);
  }
  units_ = Buffer<Complex<T>>("unit matrices", std::span<const Complex<T>>(host));
}

template <class T>
void ContractionRunner<T>::run(std::span<const Complex<T>* const> data, int n_items, const Exec& exec) {
  require(n_items >= 0 && n_items <= plan_.n_items(), n_items, "items were given to a plan for", plan_.n_items(),
          ": give it as many or fewer");
  require(data.size() == plan_.matrices().size(), data.size(), "matrices were given to a plan of",
          plan_.matrices().size(), ": give it one for each");
  n_items_ = n_items;
  if (n_items == 0) return;
  const int n_given = int(data.size());
  const auto value = [&](int number) -> detail::PlacedValue<const Complex<T>> {
    const ContractionValue& v = plan_.values()[std::size_t(number)];
    if (number >= n_given) return {workspace_.data() + v.offset, v};
    const Complex<T>* const given = data[std::size_t(number)];
    require(given != nullptr, "the matrix", plan_.matrices()[std::size_t(number)].name,
            "was not given, but its plan reads it: give an address for it");
    return {given, v};
  };
  for (const ContractionStep& step : plan_.steps()) {
    const auto left = value(step.left);
    if (step.kind == ContractionStep::Kind::trace) {
      const bool is_whole = step.right < 0;
      const auto right = is_whole ? left : value(step.right);
      const Complex<T>* const at_right = is_whole ? units_.data() + unit_of_rows_.at(left.value.rows) : right.data;
      kov::traces<Complex<T>>(
          {left.data, at_right, 1, 1, left.value.size(), n_items, left.stride(), is_whole ? 0 : right.stride()},
          {sums_.data() + std::int64_t(step.result) * plan_.n_items(), 0, plan_.n_items()}, parts_, {}, exec);
      continue;
    }
    const ContractionValue& made = plan_.values()[std::size_t(step.result)];
    const detail::PlacedValue<Complex<T>> to{workspace_.data() + made.offset, made};
    if (step.kind == ContractionStep::Kind::product) {
      detail::multiply_values<Complex<T>>(left, value(step.right), to, n_items, exec);
    } else {
      const int f = left.value.space == MatrixSpace::vectors ? 1 : 4;
      const bool spins = left.value.space == MatrixSpace::spins;
      detail::transpose_matrices<T>(left.data, to.data, spins ? 4 : f * left.value.rows,
                                    spins ? 4 : f * left.value.columns, made.shared ? 1 : n_items, exec);
    }
  }
}

template <class T>
std::vector<std::complex<double>> ContractionRunner<T>::traces() const {
  const std::vector<Complex<double>> sums = sums_.to_host();
  std::vector<std::complex<double>> all;
  for (int trace = 0; trace < plan_.n_traces(); ++trace)
    for (int item = 0; item < n_items_; ++item) {
      const Complex<double>& z =
          sums[std::size_t(plan_.computed_trace(trace)) * std::size_t(plan_.n_items()) + std::size_t(item)];
      all.emplace_back(z.re, z.im);
    }
  return all;
}

template class ContractionRunner<float>;
template class ContractionRunner<double>;

}  // namespace kov
