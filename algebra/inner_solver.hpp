// SPDX-License-Identifier: MIT
//
// A solver together with its operator behind one type: what solvers that call other solvers hold.
#pragma once

#include "kov/algebra/linear_operator.hpp"
#include "kov/algebra/solve_report.hpp"

#include <functional>

namespace kov::detail {

/// Solves A x = b to a tolerance within a number of iterations; reports and never throws a ConvergenceError.
template <class F>
using InnerSolver = std::function<SolveReport(double tolerance, int max_iterations, const ProgressCallback& progress,
                                              const F& b, const F& x)>;

/// Keeps both by value, as the handles to shared memory that operators are.
template <class F, LinearOperator<F> Operator, class Solver>
InnerSolver<F> inner_solver(const Operator& A, const Solver& solver) {
  return [A, solver](double tolerance, int max_iterations, const ProgressCallback& progress, const F& b, const F& x) {
    Solver mine = solver;
    mine.tolerance = tolerance;
    mine.max_iterations = max_iterations;
    mine.on_failure = OnFailure::report;
    mine.progress = progress;
    return mine(A, b, x);
  };
}

/// The progress of an inner solve as that of the whole, after `done` iterations at a true residual.  Empty stays empty.
inline ProgressCallback inner_progress(const ProgressCallback& progress, int done, double residual, double tolerance) {
  if (!progress) return {};
  return [=](const SolveProgress& p) { progress({done + p.iteration, residual * p.residual, tolerance}); };
}

}  // namespace kov::detail
