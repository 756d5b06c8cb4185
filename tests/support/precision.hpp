// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

namespace kov::test {

/// The unit that tolerances are given in.
template <class T>
inline constexpr double eps = std::numeric_limits<T>::epsilon();

}  // namespace kov::test
