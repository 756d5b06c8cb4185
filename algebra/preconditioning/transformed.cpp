// SPDX-License-Identifier: MIT
#include "kov/algebra/preconditioning/transformed.hpp"

#include <algorithm>

namespace kov {

namespace {

/// The tolerance of the next inner solve, which is enough for all columns that are not finished, with room for the
/// rounding of the way there and back.
double enough_for_all(double tolerance, const ByColumn<double>& residual, const ColumnMask& finished) {
  double goal = 0.5;
  for (int k = 0; k < finished.size(); ++k)
    if (!finished.is_finished(k)) goal = std::min(goal, 0.99 * tolerance / residual[std::size_t(k)]);
  return goal;
}

/// The largest residual of those columns.
double largest_of(const ByColumn<double>& residual, const ColumnMask& finished) {
  double most = 0;
  for (int k = 0; k < finished.size(); ++k)
    if (!finished.is_finished(k)) most = std::max(most, residual[std::size_t(k)]);
  return most;
}

}  // namespace

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
    const SolveReport inner = solve(enough_for_all(tolerance, residual, over), run.iterations_left(),
                                    run.inner_progress(largest_of(residual, over)), source, y);
    run.add(inner, residual);
    unitary.apply_adjoint(y, r);
    axpy(1, r, x, over);
  }
}

}  // namespace kov
