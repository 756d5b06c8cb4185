// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/laplacian.hpp"

namespace kov {

namespace {

template <class FieldT>
void require_pair(const FieldT& in, const FieldT& out, const Lattice& lattice) {
  require(in.conforms(out) && in.lattice() == lattice, "the Laplacian got", in.name(), "and", out.name(),
          "which differ in lattice, sites or components, or from its links: give it two fields of one shape");
  require(in.subset() == Subset::all, "the Laplacian connects both parities, but", in.name(),
          "has one: pass a full field");
  require(in.data() != out.data(), "the Laplacian cannot work in place on", in.name(),
          ": give it two different fields");
}

}  // namespace

template <class Storage>
template <template <class> class SiteT, class S, class Lanes>
void CovariantLaplacian<Storage>::combine(double alpha, double beta, const Field<SiteT, S, Lanes>& in,
                                          const Field<SiteT, S, Lanes>& out) const {
  require_pair(in, out, lattice());
  using F = Field<SiteT, S, Lanes>;
  using T = typename F::Real;
  using In = typename Halo<SiteT, S, Lanes>::Neighbours;
  using Links = LinkView<Storage, link_lanes_t<Lanes>>;
  const Stencil& stencil = halos_.stencil<Lanes>();
  const bool streaming = worth_streaming(operator_bytes(in, out, 2 * int(dimensions_)));
  const Links links = links_.template view<Lanes>();
  const auto run = [&](auto n_legs, const auto& neighbourhood) {
    using Kernel = CovariantLaplacianKernel<Links, In, typename F::View, decltype(n_legs)::value,
                                            std::decay_t<decltype(neighbourhood)>>;
    run_stencil(
        "covariant_laplacian", stencil, halos_.halo(in), in, out,
        [&](const In& neighbours) {
          return Kernel{{neighbourhood, links, neighbours, in.n_groups(), streaming}, out.view(), T(alpha), T(beta)};
        },
        {.codec = links_.codec()});
  };
  const auto launch = [&](auto n_legs) {
    constexpr bool plain = Codec<SiteT, S>::is_plain && Codec<ColorMatrix, Storage>::is_plain;
    if constexpr (!has_packs && !Lanes::holds_columns && plain)
      if (!stencil.halo().any()) return run(n_legs, stencil.local());
    run(n_legs, stencil.nearest());
  };
  if (dimensions_ == Dimensions::spacetime)
    launch(std::integral_constant<int, 8>{});
  else
    launch(std::integral_constant<int, 6>{});
}

template class CovariantLaplacian<float>;
template void CovariantLaplacian<float>::combine(double, double, const Field<ColorVector, float>&,
                                                 const Field<ColorVector, float>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<ColorVector, Fixed16>&,
                                                 const Field<ColorVector, Fixed16>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<ColorVector, float, ColumnLanes<4>>&,
                                                 const Field<ColorVector, float, ColumnLanes<4>>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<ColorVector, float, ColumnLanes<8>>&,
                                                 const Field<ColorVector, float, ColumnLanes<8>>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<ColorVector, float, ColumnLanes<16>>&,
                                                 const Field<ColorVector, float, ColumnLanes<16>>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<Spinor, float>&,
                                                 const Field<Spinor, float>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<Spinor, Fixed16>&,
                                                 const Field<Spinor, Fixed16>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<Spinor, float, ColumnLanes<4>>&,
                                                 const Field<Spinor, float, ColumnLanes<4>>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<Spinor, float, ColumnLanes<8>>&,
                                                 const Field<Spinor, float, ColumnLanes<8>>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<Spinor, float, ColumnLanes<16>>&,
                                                 const Field<Spinor, float, ColumnLanes<16>>&) const;
template class CovariantLaplacian<double>;
template void CovariantLaplacian<double>::combine(double, double, const Field<ColorVector, double>&,
                                                  const Field<ColorVector, double>&) const;
template void CovariantLaplacian<double>::combine(double, double, const Field<ColorVector, double, ColumnLanes<4>>&,
                                                  const Field<ColorVector, double, ColumnLanes<4>>&) const;
template void CovariantLaplacian<double>::combine(double, double, const Field<ColorVector, double, ColumnLanes<8>>&,
                                                  const Field<ColorVector, double, ColumnLanes<8>>&) const;
template void CovariantLaplacian<double>::combine(double, double, const Field<Spinor, double>&,
                                                  const Field<Spinor, double>&) const;
template void CovariantLaplacian<double>::combine(double, double, const Field<Spinor, double, ColumnLanes<4>>&,
                                                  const Field<Spinor, double, ColumnLanes<4>>&) const;
template void CovariantLaplacian<double>::combine(double, double, const Field<Spinor, double, ColumnLanes<8>>&,
                                                  const Field<Spinor, double, ColumnLanes<8>>&) const;
template class CovariantLaplacian<Links12<float>>;
template void CovariantLaplacian<Links12<float>>::combine(double, double, const Field<ColorVector, float>&,
                                                          const Field<ColorVector, float>&) const;
template void CovariantLaplacian<Links12<float>>::combine(double, double, const Field<ColorVector, Fixed16>&,
                                                          const Field<ColorVector, Fixed16>&) const;
template void CovariantLaplacian<Links12<float>>::combine(double, double,
                                                          const Field<ColorVector, float, ColumnLanes<4>>&,
                                                          const Field<ColorVector, float, ColumnLanes<4>>&) const;
template void CovariantLaplacian<Links12<float>>::combine(double, double,
                                                          const Field<ColorVector, float, ColumnLanes<8>>&,
                                                          const Field<ColorVector, float, ColumnLanes<8>>&) const;
template void CovariantLaplacian<Links12<float>>::combine(double, double,
                                                          const Field<ColorVector, float, ColumnLanes<16>>&,
                                                          const Field<ColorVector, float, ColumnLanes<16>>&) const;
template void CovariantLaplacian<Links12<float>>::combine(double, double, const Field<Spinor, float>&,
                                                          const Field<Spinor, float>&) const;
template void CovariantLaplacian<Links12<float>>::combine(double, double, const Field<Spinor, Fixed16>&,
                                                          const Field<Spinor, Fixed16>&) const;
template void CovariantLaplacian<Links12<float>>::combine(double, double, const Field<Spinor, float, ColumnLanes<4>>&,
                                                          const Field<Spinor, float, ColumnLanes<4>>&) const;
template void CovariantLaplacian<Links12<float>>::combine(double, double, const Field<Spinor, float, ColumnLanes<8>>&,
                                                          const Field<Spinor, float, ColumnLanes<8>>&) const;
template void CovariantLaplacian<Links12<float>>::combine(double, double, const Field<Spinor, float, ColumnLanes<16>>&,
                                                          const Field<Spinor, float, ColumnLanes<16>>&) const;
template class CovariantLaplacian<Links12<double>>;
template void CovariantLaplacian<Links12<double>>::combine(double, double, const Field<ColorVector, double>&,
                                                           const Field<ColorVector, double>&) const;
template void CovariantLaplacian<Links12<double>>::combine(double, double,
                                                           const Field<ColorVector, double, ColumnLanes<4>>&,
                                                           const Field<ColorVector, double, ColumnLanes<4>>&) const;
template void CovariantLaplacian<Links12<double>>::combine(double, double,
                                                           const Field<ColorVector, double, ColumnLanes<8>>&,
                                                           const Field<ColorVector, double, ColumnLanes<8>>&) const;
template void CovariantLaplacian<Links12<double>>::combine(double, double, const Field<Spinor, double>&,
                                                           const Field<Spinor, double>&) const;
template void CovariantLaplacian<Links12<double>>::combine(double, double, const Field<Spinor, double, ColumnLanes<4>>&,
                                                           const Field<Spinor, double, ColumnLanes<4>>&) const;
template void CovariantLaplacian<Links12<double>>::combine(double, double, const Field<Spinor, double, ColumnLanes<8>>&,
                                                           const Field<Spinor, double, ColumnLanes<8>>&) const;

}  // namespace kov
