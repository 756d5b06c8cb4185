// SPDX-License-Identifier: MIT
//
// Private to hop*.cpp: the blocks of threads in which GPUs run the hop.
#pragma once

#include "kov/core/launch/thread_blocks.hpp"
#include "kov/stencil/operators/hop.hpp"

namespace kov::detail {

/// More blocks on a multiprocessor would leave too few registers for a spinor of doubles and its sum.
template <class Links, class In, class Out, int sign, class StencilView>
struct ThreadBlocks<HopKernel<Links, In, Out, sign, StencilView>>
    : StatedBlocks<128, sizeof(typename Out::Real) == 4 ? 3 : 2, true> {};

}  // namespace kov::detail
