// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

#define KOV_INSTANTIATE(T, Lanes) template struct HopOn<Links12<T>, SpinorField<T, Lanes>>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE
template struct HopOn<Links12<float>, SpinorField<Fixed16>>;

}  // namespace kov::detail
