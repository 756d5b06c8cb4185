// SPDX-License-Identifier: MIT
//
// The kernels of products of real numbers.
#include "kov/contractions/kernels/product_launch.hpp"

namespace kov::detail {

template void launch_product_of(const ProductProblem<float>&, ProductTiling, const Exec&, KernelResources*);
template void launch_product_of(const ProductProblem<double>&, ProductTiling, const Exec&, KernelResources*);

}  // namespace kov::detail
