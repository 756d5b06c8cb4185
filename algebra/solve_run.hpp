// SPDX-License-Identifier: MIT
//
// SolveRun: what all solvers share: counting, timing, progress, and whether to go on; also for solvers of your own.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <chrono>
#include <limits>
#include <string>
#include <vector>

namespace kov {

/// r = b - A x, the true residual.  Returns |r|^2.
template <class F>
double true_residual(const AnyOperator<F>& A, const F& b, const F& x, const F& r) {
  A.apply(x, r);
  xpay(b, -1, r);
  return norm2(r);
}

/// One solve.  A solver is a loop like this:
///
///     SolveRun run(*this, b);
///     for (;;) {
///       rr = true_residual(A, b, x, r)
///       if (run.over(|r| / |b|, |r| / |b|, patience)) return run.finish(r, b);
///       while (the recursion's residual is above the goal && run.may_iterate()) {
///         ...
///         run.step(the recursion's residual / |b|);
///       }
///     }
class SolveRun {
 public:
  /// solver: any LinearSolver; b: its right-hand side.  Throws InputError when the tolerance is not in (0, 1) or the
  /// limit of iterations is negative, or ranks disagree about them.  Collective.
  template <class S, class F>
  SolveRun(const S& solver, const F& b)
      : SolveRun(b.lattice(), solver.name(), solver.tolerance, solver.max_iterations, solver.on_failure,
                 solver.progress) {}

  /// To be called after each iteration, with the recursion's residual.
  void step(double residual);
  bool may_iterate() const { return report_.iterations < max_iterations_ && report_.reason.empty(); }
  int iterations_left() const { return max_iterations_ - report_.iterations; }
  /// To be called when the solver cannot go on; the next over() ends the solve with this reason.
  void give_up(const std::string& reason) { report_.reason = reason; }

  /// The progress callback for a solver within this one: its residuals times `scale` are those of this solve.
  ProgressCallback inner_progress(double scale) const;
  /// To be called after a solve within this one: counts its iterations.
  void add(const SolveReport& inner) { report_.iterations += inner.iterations; }

  /// With a true residual, before a (re)start: whether the solve is over, because it converged, ran out of iterations,
  /// or has begun `patience` times in a row without halving the true residual.
  bool over(double residual, double stopping_residual, int patience);
  /// The report, or the ConvergenceError.
  SolveReport finish();
  /// The same, with the residuals of the columns: r is the true residual that the last over() had the norm of.
  template <class F>
  SolveReport finish(const F& r, const F& b) {
    if (b.n_components() == 1)
      report_.column_residuals = {report_.residual};
    else
      set_column_residuals(norm2_by_column(r), norm2_by_column(b));
    return finish();
  }
  /// The solution x = 0 of a right-hand side b = 0, and its report.
  template <class F>
  SolveReport finish_zero(const F& b, const F& x) {
    zero(x);
    over(0, 0, 1);
    return finish(b, b);
  }

 private:
  SolveRun(const Lattice& lattice, const std::string& name, double tolerance, int max_iterations, OnFailure on_failure,
           const ProgressCallback& progress);
  void set_column_residuals(const std::vector<double>& rr, const std::vector<double>& bb);

  Comm comm_;
  SolveReport report_;
  int max_iterations_;
  OnFailure on_failure_;
  ProgressCallback progress_;
  std::chrono::steady_clock::time_point start_;
  double best_ = std::numeric_limits<double>::infinity();
  int beginnings_ = 0, fruitless_ = 0;
};

}  // namespace kov
