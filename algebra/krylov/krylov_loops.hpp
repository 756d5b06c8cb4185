// SPDX-License-Identifier: MIT
//
// Private to conjugate_gradient.cpp, bicgstab.cpp, multi_shift.cpp and reliable_updates.cpp: the recursions of
// conjugate gradients and BiCGstab, apart from where the solution is kept and how a residual is computed anew.
#pragma once

#include "kov/algebra/solve_columns.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/algebra/vector.hpp"

#include <string>
#include <vector>

namespace kov::detail {

/// Where the recursions below keep their solution.  Its functions may give up columns.
class SolutionOfRecursion {
 public:
  virtual ~SolutionOfRecursion() = default;
  /// What a recursion adds its steps to.
  virtual const Vector& update() const = 0;
  /// Sets r to the true residual, but for the columns that `others` names, which do not begin anew; returns |r_k|^2, of
  /// no meaning for these.  memory: a vector to work in.
  virtual ByColumn<double> restart(SolveRun& run, const Vector& r, const ColumnMask& others, const Vector& memory) = 0;
  /// SolveRun::over() of the residuals that restart() found, relative to the sources.
  virtual bool over(SolveRun& run, const ByColumn<double>& residual, int patience, const ColumnMask& others) const {
    return run.over(residual, patience, others);
  }
  /// What messages call the overlap of a direction with its image.
  virtual std::string overlap_name() const { return "p^+ A p"; }
  /// What it means that this is not positive.
  virtual std::string reason_not_positive() const { return "so the operator is not positive definite"; }
  /// In each iteration, with rr = |r_k|^2 that the recursion will have at its end: the mask of the columns that renew()
  /// is due for then, none of which is stopped.  Remembers the largest rr.
  virtual ColumnMask due(const ByColumn<double>& rr, const SolveRun& run) = 0;
  /// Sets these columns of r to their true residuals, and rr to their norms; the others stay what they are.  memory: a
  /// vector to work in.
  virtual void renew(const ColumnMask& due, ByColumn<double>& rr, SolveRun& run, const Vector& r,
                     const Vector& memory) = 0;
};

/// Iterations from one turn to the next: what takes least time for many columns at once is left for turns, in which it
/// is done for all columns that wait for it.
inline constexpr int iterations_of_turn = 8;

/// When columns whose recursions have ended, at their goals or by a breakdown, begin anew while others go on: in turns.
/// That changes no number of a column, which does not move until then.
class RestartTurns {
 public:
  /// Before each iteration.  over: the systems that were over after the last restart.
  bool is_due(const SolveRun& run, const ColumnMask& over) const {
    return n_iterations_ % iterations_of_turn == 0 && run.stopped().n_unfinished() < over.n_unfinished();
  }
  /// After each iteration.
  void step() { ++n_iterations_; }
  /// When columns begin anew.
  void restart(const SolveRun& run) {
    if (!run.may_iterate()) n_iterations_ = 0;
  }

 private:
  int n_iterations_ = 0;
};

/// When a residual is to be computed anew: where it has fallen to delta times its largest since the last time.  Columns
/// wait for turns, which are the same for a column whatever others there are, but not further than until |r_k| has
/// fallen by delta^2, and not where the last renewal found something else than the recursion.
class RenewalSchedule {
 public:
  RenewalSchedule(int n_columns, double delta)
      : largest_(ByColumn<double>::repeated(n_columns, 0)),
        delta_squared_(delta * delta),
        waits_(std::size_t(n_columns), true),
        n_iterations_(std::size_t(n_columns), 0) {}
  /// See SolutionOfRecursion.
  ColumnMask due(const ByColumn<double>& rr, const SolveRun& run);
  void restart(const ByColumn<double>& rr, const ColumnMask& others);
  /// The largest |r_k|^2 since then.
  const ByColumn<double>& largest() const { return largest_; }
  /// |r_k|^2 of the recursion and of the residuals that were computed anew.
  void renew(const ColumnMask& due, const ByColumn<double>& recursion, const ByColumn<double>& found);

