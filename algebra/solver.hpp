// SPDX-License-Identifier: MIT
//
// LinearSolver: what a solver has to be; Solver: one type that holds any of them, for programs and other solvers.
#pragma once

#include "kov/algebra/solve_report.hpp"
#include "kov/core/base/error.hpp"
#include "kov/stencil/functions/operator.hpp"

#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace kov {

/// A value with the four members below that solves A x = b where it is called with (A, b, x), to |b - A x| <= tolerance
/// |b|: x holds the first guess and then the solution.  name(): for reports and messages.  Its header says whether
/// every column of the fields is a system of its own or all are one.
///
/// SolveRun (solve_run.hpp) does what all of them share; docs/solvers.md shows one from nothing.
template <class S, class F>
concept LinearSolver = requires(const S& solver, S& changed, const Operator<F>& A, const F& b, const F& x) {
  changed.tolerance = 1e-12;
  changed.max_iterations = 1;
  changed.on_failure = OnFailure::report;
  changed.progress = ProgressCallback();
  { solver.name() } -> std::convertible_to<std::string>;
  { solver(A, b, x) } -> std::same_as<SolveReport>;
};

namespace detail {
/// Gives a solver the four members of another one.
template <class From, class To>
void copy_settings(const From& from, To& to) {
  to.tolerance = from.tolerance;
  to.max_iterations = from.max_iterations;
  to.on_failure = from.on_failure;
  to.progress = from.progress;
}
}  // namespace detail

/// Owns any solver of fields F and is a solver itself.  Its own four members are used, not those of the solver in it.
template <class F>
class Solver {
 public:
  /// |b - A x| <= tolerance |b| ends a solve.
  double tolerance;
  /// Of each system; at this many a solve ends without having converged.
  int max_iterations;
  /// What a solve does then.
  OnFailure on_failure;
  /// Called after every iteration; none where it is empty.
  ProgressCallback progress;

  /// A copy of the solver, and its four members.
  template <class S>
  requires(!std::same_as<S, Solver> && LinearSolver<S, F>) Solver(const S& solver)  // NOLINT: meant to be implicit
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        name_(solver.name()),
        solve_([solver](const Solver& settings, const Operator<F>& A, const F& b, const F& x) {
          S with_settings = solver;
          detail::copy_settings(settings, with_settings);
          return with_settings(A, b, x);
        }) {}

  /// The same for a solve within another one: it reports failure instead of throwing.  A goal that underflowed, on the
  /// way from a tolerance that nothing reaches, is the smallest number above 0.
  Solver within(double goal, int iterations_left, const ProgressCallback& inner_progress) const {
    Solver result = *this;
    result.tolerance = std::max(goal, std::numeric_limits<double>::min());
    result.max_iterations = iterations_left;
    result.on_failure = OnFailure::report;
    result.progress = inner_progress;
    return result;
  }

  /// The same with the four members of another solver, which does all its work by this one.
  template <class S>
  Solver with_settings_of(const S& whole) const {
    Solver result = *this;
    detail::copy_settings(whole, result);
    return result;
  }

  /// That of the solver in it.
  const std::string& name() const { return name_; }
  /// Solves A x = b with the solver in it, with the four members above.
  SolveReport operator()(const Operator<F>& A, const F& b, const F& x) const { return solve_(*this, A, b, x); }

 private:
  std::string name_;
  std::function<SolveReport(const Solver&, const Operator<F>&, const F&, const F&)> solve_;
};

/// solver(A, b, x) where b and x have some columns of a problem, and maybe further ones that are 0: its report and its
/// ConvergenceError name them as the problem does.
template <class F>
SolveReport solve_some(const Solver<F>& solver, const Operator<F>& A, const F& b, const F& x,
                       const SomeColumns& columns) {
  Solver<F> reporting = solver;
  reporting.on_failure = OnFailure::report;
  const SolveReport report = reporting(A, b, x).of_columns(columns);
  if (!report.converged && solver.on_failure == OnFailure::raise) throw ConvergenceError(report.failure());
  return report;
}

}  // namespace kov
