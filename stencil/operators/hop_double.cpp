// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

#define KOV_INSTANTIATE(T, Lanes) template struct HopOn<T, SpinorField<T, Lanes>>
KOV_FOR_LANES_OF_DOUBLES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE
template struct HopOn<double, SpinorField<double>, SpinBasis::nonrelativistic>;
#if defined(KOKKOS_ENABLE_CUDA)  // here because this source has the fewest kernels
template struct HopOn<float, SpinorField<Fixed16>, SpinBasis::nonrelativistic>;
template struct HopOn<Links12<Fixed16>, SpinorField<Fixed16>, SpinBasis::nonrelativistic>;
#endif

}  // namespace kov::detail
