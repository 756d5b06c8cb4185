// SPDX-License-Identifier: MIT
//
// Private to conjugate_gradient.cpp, bicgstab.cpp and reliable_updates.cpp: the recursions of conjugate gradients and
// BiCGstab, apart from where the solution is kept and how a residual is computed anew.
#pragma once

#include "kov/algebra/solve_run.hpp"
#include "kov/algebra/vector.hpp"

namespace kov::detail {

/// Where the recursions below keep their solution.  Its functions may give up columns.
class SolutionOfRecursion {
 public:
  virtual ~SolutionOfRecursion() = default;
  /// What a recursion adds its steps to.
  virtual const Vector& update() const = 0;
  /// Sets r to the true residual; returns |r_k|^2.
  virtual ByColumn<double> restart(SolveRun& run, const Vector& r) = 0;
  /// In each iteration, with rr = |r_k|^2 that the recursion will have at its end: the mask of the columns that renew()
  /// is due for then, none of which is stopped.  Remembers the largest rr.
  virtual ColumnMask due(const ByColumn<double>& rr, const SolveRun& run) = 0;
  /// Sets these columns of r to their true residuals, and rr to their norms.
  virtual void renew(const ColumnMask& due, ByColumn<double>& rr, SolveRun& run, const Vector& r) = 0;
};

/// The solution is kept where the recursion adds to it, and its residual is computed anew only when that has ended.
class SolutionInPlace final : public SolutionOfRecursion {
 public:
  SolutionInPlace(const Operator<Vector>& A, const Vector& b, const Vector& x) : A_(A), b_(b), x_(x) {}
  const Vector& update() const override { return x_; }
  ByColumn<double> restart(SolveRun&, const Vector& r) override { return true_residual_by_column(A_, b_, x_, r); }
  ColumnMask due(const ByColumn<double>&, const SolveRun&) override { return {}; }
  void renew(const ColumnMask&, ByColumn<double>&, SolveRun&, const Vector&) override {}

 private:
  const Operator<Vector>& A_;
  const Vector &b_, &x_;
};

/// Restarts without progress after which the limit of precision counts as reached.
inline constexpr int cg_patience = 2, bicgstab_patience = 4;

/// Sets the shadow residual to r; in columns that `plain` does not name, where r was orthogonal to A r, to r + A r.
/// Returns its norms.  Ar: memory.
ByColumn<double> begin_shadow_by_column(const Operator<Vector>& A, const Vector& r, const ColumnMask& plain,
                                        const Vector& Ar, const Vector& shadow);

/// Conjugate gradients until |r_k|^2 <= goal_k; bb: what the residuals of reports are relative to; like: a vector of
/// the shape to work in.
SolveReport run_conjugate_gradient(SolveRun& run, const Operator<Vector>& A, const ByColumn<double>& bb,
                                   const ByColumn<double>& goal, SolutionOfRecursion& solution, const Vector& like);
/// BiCGstab likewise.
SolveReport run_bicgstab(SolveRun& run, const Operator<Vector>& A, const ByColumn<double>& bb,
                         const ByColumn<double>& goal, SolutionOfRecursion& solution, const Vector& like);

}  // namespace kov::detail
