// SPDX-License-Identifier: MIT
//
// Private to clover_term.cpp: the blocks of threads in which GPUs run the clover term.
#pragma once

#include "kov/core/launch/thread_blocks.hpp"
#include "kov/core/site/spin_basis.hpp"

namespace kov::detail {

template <class Blocks, class View, SpinBasis basis>
struct CloverKernel;
template <class Blocks, class View, SpinBasis basis>
struct TwistedInverseKernel;

/// Registers for a spinor, its result and a few entries of the matrix.
template <class Blocks, class View, SpinBasis basis>
struct ThreadBlocks<CloverKernel<Blocks, View, basis>>
    : StatedBlocks<128, sizeof(typename View::Real) == 4 ? 6 : 3, false> {};
template <class Blocks, class View, SpinBasis basis>
struct ThreadBlocks<TwistedInverseKernel<Blocks, View, basis>>
    : StatedBlocks<128, sizeof(typename View::Real) == 4 ? 6 : 3, false> {};

}  // namespace kov::detail
