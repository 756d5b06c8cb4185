// SPDX-License-Identifier: MIT
//
// What a solver tells: while it runs, when it ends and when it fails.
#pragma once

#include <functional>
#include <string>

namespace kov {

/// The state after an iteration.
struct SolveProgress {
  int iteration;
  /// What the stopping rule compares with the tolerance, from the solver's recursion.
  double residual;
  double tolerance;
};
/// Called on every rank after every iteration.
using ProgressCallback = std::function<void(const SolveProgress&)>;

/// What a solver does that did not reach its tolerance.
enum class OnFailure {
  /// Throws a ConvergenceError with the numbers.
  raise,
  /// Returns its report with converged = false; x holds what was reached.
  report
};

/// The outcome of one solve.
struct SolveReport {
  /// Its name(), with those of the solvers within it: "even-odd BiCGstab".
  std::string solver;
  bool converged = false;
  int iterations = 0;
  /// Beginnings after the first: after a breakdown, or where the recursion had drifted away from the true residual.
  int restarts = 0;
  /// |b - A x| / |b| of the x returned, recomputed with the operator that was given; norms in double.
  double residual = 0;
  /// What the stopping rule compares with tolerance, recomputed likewise; the same as residual for most solvers.
  double stopping_residual = 0;
  double tolerance = 0;
  double seconds = 0;
  /// Why a solve that did not converge ended.
  std::string reason = {};

  /// One line: "BiCGstab: 123 iterations, residual 9.1e-13 (tolerance 1e-12), 0.52 s".
  std::string text() const;
};

}  // namespace kov
