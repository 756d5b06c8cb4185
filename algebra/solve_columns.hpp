// SPDX-License-Identifier: MIT
//
// Private to solvers: operators, and other solvers, for the columns that are left.
#pragma once

#include "kov/algebra/columns_to_work_in.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/algebra/vector.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kov::detail {

/// n columns of a vector, or of one for each, from `first` on.
struct ColumnRange {
  int first, n;

  Vector of(const Vector& x) const { return x.components(first, n); }
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

/// The packs of columns of x that have any that `others` does not name.
inline std::vector<ColumnRange> packs_with_any(const Vector& x, const ColumnMask& others) {
  std::vector<ColumnRange> packs;
  const int n_columns = x.n_components(), width = x.columns_together();
  for (int first = 0; first < n_columns; first += width)
    if (const ColumnRange pack{first, std::min(width, n_columns - first)}; !pack.of(others).all_finished())
      packs.push_back(pack);
  return packs;
}

/// Ranges of columns of x that hold those that `others` does not name: a few packs each by itself, neighbours within
/// half of the packs as a range of that half, more as all columns, as a column takes least time beside others.  There
/// are no other lengths, because operators keep halos for each.
inline std::vector<ColumnRange> ranges_with_any(const Vector& x, const ColumnMask& others) {
  const std::vector<ColumnRange> left = packs_with_any(x, others);
  const int n_columns = x.n_components(), width = x.columns_together(), n_packs = (n_columns + width - 1) / width;
  const int n_left = int(left.size()), half = (n_packs + 1) / 2;
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

/// out = A in for the columns that `others` does not name; further ones of out may change.
inline void apply_to_columns(const Operator<Vector>& A, const Vector& in, const Vector& out, const ColumnMask& others) {
  if (!others.any_finished()) return A.apply(in, out);
  for (const ColumnRange& range : ranges_with_any(in, others)) A.apply(range.of(in), range.of(out));
}
/// The same with A^+.
inline void apply_adjoint_to_columns(const Operator<Vector>& A, const Vector& in, const Vector& out,
                                     const ColumnMask& others) {
  if (!others.any_finished()) return A.apply_adjoint(in, out);
  for (const ColumnRange& range : ranges_with_any(in, others)) A.apply_adjoint(range.of(in), range.of(out));
}

/// Sets the columns of r that `others` does not name to the true residuals of A x = b; returns |r_k|^2, of no meaning
/// for others.  memory: a field to work in, needed where there are others.
inline ByColumn<double> true_residuals_of_columns(const Operator<Vector>& A, const Vector& b, const Vector& x,
                                                  const Vector& r, const ColumnMask& others, const Vector& memory) {
  if (!others.any_finished()) return true_residual_by_column(A, b, x, r);
  apply_to_columns(A, x, memory, others);
  xpay(b, -1, memory, others);
  copy(memory, r, others);
  return norm2_by_column(r, others);
}

/// solver(A, b, x) for the columns that `others` does not name: on fields of the packs that have any of them.  Other
/// columns stay what they are: the solver gets zeros for them, which it solves without an iteration.
template <class S>
SolveReport solve_columns(const S& solver, const Operator<Vector>& A, const Vector& b, const Vector& x,
                          const ColumnMask& others) {
  if (!others.any_finished()) return solver(A, b, x);
  const std::vector<ColumnRange> packs = packs_with_any(x, others);
  int n_together = 0;
  for (const ColumnRange& pack : packs) n_together += pack.n;
  const Vector source = columns_to_work_in(b.like("sources"), n_together, x.columns_together()),
               solution = columns_to_work_in(b.like("solutions"), n_together, x.columns_together());
  std::vector<ColumnRange> places;
  for (const ColumnRange& pack : packs) {
    const ColumnRange place{places.empty() ? 0 : places.back().first + places.back().n, pack.n};
    copy(pack.of(b), place.of(source), pack.of(others));
    copy(pack.of(x), place.of(solution), pack.of(others));
    places.push_back(place);
  }
  SolveReport report = solver(A, source, solution);
  for (std::size_t i = 0; i < packs.size(); ++i) copy(places[i].of(solution), packs[i].of(x), packs[i].of(others));
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

}  // namespace kov::detail
