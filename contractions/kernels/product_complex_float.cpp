// SPDX-License-Identifier: MIT
//
// The kernels of products of complex numbers in single precision.
#include "kov/contractions/kernels/product_launch.hpp"

namespace kov::detail {

template void launch_product_of(const ProductProblem<Complex<float>>&, ProductTiling, const Exec&, KernelResources*);

}  // namespace kov::detail
