// SPDX-License-Identifier: MIT
#include "kov/algebra/preconditioning/even_odd.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace kov {

namespace {

/// The residuals of the columns, each relative to its own source.
ByColumn<double> reached_by(const SolveReport& report, int n) {
  if (int(report.column_residuals.size()) == n) return report.column_residuals;
  return ByColumn<double>::repeated(n, report.residual);
}

/// The last solve brought the columns to `reached`, which may be beyond its goal, and they need to come this factor
/// further.  Not 0, where nothing is left.
ByColumn<double> next_goal(ByColumn<double> goal, const ByColumn<double>& reached, const ByColumn<double>& factor) {
  for (std::size_t k = 0; k < goal.size(); ++k) goal[k] = std::clamp(reached[k], 0.01 * goal[k], goal[k]) * factor[k];
  return goal;
}

}  // namespace

SolveReport detail::solve_even_odd(SolveRun run, double tolerance, const OddSites& odd, const EvenSolve& solve,
                                   const Operator<Vector>& M, const Vector& b, const Vector& x) {
  constexpr int patience = 2;
  const ByColumn<double> bb = norm2_by_column(b);
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const Vector r = b.like("residual"), source = b.even().like("even source"), even_x = x.even(), even_r = r.even();
  odd.reduce_source(b, source, {});
  // The residual on the even sites is that on all sites, but relative to another source.  0.9 leaves room for the
  // rounding of the odd sites, and for a D that differs from site to site in the symmetric form.
  odd.restore_residual(source, even_r, {});
  const ByColumn<double> ratio = sqrt(bb / norm2_by_column(even_r));
  ByColumn<double> goal = 0.9 * tolerance * ratio;
  ByColumn<double> reached = goal;
  std::optional<Vector> kept;  // solutions of columns that are over before others
  for (bool first = true;; first = false) {
    const ByColumn<double> residual = sqrt(true_residual_by_column(M, b, x, r) / bb);
    if (run.over(residual, patience)) return run.finish(r, b);
    if (!first) goal = next_goal(goal, reached, 0.5 * tolerance / residual);
    const ColumnMask over = run.stopped(), others = over.complement();
    if (over.any_finished()) {
      if (!kept) kept = x.like("solutions that are kept");
      copy(x, *kept, others);
      zero(r);
      copy(even_r, source, others);  // nothing to solve
    }
    const SolveReport inner = solve(std::min(smallest_unfinished(goal, over), 0.5), run.iterations_left(),
                                    run.inner_progress(1 / smallest_unfinished(ratio, over)), source, even_x);
    run.add(inner, 1.0 / ratio);
    reached = reached_by(inner, b.n_components());
    odd.complete(b, x, {});
    if (over.any_finished()) copy(*kept, x, others);
  }
}

}  // namespace kov
