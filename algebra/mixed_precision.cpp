// SPDX-License-Identifier: MIT
#include "kov/algebra/mixed_precision.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <cmath>

namespace kov {

namespace {

/// The tolerance of each solve in single precision: far enough above its rounding to be reached.
constexpr double inner_tolerance = 1e-5;
constexpr int refinement_patience = 3;

}  // namespace

SolveReport MixedPrecision::operator()(const Operator<High>& A, const High& b, const High& x) const {
  SolveRun run(*this, b);
  const double bb = norm2(b);
  if (bb == 0) return run.finish_zero(b, x);
  const High r = b.like("residual"), e = b.like("correction");
  const Low low_r(b.lattice(), "residual", b.n_components(), b.subset()), low_e = low_r.like("correction");
  for (;;) {
    const double rr = true_residual(A, b, x, r), residual = std::sqrt(rr / bb);
    if (run.over(residual, residual, refinement_patience)) return run.finish(r, b);
    scale(1 / std::sqrt(rr), r);
    convert(r, low_r);
    zero(low_e);
    const double goal = std::max(inner_tolerance, std::min(0.1, 0.5 * tolerance / residual));
    const Solver<Low> solve = solver_.within(goal, run.iterations_left(), run.inner_progress(residual));
    const SolveReport inner = solve(low_, low_r, low_e);
    run.add(inner);
    if (inner.residual < 1) {
      convert(low_e, e);
      axpy(std::sqrt(rr), e, x);  // x = x + e
    } else if (run.iterations_left() > 0) {
      run.give_up(sentence("in single precision", inner.solver, "found no correction that makes the residual smaller,",
                           "because", inner.reason));
    }
  }
}

}  // namespace kov
