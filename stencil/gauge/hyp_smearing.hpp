// SPDX-License-Identifier: MIT
//
// Hypercubic links.  Directions that are switched off keep their links and contribute no staples.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/gauge/staples.hpp"
#include "kov/stencil/gauge/trace_projection.hpp"

namespace kov {

/// n steps of hypercubic smearing (Hasenfratz and Knechtli, Phys. Rev. D 64 (2001) 034504, eqs. (1)-(3)): APE steps
/// inside the hypercubes at a link.  With S a set of directions other than mu,
///   V(mu; S) = project[(1 - a) U_mu + a / (2 |S|) sum of the staples, over nu in S, of V(mu; S without nu) carried
///   along V(nu; S without nu)],  V(mu; no directions) = U_mu,
/// and U_mu -> V(mu; all the other directions).  a is alpha3 where |S| = 1, alpha2 where it is 2 and alpha1 where it is
/// 3: with three directions only alpha2 (outer) and alpha3 (inner) are used, as in Chroma.
struct HypSmearing {
  double alpha1 = 0.75, alpha2 = 0.6, alpha3 = 0.3;
  /// Steps.
  int n = 1;
  /// Of the links that are smeared, and of their staples.
  Directions directions = all_directions;
  /// How every step projects.
  TraceProjection projection = {};
};

/// Smeared copy.  Throws like ape().  Collective.  A step in four directions projects 28 links a site.
template <class T>
GaugeField<T> hyp(const GaugeField<T>& gauge, const HypSmearing& smearing);

}  // namespace kov
