// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

#if defined(KOKKOS_ENABLE_CUDA)
template struct HopOn<float, SpinorField<Fixed16>, SpinBasis::nonrelativistic>;
template struct HopOn<Links12<Fixed16>, SpinorField<Fixed16>, SpinBasis::nonrelativistic>;
#endif

}  // namespace kov::detail
