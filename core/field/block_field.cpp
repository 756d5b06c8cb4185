// SPDX-License-Identifier: MIT
#include "kov/core/field/block_field.hpp"

#include "kov/core/launch/for_each_site.hpp"

namespace kov {

namespace detail {

/// Copies one column between a block and a field, lane by lane: their site orders differ on CPUs.
template <template <class> class SiteT, class T, int W, bool into_block>
struct ColumnCopyKernel {
  FieldView<SiteT, T, default_lanes> column;
  BlockView<SiteT, T, W> block;
  Layout::View layout;
  int n_half_columns;  // outer sites of one parity in the column layout
  int k;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    LaneSite y = x;
    int component = k;
    if constexpr (has_packs) {
      const Coord c = layout.coordinate(x.outer, x.lane);
      const int p = (c[0] + c[1] + c[2] + c[3] + layout.origin_parity) & 1;
      const int lex = c[0] + layout.extent[0] * (c[1] + layout.extent[1] * (c[2] + layout.extent[2] * c[3]));
      y = {p * n_half_columns + lex / 2, k % W};
      component = k / W;
    }
    if constexpr (into_block)
      block.base().set(y, column(x), component);
    else
      column.set(x, block.base()(y, component));
  }
};

template <bool into_block, template <class> class SiteT, class T, int W>
void copy_column(const BlockField<SiteT, T, W>& block, int k, const Field<SiteT, T>& column) {
  require(k >= 0 && k < block.n_columns(), "column", k, "of", block.name(), "does not exist: it has",
          block.n_columns());
  require(block.lattice() == column.lattice() && block.subset() == column.subset() && column.n_components() == 1,
          column.name(), "is no column of", block.name(), ": it needs the same lattice and sites and one component");
  for_each_lane("copy_column", column.range(),
                ColumnCopyKernel<SiteT, T, W, into_block>{column.view(), block.view(), column.layout().view(),
                                                          block.layout().n_outer() / 2, k});
}

}  // namespace detail

template <template <class> class SiteT, class T, int W>
void BlockField<SiteT, T, W>::set_column(int k, const Field<SiteT, T>& column) const {
  detail::copy_column<true>(*this, k, column);
}

template <template <class> class SiteT, class T, int W>
void BlockField<SiteT, T, W>::get_column(int k, const Field<SiteT, T>& column) const {
  detail::copy_column<false>(*this, k, column);
}

template class BlockField<ColorVector, float, 4>;
template class BlockField<ColorVector, float, 8>;
template class BlockField<ColorVector, double, 4>;
template class BlockField<ColorVector, double, 8>;
template class BlockField<Spinor, float, 4>;
template class BlockField<Spinor, float, 8>;
template class BlockField<Spinor, float, 16>;
template class BlockField<Spinor, double, 4>;
template class BlockField<Spinor, double, 8>;
#if defined(KOKKOS_ENABLE_CUDA)
template class BlockField<ColorVector, float, 32>;
template class BlockField<ColorVector, double, 32>;
template class BlockField<Spinor, float, 32>;
template class BlockField<Spinor, double, 32>;
#endif

}  // namespace kov
