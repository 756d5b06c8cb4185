// SPDX-License-Identifier: MIT
//
// Private to shift.cpp: the blocks of threads in which GPUs take covariant derivatives.
#pragma once

#include "kov/core/launch/thread_blocks.hpp"

namespace kov::detail {

template <class Links, class In, class Out>
struct CovariantDerivativeKernel;

template <class Out>
concept HoldsFloats = sizeof(typename Out::Real) == 4;

/// More threads than registers for the loads of both legs would allow: docs/performance.md.
template <class Links, class In, HoldsFloats Out>
struct ThreadBlocks<CovariantDerivativeKernel<Links, In, Out>> : StatedBlocks<128, 6, true> {};

}  // namespace kov::detail
