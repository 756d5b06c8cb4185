// SPDX-License-Identifier: MIT
//
// The Wilson operator M = (4 + m) - 1/2 H, the form with r = 1 of K. G. Wilson, "Quarks and strings on a lattice"
// (1977).
#pragma once

#include "kov/stencil/dirac/dirac_operator.hpp"

namespace kov {

/// (M psi)(x) = (4 + m) psi(x) - 1/2 sum over mu of [(1 - g_mu) U_mu(x) psi(x + mu) + (1 + g_mu) adj(U_mu(x - mu))
/// psi(x - mu)], in lattice units; normalised so that 2 kappa M = 1 - kappa H, m = 1 / (2 kappa) - 4.  Storage: of the
/// links.
template <class Storage>
class WilsonOperator : public DiracOperator<Storage, MassTerm> {
 public:
  /// mass: the bare mass m in lattice units, of either sign.  The links include the boundary phases:
  /// GaugeLinks(gauge, BoundaryAngles::antiperiodic_in_time()).  forms: what the operator will be applied to besides
  /// full fields.  Throws InputError for links whose legs are not those of a Hop.
  WilsonOperator(const GaugeLinks<Storage>& links, double mass, const LinkForms& forms = {})
      : WilsonOperator(links, MassTerm{mass}, forms) {}
  /// Anisotropic: links with the factors of the term's anisotropy, GaugeLinks(gauge, anisotropy.factors(boundary)).
  WilsonOperator(const GaugeLinks<Storage>& links, const MassTerm& term, const LinkForms& forms = {})
      : DiracOperator<Storage, MassTerm>(Hop<Storage>(links, forms), term) {}

  /// m
  double mass() const { return this->site_term().mass; }
};

}  // namespace kov
