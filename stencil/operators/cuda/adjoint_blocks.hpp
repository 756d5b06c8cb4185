// SPDX-License-Identifier: MIT
//
// Private to adjoint_laplacian.cpp: the blocks of threads in which GPUs run it, and whether they unroll its legs.
#pragma once

#include "kov/core/lattice/site.hpp"
#include "kov/core/launch/thread_blocks.hpp"

#include <type_traits>

namespace kov::detail {

template <class Links, class In, class Out, class StencilView>
struct AdjointLaplacianKernel;

template <class Out>
concept HoldsDoubles = sizeof(typename Out::Real) == 8;

/// Of floats; those of doubles would need too many registers: see docs/performance.md.
template <class Site, class Out>
inline constexpr bool unrolls_adjoint_legs = std::is_same_v<Site, LaneSite> && !HoldsDoubles<Out>;

}  // namespace kov::detail
