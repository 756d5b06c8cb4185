// SPDX-License-Identifier: MIT
//
// Private to solvers that call another one for the columns that are left.
#pragma once

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

/// solver(A, b, x) for the columns that `others` does not name: on fields of the packs that have any of them.  Other
/// columns stay what they are: the solver gets zeros for them, which it solves without an iteration.
template <class S>
SolveReport solve_columns(const S& solver, const Operator<Vector>& A, const Vector& b, const Vector& x,
                          const ColumnMask& others) {
  if (!others.any_finished()) return solver(A, b, x);
  const std::vector<ColumnRange> packs = packs_with_any(x, others);
  ColumnRange together{0, 0};
  for (const ColumnRange& pack : packs) together.n += pack.n;
  // A pack that is not full must be the last one in memory too.
  if (together.n % x.columns_together() != 0) together.first = x.n_components() - together.n;
  const Vector source = together.of(b.like("sources")), solution = together.of(b.like("solutions"));
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
    if (int(by_column.size()) != together.n) return;
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
