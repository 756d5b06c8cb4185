// SPDX-License-Identifier: MIT
//
// The Dirac operator of a quark and a solver for it, on fields with sites or columns in lanes.
#pragma once

#include "apps/quarks/quark_action.hpp"
#include "apps/quarks/solver_choice.hpp"
#include "kov/algebra/solver.hpp"
#include "kov/core/field/field.hpp"

#include <memory>
#include <string>
#include <type_traits>

namespace kov::app {

/// Of fields that hold all columns of a propagator: columns lie in the lanes of a CPU, sites in those of a GPU.  Twelve
/// columns fill packs of four; of those of eight a quarter would be spare.
using TogetherLanes = std::conditional_t<std::is_same_v<Kokkos::DefaultExecutionSpace::memory_space, Kokkos::HostSpace>,
                                         ColumnLanes<4>, SiteLanes>;

/// The Dirac operator of a quark on the links of a configuration, and the solver that its job asks for.  Residuals of
/// its reports, and of the message of a ConvergenceError, are those of an operator in double on the links as they are,
/// also where T is float and decides with its own when a solve ends.
template <class T, class Lanes>
struct QuarkOperator {
  using F = SpinorField<T, Lanes>;

  /// Null where they were not made.
  std::shared_ptr<const Operator<F>> M = {};
  std::shared_ptr<const Solver<F>> solver = {};
  /// What solver.deflation took and saves; empty without.
  std::string deflation = {};
};

/// For one column.  Collective.
template <class T>
QuarkOperator<T, SiteLanes> quark_operator(const GaugeField<double>& gauge, const QuarkAction& action,
                                           const SolverChoice& choice);
/// For all twelve at once, or another number of columns.  Collective.
template <class T>
QuarkOperator<T, TogetherLanes> quark_operator_together(const GaugeField<double>& gauge, const QuarkAction& action,
                                                        const SolverChoice& choice, int n_columns = 12);

}  // namespace kov::app
