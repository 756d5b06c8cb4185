// SPDX-License-Identifier: MIT
#include "kov/stencil/dirac/hop_times_blocks.hpp"

#include "kov/stencil/operators/hermitian_product.hpp"
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

template <class Storage, class F>
void HopTimesBlocksOn<Storage, F>::combine(const Hop<Storage>& hop, const HermitianView<F>& blocks, double alpha,
                                           double beta, const F& in, const F& diagonal, const F& out, bool adjoint,
                                           const Exec& exec) {
  run_hop<SpinBasis::chiral, StencilForms::nearest_and_local>(hop, TimesBlocks<HermitianView<F>>{blocks}, alpha, beta,
                                                              in, diagonal, out, adjoint, exec);
}

template struct HopTimesBlocksOn<float, SpinorField<float>>;
template struct HopTimesBlocksOn<double, SpinorField<double>>;
template struct HopTimesBlocksOn<Links12<float>, SpinorField<float>>;
template struct HopTimesBlocksOn<Links12<double>, SpinorField<double>>;

}  // namespace kov::detail
