// SPDX-License-Identifier: MIT
//
// Kernels that copy every neighbour into components of a field.
#pragma once

#include "kov/core/field/convert.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
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

/// out(x) = in(x + leg) for every column.
template <template <class> class SiteT, class T, class Lanes>
struct ColumnsLeg {
  Stencil::View stencil;
  NeighbourView<SiteT, T, kernel_lanes_t<Lanes>> in;
  FieldView<SiteT, T, kernel_lanes_t<Lanes>> out;
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

/// The same for columns in lanes: of each leg, and there of each column.
template <template <class> class SiteT, class T, int W>
std::vector<reference::GlobalArray> neighbours(const Field<SiteT, T, ColumnLanes<W>>& in,
                                               const Halo<SiteT, T, ColumnLanes<W>>& halo) {
  using Lanes = ColumnLanes<W>;
  const Stencil& stencil = stencil_of<Lanes>(in.lattice());
  const auto out = in.like("out");
  const Field<SiteT, T> column(in.lattice(), "column");
  std::vector<reference::GlobalArray> all;
  for (int leg = 0; leg < 8; ++leg) {
    for_each_site<Lanes>("column_neighbours", out.range(), out.n_groups(),
                         ColumnsLeg<SiteT, T, Lanes>{stencil.view(), halo.exchange(in), out.view(), leg});
    for (int k = 0; k < in.n_components(); ++k) {
      copy_components(out, k, column, 0, 1);
      all.push_back(reference::gather(column));
    }
  }
  return all;
}

}  // namespace kov::test
