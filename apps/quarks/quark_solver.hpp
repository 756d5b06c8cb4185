// SPDX-License-Identifier: MIT
//
// QuarkSolver: the Dirac operator of a quark on a configuration, and the solver that a job chose for it.
#pragma once

#include "apps/quarks/quark_action.hpp"
#include "apps/quarks/solver_choice.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "kov/core/base/error.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kov::app {

/// Called on every rank after each solve, with how many columns it was for.
using SolveCallback = std::function<void(const SolveReport& solve, int n_columns)>;

/// What to tell of solves that higher precision than the job chose had to end, so often; their numbers are right.
std::string warning_of_switches(int precision_switches);

/// work(), where the message of a ConvergenceError gets a beginning that says what failed: "conf.0010, quark light".
template <class Work>
auto naming(const std::string& what, const Work& work) {
  try {
    return work();
  } catch (const ConvergenceError& error) {
    throw ConvergenceError(what + ", " + error.what(), error.where());
  }
}

/// T: double, or float for solver.precision single.
template <class T>
class QuarkSolver {
 public:
  using F = SpinorField<T>;

  /// gauge: in SU(3), without phases.  n_columns: how many are solved for at once where choice.is_together(), a part of
  /// twelve; see fewer_columns().  Collective.  Throws InputError for a preconditioner that the action does not have.
  QuarkSolver(const GaugeField<double>& gauge, const QuarkAction& action, const SolverChoice& choice,
              int n_columns = 12);

  /// S with M S = source, column by column or, with a report for each n_columns, so many of them together.  Collective;
  /// throws ConvergenceError, which names the origin of the source and the columns.
  SolvedPropagator<T> solve(const Propagator<T>& source, const SolveCallback& progress) const;
  /// Column k of x, from 0.
  SolveReport solve_column(const Propagator<T>& source, int k, const Propagator<T>& x) const;
  /// The operator and the solver for one column; made when they are first asked for where columns are solved for
  /// together.  Collective.
  const Operator<F>& M() const;
  const Solver<F>& solver() const;
  /// So many at once; x from any.  The report of each solve, in their order.
  std::vector<SolveReport> solve_together(const Propagator<T>& source, const Propagator<T>& x,
                                          const SolveCallback& progress) const;

  /// What solver.deflation took and saves; empty without.
  const std::string& deflation() const;

  struct Parts;

 private:
  std::shared_ptr<const Parts> parts_;
};

/// Throws unless the squares of the source and of its quarks are numbers that the precision has.
template <class T>
void require_usable(const Propagator<T>& source);

}  // namespace kov::app
