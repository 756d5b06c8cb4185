// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

#define KOV_INSTANTIATE(T, Lanes) template struct HopOn<T, SpinorField<T, Lanes>>
KOV_FOR_LANES_OF_DOUBLES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov::detail
