// SPDX-License-Identifier: MIT
//
// Private to hops and site terms: products of a spinor with the Hermitian blocks of its site in kernels.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/site/hermitian_blocks.hpp"

#include <type_traits>

namespace kov::detail {

/// The packed numbers of the blocks at x, loaded where they are used; the same for all columns of a ColumnSite.
template <class Blocks, class Site>
struct ElementsAt {
  const Blocks& blocks;
  Site x;

  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int k) const {
    if constexpr (std::is_same_v<Site, ColumnSite>)
      return blocks.element(LaneSite{x.outer, 0}, 0, k);
    else
      return blocks.element(x, 0, k);
  }
};

/// What a hop's kernel does with the sum over the legs of a site before it adds the diagonal: nothing.  flops: of a
/// component; reals: read for all components.
struct NoProduct {
  static constexpr int flops = 0, reals = 0;
};

/// The same: multiplies it by the blocks of the site.
template <class Blocks>
struct TimesBlocks {
  static constexpr int flops = 504, reals = 72;

  Blocks blocks;

  template <class Site, class R>
  KOKKOS_FORCEINLINE_FUNCTION Spinor<R> operator()(Site x, const Spinor<R>& psi) const {
    Spinor<R> result;
    const ElementsAt<Blocks, Site> a{blocks, x};
    multiply_block<0>(a, psi.z, result.z);
    multiply_block<1>(a, psi.z + 6, result.z + 6);
    return result;
  }
  /// In kernels over packs or columns: prefetches the blocks of the next site of this parity, once for all columns.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_next(Site x, int c) const {
    if constexpr (!std::is_same_v<Site, LaneSite>)
      if (c == 0) blocks.prefetch(site_after(x).outer, 0);
  }
};

}  // namespace kov::detail
