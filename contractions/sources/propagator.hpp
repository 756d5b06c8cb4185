// SPDX-License-Identifier: MIT
//
// Quark propagators: S = M^-1 source for 12 source columns, solved into the memory that contractions read.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/core/field/field.hpp"

#include <vector>

namespace kov {

/// 12 components: component 3 * source_spin + source_colour is a spinor in sink spin and colour.  No factors of kappa.
template <class T>
using Propagator = SpinorField<T>;

/// Called on every rank after each column, with the columns done so far out of 12.
using ColumnCallback = std::function<void(int columns_done, const SolveReport& column)>;

template <class T>
struct SolvedPropagator {
  Propagator<T> propagator;
  /// One for each column.
  std::vector<SolveReport> reports;

  int iterations() const;
  double seconds() const;
  /// The largest |source - M S| / |source| of the columns.
  double worst_residual() const;
};

/// S with M S = source, column by column.  solver: any LinearSolver, which throws or reports as it was told to; M: any
/// LinearOperator on SpinorField<T>; source: 12 components on all sites.  Throws InputError for other sources.
/// Collective.
///
/// solve_propagator(BiCgStab{.tolerance = 1e-12}, WilsonOperator<double>(links, mass), point_source<double>(lattice,
/// origin))
template <class T>
SolvedPropagator<T> solve_propagator(const std::type_identity_t<Solver<SpinorField<T>>>& solver,
                                     const AnyOperator<SpinorField<T>>& M, const Propagator<T>& source,
                                     const ColumnCallback& progress = {});

}  // namespace kov
