// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

template struct HopOn<float, SpinorField<float>, SpinBasis::nonrelativistic>;
template struct HopOn<double, SpinorField<double>, SpinBasis::nonrelativistic>;

}  // namespace kov::detail
