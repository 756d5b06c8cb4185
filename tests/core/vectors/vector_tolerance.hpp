// SPDX-License-Identifier: MIT
//
// How far vector algebra may be from the naive one in double.
#pragma once

#include <limits>

namespace kov::test {

/// The fields are made from arrays in double, so each number has half an eps of error before the algebra starts.
template <class T>
double vector_tolerance(double scale) {
  return 20 * std::numeric_limits<T>::epsilon() * scale;
}

}  // namespace kov::test
