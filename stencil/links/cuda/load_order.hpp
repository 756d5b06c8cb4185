// SPDX-License-Identifier: MIT
//
// Private to operators: what GPUs load for the legs of a site, and in which order, since a thread has few registers for
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

/// The k-th of n_legs nearest neighbours that a thread reads, -t first, +t last: a block that walks through time then
/// reads the oldest data while they are still in the second-level cache.
constexpr int leg_in_turn(int k, int n_legs) { return n_legs == 8 ? (k + 7) % 8 : k; }

/// The k-th leg of Wilson's hop; View: of its result.
template <class Site, class View>
constexpr int hop_leg_in_turn(int k) {
  return std::is_same_v<Site, LaneSite> && !View::holds_columns ? leg_in_turn(k, 8) : k;
}

/// Whether order_loads() comes before this leg of Wilson's hop: every fourth.
template <class Site>
constexpr bool hop_orders_loads(int leg) {
  return std::is_same_v<Site, LaneSite> && leg % 4 == 0;
}

/// What Wilson's hop does on a leg in time whose matrix is 1: a thread of a GPU multiplies by it, but may load that of
/// the first site; packs and columns leave the product out.
template <class Site>
inline constexpr bool loads_unit_links = std::is_same_v<Site, LaneSite>;

/// Whether GPUs ask if the matrix is 1, and then load that of the first site, which all threads find in the first
/// cache.  Not for links of integers, Stored, whose kernels are limited by instructions.
template <class Stored>
inline constexpr bool asks_for_unit_links = !has_packs && std::is_floating_point_v<Stored>;

/// Whether a step of the Laplacian loads the site's own value before the sum over its legs: a load that no branch
/// delays, where there are registers for it.  View: of the step's fields.
template <class Site, class View>
inline constexpr bool loads_site_first = std::is_same_v<Site, LaneSite>&& View::n_complex <= 3 && !View::holds_columns;

}  // namespace kov::detail
