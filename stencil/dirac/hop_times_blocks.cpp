// SPDX-License-Identifier: MIT
#include "kov/stencil/dirac/hop_times_blocks.hpp"

#include "kov/stencil/hermitian_product.hpp"
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

template <class Storage, class F>
void HopTimesBlocksOn<Storage, F>::combine(const Hop<Storage>& hop, const HermitianView<F>& blocks, double alpha,
                                           double beta, const F& in, const F& diagonal, const F& out, bool adjoint,
                                           const Exec& exec) {
  if constexpr (hops_times_blocks<Storage, F>())
    run_hop<SpinBasis::chiral, StencilForms::nearest_and_local>(hop, TimesBlocks<HermitianView<F>>{blocks}, alpha, beta,
                                                                in, diagonal, out, adjoint, exec);
}

#define KOV_INSTANTIATE(T, Lanes)                             \
  template struct HopTimesBlocksOn<T, SpinorField<T, Lanes>>; \
  template struct HopTimesBlocksOn<Links12<T>, SpinorField<T, Lanes>>
KOV_INSTANTIATE(float, SiteLanes);
KOV_INSTANTIATE(float, ColumnLanes<8>);
KOV_INSTANTIATE(float, ColumnLanes<16>);
KOV_INSTANTIATE(double, SiteLanes);
KOV_INSTANTIATE(double, ColumnLanes<8>);
#undef KOV_INSTANTIATE

}  // namespace kov::detail
