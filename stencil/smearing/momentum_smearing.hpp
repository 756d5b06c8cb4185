// SPDX-License-Identifier: MIT
//
// Momentum smearing: constant phases on the links move any smearing's profile from p = 0 to a chosen momentum (Bali,
// Lang, Musch and Schaefer, Phys. Rev. D 93 (2016) 094515, arXiv:1602.05525).
#pragma once

#include "kov/core/field/field.hpp"

#include <array>

namespace kov {

/// A copy of the gauge field with e^{-i k_j} U_j on the three spatial directions: make GaugeLinks of it, and every
/// smearing with them, F(-Laplacian) whatever F, has the profile F((p - k)^2) where links without phases have F(p^2).
/// On a delta at the origin that is e^{i k.x} times the unboosted shape, and its overlap with e^{i p.x} peaks at p = k.
///
/// k: radians per site, any real numbers: the phases are the same on every site, so nothing breaks at the boundary.
/// A quark that carries the share zeta of a hadron's momentum P gets k = zeta P; the source and the sink of a
/// propagator get the same k; the antiquark of a meson, which enters through gamma_5-hermiticity, gets -k.  Smear the
/// links (APE, stout) before: these are in U(3).  Throws InputError when k is not finite or gauge has not four
/// components.
template <class T>
GaugeField<T> phased_links(const GaugeField<T>& gauge, const std::array<double, 3>& k);

}  // namespace kov
