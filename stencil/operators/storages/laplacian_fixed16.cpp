// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/laplacian_impl.hpp"

namespace kov::detail {

template struct LaplacianOn<float, Field<ColorVector, Fixed16>>;
template struct LaplacianOn<float, Field<Spinor, Fixed16>>;

}  // namespace kov::detail
