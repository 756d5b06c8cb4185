// SPDX-License-Identifier: MIT
//
// The worse of two deviations.
#pragma once

#include <cmath>

namespace kov {

/// The larger one; a NaN is worse than every number, and stays.
inline double worse(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace kov
