// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/laplacian_impl.hpp"

namespace kov::detail {

template struct LaplacianOn<Links12<float>, Field<ColorVector, Fixed16>>;
template struct LaplacianOn<Links12<float>, Field<Spinor, Fixed16>>;

}  // namespace kov::detail
