// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

template struct HopOn<Links8<float>, SpinorField<float>>;
template struct HopOn<Links8<float>, SpinorField<Fixed16>>;
template struct HopOn<Links8<double>, SpinorField<double>>;

}  // namespace kov::detail
