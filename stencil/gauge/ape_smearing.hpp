// SPDX-License-Identifier: MIT
//
// APE links.  Directions that are switched off keep their links and contribute no staples.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/gauge/staples.hpp"
#include "kov/stencil/gauge/trace_projection.hpp"

namespace kov {

/// n steps U_mu -> g U_mu with the g in SU(3) that maximises Re tr g U_mu V^+, V = weight U_mu + sum of the staples
/// (Albanese et al., Phys. Lett. B 192 (1987) 163).  The deviation from SU(3) of links from a 32-bit file stays as it
/// is, as in stout().
struct ApeSmearing {
  /// Of the old link beside the sum of the staples.
  double weight = 2.5;
  /// Steps.
  int n = 1;
  /// Of the links that are smeared, and of their staples.
  Directions directions = space_directions;
  /// How g is found.
  TraceProjection projection = {};

  /// The other convention: V = (1 - fraction) U_mu + fraction / (2 (d - 1)) sum of the staples in d directions, as MILC
  /// and most papers write it.  The projection knows no scale, so this is weight = 2 (d - 1) (1 - fraction) / fraction.
  /// Throws InputError for a fraction that is not positive or fewer than two directions.
  static ApeSmearing with_fraction(double fraction, int n = 1, const Directions& directions = space_directions);
};

/// Smeared copy.  Throws InputError like stout(), ConvergenceError when max_sweeps were not enough for some link.
/// Collective.
template <class T>
GaugeField<T> ape(const GaugeField<T>& gauge, const ApeSmearing& smearing);

}  // namespace kov
