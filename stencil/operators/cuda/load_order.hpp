// SPDX-License-Identifier: MIT
//
// Private to operators: the order in which GPUs load what the legs of a site need, since a thread has few registers for
// loads that are under way.
#pragma once

#include "kov/core/lattice/site.hpp"

#include <type_traits>

namespace kov::detail {

/// On a GPU, keeps the compiler from loading the data of later legs before it has used those of earlier ones, for which
/// a kernel that fills the registers has to wait (docs/performance.md).
KOKKOS_FORCEINLINE_FUNCTION void order_loads() {
#if defined(__CUDA_ARCH__)
  __syncwarp(__activemask());
#endif
}

/// On a GPU, begins a side of a branch: keeps the compiler from loading before the branch what both of its sides load
/// first, after which each side would begin with fewer loads under way (docs/performance.md).
KOKKOS_FORCEINLINE_FUNCTION void load_after_branch() {
#if defined(__CUDA_ARCH__)
  asm volatile("" ::: "memory");
#endif
}

/// Whether order_loads() comes before this leg of Wilson's hop: every fourth.
template <class Site>
constexpr bool hop_orders_loads(int leg) {
  return std::is_same_v<Site, LaneSite> && leg % 4 == 0;
}

/// Whether a step of the Laplacian loads the site's own value before the sum over its legs: a load that no branch
/// delays, where there are registers for it.  View: of the step's fields.
template <class Site, class View>
inline constexpr bool loads_site_first = std::is_same_v<Site, LaneSite>&& View::n_complex <= 3 && !View::holds_columns;

}  // namespace kov::detail
