// SPDX-License-Identifier: MIT
#include "kov/core/field/convert.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/site/unroll.hpp"

namespace kov::detail {

namespace {

/// On CPUs the outer sites of a block, one or two, as numbers of two in a block of floats share cache lines; on GPUs a
/// lane.  Of plain reals and lanes that are sites.
template <class S, class T>
struct ConvertBlocks {
  static constexpr int N = default_lanes, run = has_packs ? N : 1;
  static constexpr int in_outers = outers_of_block<SiteLanes, S>, out_outers = outers_of_block<SiteLanes, T>,
                       outers = in_outers > out_outers ? in_outers : out_outers;

  SiteBlocks<S> in;
  SiteBlocks<T> out;
  int begin, end, first_in, first_out, n, n_reals;

  /// How many there are of the outer sites from begin to end, which need not fill their first and last block.
  int n_items() const { return ((end - 1) / outers - begin / outers + 1) * (N / run); }

  KOKKOS_FUNCTION void operator()(int item) const {
    const int block = begin / outers + item / (N / run), lane = item % (N / run);
    if (outers == 1 || (block * outers >= begin && (block + 1) * outers <= end)) {
      convert<outers>(block * outers, lane);
    } else {
      for (int outer = block * outers; outer < (block + 1) * outers; ++outer)
        if (outer >= begin && outer < end) convert<1>(outer, lane);
    }
  }

 private:
  template <int n_outers>
  KOKKOS_FORCEINLINE_FUNCTION void convert(int outer, int lane) const {
    for (int c = 0; c < n; ++c) {
      const S* from[n_outers];
      T* to[n_outers];
      for (int o = 0; o < n_outers; ++o) {
        from[o] = in.address(outer + o, first_in + c) + (outer + o) % in_outers * N;
        to[o] = out.address(outer + o, first_out + c) + (outer + o) % out_outers * N;
      }
      for (int k = 0; k < n_reals; ++k)
        kov::unroll<n_outers>([&](auto o) {
          for (int l = 0; l < run; ++l)
            to[o][real_place(k, lane + l, out_outers * N)] = T(from[o][real_place(k, lane + l, in_outers * N)]);
        });
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
        !out_shape.has_column_order()) {
      const ConvertBlocks<S, T> kernel{in,       out,       range.first, range.first + range.n_outer,
                                       first_in, first_out, n,           in_shape.site.n_reals};
      return for_each_item("convert", kernel.n_items(), kernel, exec);
    }
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
