// SPDX-License-Identifier: MIT
//
// GCR: generalised conjugate residuals, for any operator and any preconditioner.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"

#include <optional>

namespace kov {

/// Solves A x = b until |b_k - A x_k| <= tolerance |b_k| for every column k by the smallest residual over the
/// directions since the last restart (S. C. Eisenstat, H. C. Elman and M. H. Schultz, SIAM J. Numer. Anal. 20, 345
/// (1983)), for operators whose Hermitian part is positive.
///
/// preconditioner: approximates A^-1, and may be another one in every application (a flexible solver): some steps of
/// another solver, or one in lower precision; one on fields is given as on_vectors(Operator<F>(...)).  directions:
/// after this many iterations it restarts from x; it keeps two fields for each.  Otherwise like ConjugateGradient.
/// Throws InputError unless there is a direction.
///
/// Every column is a system of its own, as in ConjugateGradient; one whose directions are exhausted waits for the
/// others to end too, and then restarts.  For the bits of a column not to depend on those beside it, the preconditioner
/// must take each by itself as well, as MinimalResidualSteps does.
struct Gcr {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};
  /// Iterations from one restart to the next.
  int directions = 16;
  /// An approximation of A^-1; the identity where it is not set.
  std::optional<Operator<Vector>> preconditioner = {};

  /// For reports and messages: "GCR preconditioned by Schwarz", where the preconditioner has a name().
  std::string name() const {
    if (!preconditioner) return "GCR";
    const std::string given = preconditioner->name();
    return given.empty() ? "preconditioned GCR" : "GCR preconditioned by " + given;
  }
  /// Solves on fields, or on vectors that hold them.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    return (*this)(on_vectors(A), Vector(b), Vector(x));
  }
  SolveReport operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const;
};

}  // namespace kov
