// SPDX-License-Identifier: MIT
//
// Conjugate gradients, for Hermitian positive operators and, on the normal equations, for any operator.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/core/field/field.hpp"

namespace kov {

/// Solves A x = b for A = A^+ > 0 until |b - A x| <= tolerance |b|.
///
/// x holds the initial guess and then the solution.  At the end the recursion's residual is compared with the true one;
/// if they disagree, it restarts from x.  A source of zero gives x = 0 without an iteration.  Collective.  Throws
/// ConvergenceError, see OnFailure.
struct ConjugateGradient {
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  std::string name() const { return "conjugate gradient"; }
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const;
};

/// Solves A x = b through A^+ A x = A^+ b until |A^+ (b - A x)| <= tolerance |A^+ b|, for any A with an adjoint.  The
/// residual of the original system is recomputed and reported too.  Otherwise like ConjugateGradient.
///
/// The recursion carries the residual of the original system (Hestenes and Stiefel, J. Res. NBS 49, 409 (1952), section
/// 10; CGLS), so that squaring the condition number costs iterations but not accuracy.
struct NormalConjugateGradient {
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  std::string name() const { return "conjugate gradient on the normal equations"; }
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const;
};

}  // namespace kov
