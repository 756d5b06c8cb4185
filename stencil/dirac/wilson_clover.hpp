// SPDX-License-Identifier: MIT
//
// The Wilson-clover operator, with a twisted mass where wanted.
#pragma once

#include "kov/stencil/dirac/clover_term.hpp"
#include "kov/stencil/dirac/dirac_operator.hpp"

namespace kov {

/// M = D - 1/2 H with D of CloverTerm.  For c_sw = mu = 0 the Wilson operator, bit for bit; with mu the twisted-clover
/// operator of one flavour, g5 M(mu) g5 = M(-mu)^+.  Storage: of the links.
template <class Storage>
class WilsonCloverOperator : public DiracOperator<Storage, CloverTerm<real_of_storage_t<ColorMatrix, Storage>>> {
 public:
  using Term = CloverTerm<real_of_storage_t<ColorMatrix, Storage>>;

  /// gauge: links in SU(3), without phases.  forms: what the operator will be applied to besides full fields.
  /// Collective.  Throws like CloverTerm.
  template <class S>
  WilsonCloverOperator(const GaugeField<S>& gauge, const BoundaryAngles& boundary, const CloverParameters& parameters,
                       const LinkForms& forms = {})
      : WilsonCloverOperator(GaugeLinks<Storage>(gauge, parameters.anisotropy.factors(boundary)),
                             Term(gauge, parameters), forms) {}
  /// links: those of the term, with the boundary phases and the factors of its anisotropy.
  WilsonCloverOperator(const GaugeLinks<Storage>& links, const Term& term, const LinkForms& forms = {})
      : DiracOperator<Storage, Term>(Hop<Storage>(links, forms), term.with(forms)) {}

  /// Those of its term.
  const CloverParameters& parameters() const { return this->site_term().parameters(); }
};

}  // namespace kov
