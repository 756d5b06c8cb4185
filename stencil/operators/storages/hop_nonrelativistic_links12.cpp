// SPDX-License-Identifier: MIT
//
// Compiled for GPUs alone: see hops_nonrelativistic.
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

template struct HopOn<Links12<float>, SpinorField<float>, SpinBasis::nonrelativistic>;
template struct HopOn<Links12<double>, SpinorField<double>, SpinBasis::nonrelativistic>;

}  // namespace kov::detail
