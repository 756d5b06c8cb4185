// SPDX-License-Identifier: MIT
//
// The kernels of products of numbers in single precision whose products and sums are in double.
#include "kov/contractions/kernels/product_launch.hpp"

namespace kov::detail {

template void launch_wide_product_of(const ProductProblem<float>&, ProductTiling, const Exec&);
template void launch_wide_product_of(const ProductProblem<Complex<float>>&, ProductTiling, const Exec&);

}  // namespace kov::detail
