// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/conjugate_gradient.hpp"

#include "kov/algebra/krylov/krylov_loops.hpp"

#include <cmath>
#include <utility>

namespace kov {

SolveReport ConjugateGradient::operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const {
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  detail::SolutionInPlace solution(A, b, x);
  return detail::run_conjugate_gradient(run, A, bb, goal, solution, b);
}

namespace {

/// A A^+; between: memory.
struct ErrorOperator {
  Operator<Vector> A;
  Vector between;

  void apply(const Vector& in, const Vector& out) const {
    const Vector memory = detail::memory_for(in, between);
    A.apply_adjoint(in, memory);
    A.apply(memory, out);
  }
};

/// Residual replacement: the residual of normal equations is computed anew from x each time it has fallen by a third of
/// the digits that there are, in turns every eight iterations, and at the latest by two thirds, so that its rounding
/// errors do not reach the solution.
class NormalSolution : public detail::SolutionOfRecursion {
 public:
  NormalSolution(const Operator<Vector>& A, const Vector& b, const Vector& x, const Vector& work)
      : A_(A), b_(b), x_(x), work_(work), schedule_(b.n_components(), std::cbrt(b.rounding())) {}

  ByColumn<double> restart(SolveRun&, const Vector& r, const ColumnMask& others, const Vector& memory) override {
    const ByColumn<double> rr = set_residual(r, others, memory);
    schedule_.restart(rr, others);
    return rr;
  }
  ColumnMask due(const ByColumn<double>& rr, const SolveRun& run) override { return schedule_.due(rr, run); }
  std::string reason_not_positive() const override { return detail::NormalOperator::reason_not_positive; }
  void renew(const ColumnMask& due, ByColumn<double>& rr, SolveRun& run, const Vector& r,
             const Vector& memory) override {
    const ByColumn<double> found = set_residual(r, due.complement(), memory);
    // Where x comes no further, over() has to judge it.  Residuals rise, too: the largest is what this one fell from.
    run.stop(due & not_above(found, 0.25 * schedule_.largest()).complement());
    schedule_.renew(due, rr, found);
    rr = choose(due, found, rr);
  }

 protected:
  /// Sets r to the residual that the recursion ought to have, but for the columns that `others` names; returns |r_k|^2,
  /// of no meaning for these.
  virtual ByColumn<double> set_residual(const Vector& r, const ColumnMask& others, const Vector& memory) = 0;

  const Operator<Vector>& A_;
  const Vector &b_, &x_, &work_;

 private:
  detail::RenewalSchedule schedule_;
};

/// Of A^+ A x = A^+ b: r = A^+ (b - A x).
class SolutionOfNormalEquations final : public NormalSolution {
 public:
  using NormalSolution::NormalSolution;
  const Vector& update() const override { return x_; }
  std::string overlap_name() const override { return detail::NormalOperator::overlap_name; }
  bool over(SolveRun& run, const ByColumn<double>& residual, int patience, const ColumnMask& others) const override {
    return run.over(sqrt(rr_ / norm2_by_column(b_)), residual, patience, others);
  }

 private:
  ByColumn<double> set_residual(const Vector& r, const ColumnMask& others, const Vector& memory) override {
    rr_ = true_residual_by_column(A_, b_, x_, work_, others, memory);
    const Vector& renewed = others.any_finished() ? memory : r;
    apply_adjoint_to_columns(A_, work_, renewed, others);
    if (others.any_finished()) copy(renewed, r, others);
    return norm2_by_column(r, others);
  }

  ByColumn<double> rr_;  // |b_k - A x_k|^2
};

/// Of A A^+ y = b: r = b - A x, where A^+ y is added to x before and y begins anew.
class SolutionOfErrorEquations final : public NormalSolution {
 public:
  using NormalSolution::NormalSolution;
  const Vector& update() const override { return y_; }
  std::string overlap_name() const override { return "p^+ A A^+ p"; }

 private:
  ByColumn<double> set_residual(const Vector& r, const ColumnMask& others, const Vector& memory) override {
    if (std::exchange(has_steps_, true)) {
      apply_adjoint_to_columns(A_, y_, work_, others);
      axpy(1, work_, x_, others);
      scale(ByColumn<double>::repeated(y_.n_components(), 0), y_, others);
    }
    return true_residual_by_column(A_, b_, x_, r, others, memory);
  }

  Vector y_ = b_.like("steps of y");
  bool has_steps_ = false;
};

}  // namespace

/// Per iteration what ConjugateGradient does, of A^+ A.
SolveReport NormalConjugateGradient::operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const {
  SolveRun run(*this, b);
  const Vector work = b.like("between A and A^+");
  A.apply_adjoint(b, work);
  const ByColumn<double> bb = norm2_by_column(b), cc = norm2_by_column(work), goal = tolerance * tolerance * cc;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  SolutionOfNormalEquations solution(A, b, x, work);
  return detail::run_conjugate_gradient(run, detail::NormalOperator{A, work}, cc, goal, solution, b);
}

/// Likewise of A A^+.
SolveReport NormalErrorConjugateGradient::operator()(const Operator<Vector>& A, const Vector& b,
                                                     const Vector& x) const {
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const Vector work = b.like("between A^+ and A");
  SolutionOfErrorEquations solution(A, b, x, work);
  return detail::run_conjugate_gradient(run, ErrorOperator{A, work}, bb, goal, solution, b);
}

}  // namespace kov
