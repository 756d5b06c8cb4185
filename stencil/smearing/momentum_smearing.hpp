// SPDX-License-Identifier: MIT
//
// Momentum smearing: constant phases on the links move any smearing's profile from p = 0 to a chosen momentum (Bali,
// Lang, Musch and Schaefer, Phys. Rev. D 93 (2016) 094515, arXiv:1602.05525).
#pragma once

#include "kov/stencil/links/leg_factors.hpp"

#include <array>

namespace kov {

/// The factors e^{-i k_j} of the three spatial directions, for GaugeLinks(gauge, momentum_factors(k)): every smearing
/// with them, F(-Laplacian) whatever F, has the profile F((p - k)^2) where links without factors have F(p^2).  On a
/// delta at the origin that is e^{i k.x} times the unboosted shape, and its overlap with e^{i p.x} peaks at p = k.
///
/// k: radians per site, any real numbers: the phases are the same on every site, so nothing breaks at the boundary.
/// A quark that carries the share zeta of a hadron's momentum P gets k = zeta P; the source and the sink of a
/// propagator get the same k; the antiquark of a meson, which enters through gamma_5-hermiticity, gets -k.  Throws
/// InputError when k is not finite.
LegFactors momentum_factors(const std::array<double, 3>& k);

}  // namespace kov
