// SPDX-License-Identifier: MIT
//
// BiCGstab: a short recursion for operators that are not Hermitian, without their adjoint.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"

#include <string>

namespace kov {

/// Solves A x = b until |b_k - A x_k| <= tolerance |b_k| for every column k: van der Vorst, SIAM J. Sci. Stat. Comput.
/// 13, 631 (1992).
///
/// x holds the initial guess and then the solution.  Every column is a system of its own, as in ConjugateGradient: one
/// whose recursion breaks down or ends away from the true residual restarts from its x_k with a new shadow residual.
/// Otherwise like ConjugateGradient.
///
/// Where A has an adjoint, it is applied once for each shadow residual; then an iteration waits for one sum over ranks
/// instead of two (L. T. Yang and R. P. Brent, ICA3PP 2002, 324), with the same vectors and up to rounding the same
/// numbers.
struct BiCgStab {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  /// For reports and messages.
  std::string name() const { return "BiCGstab"; }
  /// Solves on fields, or on vectors that hold them.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    return (*this)(on_vectors(A), Vector(b), Vector(x));
  }
  SolveReport operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const;
};

/// BiCGstab with minimal residual polynomials of degree l instead of 1: BiCGstab(l), G. L. G. Sleijpen and D. R.
/// Fokkema, ETNA 1, 11 (1993).  Needs fewer iterations where eigenvalues are far off the real axis.  Does l iterations
/// at a time, each of two applications of A as in BiCGstab; 2 l + 3 fields to work in.  Throws InputError unless l is
/// from 1 to 8.
///
/// Every column is a system of its own, as in BiCgStab, but columns restart when the recursions of all have ended.
struct BiCgStabL {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};
  /// Degree of the polynomials, 1 to 8.
  int l = 2;

  /// For reports and messages.
  std::string name() const { return "BiCGstab(" + std::to_string(l) + ")"; }
  /// Solves on fields, or on vectors that hold them.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    return (*this)(on_vectors(A), Vector(b), Vector(x));
  }
  SolveReport operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const;
};

}  // namespace kov
