// SPDX-License-Identifier: MIT
//
// MixedPrecision: a solver in single precision, corrected until the residual in double is small.
#pragma once

#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"

#include <functional>

namespace kov {

namespace detail {
/// A solver whose call is a template.  LinearSolver<S, F> does not tell: fields seem to convert to each other.
template <class S, class F>
concept SolvesAnyFields = requires(const S& solver, const Operator<F>& A, const F& b, const F& x) {
  solver.template operator()<F>(A, b, x);
};
/// A solve for a correction: the tolerance, the limit of iterations, progress, r and e.
using SolveForCorrection =
    std::function<SolveReport(double, int, const ProgressCallback&, const Vector&, const Vector&)>;
/// Defect correction; low_r: memory for residuals in low precision; in_low, in_high: the solvers of both.
SolveReport correct_defects(SolveRun run, double tolerance, const Operator<Vector>& A, const Vector& b, const Vector& x,
                            const Vector& low_r, const SolveForCorrection& in_low, const SolveForCorrection& in_high);
}  // namespace detail

/// Solves A x = b in double, until |b - A x| <= tolerance |b|, where almost all work is done by another solver in
/// single precision (defect correction): r = b - A x; solve a e = r to a few digits; x = x + e; repeat.  An e that
/// makes the residual larger is not added.
///
/// Columns that single precision brings no further are corrected in double from there on, without the others, which the
/// report counts as a precision switch: where a solve for a correction ends without a digit, or corrections make the
/// true residual no smaller.  What fails in double too is a failure.  No solve in single precision takes more than half
/// of the iterations that are left.
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

  /// Of every solver, see LinearSolver.
  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;

  /// low: A in single precision; kept by value, which is cheap because operators are handles to shared memory.
  /// in_high: what goes on in double where `solver` is of no use in single precision.
  MixedPrecision(const Operator<Low>& low, const Solver<Low>& solver, const Solver<High>& in_high)
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        low_(low),
        solver_(solver),
        in_high_(in_high) {}
  /// The same solver goes on in double, where its call is a template for fields of any type.
  template <class S>
  requires(LinearSolver<S, Low>&& detail::SolvesAnyFields<S, High>)
      MixedPrecision(const Operator<Low>& low, const S& solver)
      : MixedPrecision(low, Solver<Low>(solver), Solver<High>(solver)) {}
  /// BiCGstab goes on in double.
  MixedPrecision(const Operator<Low>& low, const Solver<Low>& solver) : MixedPrecision(low, solver, BiCgStab{}) {}

  std::string name() const { return "mixed-precision " + solver_.name(); }
  SolveReport operator()(const Operator<High>& A, const High& b, const High& x) const {
    const Low low_r(b.lattice(), "residual", b.n_components(), b.subset());
    const auto with = []<class F>(const Solver<F>& solver, const Operator<F>& op) {
      return [&](double goal, int iterations_left, const ProgressCallback& inner_progress, const Vector& r,
                 const Vector& e) {
        return solver.within(goal, iterations_left, inner_progress)(op, r.as<F>(), e.as<F>());
      };
    };
    return detail::correct_defects(SolveRun(*this, b), tolerance, on_vectors(A), Vector(b), Vector(x), Vector(low_r),
                                   with(solver_, low_), with(in_high_, A));
  }

 private:
  Operator<Low> low_;
  Solver<Low> solver_;
  Solver<High> in_high_;
};

template <class A, class S, class... InHigh>
MixedPrecision(const A&, const S&, const InHigh&...) -> MixedPrecision<SiteLanes>;

}  // namespace kov
