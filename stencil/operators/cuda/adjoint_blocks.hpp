// SPDX-License-Identifier: MIT
//
// Private to adjoint_laplacian.cpp: the blocks of threads in which GPUs run it.
#pragma once

#include "kov/core/launch/thread_blocks.hpp"

namespace kov::detail {

template <class Links, class In, class Out, class StencilView>
struct AdjointLaplacianKernel;

template <class Out>
concept HoldsDoubles = sizeof(typename Out::Real) == 8;

/// Fewer registers than the compiler takes for doubles, so that three blocks are on a multiprocessor.
template <class Links, class In, HoldsDoubles Out, class StencilView>
struct ThreadBlocks<AdjointLaplacianKernel<Links, In, Out, StencilView>> : StatedBlocks<128, 3, false> {};

}  // namespace kov::detail
