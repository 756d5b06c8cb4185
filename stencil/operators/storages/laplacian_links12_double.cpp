// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/laplacian_impl.hpp"

namespace kov::detail {

#define KOV_INSTANTIATE(T, Lanes)                                        \
  template struct LaplacianOn<Links12<T>, Field<ColorVector, T, Lanes>>; \
  template struct LaplacianOn<Links12<T>, Field<Spinor, T, Lanes>>
KOV_FOR_LANES_OF_DOUBLES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov::detail
