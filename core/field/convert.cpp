// SPDX-License-Identifier: MIT
#include "kov/core/field/convert.hpp"

#include "kov/core/launch/for_each_site.hpp"

namespace kov::detail {

namespace {

/// A run of lanes of an outer site: all of them on CPUs, one on GPUs.  Of plain reals and lanes that are sites.
template <class S, class T>
struct ConvertBlocks {
  SiteBlocks<S> in;
  SiteBlocks<T> out;
  int first_outer, first_in, first_out, n, n_reals;

  KOKKOS_FUNCTION void operator()(int item) const {
    constexpr int N = default_lanes, run = has_packs ? N : 1;
    constexpr int in_outers = outers_of_block<SiteLanes, S>, out_outers = outers_of_block<SiteLanes, T>;
    const int outer = first_outer + item / (N / run), lane = item % (N / run);
    for (int c = 0; c < n; ++c) {
      const S* const from = in.address(outer, first_in + c) + outer % in_outers * N;
      T* const to = out.address(outer, first_out + c) + outer % out_outers * N;
      for (int k = 0; k < n_reals; ++k)
        for (int l = 0; l < run; ++l)
          to[real_place(k, lane + l, out_outers * N)] = T(from[real_place(k, lane + l, in_outers * N)]);
    }
  }
};

/// Copies site by site, for any two storages.
template <class S, class T>
struct ConvertSites {
  SiteBlocks<S> in;
  SiteBlocks<T> out;
  FieldShape in_shape, out_shape;
  Layout::View layout, columns;
  int first_in, first_out, n;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    const bool to_or_from_columns = in_shape.has_column_order() || out_shape.has_column_order();
    const int column = to_or_from_columns ? columns.even_odd_slot(layout.coordinate(x.outer, x.lane)) : 0;
    for (int c = 0; c < n; ++c) {
      const auto from = in.site(in_shape, in_shape.has_column_order() ? column : x.outer, x.lane, first_in + c);
      out.site(out_shape, out_shape.has_column_order() ? column : x.outer, x.lane, first_out + c).set([&](int k) {
        return from.get(k);
      });
    }
  }
};

bool is_plain(const SiteShape& shape) { return shape.stores_all() && shape.n_scale == 0; }

}  // namespace

template <class S, class T>
void convert_sites(const Lattice& lattice, const SiteBlocks<S>& in, const FieldShape& in_shape, int first_in,
                   const SiteBlocks<T>& out, const FieldShape& out_shape, int first_out, int n, const Exec& exec) {
  const SiteRange range = lattice.layout().range(in_shape.subset);
  if constexpr (std::is_floating_point_v<S> && std::is_floating_point_v<T>)
    if (is_plain(in_shape.site) && is_plain(out_shape.site) && !in_shape.has_column_order() &&
        !out_shape.has_column_order())
      return for_each_item("convert", range.n_outer * (has_packs ? 1 : default_lanes),
                           ConvertBlocks<S, T>{in, out, range.first, first_in, first_out, n, in_shape.site.n_reals},
                           exec);
  for_each_lane("convert", range,
                ConvertSites<S, T>{in, out, in_shape, out_shape, lattice.layout().view(),
                                   lattice.column_layout().view(), first_in, first_out, n},
                exec);
}

using Layouts = const Lattice&;
using Shape = const FieldShape&;
template <class S>
using Blocks = const SiteBlocks<S>&;
template void convert_sites(Layouts, Blocks<float>, Shape, int, Blocks<float>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<float>, Shape, int, Blocks<double>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<float>, Shape, int, Blocks<std::int16_t>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<double>, Shape, int, Blocks<float>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<double>, Shape, int, Blocks<double>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<double>, Shape, int, Blocks<std::int16_t>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<std::int16_t>, Shape, int, Blocks<float>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<std::int16_t>, Shape, int, Blocks<double>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<std::int16_t>, Shape, int, Blocks<std::int16_t>, Shape, int, int,
                            const Exec&);
template void convert_sites(Layouts, Blocks<float>, Shape, int, Blocks<std::int8_t>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<double>, Shape, int, Blocks<std::int8_t>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<std::int8_t>, Shape, int, Blocks<float>, Shape, int, int, const Exec&);
template void convert_sites(Layouts, Blocks<std::int8_t>, Shape, int, Blocks<double>, Shape, int, int, const Exec&);

}  // namespace kov::detail
