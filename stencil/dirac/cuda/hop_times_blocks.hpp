// SPDX-License-Identifier: MIT
//
// Private to hop_times_blocks.hpp: which hops multiply by blocks on GPUs.
#pragma once

namespace kov::detail {

/// Whether the hop of spinors F has such a kernel there.  None has: it would fill the registers of the hop, and a hop
/// of floats on several columns would spill some (docs/performance.md).
template <class F>
inline constexpr bool fuses_blocks_on_gpus = false;

}  // namespace kov::detail
