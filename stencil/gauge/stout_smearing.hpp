// SPDX-License-Identifier: MIT
//
// Stout links.  Directions that are switched off keep their links and contribute no staples.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/gauge/staples.hpp"

namespace kov {

/// n steps U_mu -> exp(A) U_mu, A the traceless antihermitian part of rho C U_mu^+, C the sum of the staples
/// (Morningstar and Peardon, Phys. Rev. D 69 (2004) 054501, eqs. (1)-(4), one rho for all directions).
struct StoutSmearing {
  double rho = 0.1;
  /// Steps.
  int n = 1;
  /// Of the links that are smeared, and of their staples.
  Directions directions = space_directions;
};

/// Smeared copy.  Analytic in the links and gauge covariant.  Throws InputError for a rho that is not finite, a
/// negative n or fewer than two directions.  Collective.
template <class T>
GaugeField<T> stout(const GaugeField<T>& gauge, const StoutSmearing& smearing);

}  // namespace kov
