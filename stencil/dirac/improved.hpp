// SPDX-License-Identifier: MIT
//
// Dirac operators whose lattice artefacts begin at a higher order in the lattice spacing a than Wilson's.
#pragma once

#include "kov/stencil/dirac/dirac_operator.hpp"
#include "kov/stencil/dirac/improved_hop.hpp"

namespace kov {

/// M psi = (4 + m) psi - 1/2 H psi with an ImprovedHop H.  Storage: of the links, float or double.  M is m on constant
/// fields of a free theory if H's weights near.one + far.one = 1.
template <class Storage>
using ImprovedOperator = DiracOperator<Storage, MassTerm, ImprovedHop<Storage>>;

/// Hamber and Wu, Phys. Lett. B 133 (1983) 351, with r = 1: next-nearest neighbours remove the errors of order a and
/// a^2 of free quarks.  Free, at momentum p: m + sum over mu of i g_mu (4/3 sin p - 1/6 sin 2 p) + 2/3 (1 - cos p)^2.
template <class Storage, class T>
ImprovedOperator<Storage> hamber_wu_operator(const GaugeField<T>& gauge, double mass, const LegFactors& factors = {},
                                             const LinkForms& forms = {}) {
  return {ImprovedHop<Storage>(links_of_two_lengths<Storage>(gauge, 2, factors), {4. / 3, 4. / 3}, {-1. / 3, -1. / 6},
                               forms),
          MassTerm{mass}};
}

/// Wilson's operator with the derivative of Naik, Nucl. Phys. B 316 (1989) 238: legs of three links remove its error of
/// order a^2; the Wilson term stays.  Free, at momentum p: m + sum over mu of i g_mu (9/8 sin p - 1/24 sin 3 p) + 1 -
/// cos p.  As its hop changes parity, it has a SchurComplement.
template <class Storage, class T>
ImprovedOperator<Storage> naik_operator(const GaugeField<T>& gauge, double mass, const LegFactors& factors = {},
                                        const LinkForms& forms = {}) {
  return {ImprovedHop<Storage>(links_of_two_lengths<Storage>(gauge, 3, factors), {1, 9. / 8}, {0, -1. / 24}, forms),
          MassTerm{mass}};
}

}  // namespace kov
