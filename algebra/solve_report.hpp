// SPDX-License-Identifier: MIT
//
// What a solver tells: while it runs, when it ends and when it fails.
#pragma once

#include "kov/core/base/error.hpp"

#include <chrono>
#include <functional>
#include <limits>
#include <string>

namespace kov {

class Lattice;

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

namespace detail {

/// The bookkeeping that all solvers share: counting, timing, and the decision to go on after each true residual.
class SolveRun {
 public:
  /// Throws InputError when tolerance is not in (0, 1) or max_iterations is negative, or ranks disagree about them.
  /// Collective.
  SolveRun(const Lattice& lattice, const std::string& solver, double tolerance, int max_iterations,
           OnFailure on_failure, const ProgressCallback& progress);

  /// After an iteration, with the recursion's residual.
  void step(double residual);
  bool may_iterate() const { return report_.iterations < max_iterations_ && report_.reason.empty(); }
  int iterations_left() const { return max_iterations_ - report_.iterations; }
  /// The solver cannot go on, whatever it does.
  void give_up(const std::string& reason) { report_.reason = reason; }
  /// Iterations done elsewhere.
  void add_iterations(int n) { report_.iterations += n; }

  /// With a true residual, before a (re)start: whether the solve is over, because it converged, ran out of iterations,
  /// or has begun `patience` times in a row without halving the true residual.
  bool over(double residual, double stopping_residual, int patience);
  /// The report, or the ConvergenceError.
  SolveReport finish();

 private:
  SolveReport report_;
  int max_iterations_;
  OnFailure on_failure_;
  ProgressCallback progress_;
  std::chrono::steady_clock::time_point start_;
  double best_ = std::numeric_limits<double>::infinity();
  int beginnings_ = 0, fruitless_ = 0;
};

}  // namespace detail

}  // namespace kov
