// SPDX-License-Identifier: MIT
//
// Deflated: a solver with known eigenvectors.  It takes their part of the solution from them, and solves for the rest.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"

#include <vector>

namespace kov {

/// What given eigenvectors belong to.
enum class EigenvectorsOf {
  /// A itself, which is Hermitian.
  operator_itself,
  /// A^+ A: v_i are right singular vectors of A, and the eigenvalues are squares of its singular values.
  normal_operator
};

namespace detail {
/// Throws InputError where eigenvectors are not what Deflated takes.
void require_eigenvectors(const Vector& vectors, const std::vector<double>& eigenvalues);
/// x_k = x_k + sum over i of v_i (v_i^+ r_k) / lambda_i; see Deflated.  Returns the seconds.
double add_eigenvectors(const Vector& vectors, const std::vector<double>& eigenvalues, EigenvectorsOf of,
                        const Operator<Vector>& A, const Vector& b, const Vector& x);
}  // namespace detail

/// Solves A x = b by another solver that begins at x + sum over i of v_i (v_i^+ r) / lambda_i, where r = b - A x (of
/// the normal operator: A^+ r).  Then the part of the error in the space of the v_i is 0 up to their accuracy, and
/// conjugate gradients keep it so: they converge with the condition number of what is left.  With the lowest
/// eigenvectors this pays when many sources are solved for.
///
///     Deflated(v, lambda, ConjugateGradient{.tolerance = 1e-10})
///     Deflated(v, lambda, NormalConjugateGradient{}, EigenvectorsOf::normal_operator)
///
/// Every column of the sources is a system of its own if that is so for the solver, from which tolerance, limit,
/// failure and progress are taken.  2 m + 2 fields are read for the m vectors of a column, once a solve.
template <class F>
class Deflated {
 public:
  /// Of every solver, see LinearSolver.
  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;

  /// vectors: one a column, orthonormal, as exact as they are; on the sites of the fields to solve for.  eigenvalues:
  /// as many, from the lowest or in any order.  Throws InputError where their numbers differ, an eigenvalue is 0 or not
  /// finite, or the vectors are not orthonormal to 1e-3.
  Deflated(const F& vectors, const std::vector<double>& eigenvalues, const std::type_identity_t<Solver<F>>& solver,
           EigenvectorsOf of = EigenvectorsOf::operator_itself)
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        vectors_(vectors),
        eigenvalues_(eigenvalues),
        solver_(solver),
        of_(of) {
    detail::require_eigenvectors(vectors_, eigenvalues);
  }

  std::string name() const { return "deflated " + solver_.name(); }
  /// Throws InputError where the sites of b differ from those of the vectors.
  SolveReport operator()(const Operator<F>& A, const F& b, const F& x) const {
    const double seconds = detail::add_eigenvectors(vectors_, eigenvalues_, of_, on_vectors(A), Vector(b), Vector(x));
    SolveReport report = solver_.with_settings_of(*this)(A, b, x);
    report.solver = name();
    report.seconds += seconds;
    return report;
  }

 private:
  Vector vectors_;
  std::vector<double> eigenvalues_;
  Solver<F> solver_;
  EigenvectorsOf of_;
};

}  // namespace kov
