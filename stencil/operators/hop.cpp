// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop.hpp"

#include "kov/stencil/launch.hpp"

namespace kov {

namespace {

template <class FieldT>
void require_shapes(const FieldT& in, const FieldT& diagonal, const FieldT& out, const Lattice& lattice) {
  require(in.lattice() == lattice && in.subset() == opposite(out.subset()) && diagonal.conforms(out), "the hop got",
          in.name(), ",", diagonal.name(), "and", out.name(),
          "whose lattices, parities or columns do not fit: the input needs all sites or the parity opposite to the "
          "output's");
  require(in.data() != out.data(), "the hop cannot work in place on", in.name(), ": give it two different fields");
}

}  // namespace

template <class T>
void Hop<T>::combine(double alpha, double beta, const SpinorField<T>& in, const SpinorField<T>& diagonal,
                     const SpinorField<T>& out, bool adjoint) const {
  require_shapes(in, diagonal, out, lattice());
  require(in.n_components() == out.n_components(), "the hop got", in.name(), "with", in.n_components(), "columns and",
          out.name(), "with", out.n_components(), ": give it as many of each");
  using In = NeighbourView<Spinor, T>;
  using Out = FieldView<Spinor, T>;
  const Stencil& stencil = Stencil::of(lattice());
  const int n = in.n_components();
  const bool streaming = worth_streaming(operator_bytes(in, out, 8));
  const auto launch = [&](auto sign) {
    using Kernel = HopKernel<LinkView<T>, In, Out, decltype(sign)::value>;
    run_stencil(
        "wilson", stencil, halo_for<Spinor, T>(stencil, lattice(), n), in, out, n,
        [&](const In& neighbours) {
          const LinkView<T> links = out.subset() == Subset::all ? links_.view() : links_.parity_view();
          return Kernel{stencil.nearest(), links,   neighbours, diagonal.view(), out.view(), n,
                        T(alpha),          T(beta), streaming};
        },
        links_.codec());
  };
  if (adjoint)
    launch(std::integral_constant<int, -1>{});
  else
    launch(std::integral_constant<int, +1>{});
}

template <class T>
template <int W>
void Hop<T>::combine(double alpha, double beta, const BlockField<Spinor, T, W>& in,
                     const BlockField<Spinor, T, W>& diagonal, const BlockField<Spinor, T, W>& out) const {
  require_shapes(in, diagonal, out, lattice());
  using In = BlockNeighbourView<Spinor, T, W>;
  using Out = BlockView<Spinor, T, W>;
  using Kernel = HopKernel<BlockLinkView<T>, In, Out, +1>;
  const Stencil& stencil = block_stencil(lattice());
  const bool streaming = worth_streaming(operator_bytes(in, out, 8));
  run_stencil<BlockSite>("wilson", stencil, block_halo_for<Spinor, T, W>(lattice(), in.n_columns()), in, out,
                         out.n_groups(), [&](const In& neighbours) {
                           return Kernel{stencil.nearest(), links_.block_view(), neighbours, diagonal.view(),
                                         out.view(),        out.n_groups(),      T(alpha),   T(beta),
                                         streaming};
                         });
}

template class Hop<float>;
template class Hop<double>;
template void Hop<float>::combine(double, double, const BlockField<Spinor, float, 4>&,
                                  const BlockField<Spinor, float, 4>&, const BlockField<Spinor, float, 4>&) const;
template void Hop<float>::combine(double, double, const BlockField<Spinor, float, 8>&,
                                  const BlockField<Spinor, float, 8>&, const BlockField<Spinor, float, 8>&) const;
template void Hop<float>::combine(double, double, const BlockField<Spinor, float, 16>&,
                                  const BlockField<Spinor, float, 16>&, const BlockField<Spinor, float, 16>&) const;
template void Hop<double>::combine(double, double, const BlockField<Spinor, double, 4>&,
                                   const BlockField<Spinor, double, 4>&, const BlockField<Spinor, double, 4>&) const;
template void Hop<double>::combine(double, double, const BlockField<Spinor, double, 8>&,
                                   const BlockField<Spinor, double, 8>&, const BlockField<Spinor, double, 8>&) const;
#if defined(KOKKOS_ENABLE_CUDA)
template void Hop<float>::combine(double, double, const BlockField<Spinor, float, 32>&,
                                  const BlockField<Spinor, float, 32>&, const BlockField<Spinor, float, 32>&) const;
template void Hop<double>::combine(double, double, const BlockField<Spinor, double, 32>&,
                                   const BlockField<Spinor, double, 32>&, const BlockField<Spinor, double, 32>&) const;
#endif

}  // namespace kov
