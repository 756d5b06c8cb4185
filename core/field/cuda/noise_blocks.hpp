// SPDX-License-Identifier: MIT
//
// Private to noise.cpp: the blocks of threads in which GPUs draw noise.
#pragma once

#include "kov/core/launch/thread_blocks.hpp"

namespace kov::detail {

template <template <class> class SiteT, class T>
struct NoiseKernel;

/// Small blocks of numbers that are stored as doubles: the last ones leave fewer multiprocessors idle.
template <template <class> class SiteT>
struct ThreadBlocks<NoiseKernel<SiteT, double>> : StatedBlocks<128, 8, false> {};

}  // namespace kov::detail
