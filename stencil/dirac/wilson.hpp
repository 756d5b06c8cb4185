// SPDX-License-Identifier: MIT
//
// The Wilson operator M = (4 + m) - 1/2 H.
#pragma once

#include "kov/stencil/dirac/dirac_operator.hpp"

namespace kov {

/// Storage: of the links.
template <class Storage>
class WilsonOperator : public DiracOperator<Storage, MassTerm> {
 public:
  /// The links include the boundary phases: GaugeLinks(gauge, BoundaryAngles::antiperiodic_in_time()).  forms: what the
  /// operator will be applied to besides full fields.
  WilsonOperator(const GaugeLinks<Storage>& links, double mass, const LinkForms& forms = {})
      : WilsonOperator(links, MassTerm{mass}, forms) {}
  /// Anisotropic: links with the factors of the term's anisotropy, GaugeLinks(gauge, anisotropy.factors(boundary)).
  WilsonOperator(const GaugeLinks<Storage>& links, const MassTerm& term, const LinkForms& forms = {})
      : DiracOperator<Storage, MassTerm>(Hop<Storage>(links, forms), term) {}

  double mass() const { return this->site_term().mass; }
};

}  // namespace kov
