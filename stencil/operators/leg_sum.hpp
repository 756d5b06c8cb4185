// SPDX-License-Identifier: MIT
//
// LegSum: what kernels of the Laplacian's kind share, the sum over the nearest neighbours of a site.
#pragma once

#include "kov/stencil/launch.hpp"
#include "kov/stencil/operators/link_view.hpp"

#include <utility>

namespace kov {

/// Sum over n_legs (six in space, eight in spacetime) of U_leg(x) in(x + leg).
///
/// Spinor, eight legs: 8 * 288 flops; 24 reals of memory traffic per site and component and 72 link reals per site
/// (blocks of columns on CPUs: 144), when neighbours come from cache.
template <class Links, class In, int n_legs, class StencilView = Stencil::NearestView>
struct LegSum {
  StencilView stencil;
  Links links;
  In in;
  int n_components;
  /// Whether packs stream through memory and want to be fetched before their turn.
  bool streaming;

  /// Adds that of component c to sum.
  template <class Site, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_to(Sum& sum, Site x, int c) const {
    add_all(sum, x, stencil.at(x), c, std::make_integer_sequence<int, n_legs>{});
  }

 private:
  template <class Sum, class Site, class Near, int... leg>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(Sum& sum, Site x, const Near& near, int c,
                                           std::integer_sequence<int, leg...>) const {
    if constexpr (std::is_same_v<Site, LaneSite>) {
      (add<leg_in_turn(leg, n_legs) % 2 == 1>(sum, x, near, leg_in_turn(leg, n_legs), c), ...);
    } else {
      // A loop keeps the code small, which is faster out of cache than eight copies.
      for (int l = 0; l < n_legs; l += 2) {
        add<false>(sum, x, near, l, c);
        add<true>(sum, x, near, l + 1, c);
      }
    }
  }
  template <bool is_backward, class Sum, class Site, class Near>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, Site x, const Near& near, int leg, int c) const {
    if (streaming) prefetch_next(stencil, near, links, in, x, leg, c, n_components);
    const auto hop = near(leg);
    color_multiply_add(sum, links.template of_leg<is_backward>(x, hop, leg), in.read(x, hop, c));
  }
};

}  // namespace kov
