// SPDX-License-Identifier: MIT
//
// The larger of two numbers, where NaN counts as the largest.
#pragma once

#include <cmath>

namespace kov {

/// The larger one, or NaN if one of them is NaN.
inline double max_or_nan(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace kov
