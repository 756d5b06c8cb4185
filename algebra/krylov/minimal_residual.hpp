// SPDX-License-Identifier: MIT
//
// The minimal residual iteration, as a solver and as a few steps that precondition another one.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"

namespace kov {

/// Solves A x = b until |b_k - A x_k| <= tolerance |b_k| for every column k by x = x + omega (A r, r) / |A r|^2 r, r =
/// b - A x: for operators whose Hermitian part is positive, such as those of Wilson type with a mass that is not too
/// small.  The simplest solver, and the usual smoother.
///
/// Every column is a system of its own, as in ConjugateGradient.
///
/// omega: over-relaxation, between 0 and 2.  Otherwise like ConjugateGradient.
struct MinimalResidual {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};
  /// Over-relaxation, between 0 and 2.
  double omega = 1;

  /// For reports and messages.
  std::string name() const { return "minimal residual"; }
  /// Solves on fields, or on vectors that hold them.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    return (*this)(on_vectors(A), Vector(b), Vector(x));
  }
  SolveReport operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const;
};

/// A fixed number of minimal residual steps from x = 0 for every column, as an operator that is about A^-1.  It depends
/// on what it is applied to, so only flexible solvers such as Gcr take it as a preconditioner.  Keeps two fields to
/// work in, which copies share: do not apply two of them at the same time.
class MinimalResidualSteps {
 public:
  /// like: any field of the shape it will be applied to.  Throws InputError unless there is a step and 0 < omega < 2.
  template <class F>
  MinimalResidualSteps(const AnyOperator<F>& A, const F& like, int n_steps, double omega = 1)
      : MinimalResidualSteps(on_vectors(A), Vector(like), n_steps, omega) {}
  MinimalResidualSteps(const Operator<Vector>& A, const Vector& like, int n_steps, double omega = 1);

  /// Of what it does, for reports of solvers: "4 minimal residual steps".
  std::string name() const { return std::to_string(n_steps_) + " minimal residual step" + (n_steps_ == 1 ? "" : "s"); }
  template <class F>
  void apply(const F& in, const F& out, const Exec& exec = {}) const {
    apply(Vector(in), Vector(out), exec);
  }
  /// Ordered on exec, for which it waits in each step.
  void apply(const Vector& in, const Vector& out, const Exec& exec = {}) const;

 private:
  Operator<Vector> A_;
  int n_steps_;
  double omega_;
  Vector r_, q_;
};

}  // namespace kov
