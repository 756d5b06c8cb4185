// SPDX-License-Identifier: MIT
//
// QuarkSolver: the Dirac operator of a quark on a configuration, and the solver that a job chose for it.
#pragma once

#include "apps/quarks/quark_action.hpp"
#include "apps/quarks/solver_choice.hpp"
#include "kov/contractions/sources/propagator.hpp"

#include <memory>

namespace kov::app {

/// T: double, or float for solver.precision single.
template <class T>
class QuarkSolver {
 public:
  /// gauge: in SU(3), without phases.  Collective.
  QuarkSolver(const GaugeField<double>& gauge, const QuarkAction& action, const SolverChoice& choice);

  /// S with M S = source.  Collective; throws ConvergenceError.
  SolvedPropagator<T> solve(const Propagator<T>& source, const ColumnCallback& progress) const {
    return solve_propagator(*solver_, *M_, source, progress);
  }

 private:
  /// Solvers have no state of their own that is empty.
  std::shared_ptr<const Operator<SpinorField<T>>> M_;
  std::shared_ptr<const Solver<SpinorField<T>>> solver_;
};

/// Throws unless the squares of the source and of its quarks are numbers that the precision has.
template <class T>
void require_usable(const Propagator<T>& source);

}  // namespace kov::app
