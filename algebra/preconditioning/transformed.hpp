// SPDX-License-Identifier: MIT
//
// Transformed: a solver that works on a unitarily equivalent operator, such as one in temporal gauge or in another
// basis of spin.
#pragma once

#include "kov/algebra/solve_run.hpp"
#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"
#include "kov/core/field/field.hpp"

#include <functional>
#include <string>

namespace kov {

template <class T>
class QuarkTransformation;

namespace detail {
/// A solve of the equivalent system: the tolerance, the limit of iterations, progress, the source and the solution.
using TransformedSolve =
    std::function<SolveReport(double, int, const ProgressCallback&, const Vector& source, const Vector& x)>;
SolveReport solve_transformed(SolveRun run, double tolerance, const Operator<Vector>& unitary,
                              const Operator<Vector>& A, const Vector& b, const Vector& x,
                              const TransformedSolve& solve);
}  // namespace detail

/// Solves A x = b, until |b - A x| <= tolerance |b|, through another solver for B = V A V^+ with a unitary V: B y = V
/// b, x = V^+ y.  In temporal gauge, where B takes less time than A:
///
///     const TemporalGauge<double> temporal = in_temporal_gauge(gauge);
///     const WilsonOperator<double> A(GaugeLinks<double>(gauge, boundary), mass),
///         B(GaugeLinks<double>(temporal.links, temporal.factors(boundary)), mass);
///     Transformed(QuarkTransformation<double>(temporal.transformation), B, EvenOdd(B, BiCgStab{}))(A, b, x);
///
/// or in the non-relativistic basis of spin, where V = QuarkTransformation<double>(lattice, basis) and B =
/// A.with_basis(basis), or in both.
///
/// True residuals are of A: once at the start and once at the end, if B is V A V^+ to better than the tolerance.
/// Tolerance, limit, failure and progress are taken from the inner solver.  Every column is a system of its own; all
/// share the tolerance and the limit of each inner solve, as in MixedPrecision.
template <class F>
class Transformed {
 public:
  /// Of every solver, see LinearSolver.
  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;

  /// unitary: V, with its adjoint; transformed: B.  Throws InputError for a V without adjoint.
  Transformed(const Operator<F>& unitary, const std::type_identity_t<Operator<F>>& transformed,
              const std::type_identity_t<Solver<F>>& solver)
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        unitary_(on_vectors(unitary)),
        transformed_(transformed),
        solver_(solver) {
    require(unitary.has_adjoint(),
            "a transformation without apply_adjoint() was given to a solver, which needs the "
            "adjoint for the way back: give it one");
  }

  std::string name() const { return "transformed " + solver_.name(); }
  SolveReport operator()(const Operator<F>& A, const F& b, const F& x) const {
    return detail::solve_transformed(SolveRun(*this, b), tolerance, unitary_, on_vectors(A), Vector(b), Vector(x),
                                     [this](double goal, int iterations_left, const ProgressCallback& inner_progress,
                                            const Vector& source, const Vector& y) {
                                       return solver_.within(goal, iterations_left, inner_progress)(
                                           transformed_, source.as<F>(), y.as<F>());
                                     });
  }

 private:
  Operator<Vector> unitary_;
  Operator<F> transformed_;
  Solver<F> solver_;
};

template <class T, class B, class S>
Transformed(const QuarkTransformation<T>&, const B&, const S&) -> Transformed<SpinorField<T>>;

}  // namespace kov
