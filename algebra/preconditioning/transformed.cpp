// SPDX-License-Identifier: MIT
#include "kov/algebra/preconditioning/transformed.hpp"

#include <algorithm>

namespace kov {

SolveReport detail::solve_transformed(SolveRun run, double tolerance, const Operator<Vector>& unitary,
                                      const Operator<Vector>& A, const Vector& b, const Vector& x,
                                      const TransformedSolve& solve) {
  constexpr int patience = 2;
  const ByColumn<double> bb = norm2_by_column(b);
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const Vector r = b.like("residual"), source = b.like("transformed source"), y = b.like("transformed solution");
  for (;;) {
    const ByColumn<double> residual = sqrt(true_residual_by_column(A, b, x, r) / bb);
    if (run.over(residual, patience)) return run.finish(r, b);
    const ColumnMask over = run.stopped();
    unitary.apply(r, source);
    zero(y);
    if (over.any_finished()) copy(y, source, over.complement());  // nothing to solve
    // Enough for all columns, with room for the rounding of the way there and back.
    const double goal = std::min(0.5, smallest_unfinished(0.99 * tolerance / residual, over));
    const SolveReport inner =
        solve(goal, run.iterations_left(), run.inner_progress(largest_unfinished(residual, over)), source, y);
    run.add(inner, residual);
    unitary.apply_adjoint(y, r);
    axpy(1, r, x, over);
  }
}

}  // namespace kov
