// SPDX-License-Identifier: MIT
//
// Conjugate gradients, for Hermitian positive operators and, on the normal equations, for any operator.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"

namespace kov {

/// Solves A x = b for A = A^+ > 0 until |b_k - A x_k| <= tolerance |b_k| for every column (component) k of the fields.
///
/// x holds the initial guess and then the solution.  Every column is a system of its own, with its own coefficients,
/// limit of iterations and end, and goes through the same numbers whatever is solved beside it; A is applied to those
/// that have not ended, as fields of fewer columns: whole packs, or the last ones.  At the end the recursion's residual
/// of a column is compared with the true one; where they disagree the column restarts from its x_k while others go on,
/// in turns every eight iterations.  A source of zero gives x_k = 0 without an iteration.  Spinors or colour vectors,
/// sites or 4, 8 (spinors: 16) columns in lanes.  Collective.  Throws ConvergenceError, which names the columns, after
/// the others have been solved, see OnFailure; where A is singular and no x solves, once the residual has grown to 0.01
/// / rounding times the source.
struct ConjugateGradient {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  /// For reports and messages.
  std::string name() const { return "conjugate gradient"; }
  /// Solves on fields, or on vectors that hold them.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    return (*this)(on_vectors(A), Vector(b), Vector(x));
  }
  SolveReport operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const;
};

/// Solves A x = b through A^+ A x = A^+ b until |A^+ (b_k - A x_k)| <= tolerance |A^+ b_k| for every column k, for any
/// A with an adjoint.  The residual of the original system is recomputed and reported too.  Where A is singular and the
/// source has a part that A does not reach, x is one of those that make |b_k - A x_k| smallest, which the report has as
/// the residual.  Otherwise like ConjugateGradient.
///
/// The recursion is that of ConjugateGradient on A^+ A, which waits for one sum an iteration, but its residual is
/// computed anew as A^+ (b - A x) each time it has fallen by a third of the digits that there are, in turns every eight
/// iterations, and at the latest by two thirds (H. A. van der Vorst and Q. Ye, SIAM J. Sci. Comput. 22, 835 (2000)), so
/// that squaring the condition number costs iterations but not accuracy.
struct NormalConjugateGradient {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  /// For reports and messages.
  std::string name() const { return "conjugate gradient on the normal equations"; }
  /// Solves on fields, or on vectors that hold them.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    return (*this)(on_vectors(A), Vector(b), Vector(x));
  }
  SolveReport operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const;
};

/// Solves A x = b through A A^+ y = b, x = A^+ y, until |b_k - A x_k| <= tolerance |b_k| for every column k, for any A
/// with an adjoint: CGNE, E. J. Craig, J. Math. Phys. 34, 64 (1955).  Every iteration makes the error of x as small as
/// the Krylov space of A^+ A allows, NormalConjugateGradient the residual.  Otherwise like ConjugateGradient, with the
/// residual computed anew as there.
struct NormalErrorConjugateGradient {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  /// For reports and messages.
  std::string name() const { return "conjugate gradient on the normal equations of the error"; }
  /// Solves on fields, or on vectors that hold them.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    return (*this)(on_vectors(A), Vector(b), Vector(x));
  }
  SolveReport operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const;
};

}  // namespace kov
