// SPDX-License-Identifier: MIT
//
// What a solver reports: progress while it runs, the outcome of a solve, and failure.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kov {

/// What solves of well-conditioned systems reach in double and in single precision, about, relative to the source: a
/// residual has rounding errors of this size.
inline constexpr double least_tolerance_in_double = 1e-15, least_tolerance_in_single = 1e-6;

/// The state after an iteration.  Where every column is a system of its own, of the slowest and of the worst column:
/// how many iterations a column has done at most, and the largest residual of those that took part in this one.
struct SolveProgress {
  /// 1 after the first.
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

/// How the solve of a system ended, as far as remedies depend on it.
enum class SolveEnd {
  converged,
  /// At the limit of iterations.
  at_limit,
  /// Where restarts no longer reduce the residual, because rounding dominates it.
  by_rounding,
  /// For another reason.
  otherwise
};

/// Columns first, first + 1, ..., `count` of them, of a problem that has n.
struct SomeColumns {
  int first, count, n;
};

namespace detail {
/// Every reason once, with the columns that it is of: "columns 2, 5 of 12: the residual is not finite".  reasons: of
/// columns first, first + 1, ... of n; empty ones are left out.
std::string reasons_of_columns(const std::vector<std::string>& reasons, int first, int n);
}  // namespace detail

/// The outcome of one solve.  Of solvers that take every column (component) of their fields as a system of its own, as
/// their headers say, the numbers are those of the worst column, each for itself: the iterations of the slowest one and
/// the largest residual relative to its own b_k; it converged if all columns did.
struct SolveReport {
  /// Its name(), with those of the solvers within it: "even-odd BiCGstab".
  std::string solver;
  bool converged = false;
  int iterations = 0;
  /// Restarts, after a breakdown or when the recursion had drifted away from the true residual; those of solvers within
  /// this one too.
  int restarts = 0;
  /// How often reliable updates computed residuals in high precision, for the columns that were due.
  int renewals = 0;
  /// How often a solver went on in higher precision because the lower one brought a column no further.
  int precision_switches = 0;
  /// |b - A x| / |b| of the final x, recomputed with the operator that was given; norms in double.
  double residual = 0;
  /// The same for each column (component) of the fields: |b_k - A x_k| / |b_k|, infinite where a b_k = 0 was not solved
  /// by 0.  Empty if a user's solver does not fill it in.
  std::vector<double> column_residuals = {};
  /// The iterations of each column.  Empty where all columns were one system.
  std::vector<int> column_iterations = {};
  /// Why each column's solve ended if it did not converge; empty texts for those that did.  Likewise.
  std::vector<std::string> column_reasons = {};
  /// How each column's solve ended.  Likewise.
  std::vector<SolveEnd> column_ends = {};
  /// For each system, after each of its iterations, what the stopping rule compares with the tolerance, from the
  /// recursion; those of solvers within this one are relative to the source of this one.
  std::vector<std::vector<double>> history = {};
  /// The number that the stopping rule compares with tolerance, recomputed likewise; for most solvers the residual.
  double stopping_residual = 0;
  double tolerance = 0;
  /// Wall-clock time of the slowest rank.
  double seconds = 0;
  /// Of all ranks together, see Work: effective flops and bytes of the operators and the vector algebra in this solve.
  double flops = 0, bytes = 0;
  /// Why the solve ended if it did not converge; otherwise empty.  It names the columns where there are several
  /// systems: "columns 2, 5 of 12: the residual is not finite".
  std::string reason = {};
  /// What may help then, "allow more iterations or ask for less"; empty if a user's solver does not fill it in.
  std::string remedy = {};

  /// One line: "BiCGstab: 123 iterations, residual 9.1e-13 (tolerance 1e-12), 0.52 s, 41 Gflop/s, 38 GB/s".
  std::string text() const;
  /// The message of a ConvergenceError: the same line, and the remedy.
  std::string failure() const;
  /// The report of a solve for some columns of a problem: its reason names them as the problem does.
  SolveReport of_columns(const SomeColumns& columns) const;
};

}  // namespace kov
