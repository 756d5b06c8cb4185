// SPDX-License-Identifier: MIT
//
// Kernels that show every neighbour a halo brings.
#pragma once

#include "kov/core/field/site_map.hpp"
#include "kov/stencil/launch.hpp"
#include "tests/reference/gather.hpp"

#include <vector>

namespace kov::test {

/// out(x) = in(x + leg), component leg * n_components + c for component c.
template <template <class> class SiteT, class T>
struct AllLegs {
  Stencil::View stencil;
  NeighbourView<SiteT, T> in;
  FieldView<SiteT, T> out;
  int n_components;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int i) const {
    out.set(x, in(x, stencil.at(x)(i / n_components), i % n_components), i);
  }
};

/// out(x) = in(x + leg) for every column of a block.
template <template <class> class SiteT, class T, int W>
struct BlockLeg {
  Stencil::View stencil;
  BlockNeighbourView<SiteT, T, W> in;
  BlockView<SiteT, T, W> out;
  int leg;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int group) const {
    out.set(x, in(x, stencil.at(x)(leg), group), group);
  }
};

/// All neighbours, eight a component, that a halo brings, on every rank.  Collective.
template <template <class> class SiteT, class T>
reference::GlobalArray neighbours(const Field<SiteT, T>& in, const Stencil& stencil, const Halo<SiteT, T>& halo) {
  const int n = in.n_components();
  const Field<SiteT, T> out(in.lattice(), "out", 8 * n);
  for_each_site("neighbours", out.range(), 8 * n, AllLegs<SiteT, T>{stencil.view(), halo.exchange(in), out.view(), n});
  return reference::gather(out);
}

/// The same for blocks: of each leg, and there of each column.
template <template <class> class SiteT, class T, int W>
std::vector<reference::GlobalArray> neighbours(const BlockField<SiteT, T, W>& in, const BlockHalo<SiteT, T, W>& halo) {
  const Stencil& stencil = block_stencil(in.lattice());
  const auto out = in.like("out");
  const Field<SiteT, T> column(in.lattice(), "column");
  std::vector<reference::GlobalArray> all;
  for (int leg = 0; leg < 8; ++leg) {
    for_each_site<BlockSite>("block_neighbours", out.range(), out.n_groups(),
                             BlockLeg<SiteT, T, W>{stencil.view(), halo.exchange(in), out.view(), leg});
    for (int k = 0; k < in.n_columns(); ++k) {
      out.get_column(k, column);
      all.push_back(reference::gather(column));
    }
  }
  return all;
}

}  // namespace kov::test
