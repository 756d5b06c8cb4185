// SPDX-License-Identifier: MIT
//
// MixedPrecision: a solver in single precision, corrected until the residual in double is small.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/core/field/field.hpp"

namespace kov {

/// Solves A x = b in double, until |b - A x| <= tolerance |b|, where almost all work is done by another solver in
/// single precision (defect correction): r = b - A x; solve a e = r to a few digits; x = x + e; repeat.  An e that
/// makes the residual larger is not added, and ends the solve.
///
/// MixedPrecision(WilsonOperator<float>(links, mass), BiCgStab{.tolerance = 1e-12}) takes the tolerance, the limit (of
/// inner iterations) and what to do on failure from the inner solver.  Otherwise it is a solver like any other.
///
/// Every column is a system of its own: its r is scaled by its own norm, and it is 0 for the inner solver once it has
/// converged.  All columns share the tolerance of each inner solve, the smallest that one of them needs, so that the
/// last digits of a solution may depend on what is solved beside it; and the inner limit is what is left to the column
/// that has done least.
///
/// Lanes: of the fields; for columns in lanes MixedPrecision<ColumnLanes<8>>(low, solver).
template <class Lanes = SiteLanes>
class MixedPrecision {
 public:
  using Low = Field<Spinor, float, Lanes>;
  using High = Field<Spinor, double, Lanes>;

  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;

  /// low: A in single precision; kept by value, which is cheap because operators are handles to shared memory.
  MixedPrecision(const Operator<Low>& low, const Solver<Low>& solver)
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        low_(low),
        solver_(solver) {}

  std::string name() const { return "mixed-precision " + solver_.name(); }
  SolveReport operator()(const Operator<High>& A, const High& b, const High& x) const;

 private:
  Operator<Low> low_;
  Solver<Low> solver_;
};

template <class A, class S>
MixedPrecision(const A&, const S&) -> MixedPrecision<SiteLanes>;

}  // namespace kov
