// SPDX-License-Identifier: MIT
//
// Private to baryon_sums.cpp: how GPUs sum the numbers of baryons.
#pragma once

#include "kov/core/vectors/slice_sum.hpp"

namespace kov::detail {

template <class T>
struct BaryonKernel;

/// Its arrays are the views of the quarks.
template <class T>
struct SliceSumTiles<BaryonKernel<T>> : StatedSliceSum<8, 64, true> {};

}  // namespace kov::detail