 private:
  /// |r_k|^2 that was computed anew is at most so many times that of the recursion, if the two agree.
  static constexpr double confirmed = 4;

  ByColumn<double> largest_;
  double delta_squared_;
  std::vector<bool> waits_;
  std::vector<int> n_iterations_;  // since the column began
};

/// The solution is kept where the recursion adds to it, and its residual is computed anew only when that has ended.
class SolutionInPlace final : public SolutionOfRecursion {
 public:
  SolutionInPlace(const Operator<Vector>& A, const Vector& b, const Vector& x) : A_(A), b_(b), x_(x) {}
  const Vector& update() const override { return x_; }
  ByColumn<double> restart(SolveRun&, const Vector& r, const ColumnMask& others, const Vector& memory) override {
    return true_residual_by_column(A_, b_, x_, r, others, memory);
  }
  ColumnMask due(const ByColumn<double>&, const SolveRun&) override { return {}; }
  void renew(const ColumnMask&, ByColumn<double>&, SolveRun&, const Vector&, const Vector&) override {}

 private:
  const Operator<Vector>& A_;
  const Vector &b_, &x_;
};

/// A^+ A; between: memory.
struct NormalOperator {
  static constexpr const char *overlap_name = "p^+ A^+ A p",
                              *reason_not_positive = "so the operator is singular to rounding";
  Operator<Vector> A;
  Vector between;

  void apply(const Vector& in, const Vector& out) const {
    const Vector memory = memory_for(in, between);
    A.apply(in, memory);
    A.apply_adjoint(memory, out);
  }
};

/// Restarts without progress after which the limit of precision counts as reached.
inline constexpr int cg_patience = 2, bicgstab_patience = 4;

/// Sets the shadow residual to r; in columns that `plain` does not name, where r was orthogonal to A r, to r + A r; but
/// for the columns that `others` names.  Returns its norms, of no meaning for these.  Ar: memory.
ByColumn<double> begin_shadow_by_column(const Operator<Vector>& A, const Vector& r, const ColumnMask& plain,
                                        const ColumnMask& others, const Vector& Ar, const Vector& shadow);

/// A step of conjugate gradients, all of whose numbers follow from one pass of sums: the norm of the next residual is
/// predicted, so that all fields are updated in one pass, and that of this one is computed anew, so that errors do not
/// add up: T. Chen and E. Carson, SIAM J. Matrix Anal. Appl. 41, 973 (2020), PR-CG.
class CgStep {
 public:
  /// sums: cg_sums() of p, q = A p and r.
  explicit CgStep(const CgSums& sums);
  /// With another length than |r|^2 / p^+ A p.
  void set_length(const ByColumn<double>& length) {
    alpha = length;
    predict();
  }
  /// x = x + alpha p, r = r - alpha A p, then p = r + next / rr p.  Columns whose next residual is too small to be
  /// predicted wait for one sum more.
  void take(const Vector& x, const Vector& r, const Vector& p, const Vector& q, const ColumnMask& finished);

  ByColumn<double> alpha, rr, next;  // rr: |r|^2 before the step; next: after it

 private:
  void predict();
  ByColumn<double> rq_, qq_;
  ColumnMask unknown_;
};

/// Conjugate gradients until |r_k|^2 <= goal_k; bb: what the residuals of reports are relative to; like: a vector of
/// the shape to work in.
SolveReport run_conjugate_gradient(SolveRun& run, const Operator<Vector>& A, const ByColumn<double>& bb,
                                   const ByColumn<double>& goal, SolutionOfRecursion& solution, const Vector& like);
/// BiCGstab likewise.
SolveReport run_bicgstab(SolveRun& run, const Operator<Vector>& A, const ByColumn<double>& bb,
                         const ByColumn<double>& goal, SolutionOfRecursion& solution, const Vector& like);

}  // namespace kov::detail
