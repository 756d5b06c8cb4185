// SPDX-License-Identifier: MIT
#include "kov/stencil/smearing/quark_smearing.hpp"

#include "kov/core/vectors/field_ops.hpp"

namespace kov {

template <class T>
QuarkSmearing<T>::QuarkSmearing(const GaugeLinks<T>& links, const SmearingShape& shape, const ProfileParameters& series,
                                const LinkForms& forms)
    : lattice_(links.lattice()) {
  if (const auto* wuppertal = std::get_if<WuppertalParameters>(&shape)) {
    smearing_ = WuppertalSmearing<T>(links, *wuppertal, forms);
  } else if (const auto* profile = std::get_if<RealFunction>(&shape)) {
    require(bool(*profile), "the profile of a smearing is an empty function: give F(p^2)");
    smearing_ = ProfileSmearing<T>(links, *profile, series, forms);
  }
}

template <class T>
const ChebyshevSeries* QuarkSmearing<T>::series() const {
  const auto* profile = std::get_if<ProfileSmearing<T>>(&smearing_);
  return profile ? &profile->series() : nullptr;
}

template <class T>
template <template <class> class SiteT, class Lanes>
void QuarkSmearing<T>::apply(const Field<SiteT, T, Lanes>& in, const Field<SiteT, T, Lanes>& out,
                             const Exec& exec) const {
  if (const auto* wuppertal = std::get_if<WuppertalSmearing<T>>(&smearing_)) return wuppertal->apply(in, out, exec);
  if (const auto* profile = std::get_if<ProfileSmearing<T>>(&smearing_)) return profile->apply(in, out, exec);
  require(in.conforms(out) && in.lattice() == lattice_ && in.subset() == Subset::all, "the smearing got", in.name(),
          "and", out.name(),
          "which differ in shape, have one parity only, or are on another lattice than its links: give it two full "
          "fields of one shape on that lattice");
  if (in.data() != out.data()) copy(in, out, exec);
}

template class QuarkSmearing<float>;
template class QuarkSmearing<double>;
#define KOV_INSTANTIATE(T, Lanes)                                                                                    \
  template void QuarkSmearing<T>::apply(const Field<ColorVector, T, Lanes>&, const Field<ColorVector, T, Lanes>&,    \
                                        const Exec&) const;                                                          \
  template void QuarkSmearing<T>::apply(const Field<Spinor, T, Lanes>&, const Field<Spinor, T, Lanes>&, const Exec&) \
      const
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov
