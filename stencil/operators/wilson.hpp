// SPDX-License-Identifier: MIT
//
// The Wilson operator M = (4 + m) - 1/2 H.
#pragma once

#include "kov/stencil/operators/dirac_operator.hpp"

namespace kov {

template <class T>
class WilsonOperator : public DiracOperator<T, MassTerm> {
 public:
  /// The links bring the boundary phases: GaugeLinks(gauge, BoundaryAngles::antiperiodic_in_time()).
  WilsonOperator(const GaugeLinks<T>& links, double mass) : DiracOperator<T, MassTerm>(Hop<T>(links), {mass}) {}

  double mass() const { return this->site_term().mass; }
};

}  // namespace kov
