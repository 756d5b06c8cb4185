// SPDX-License-Identifier: MIT
//
// Private to solvers that call another one for the columns that are left.
#pragma once

#include "kov/algebra/solve_run.hpp"

namespace kov::detail {

/// solver(A, b, x) for the columns that `others` does not name.  Those of the others stay what they are: the solver
/// gets zeros for them, which it solves without an iteration.
template <class S, class F>
SolveReport solve_columns(const S& solver, const Operator<F>& A, const F& b, const F& x, const ColumnMask& others) {
  if (!others.any_finished()) return solver(A, b, x);
  const F source = b.like("sources"), solution = b.like("solutions");
  copy(b, source, others);
  copy(x, solution, others);
  const SolveReport report = solver(A, source, solution);
  copy(solution, x, others);
  return report;
}

}  // namespace kov::detail
