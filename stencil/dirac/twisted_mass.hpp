// SPDX-License-Identifier: MIT
//
// The twisted-mass operator M = 4 + m + i mu g5 - 1/2 H.
#pragma once

#include "kov/stencil/dirac/dirac_operator.hpp"
#include "kov/stencil/dirac/twisted_mass_term.hpp"

namespace kov {

/// One flavour of a twisted doublet; the other one has -mu, and g5 M(mu) g5 = M(-mu)^+.  For mu = 0 the Wilson
/// operator, bit for bit.  Storage: of the links.
template <class Storage>
class TwistedMassOperator : public DiracOperator<Storage, TwistedMassTerm> {
 public:
  /// The links include the boundary phases, and the factors of term.anisotropy: GaugeLinks(gauge,
  /// term.anisotropy.factors(boundary)).  forms: what the operator will be applied to besides full fields.
  TwistedMassOperator(const GaugeLinks<Storage>& links, const TwistedMassTerm& term, const LinkForms& forms = {})
      : DiracOperator<Storage, TwistedMassTerm>(Hop<Storage>(links, forms), term) {}

  /// The mass 1 / (2 kappa) - 4 and the twisted mass, in lattice units.
  double mass() const { return this->site_term().mass; }
  double mu() const { return this->site_term().mu; }
};

}  // namespace kov
