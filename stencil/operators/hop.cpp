// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov {

template <class Storage>
Hop<Storage>::Hop(const GaugeLinks<Storage>& links, const LinkForms& forms) : Hop(links, forms, std::nullopt) {}

template <class Storage>
Hop<Storage>::Hop(const GaugeLinks<Storage>& links, const LinkForms& forms, std::optional<ExchangeOptions::Wire> wire)
    : links_(links.with(forms)), halos_(lattice(), links.legs(), {.wire = wire}) {
  require(change_parity(links.legs()) && SpinProjection::fits(links.legs()),
          "a hop needs links of eight straight legs, one each way in every direction and of odd length");
}

template <class Storage>
Hop<Storage> Hop<Storage>::with_basis(SpinBasis basis) const {
  require(basis == SpinBasis::chiral || halos_.stencil().is_nearest(),
          "a hop over several links was asked for in the non-relativistic basis, which is for the nearest neighbours: "
          "leave it in the chiral one");
  Hop hop(*this);
  hop.basis_ = basis;
  return hop;
}

template class Hop<float>;
template class Hop<double>;
template class Hop<Links12<float>>;
template class Hop<Links12<double>>;
template class Hop<Links8<float>>;
template class Hop<Links8<double>>;
template class Hop<Fixed16>;
template class Hop<Links12<Fixed16>>;
template class Hop<Links8<Fixed16>>;

namespace detail {

#define KOV_INSTANTIATE(T, Lanes) template struct HopOn<T, SpinorField<T, Lanes>>
KOV_FOR_LANES_OF_FLOATS(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE
template struct HopOn<float, SpinorField<Fixed16>>;

}  // namespace detail

}  // namespace kov
