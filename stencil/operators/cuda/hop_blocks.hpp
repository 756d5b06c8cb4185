// SPDX-License-Identifier: MIT
//
// Private to hop*.cpp: the blocks of threads in which GPUs run the hop.
#pragma once

#include "kov/core/launch/thread_blocks.hpp"
#include "kov/stencil/operators/hop.hpp"

namespace kov::detail {

/// Blocks on a multiprocessor: more would leave too few registers for a spinor of doubles and its sum; with numbers in
/// 16 or 8 bits, whose loads are short, more threads hide more of their latency.
template <class Out>
inline constexpr int hop_blocks = sizeof(typename Out::Real) == 8 ? 2
                                  : Out::Codec::is_plain          ? 3
                                                                  : 5;

template <class Links, class In, class Out, class StencilView, SpinBasis basis, int sign>
struct ThreadBlocks<HopKernel<Links, In, Out, StencilView, basis, sign>> : StatedBlocks<128, hop_blocks<Out>, true> {};

}  // namespace kov::detail
