// SPDX-License-Identifier: MIT
//
// Private to hop*.cpp, here, in storages/ and in dirac/: how the hop is launched.  Each of the sources compiles the
// kernels for some storages of links, as there are too many kernels for one source.
#pragma once

#include "kov/stencil/operator_work.hpp"
#include "kov/stencil/operators/cuda/hop_blocks.hpp"
#include "kov/stencil/operators/hop.hpp"
#include "kov/stencil/operators/hop_shapes.hpp"
#include "kov/stencil/projected_neighbours.hpp"

namespace kov::detail {

/// Runs HopKernel with this product.
template <SpinBasis basis, StencilForms forms, class Storage, class F, class Product>
void run_hop(const Hop<Storage>& hop, const Product& product, double alpha, double beta, const F& in, const F& diagonal,
             const F& out, bool adjoint, const Exec& exec) {
  constexpr const char* name = !std::is_same_v<Product, NoProduct> ? "wilson_times_blocks"
                               : basis == SpinBasis::chiral        ? "wilson"
                                                                   : "wilson_nonrelativistic";
  require_hop_shapes(in, diagonal, out, hop.lattice());
  using T = typename F::Real;
  using Lanes = typename F::Lanes;
  using Compressor = SpinProjection;
  using Links = LinkView<Storage, link_lanes_t<Lanes>>;
  constexpr int product_bytes = Product::reals * sizeof(T);
  const bool streaming =
      worth_streaming(operator_bytes<Storage>(in, out, 8) +
                      std::size_t(out.range().n_outer) * std::size_t(out.layout().lanes() * product_bytes));
  const Links links = hop.links().template view<Lanes>(out.subset() != Subset::all);
  const bool reads_diagonal = alpha != 0 && diagonal.data() != in.data();
  // From one parity to the other no two sites share a link.
  count_operator(in, out, 1320 + (alpha != 0 ? 48 : 0) + Product::flops,
                 (out.subset() == Subset::all ? 4 : 8) * hop.links().part_read() * bytes_of_site<ColorMatrix, Storage> +
                     product_bytes,
                 reads_diagonal ? double(diagonal.bytes()) : 0);
  const auto launch = [&](auto sign) {
    run_stencil<forms, Compressor>(
        name, hop.halos(), in, out,
        [&](const auto& neighbours, const auto& stencil) {
          using Kernel = HopKernel<Links, std::decay_t<decltype(neighbours)>, typename F::View,
                                   std::decay_t<decltype(stencil)>, basis, decltype(sign)::value, Product>;
          return Kernel{stencil,  links,   neighbours,          diagonal.view(), out.view(), in.n_groups(),
                        T(alpha), T(beta), T(adjoint ? -1 : 1), streaming,       product};
        },
        {.codec = hop.links().codec(), .variant = Compressor::variant(adjoint, basis), .exec = exec});
  };
  if constexpr (basis == SpinBasis::chiral)
    launch(std::integral_constant<int, 0>{});
  else if (adjoint)
    launch(std::integral_constant<int, -1>{});
  else
    launch(std::integral_constant<int, +1>{});
}

template <class Storage, class F, SpinBasis basis>
void HopOn<Storage, F, basis>::combine(const Hop<Storage>& hop, double alpha, double beta, const F& in,
                                       const F& diagonal, const F& out, bool adjoint, const Exec& exec) {
  using Links = LinkView<Storage, link_lanes_t<typename F::Lanes>>;
  constexpr auto forms = basis == SpinBasis::chiral
                             ? forms_for<StencilForms::any_and_nearest_and_local, Links, typename F::View>
                             : StencilForms::nearest_and_local;
  run_hop<basis, forms>(hop, NoProduct{}, alpha, beta, in, diagonal, out, adjoint, exec);
}

}  // namespace kov::detail
