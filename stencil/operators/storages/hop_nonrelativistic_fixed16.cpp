// SPDX-License-Identifier: MIT
//
// Compiled for GPUs alone: see hops_nonrelativistic.
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

template struct HopOn<float, SpinorField<Fixed16>, SpinBasis::nonrelativistic>;
template struct HopOn<Links12<Fixed16>, SpinorField<Fixed16>, SpinBasis::nonrelativistic>;

}  // namespace kov::detail
