// SPDX-License-Identifier: MIT
//
// Smeared links: stout, APE and HYP.  Directions that take no part keep their links and lend no staples.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/gauge/staples.hpp"
#include "kov/stencil/gauge/trace_projection.hpp"

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

/// n steps U_mu -> g U_mu with the g in SU(3) that maximises Re tr g U_mu V^+, V = weight U_mu + sum of the staples
/// (Albanese et al., Phys. Lett. B 192 (1987) 163).  What links from a 32-bit file are off SU(3) by stays, as it does
/// in stout().
struct ApeSmearing {
  double weight = 2.5;
  int n = 1;
  Directions directions = space_directions;
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

/// n steps of hypercubic smearing (Hasenfratz and Knechtli, Phys. Rev. D 64 (2001) 034504, eqs. (1)-(3)): APE steps
/// inside the hypercubes at a link.  With S a set of directions other than mu,
///   V(mu; S) = project[(1 - a) U_mu + a / (2 |S|) sum of the staples, over nu in S, of V(mu; S without nu) carried
///   along V(nu; S without nu)],  V(mu; no directions) = U_mu,
/// and U_mu -> V(mu; all the other directions).  a is alpha3 where |S| = 1, alpha2 where it is 2 and alpha1 where it is
/// 3: three directions know alpha2 (outer) and alpha3 (inner) alone, as in Chroma.
struct HypSmearing {
  double alpha1 = 0.75, alpha2 = 0.6, alpha3 = 0.3;
  int n = 1;
  Directions directions = all_directions;
  TraceProjection projection = {};
};

/// Smeared copy.  Throws like ape().  Collective.  A step in four directions projects 28 links a site.
template <class T>
GaugeField<T> hyp(const GaugeField<T>& gauge, const HypSmearing& smearing);

namespace detail {
/// What all smearings ask of their parameters.
void require_smearing(double strength, const char* what, int n, const Directions& directions);
}  // namespace detail

}  // namespace kov
