// SPDX-License-Identifier: MIT
//
// MultiShiftConjugateGradient: many shifts of one operator for little more than the price of one.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"

#include <span>
#include <vector>

namespace kov {

/// Solves (A + s_i) x_i = b for all shifts s_i at once, where A + s_i is Hermitian and positive for each, until
/// |b_k - (A + s_i) x_ik| <= tolerance |b_k| for all i and every column k.
///
/// One application of A an iteration serves all shifts: their residuals are multiples of each other (B. Jegerlehner,
/// hep-lat/9612014), and a shift takes no more part once its residual is small enough.  The true residuals are computed
/// at the end, and systems in which the recursion has drifted away from them are solved further one by one.
///
/// Every column is a system of its own, as in ConjugateGradient.
///
/// x: one field for each shift, in any order, whose contents are not used: all begin with zero.  The report counts the
/// applications of A as iterations; its column_residuals are those of all shifts, [shift][column], and its residual the
/// largest. Otherwise as ConjugateGradient.  Throws InputError unless there are as many fields as shifts, at least one,
/// and all are finite.
struct MultiShiftConjugateGradient {
  /// Of every solver, see LinearSolver.
  double tolerance = 1e-12;
  int max_iterations = 10000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  /// For reports and messages.
  std::string name() const { return "multi-shift conjugate gradient"; }
  /// Solves on fields, or on vectors that hold them: x[i] for shift i.
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, std::span<const double> shifts, const F& b,
                         std::span<const std::type_identity_t<F>> x) const {
    std::vector<Vector> solutions;
    for (const F& solution : x) solutions.emplace_back(solution);
    return (*this)(on_vectors(A), shifts, Vector(b), solutions);
  }
  SolveReport operator()(const Operator<Vector>& A, std::span<const double> shifts, const Vector& b,
                         const std::vector<Vector>& x) const;
};

}  // namespace kov
