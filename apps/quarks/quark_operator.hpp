// SPDX-License-Identifier: MIT
//
// The Dirac operator of a quark and a solver for it.
#pragma once

#include "apps/quarks/quark_action.hpp"
#include "apps/quarks/solver_choice.hpp"
#include "kov/algebra/solver.hpp"
#include "kov/core/field/field.hpp"

#include <memory>
#include <string>

namespace kov::app {

/// The Dirac operator of a quark on the links of a configuration, and the solver that its job asks for.  Residuals of
/// its reports, and of the message of a ConvergenceError, are those of an operator in double on the links as they are,
/// also where T is float and decides with its own when a solve ends.
template <class T>
struct QuarkOperator {
  using F = SpinorField<T>;

  /// Null where they were not made.
  std::shared_ptr<const Operator<F>> M = {};
  std::shared_ptr<const Solver<F>> solver = {};
  /// What solver.deflation took and saves; empty without.
  std::string deflation = {};
};

/// For fields of n_columns columns or, without a Schwarz preconditioner, some of these.  Collective.
template <class T>
QuarkOperator<T> quark_operator(const GaugeField<double>& gauge, const QuarkAction& action, const SolverChoice& choice,
                                int n_columns = 1);

}  // namespace kov::app
