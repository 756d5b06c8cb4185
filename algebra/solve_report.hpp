// SPDX-License-Identifier: MIT
//
// What a solver reports: progress while it runs, the outcome of a solve, and failure.
#pragma once

#include <functional>
#include <string>
#include <vector>

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

/// What a solver does when it does not reach its tolerance.
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
  /// Restarts, after a breakdown or when the recursion had drifted away from the true residual.
  int restarts = 0;
  /// |b - A x| / |b| of the final x, recomputed with the operator that was given; norms in double.
  double residual = 0;
  /// The same for each column (component) of the fields: |b_k - A x_k| / |b_k|, infinite where a b_k = 0 was not solved
  /// by 0.  Empty if a user's solver does not fill it in.
  std::vector<double> column_residuals = {};
  /// The number that the stopping rule compares with tolerance, recomputed likewise; for most solvers the residual.
  double stopping_residual = 0;
  double tolerance = 0;
  /// Of the slowest rank.
  double seconds = 0;
  /// Why the solve ended if it did not converge; otherwise empty.
  std::string reason = {};

  /// One line: "BiCGstab: 123 iterations, residual 9.1e-13 (tolerance 1e-12), 0.52 s".
  std::string text() const;
};

}  // namespace kov
