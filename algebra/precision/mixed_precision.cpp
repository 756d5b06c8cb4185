// SPDX-License-Identifier: MIT
#include "kov/algebra/precision/mixed_precision.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

namespace {

/// The tolerance of each solve in single precision: far enough above its rounding to be reached.
constexpr double inner_tolerance = 1e-5;
constexpr int refinement_patience = 3;

/// The columns for which a solve found no solution that is better than 0.
ColumnMask unsolved(const SolveReport& report, int n) {
  const ByColumn<double> residual = int(report.column_residuals.size()) == n
                                        ? report.column_residuals
                                        : ByColumn<double>::repeated(n, report.residual);
  return not_above(1.0, residual);
}

}  // namespace

SolveReport detail::correct_defects(SolveRun run, double tolerance, const Operator<Vector>& A, const Vector& b,
                                    const Vector& x, const Vector& low_r, const SolveForCorrection& solve) {
  const ByColumn<double> bb = norm2_by_column(b);
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const Vector r = b.like("residual"), e = b.like("correction"), low_e = low_r.like("correction");
  for (;;) {
    const ByColumn<double> rr = true_residual_by_column(A, b, x, r), residual = sqrt(rr / bb);
    if (run.over(residual, refinement_patience)) return run.finish(r, b);
    const ColumnMask over = run.stopped();
    scale(1 / sqrt(rr), r, over);
    convert(r, low_r);
    zero(low_e);
    copy(low_e, low_r, over.complement());
    // Enough for all columns.
    const double goal = std::max(inner_tolerance, std::min(0.1, smallest_unfinished(0.5 * tolerance / residual, over)));
    const SolveReport inner =
        solve(goal, run.iterations_left(), run.inner_progress(largest_unfinished(residual, over)), low_r, low_e);
    run.add(inner, residual);
    const ColumnMask useless = unsolved(inner, b.n_components());
    convert(low_e, e);
    axpy(sqrt(rr), e, x, over | useless);  // x = x + e
    for (int k = 0; k < useless.size(); ++k)
      if (useless.is_finished(k) && !run.stopped().is_finished(k))
        run.give_up(k, sentence("in single precision", inner.solver,
                                "found no correction that makes the residual smaller, because", inner.reason));
  }
}

}  // namespace kov
