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
class MixedPrecision {
 public:
  using Low = Field<Spinor, float>;
  using High = Field<Spinor, double>;

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

}  // namespace kov
