// SPDX-License-Identifier: MIT
//
// Block conjugate gradients: one Krylov space for all right-hand sides, for Hermitian positive operators and, on the
// normal equations, for any operator.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"

namespace kov {

/// Solves A x_k = b_k for A = A^+ > 0 until |b_k - A x_k| <= tolerance |b_k| for every column (component) k of the
/// fields, each x_k with the smallest error, in the norm of A, that the Krylov spaces of all columns together allow
/// (D. P. O'Leary, Linear Algebra Appl. 29, 293 (1980)).  So it needs at most as many iterations as ConjugateGradient,
/// but for a few more where it restarts in single precision, and many fewer where low modes slow that down.  A has to
/// be the same operator for all columns.
///
/// The residuals are carried as orthonormal vectors times a small matrix, anew in every iteration: BCGrQ of
/// A. A. Dubrulle, Electron. Trans. Numer. Anal. 12, 216 (2001).  Vectors that depend on others, to 100 epsilon(T) of
/// their length (3e-7 in single precision's inner products), are left out, so that sources may be equal, dependent or
/// 0, and residuals may become so; what this neglects a restart takes up.  A column that has reached its goal or its
/// limit of iterations does not change any more, but its direction helps the others.  At the end true residuals are
/// compared, as in ConjugateGradient.
///
/// An iteration applies A once to all columns, and has two Gram matrices, four rotations and a copy of n columns, 11 n
/// reads and 5 n writes of a field of one column (one Gram matrix and one rotation more where residuals are nearly
/// dependent); the host multiplies and inverts a few n x n matrices.  Keeps three fields.  Spinors or colour vectors in
/// float or double, sites or columns in lanes; the result of a column depends, within the tolerance, on what is solved
/// beside it.  Where A is not positive for some columns, these end and the others begin anew without them.  Collective.
/// Throws ConvergenceError, which names the columns, after the others have been solved, see OnFailure, and InputError
/// for fields of 16 bits.
struct BlockConjugateGradient {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  /// For reports and messages.
  std::string name() const { return "block conjugate gradient"; }
  /// Solves on fields, or on vectors that hold them.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    return (*this)(on_vectors(A), Vector(b), Vector(x));
  }
  SolveReport operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const;
};

/// Solves A x = b through A^+ A x = A^+ b until |A^+ (b_k - A x_k)| <= tolerance |A^+ b_k| for every column k, for any
/// A with an adjoint.  The residual of the original system is recomputed and reported too.  Otherwise like
/// BlockConjugateGradient, with one A^+ more in an iteration and one field more.
struct NormalBlockConjugateGradient {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  /// For reports and messages.
  std::string name() const { return "block conjugate gradient on the normal equations"; }
  /// Solves on fields, or on vectors that hold them.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    return (*this)(on_vectors(A), Vector(b), Vector(x));
  }
  SolveReport operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const;
};

}  // namespace kov
