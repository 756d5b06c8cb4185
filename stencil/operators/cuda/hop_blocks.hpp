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

/// Warps of one block have the same sites in several columns, and share their links: of eight columns, if they have as
/// few registers as floats can do with.  Others lose more by that than they gain.
template <class Out>
struct HopBlocks : StatedBlocks<128, hop_blocks<Out>, true> {};
template <class Out>
requires std::is_same_v<typename Out::Stored, float>
struct HopBlocks<Out> : StatedBlocks<128, hop_blocks<Out>, true> {
  using OfSeveral = StatedBlocks<256, 2, true>;
};

template <class Links, class In, class Out, class StencilView, SpinBasis basis, int sign, class Product>
struct ThreadBlocks<HopKernel<Links, In, Out, StencilView, basis, sign, Product>> : HopBlocks<Out> {};

}  // namespace kov::detail
