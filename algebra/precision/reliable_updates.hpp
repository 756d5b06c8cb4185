// SPDX-License-Identifier: MIT
//
// ReliableUpdates: conjugate gradients or BiCGstab in low precision, whose residual is computed anew in high precision
// again and again, in one Krylov space.
#pragma once

#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/solver.hpp"
#include "kov/core/field/field.hpp"

#include <variant>

namespace kov {

/// Solves A x = b in high precision until |b_k - A x_k| <= tolerance |b_k| for every column k, where almost all work is
/// done in low precision: M. A. Clark et al., Comput. Phys. Commun. 181, 1517 (2010), after G. L. G. Sleijpen and
/// H. A. van der Vorst, Computing 56, 141 (1996).
///
/// Residual and directions of the recursion are in low precision, and so is the sum of its steps.  Where the residual
/// of a column has fallen below delta times its largest since the last time, that sum is added to x in high precision,
/// b - A x is computed there and replaces the column's residual; the directions stay, so that, other than after the
/// restarts of MixedPrecision, no part of the Krylov space is lost.  A smaller delta renews less often, which saves
/// applications of A; but between renewals the recursion's residual drifts away from the true one by about the low
/// precision times the largest residual, so delta should be well above it: 0.1 for 16 bits, 1e-2 to 1e-3 for float.
///
///     ReliableUpdates(WilsonOperator<float>(links, mass), BiCgStab{.tolerance = 1e-12})
///     ReliableUpdates<Fixed16>(WilsonOperator<float>(links, mass), BiCgStab{.tolerance = 1e-10}, 0.1)
///     ReliableUpdates<double>(M, ConjugateGradient{.tolerance = 1e-14}, 1e-5)    // residual replacement, one precision
///
/// Columns that low precision does not solve, because their true residuals no longer fall, are solved on in high
/// precision, and the report counts that as a precision switch.  Every column is a system of its own, as in
/// ConjugateGradient.  Tolerance, limit, failure and progress are taken from the solver, whose recursion it is;
/// iterations counts those of both precisions.
///
/// LowStorage, HighStorage: of spinors: Fixed16 (sites in lanes), float or double; Lanes: of the fields.
template <class LowStorage = float, class HighStorage = double, class Lanes = SiteLanes>
class ReliableUpdates {
 public:
  using Low = Field<Spinor, LowStorage, Lanes>;
  using High = Field<Spinor, HighStorage, Lanes>;
  using Recursion = std::variant<ConjugateGradient, BiCgStab>;

  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;
  double delta;

  /// low: A in low precision.
  ReliableUpdates(const Operator<Low>& low, const Recursion& solver, double delta_ = 0.1)
      : delta(delta_), low_(low), solver_(solver) {
    std::visit(
        [this](const auto& s) {
          tolerance = s.tolerance;
          max_iterations = s.max_iterations;
          on_failure = s.on_failure;
          progress = s.progress;
        },
        solver);
  }

  std::string name() const {
    return std::visit([](const auto& s) { return s.name(); }, solver_) + " with reliable updates";
  }
  /// Throws InputError unless delta is between 0 and 1.
  SolveReport operator()(const Operator<High>& A, const High& b, const High& x) const;

 private:
  Operator<Low> low_;
  Recursion solver_;
};

template <class A, class S, class... Delta>
ReliableUpdates(const A&, const S&, Delta...) -> ReliableUpdates<>;

}  // namespace kov
