// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

#if defined(KOKKOS_ENABLE_CUDA)
template struct HopOn<Links12<float>, SpinorField<float>, SpinBasis::nonrelativistic>;
template struct HopOn<Links12<double>, SpinorField<double>, SpinBasis::nonrelativistic>;
#endif

}  // namespace kov::detail
