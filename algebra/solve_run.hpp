// SPDX-License-Identifier: MIT
//
// SolveRun: what all solvers share: counting, timing, progress, and whether to go on; also for solvers of your own.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/core/launch/work.hpp"
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

/// The same for systems of their own.  Returns |r_k|^2 of every column k.
template <class F>
ByColumn<double> true_residual_by_column(const AnyOperator<F>& A, const F& b, const F& x, const F& r) {
  A.apply(x, r);
  xpay(b, -1, r);
  return norm2_by_column(r);
}

/// The smallest and the largest number of columns that are not finished: infinity and 0 where all are.
double smallest_unfinished(const ByColumn<double>& numbers, const ColumnMask& finished);
double largest_unfinished(const ByColumn<double>& numbers, const ColumnMask& finished);

/// One solve.  A solver that takes every column of its fields as a system of its own is a loop like this:
///
///     SolveRun run(*this, b);
///     bb = norm2_by_column(b)
///     if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
///     for (;;) {
///       rr = true_residual_by_column(A, b, x, r)
///       if (run.over(sqrt(rr / bb), patience)) return run.finish(r, b);
///       while (run.may_iterate(not_above(rr, tolerance * tolerance * bb))) {
///         ... vector algebra by column, with the mask run.stopped() ...
///         run.step(sqrt(rr / bb), the recursion's);
///       }
///     }
///
/// That restarts all systems when the last one has stopped; others need not wait, see over().
///
/// Each system has its own count and limit of iterations, restarts and reason to end.  A solver that takes all columns
/// as one system is the same loop with plain numbers: true_residual() and norm2().
class SolveRun {
 public:
  /// solver: any LinearSolver; b: its right-hand side.  Throws InputError when the tolerance is not in (0, 1) or the
  /// limit of iterations is negative, or ranks disagree about them.  Collective.
  template <class S, class F>
  SolveRun(const S& solver, const F& b)
      : SolveRun(b.lattice(), solver.name(), solver.tolerance, solver.max_iterations, solver.on_failure,
                 solver.progress, rounding_of(b)) {}

  /// Solves the systems with b_k = 0 by x_k = 0: they take no further part.  bb: |b_k|^2.  Whether these are all.
  template <class F>
  bool solve_zeros(const ByColumn<double>& bb, const F& b, const F& x) {
    const ColumnMask others = start_with_zeros(bb);
    if (others.n_unfinished() > 0) copy(b, x, others);
    return others.n_unfinished() == others.size();
  }

  /// With true residuals, before a (re)start: whether the solve is over.  A system is over when it converged, ran out
  /// of iterations, or has begun `patience` times in a row without halving its true residual.  others: systems that do
  /// not begin anew now, as they go on or are over already: they are not judged, and stay stopped or not.  Throws
  /// InputError when there are others before the first call, or when they are a mask for other systems.
  bool over(const ByColumn<double>& residual, const ByColumn<double>& stopping_residual, int patience,
            const ColumnMask& others = {});
  bool over(const ByColumn<double>& residual, int patience, const ColumnMask& others = {}) {
    return over(residual, residual, patience, others);
  }

  /// Systems that take no part until they begin anew: those that are over, were stopped or ran out of iterations.
  const ColumnMask& stopped() const { return stopped_; }
  void stop(const ColumnMask& systems) { stopped_ = stopped_ | systems; }
  bool may_iterate() const { return stopped_.n_unfinished() > 0; }
  /// After these, whose recursions have come to their ends, were stopped.
  bool may_iterate(const ColumnMask& ended) {
    stop(ended);
    return may_iterate();
  }
  /// To be called after each iteration, with the recursion's residuals: counts it for all that are not stopped.
  void step(const ByColumn<double>& residual);
  /// Of the system that has most left, of those that are not stopped.
  int iterations_left() const;

  /// To be called when the solver cannot go on: stops one system, those of a mask that are not stopped, or all that
  /// have not converged; the next over() ends them with this reason.  end: how a solve within this one ended, if that
  /// is the reason.
  void give_up(int system, const std::string& reason, SolveEnd end = SolveEnd::otherwise);
  void give_up(const ColumnMask& systems, const std::string& reason);
  void give_up(const std::string& reason);
  /// Gives up the systems where pq, p^+ A p of a direction, is not positive or not finite; what: its name in the
  /// reason.
  void give_up_unless_positive(const ByColumn<double>& pq, const std::string& what = "p^+ A p",
                               const std::string& reason = "so the operator is not positive definite");

  /// Gives up the systems whose residual, of the recursion and relative to the source, has grown so much that its
  /// rounding alone is a hundredth of the source, or of the residual at the last over() where that was larger: x has
  /// lost its digits.  That happens to conjugate gradients where there is no solution.
  void give_up_without_digits(const ByColumn<double>& residual, double rounding);

  /// The progress callback for a solver within this one: its residuals times `scale` are those of this solve.
  ProgressCallback inner_progress(double scale) const;
  /// To be called after a solve within this one: counts its iterations for the systems that are not stopped.  scale:
  /// what its residuals are multiplied by to be those of this solve.
  void add(const SolveReport& inner, const ByColumn<double>& scale = 1);
  /// To be called when a recursion's residuals were computed anew in high precision.
  void count_renewal() { ++report_.renewals; }
  /// To be called when the rest of the solve is done in higher precision.
  void switch_precision() { ++report_.precision_switches; }

  /// The report, or the ConvergenceError.
  SolveReport finish();
  /// The same, with the residuals of the columns: r is the true residual that the last over() had the norm of.
  template <class F>
  SolveReport finish(const F& r, const F& b) {
    if (b.n_components() == int(systems_.size()))
      tell_columns();
    else
      tell_column_residuals(norm2_by_column(r), norm2_by_column(b));
    return finish();
  }

 private:
  struct System {
    double residual = 0, stopping_residual = 0, best = std::numeric_limits<double>::infinity();
    int iterations = 0, beginnings = 0, fruitless = 0;
    bool is_zero = false;
    SolveEnd end = SolveEnd::otherwise;
    std::string reason = {};
    std::vector<double> history = {};
  };

  /// rounding: of the numbers of the fields that are solved for.
  SolveRun(const Lattice& lattice, const std::string& name, double tolerance, int max_iterations, OnFailure on_failure,
           const ProgressCallback& progress, double rounding);
  template <class F>
  static double rounding_of(const F& b) {
    if constexpr (requires { b.rounding(); })
      return b.rounding();
    else
      return double(std::numeric_limits<typename F::Real>::epsilon());
  }
  ColumnMask start_with_zeros(const ByColumn<double>& bb);
  bool is_over(System& system, int patience) const;
  int slowest() const;
  std::string remedy() const;
  void tell_columns();
  void tell_column_residuals(const ByColumn<double>& rr, const ByColumn<double>& bb);

  Comm comm_;
  SolveReport report_;
  int max_iterations_;
  double rounding_;
  OnFailure on_failure_;
  ProgressCallback progress_;
  std::chrono::steady_clock::time_point start_;
  Work before_;
  std::vector<System> systems_ = std::vector<System>(1);
  ColumnMask stopped_ = ColumnMask(1);
  int inner_restarts_ = 0;
};

}  // namespace kov
