// SPDX-License-Identifier: MIT
#include "kov/core/field/convert.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/launch/streaming.hpp"

namespace kov::detail {

namespace {

/// On CPUs the outer sites of a block, one or two; on GPUs a lane.  Of plain reals and lanes that are sites.
template <class S, class T>
struct ConvertBlocks {
  static constexpr int N = default_lanes, in_outers = outers_of_block<SiteLanes, S>,
                       out_outers = outers_of_block<SiteLanes, T>,
                       outers = in_outers > out_outers ? in_outers : out_outers, in_row = in_outers * N,
                       out_row = out_outers * N;

  SiteBlocks<S> in;
  SiteBlocks<T> out;
  int begin, end, first_in, first_out, n, n_reals;
  bool streaming;

  /// How many there are of the outer sites from begin to end, which need not fill their first and last block.
  int n_items() const { return has_packs ? (end - 1) / outers - begin / outers + 1 : (end - begin) * N; }

  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (has_packs) {
      const int first = (begin / outers + item) * outers;
      if (outers == 1 || (first >= begin && first + outers <= end)) {
        convert_outers<outers>(first);
      } else {
        for (int outer = first; outer < first + outers; ++outer)
          if (outer >= begin && outer < end) convert_outers<1>(outer);
      }
    } else {
      convert_lane(begin + item / N, item % N);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void convert_lane(int outer, int lane) const {
    for (int c = 0; c < n; ++c) {
      const S* const from = in.address(outer, first_in + c);
      T* const to = out.address(outer, first_out + c);
      for (int k = 0; k < n_reals; ++k) to[real_place(k, lane, N)] = T(from[real_place(k, lane, N)]);
    }
  }
  /// One outer site after the other, as memory is slower by 40 % where two places are read or written in turns.  Where
  /// two share rows of out, the numbers of the first wait for those of the second.
  template <int n_outers>
  KOKKOS_FORCEINLINE_FUNCTION void convert_outers(int outer) const {
    constexpr int most_waiting = 32, width = in_row == out_row ? n_outers * N : N;
    constexpr bool join_rows = n_outers == 2 && out_outers > in_outers;
    for (int c = 0; c < n; ++c)
      for (int first = 0; first < n_reals; first += most_waiting) {
        const int last = first + most_waiting < n_reals ? first + most_waiting : n_reals;
        [[maybe_unused]] Pack<T, N> waiting[join_rows ? most_waiting : 1];
        for (int o = 0; o < n_outers * N / width; ++o) {
          const S* const from = in.address(outer + o, first_in + c) + (outer + o) % in_outers * N;
          T* const to = out.address(outer + o, first_out + c) + (join_rows ? 0 : (outer + o) % out_outers * N);
          for (int k = first; k < last; ++k) {
            const auto numbers = rounded_to<T>(Pack<S, width>::load(from + real_place(k, 0, in_row)));
            if constexpr (!join_rows)
              store(numbers, to + real_place(k, 0, out_row));
            else if (o == 0)
              waiting[k - first] = numbers;
            else
              store(join(waiting[k - first], numbers), to + real_place(k, 0, out_row));
          }
        }
      }
  }
  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Pack<T, width>& numbers, T* to) const {
    if (streaming && width == out_row)
      numbers.stream(to);
    else
      numbers.store(to);
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
      const int n_reals = in_shape.site.n_reals;
      const std::size_t numbers = std::size_t(range.n_outer) * default_lanes * std::size_t(n) * std::size_t(n_reals);
      const ConvertBlocks<S, T> kernel{in,
                                       out,
                                       range.first,
                                       range.first + range.n_outer,
                                       first_in,
                                       first_out,
                                       n,
                                       n_reals,
                                       worth_streaming(numbers * (sizeof(S) + sizeof(T)))};
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
