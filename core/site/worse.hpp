// SPDX-License-Identifier: MIT
//
// The worst residual of several solves.
#pragma once

#include <cmath>

namespace kov::detail {

/// The larger one; a NaN is worse than every number.
inline double worst_residual(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace kov::detail
