// SPDX-License-Identifier: MIT
//
// Operators, and other solvers, for the columns of a solve that are left: also for solvers of your own.
#pragma once

#include "kov/algebra/columns_to_work_in.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/algebra/vector.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kov {

namespace detail {

/// n columns of a field or vector, or of one for each, from `first` on.
struct ColumnRange {
  int first, n;

  template <class F>
  F of(const F& x) const {
    return x.components(first, n);
  }
  ByColumn<double> of(const ByColumn<double>& a) const {
    return std::vector<double>(a.begin() + first, a.begin() + first + n);
  }
  ColumnMask of(const ColumnMask& columns) const {
    ColumnMask these(n);
    for (int k = 0; k < n; ++k)
      if (columns.is_finished(first + k)) these.finish(k);
    return these;
  }
};

/// How many columns share the lanes of x: columns are taken apart in packs of as many.
template <class F>
int columns_together(const F& x) {
  if constexpr (requires { x.columns_together(); })
    return x.columns_together();
  else
    return F::Lanes::columns;
}

/// The packs of `width` of n_columns columns that have any that `finished` does not name.
inline std::vector<ColumnRange> packs_with_any(int n_columns, int width, const ColumnMask& finished) {
  std::vector<ColumnRange> packs;
  for (int first = 0; first < n_columns; first += width)
    if (const ColumnRange pack{first, std::min(width, n_columns - first)}; !pack.of(finished).all_finished())
      packs.push_back(pack);
  return packs;
}

/// Ranges of n_columns columns that hold those that `finished` does not name: a few packs each by itself, neighbours
/// within half of the packs as a range of that half, more as all columns, as a column takes least time beside finished.
/// There are no other lengths, because operators keep halos for each.
inline std::vector<ColumnRange> ranges_with_any(int n_columns, int width, const ColumnMask& finished) {
  const std::vector<ColumnRange> left = packs_with_any(n_columns, width, finished);
  const int n_packs = (n_columns + width - 1) / width, n_left = int(left.size()), half = (n_packs + 1) / 2;
  if (n_left <= std::max(n_packs / 4, 1)) return left;
  const int first = left.front().first / width, last = left.back().first / width;
  if (last - first < half) {
    const int begin = std::min(first, n_packs - half) * width;
    return {{begin, std::min(half * width, n_columns - begin)}};
  }
  if (2 * n_left <= n_packs) return left;
  return {{0, n_columns}};
}

/// The columns of a field to work in for x, which has as many columns or some of its ranges.
inline Vector memory_for(const Vector& x, const Vector& memory) {
  return columns_to_work_in(memory, x.n_components(), x.columns_together());
}

/// f(in, out) on the ranges of their columns that hold those that `finished` does not name.
template <class F, class Function>
void for_columns_left(const F& in, const F& out, const ColumnMask& finished, const Function& f) {
  require_mask(finished, in.name(), in.n_components());
  if (!finished.any_finished()) return f(in, out);
  for (const ColumnRange& range : ranges_with_any(in.n_components(), columns_together(in), finished))
    f(range.of(in), range.of(out));
}

}  // namespace detail

// F: a field, with sites or columns in lanes, or a Vector.  finished: columns that take no part, such as those of
// SolveRun::stopped(), or none.  A mask for another number of columns throws InputError.

/// out = A in for the columns that are not finished; A is applied to the packs of columns that have any of these, as
/// fields of fewer columns, or to all where that is as fast.  So finished columns of out may change too.
template <class F>
void apply_to_columns(const AnyOperator<F>& A, const F& in, const F& out, const ColumnMask& finished) {
  detail::for_columns_left(in, out, finished, [&](const F& some, const F& image) { A.apply(some, image); });
}
/// The same with A^+.
template <class F>
void apply_adjoint_to_columns(const AnyOperator<F>& A, const F& in, const F& out, const ColumnMask& finished) {
  detail::for_columns_left(in, out, finished, [&](const F& some, const F& image) { A.apply_adjoint(some, image); });
}

/// true_residual_by_column() for the columns that are not finished: sets these of r to b - A x and returns |r_k|^2, 0
/// for others.  memory: a field of as many columns to work in, changed where there are others.
template <class F>
ByColumn<double> true_residual_by_column(const AnyOperator<F>& A, const F& b, const F& x, const F& r,
                                         const ColumnMask& finished, const F& memory) {
  if (!finished.any_finished()) return true_residual_by_column(A, b, x, r);
  apply_to_columns(A, x, memory, finished);
  xpay(b, ByColumn<double>::repeated(b.n_components(), -1), memory, finished);
  copy(memory, r, finished);
  return norm2_by_column(r, finished);
}

/// solver(A, b, x) for the columns that are not finished: on fields of the packs that have any of them.  Finished ones
/// of x stay what they are, and have zeros in the report: the solver gets zeros for them, which it solves without an
/// iteration.  solver: one, or a function of (A, b, x) that returns a SolveReport.  Throws InputError if no column is
/// left.
template <class F, class S>
SolveReport solve_columns(const S& solver, const AnyOperator<F>& A, const F& b, const F& x,
                          const ColumnMask& finished) {
  detail::require_mask(finished, x.name(), x.n_components());
  if (!finished.any_finished()) return solver(A, b, x);
  require(!finished.all_finished(), "all columns of", x.name(), "are finished: solve while there are others");
  const int width = detail::columns_together(x);
  const std::vector<detail::ColumnRange> packs = detail::packs_with_any(x.n_components(), width, finished);
  int n_together = 0;
  for (const detail::ColumnRange& pack : packs) n_together += pack.n;
  const F source = detail::columns_to_work_in(b.like("sources"), n_together, width),
          solution = detail::columns_to_work_in(b.like("solutions"), n_together, width);
  std::vector<detail::ColumnRange> places;
  for (const detail::ColumnRange& pack : packs) {
    const detail::ColumnRange place{places.empty() ? 0 : places.back().first + places.back().n, pack.n};
    copy(pack.of(b), place.of(source), pack.of(finished));
    copy(pack.of(x), place.of(solution), pack.of(finished));
    places.push_back(place);
  }
  SolveReport report = solver(A, source, solution);
  for (std::size_t i = 0; i < packs.size(); ++i) copy(places[i].of(solution), packs[i].of(x), packs[i].of(finished));
  const auto spread = [&](auto& by_column) {
    if (int(by_column.size()) != n_together) return;
    std::decay_t<decltype(by_column)> all(std::size_t(x.n_components()));
    for (std::size_t i = 0; i < packs.size(); ++i)
      std::move(by_column.begin() + places[i].first, by_column.begin() + places[i].first + places[i].n,
                all.begin() + packs[i].first);
    by_column = std::move(all);
  };
  spread(report.column_iterations);
  spread(report.column_residuals);
  spread(report.column_reasons);
  spread(report.column_ends);
  spread(report.history);
  return report;
}

}  // namespace kov
