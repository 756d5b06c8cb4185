// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

template struct HopOn<Fixed16, SpinorField<Fixed16>>;
template struct HopOn<Links12<Fixed16>, SpinorField<Fixed16>>;
template struct HopOn<Links12<Fixed16>, SpinorField<Fixed8>>;
template struct HopOn<Links8<Fixed16>, SpinorField<Fixed16>>;

}  // namespace kov::detail
