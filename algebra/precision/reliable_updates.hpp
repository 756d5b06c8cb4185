// SPDX-License-Identifier: MIT
//
// ReliableUpdates: conjugate gradients, also on normal equations, or BiCGstab in low precision, whose residual is
// computed anew in high precision again and again, in one Krylov space.
#pragma once

#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"

#include <type_traits>
#include <variant>

namespace kov {

namespace detail {
using Recursion = std::variant<ConjugateGradient, NormalConjugateGradient, BiCgStab>;
/// See ReliableUpdates; steps: of x, zero, in low precision.
SolveReport solve_with_renewals(SolveRun run, const Recursion& recursion, double tolerance, double delta,
                                const Operator<Vector>& low, const Operator<Vector>& A, const Vector& b,
                                const Vector& x, const Vector& steps);
}  // namespace detail

/// Solves A x = b in high precision until |b_k - A x_k| <= tolerance |b_k| for every column k, or of normal equations
/// |A^+ (b_k - A x_k)| <= tolerance |A^+ b_k|, where almost all work is done in low precision: M. A. Clark et al.,
/// Comput. Phys. Commun. 181, 1517 (2010), after G. L. G. Sleijpen and H. A. van der Vorst, Computing 56, 141 (1996).
///
/// Residual and directions of the recursion are in low precision, and so is the sum of its steps.  Where the residual
/// of a column has fallen below delta times its largest since the last time, that sum is added to x in high precision,
/// b - A x is computed there, of normal equations A^+ (b - A x), and replaces the column's residual; the directions
/// stay, so that, other than after the restarts of MixedPrecision, no part of the Krylov space is lost.  A smaller
/// delta renews less often, which saves applications of A; but between renewals the recursion's residual drifts away
/// from the true one, by the low precision times the largest residual and more near the critical mass, so delta should
/// be well above it.  A is applied to the packs of columns that are due, as fields of fewer columns, and so is the
/// operator in low precision to those that have not ended.  Columns have common turns for renewals, every eight
/// iterations; one that falls by delta^2, or whose last renewal found something else than the recursion, does not wait.
/// Nothing is renewed where low precision times the largest residual is below high precision times |b|: there the
/// recursion's residual is better than b - A x.  Where delta is not given, it is 0.1 for 16 bits, 1e-2 for float and
/// 1e-5 for double.
///
///     ReliableUpdates(WilsonOperator<float>(links, mass), BiCgStab{.tolerance = 1e-12})
///     ReliableUpdates<Fixed16>(WilsonOperator<float>(links, mass), BiCgStab{.tolerance = 1e-10}, 0.2)
///     ReliableUpdates(WilsonOperator<float>(links, mass), NormalConjugateGradient{.tolerance = 1e-12})
///     ReliableUpdates<double>(A, ConjugateGradient{.tolerance = 1e-14})  // residual replacement, one precision
///
/// Steps that make the true residual much larger are not added.  Columns whose true residuals low precision makes no
/// smaller are continued in high precision, which the report counts as a precision switch.  Every column is a system of
/// its own, as in ConjugateGradient, but in high precision all share the limit of iterations, which is what is left to
/// the column that has done least.  Tolerance, limit, failure and progress are taken from the solver, whose recursion
/// it is; iterations counts those of both precisions.
///
/// LowStorage, HighStorage: of spinors: Fixed16 (sites in lanes), float or double; Lanes: of the fields.
template <class LowStorage = float, class HighStorage = double, class Lanes = SiteLanes>
class ReliableUpdates {
  static_assert(!std::is_same_v<LowStorage, Fixed8>,
                "solvers have no iterations in 8 bits, which cost more of them than they save (docs/solvers.md): take "
                "Fixed16");

 public:
  using Low = Field<Spinor, LowStorage, Lanes>;
  using High = Field<Spinor, HighStorage, Lanes>;
  using Recursion = detail::Recursion;
  static constexpr double default_delta = std::is_same_v<LowStorage, Fixed16> ? 0.1
                                          : std::is_same_v<LowStorage, float> ? 1e-2
                                                                              : 1e-5;

  /// Of every solver, see LinearSolver.
  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;
  double delta;

  /// low: A in low precision.
  ReliableUpdates(const Operator<Low>& low, const Recursion& solver, double delta_ = default_delta)
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
  SolveReport operator()(const Operator<High>& A, const High& b, const High& x) const {
    const Low steps(b.lattice(), "steps", b.n_components(), b.subset());
    return detail::solve_with_renewals(SolveRun(*this, b), solver_, tolerance, delta, on_vectors(low_), on_vectors(A),
                                       Vector(b), Vector(x), Vector(steps));
  }

 private:
  Operator<Low> low_;
  Recursion solver_;
};

template <class A, class S, class... Delta>
ReliableUpdates(const A&, const S&, Delta...) -> ReliableUpdates<>;

}  // namespace kov
