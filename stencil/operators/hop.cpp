// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

#include <cstdlib>

namespace kov {

template <class Storage>
Hop<Storage>::Hop(const GaugeLinks<Storage>& links, const LinkForms& forms)
    : links_(links.with(forms)), halos_(lattice(), links.legs()) {
  const auto& legs = links.legs();
  bool fits = legs.size() == 8;
  for (std::size_t l = 0; fits && l < 8; ++l) {
    int reach = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) reach += std::abs(legs[l][mu]);
    fits = reach % 2 == 1 && legs[l][l / 2] == (l % 2 == 0 ? reach : -reach);
  }
  require(fits, "a hop needs links of eight straight legs, one each way in every direction and of odd length");
}

template class Hop<float>;
template class Hop<double>;
template class Hop<Links12<float>>;
template class Hop<Links12<double>>;

namespace detail {

template struct HopOn<float, SpinorField<float>>;
template struct HopOn<float, SpinorField<Fixed16>>;
template struct HopOn<float, SpinorField<float, ColumnLanes<4>>>;
template struct HopOn<float, SpinorField<float, ColumnLanes<8>>>;
template struct HopOn<float, SpinorField<float, ColumnLanes<16>>>;

}  // namespace detail

}  // namespace kov
