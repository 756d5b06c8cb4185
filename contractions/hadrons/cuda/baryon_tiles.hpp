// SPDX-License-Identifier: MIT
//
// Private to baryon_sums.cpp: how GPUs sum the numbers of baryons.
#pragma once

#include "kov/core/vectors/slice_sum.hpp"

namespace kov::detail {

template <class T>
struct BaryonKernel;

/// Its arrays are the views of the quarks.  Few numbers at a time, as those that are staged take most of the scratch
/// memory: four or three quarks of doubles at four sites, two at eight, or one at 16, take 36 KiB or less.
template <class T>
struct SliceSumTiles<BaryonKernel<T>> : StatedSliceSum<4, 64, true> {};

}  // namespace kov::detail
