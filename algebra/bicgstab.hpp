// SPDX-License-Identifier: MIT
//
// BiCGstab: a short recursion for operators that are not Hermitian, without their adjoint.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/core/field/field.hpp"

#include <string>

namespace kov {

/// Solves A x = b until |b - A x| <= tolerance |b|: van der Vorst, SIAM J. Sci. Stat. Comput. 13, 631 (1992).
///
/// x holds the initial guess and then the solution.  Restarts from x, with a new shadow residual, when the
/// recursion breaks down or ends away from the true residual.  A source of zero gives x = 0 without an iteration.
/// Collective. Throws ConvergenceError, see OnFailure.
struct BiCgStab {
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  std::string name() const { return "BiCGstab"; }
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const;
};

/// The same with minimal residual polynomials of degree l instead of 1: BiCGstab(l), G. L. G. Sleijpen and D. R.
/// Fokkema, ETNA 1, 11 (1993).  Needs fewer iterations where eigenvalues are far off the real axis.  Does l iterations
/// at a time, each of two applications of A as in BiCGstab; 2 l + 3 fields to work in.  Throws InputError unless l is
/// from 1 to 8.
struct BiCgStabL {
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};
  int l = 2;

  std::string name() const { return "BiCGstab(" + std::to_string(l) + ")"; }
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const;
};

}  // namespace kov
