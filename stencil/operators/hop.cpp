// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop.hpp"

#include <cstdlib>

namespace kov {

namespace {

template <class FieldT>
void require_shapes(const FieldT& in, const FieldT& diagonal, const FieldT& out, const Lattice& lattice) {
  require(in.lattice() == lattice && in.subset() == opposite(out.subset()) && diagonal.conforms(out), "the hop got",
          in.name(), ",", diagonal.name(), "and", out.name(),
          "whose lattices, parities or columns do not fit: the input needs all sites or the parity opposite to the "
          "output's");
  require(in.data() != out.data(), "the hop cannot work in place on", in.name(), ": give it two different fields");
  require(in.n_components() == out.n_components(), "the hop got", in.name(), "with", in.n_components(), "columns and",
          out.name(), "with", out.n_components(), ": give it as many of each");
}

}  // namespace

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

template <class Storage>
template <class S, class Lanes>
void Hop<Storage>::combine(double alpha, double beta, const SpinorField<S, Lanes>& in,
                           const SpinorField<S, Lanes>& diagonal, const SpinorField<S, Lanes>& out,
                           bool adjoint) const {
  require_shapes(in, diagonal, out, lattice());
  using F = SpinorField<S, Lanes>;
  using T = typename F::Real;
  using Compressor = hop_compressor_t<S>;
  using In = typename Halo<Spinor, S, Lanes, Compressor>::Neighbours;
  using Links = LinkView<Storage, link_lanes_t<Lanes>>;
  const Stencil& stencil = halos_.stencil<Lanes>();
  const bool streaming = worth_streaming(operator_bytes(in, out, 8));
  const Links links = links_.template view<Lanes>(out.subset() != Subset::all);
  const auto launch = [&](auto sign, const auto& neighbourhood) {
    using Kernel = HopKernel<Links, In, typename F::View, decltype(sign)::value, std::decay_t<decltype(neighbourhood)>>;
    run_stencil("wilson", stencil, halos_.halo<Compressor>(in), in, out,
                [&](const In& neighbours) {
                  return Kernel{neighbourhood, links,    neighbours, diagonal.view(), out.view(),
                                in.n_groups(), T(alpha), T(beta),    streaming};
                },
                {.codec = links_.codec(), .variant = adjoint ? SpinProjection::adjoint : SpinProjection::hop});
  };
  const auto launch_either = [&](const auto& neighbourhood) {
    if (adjoint)
      launch(std::integral_constant<int, -1>{}, neighbourhood);
    else
      launch(std::integral_constant<int, +1>{}, neighbourhood);
  };
  // One kernel for all legs where there is nothing to gain.
  constexpr bool plain = Codec<Spinor, S>::is_plain && Codec<ColorMatrix, Storage>::is_plain;
  if constexpr (has_packs) return launch_either(Stencil::NearestView{stencil.view()});
  if constexpr (!has_packs && plain)
    if (stencil.is_nearest()) return launch_either(stencil.nearest());
  if constexpr (!has_packs) launch_either(stencil.view());
}

template class Hop<float>;
template void Hop<float>::combine(double, double, const SpinorField<float>&, const SpinorField<float>&,
                                  const SpinorField<float>&, bool) const;
template void Hop<float>::combine(double, double, const SpinorField<Fixed16>&, const SpinorField<Fixed16>&,
                                  const SpinorField<Fixed16>&, bool) const;
template void Hop<float>::combine(double, double, const SpinorField<float, ColumnLanes<4>>&,
                                  const SpinorField<float, ColumnLanes<4>>&, const SpinorField<float, ColumnLanes<4>>&,
                                  bool) const;
template void Hop<float>::combine(double, double, const SpinorField<float, ColumnLanes<8>>&,
                                  const SpinorField<float, ColumnLanes<8>>&, const SpinorField<float, ColumnLanes<8>>&,
                                  bool) const;
template void Hop<float>::combine(double, double, const SpinorField<float, ColumnLanes<16>>&,
                                  const SpinorField<float, ColumnLanes<16>>&,
                                  const SpinorField<float, ColumnLanes<16>>&, bool) const;
template class Hop<double>;
template void Hop<double>::combine(double, double, const SpinorField<double>&, const SpinorField<double>&,
                                   const SpinorField<double>&, bool) const;
template void Hop<double>::combine(double, double, const SpinorField<double, ColumnLanes<4>>&,
                                   const SpinorField<double, ColumnLanes<4>>&,
                                   const SpinorField<double, ColumnLanes<4>>&, bool) const;
template void Hop<double>::combine(double, double, const SpinorField<double, ColumnLanes<8>>&,
                                   const SpinorField<double, ColumnLanes<8>>&,
                                   const SpinorField<double, ColumnLanes<8>>&, bool) const;
template class Hop<Links12<float>>;
template void Hop<Links12<float>>::combine(double, double, const SpinorField<float>&, const SpinorField<float>&,
                                           const SpinorField<float>&, bool) const;
template void Hop<Links12<float>>::combine(double, double, const SpinorField<Fixed16>&, const SpinorField<Fixed16>&,
                                           const SpinorField<Fixed16>&, bool) const;
template void Hop<Links12<float>>::combine(double, double, const SpinorField<float, ColumnLanes<4>>&,
                                           const SpinorField<float, ColumnLanes<4>>&,
                                           const SpinorField<float, ColumnLanes<4>>&, bool) const;
template void Hop<Links12<float>>::combine(double, double, const SpinorField<float, ColumnLanes<8>>&,
                                           const SpinorField<float, ColumnLanes<8>>&,
                                           const SpinorField<float, ColumnLanes<8>>&, bool) const;
template void Hop<Links12<float>>::combine(double, double, const SpinorField<float, ColumnLanes<16>>&,
                                           const SpinorField<float, ColumnLanes<16>>&,
                                           const SpinorField<float, ColumnLanes<16>>&, bool) const;
template class Hop<Links12<double>>;
template void Hop<Links12<double>>::combine(double, double, const SpinorField<double>&, const SpinorField<double>&,
                                            const SpinorField<double>&, bool) const;
template void Hop<Links12<double>>::combine(double, double, const SpinorField<double, ColumnLanes<4>>&,
                                            const SpinorField<double, ColumnLanes<4>>&,
                                            const SpinorField<double, ColumnLanes<4>>&, bool) const;
template void Hop<Links12<double>>::combine(double, double, const SpinorField<double, ColumnLanes<8>>&,
                                            const SpinorField<double, ColumnLanes<8>>&,
                                            const SpinorField<double, ColumnLanes<8>>&, bool) const;

}  // namespace kov
