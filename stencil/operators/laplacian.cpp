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

template <class T>
template <template <class> class SiteT>
void CovariantLaplacian<T>::combine(double alpha, double beta, const Field<SiteT, T>& in,
                                    const Field<SiteT, T>& out) const {
  require_pair(in, out, lattice());
  const bool with_t = dimensions_ == Dimensions::spacetime;
  const Stencil& stencil = with_t ? Stencil::of(lattice()) : Stencil::of_space(lattice());
  const int n = in.n_components();
  const bool streaming = worth_streaming(operator_bytes(in, out, 2 * int(dimensions_)));
  const auto run = [&](auto n_legs, const auto& view) {
    using In = NeighbourView<SiteT, T>;
    using Out = FieldView<SiteT, T>;
    using Kernel =
        CovariantLaplacianKernel<LinkView<T>, In, Out, decltype(n_legs)::value, std::decay_t<decltype(view)>>;
    run_stencil(
        "covariant_laplacian", stencil, halo_for<SiteT, T>(stencil, lattice(), n), in, out, n,
        [&](const In& neighbours) {
          return Kernel{{view, links_.view(), neighbours, n, streaming}, out.view(), T(alpha), T(beta)};
        },
        links_.codec());
  };
  const auto launch = [&](auto n_legs) {
    if constexpr (!has_packs)
      if (!stencil.halo().any()) return run(n_legs, stencil.local());
    run(n_legs, stencil.nearest());
  };
  if (with_t)
    launch(std::integral_constant<int, 8>{});
  else
    launch(std::integral_constant<int, 6>{});
}

template <class T>
template <template <class> class SiteT, int W>
void CovariantLaplacian<T>::combine(double alpha, double beta, const BlockField<SiteT, T, W>& in,
                                    const BlockField<SiteT, T, W>& out) const {
  require_pair(in, out, lattice());
  const bool with_t = dimensions_ == Dimensions::spacetime;
  const Stencil& stencil = block_stencil(lattice());
  const bool streaming = worth_streaming(operator_bytes(in, out, 2 * int(dimensions_)));
  const auto launch = [&](auto n_legs) {
    using In = BlockNeighbourView<SiteT, T, W>;
    using Out = BlockView<SiteT, T, W>;
    using Kernel = CovariantLaplacianKernel<BlockLinkView<T>, In, Out, decltype(n_legs)::value>;
    // The stencil of columns has all legs.
    run_stencil<BlockSite>(
        with_t ? "covariant_laplacian" : "spatial_laplacian", stencil,
        block_halo_for<SiteT, T, W>(lattice(), in.n_columns()), in, out, in.n_groups(), [&](const In& neighbours) {
          return Kernel{{stencil.nearest(), links_.block_view(), neighbours, in.n_groups(), streaming},
                        out.view(),
                        T(alpha),
                        T(beta)};
        });
  };
  if (with_t)
    launch(std::integral_constant<int, 8>{});
  else
    launch(std::integral_constant<int, 6>{});
}

template class CovariantLaplacian<float>;
template void CovariantLaplacian<float>::combine(double, double, const Field<ColorVector, float>&,
                                                 const Field<ColorVector, float>&) const;
template void CovariantLaplacian<float>::combine(double, double, const Field<Spinor, float>&,
                                                 const Field<Spinor, float>&) const;
template class CovariantLaplacian<double>;
template void CovariantLaplacian<double>::combine(double, double, const Field<ColorVector, double>&,
                                                  const Field<ColorVector, double>&) const;
template void CovariantLaplacian<double>::combine(double, double, const Field<Spinor, double>&,
                                                  const Field<Spinor, double>&) const;
template void CovariantLaplacian<float>::combine(double, double, const BlockField<ColorVector, float, 4>&,
                                                 const BlockField<ColorVector, float, 4>&) const;
template void CovariantLaplacian<float>::combine(double, double, const BlockField<ColorVector, float, 8>&,
                                                 const BlockField<ColorVector, float, 8>&) const;
template void CovariantLaplacian<double>::combine(double, double, const BlockField<ColorVector, double, 4>&,
                                                  const BlockField<ColorVector, double, 4>&) const;
template void CovariantLaplacian<double>::combine(double, double, const BlockField<ColorVector, double, 8>&,
                                                  const BlockField<ColorVector, double, 8>&) const;
template void CovariantLaplacian<float>::combine(double, double, const BlockField<Spinor, float, 4>&,
                                                 const BlockField<Spinor, float, 4>&) const;
template void CovariantLaplacian<float>::combine(double, double, const BlockField<Spinor, float, 8>&,
                                                 const BlockField<Spinor, float, 8>&) const;
template void CovariantLaplacian<float>::combine(double, double, const BlockField<Spinor, float, 16>&,
                                                 const BlockField<Spinor, float, 16>&) const;
template void CovariantLaplacian<double>::combine(double, double, const BlockField<Spinor, double, 4>&,
                                                  const BlockField<Spinor, double, 4>&) const;
template void CovariantLaplacian<double>::combine(double, double, const BlockField<Spinor, double, 8>&,
                                                  const BlockField<Spinor, double, 8>&) const;
#if defined(KOKKOS_ENABLE_CUDA)
template void CovariantLaplacian<float>::combine(double, double, const BlockField<ColorVector, float, 32>&,
                                                 const BlockField<ColorVector, float, 32>&) const;
template void CovariantLaplacian<double>::combine(double, double, const BlockField<ColorVector, double, 32>&,
                                                  const BlockField<ColorVector, double, 32>&) const;
template void CovariantLaplacian<float>::combine(double, double, const BlockField<Spinor, float, 32>&,
                                                 const BlockField<Spinor, float, 32>&) const;
template void CovariantLaplacian<double>::combine(double, double, const BlockField<Spinor, double, 32>&,
                                                  const BlockField<Spinor, double, 32>&) const;
#endif

}  // namespace kov
