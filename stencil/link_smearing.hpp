// SPDX-License-Identifier: MIT
//
// Smeared links: stout and APE.  Directions that take no part keep their links and lend no staples.
#pragma once

#include "kov/core/field.hpp"
#include "kov/stencil/staples.hpp"

namespace kov {

/// n steps U_mu -> exp(A) U_mu, A the traceless antihermitian part of rho C U_mu^+, C the sum of the staples
/// (Morningstar and Peardon, Phys. Rev. D 69 (2004) 054501, eqs. (1)-(4), one rho for all directions).
struct StoutSmearing {
  double rho = 0.1;
  int n = 1;
  Directions directions = space_directions;
};

/// Smeared copy.  Analytic in the links and gauge covariant.  Throws InputError for a rho that is not finite, a
/// negative n or fewer than two directions.  Collective.
template <class T>
GaugeField<T> stout(const GaugeField<T>& gauge, const StoutSmearing& smearing);

/// When the projection to SU(3) stops.  It goes through the SU(2) subgroups (0,1), (1,2), (0,2) of every link again and
/// again, starting from the old link, and raises Re tr U V^+ to the most that each can give.
struct TraceProjection {
  enum class Stop {
    /// Each link by itself, once its largest change in a sweep is a rounding: the maximum, gauge covariant.
    converged,
    /// All links of a direction together, once the volume average of Re tr U V^+ changes by less than `change`,
    /// relatively,
    /// in a sweep.  Chroma's rule (its BlkAccu, usually 1e-5): plaquettes differ from the converged ones by some 1e-6.
    average
  };
  Stop stop = Stop::converged;
  double change = 1e-5;
  int max_sweeps = 1000;
};

/// n steps U_mu -> g U_mu with the g in SU(3) that maximises Re tr g U_mu V^+, V = weight U_mu + sum of the staples
/// (Albanese et al., Phys. Lett. B 192 (1987) 163).  What links from a 32-bit file are off SU(3) by stays, as it does
/// in stout().
struct ApeSmearing {
  double weight = 2.5;
  int n = 1;
  Directions directions = space_directions;
  TraceProjection projection = {};
};

/// Smeared copy.  Throws InputError like stout(), ConvergenceError when max_sweeps were not enough for some link.
/// Collective.
template <class T>
GaugeField<T> ape(const GaugeField<T>& gauge, const ApeSmearing& smearing);

}  // namespace kov
