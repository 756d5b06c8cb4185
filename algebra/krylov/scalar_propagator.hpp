// SPDX-License-Identifier: MIT
//
// The propagator of a scalar field in the fundamental representation, (-Laplacian + m^2)^-1.
#pragma once

#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/stencil/operators/laplacian.hpp"

namespace kov {

/// -Laplacian + m^2, Hermitian and, for m^2 > 0, positive; on unit links sum of 4 sin^2(p_mu / 2) + m^2.
template <class T>
class ScalarOperator {
 public:
  /// forms: {.columns = true} if it will be applied to columns in lanes.  Throws InputError unless mass_squared is a
  /// number, 0 or more.
  ScalarOperator(const GaugeLinks<T>& links, double mass_squared, Dimensions dimensions = Dimensions::spacetime,
                 const LinkForms& forms = {})
      : laplacian_(links, dimensions, forms), mass_squared_(mass_squared) {
    require(mass_squared >= 0 && mass_squared <= 1e300, "a squared mass of", mass_squared,
            "makes an operator that is not positive: give a number in lattice units, 0 or more");
  }

  /// Every component of a full field.  Asynchronous, ordered on exec.
  template <template <class> class SiteT, class Lanes>
  void apply(const Field<SiteT, T, Lanes>& in, const Field<SiteT, T, Lanes>& out, const Exec& exec = {}) const {
    laplacian_.combine(2 * int(laplacian_.dimensions()) + mass_squared_, -1, in, out, exec);
  }

  double mass_squared() const { return mass_squared_; }
  const Lattice& lattice() const { return laplacian_.lattice(); }

 private:
  CovariantLaplacian<T> laplacian_;
  double mass_squared_;
};

/// (-Laplacian + m^2) phi = source, by conjugate gradients.  phi holds the first guess; ColorVector or Spinor (four
/// independent spins), any number of components, each a system of its own.  The true residual is in the report.
/// Collective.  Throws like ConjugateGradient; a squared mass of 0 on unit links has no solution.
template <template <class> class SiteT, class T, class Lanes>
SolveReport solve_scalar(const ScalarOperator<T>& A, const Field<SiteT, T, Lanes>& source,
                         const Field<SiteT, T, Lanes>& phi, const ConjugateGradient& solver = {}) {
  return solver(A, source, phi);
}

}  // namespace kov
