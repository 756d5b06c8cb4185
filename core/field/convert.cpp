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
  int first_outer, first_in, first_out, n, n_reals;
  bool streaming;

  /// How many there are of n_outer outer sites, which fill whole blocks.
  static int n_items(int n_outer) { return has_packs ? n_outer / outers : n_outer * N; }

  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (has_packs)
      convert_block(first_outer + item * outers);
    else
      convert_lane(first_outer + item / N, item % N);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void convert_lane(int outer, int lane) const {
    for (int c = 0; c < n; ++c) {
      const S* const from = in.address(outer, first_in + c);
      T* const to = out.address(outer, first_out + c);
      for (int k = 0; k < n_reals; ++k) to[real_place(k, lane, N)] = T(from[real_place(k, lane, N)]);
    }
  }
  /// One outer site after the other: memory is slower by 40 % for loops that alternate between two addresses.  Where
  /// two sites share rows of out, the numbers of the first wait for those of the second.
  KOKKOS_FORCEINLINE_FUNCTION void convert_block(int outer) const {
    constexpr int most_waiting = 32, width = in_row == out_row ? in_row : N, n_parts = outers * N / width;
    constexpr bool join_rows = out_outers > in_outers;
    for (int c = 0; c < n; ++c)
      for (int first = 0; first < n_reals; first += most_waiting) {
        const int last = first + most_waiting < n_reals ? first + most_waiting : n_reals;
        [[maybe_unused]] Pack<T, N> waiting[join_rows ? most_waiting : 1];
        for (int part = 0; part < n_parts; ++part) {
          const S* const from = in.address(outer + part, first_in + c) + (in_outers > out_outers ? part * N : 0);
          T* const to = out.address(outer + part, first_out + c);
          for (int k = first; k < last; ++k) {
            const auto numbers = rounded_to<T>(Pack<S, width>::load(from + real_place(k, 0, in_row)));
            if constexpr (!join_rows)
              store(numbers, to + real_place(k, 0, out_row));
            else if (part == 0)
              waiting[k - first] = numbers;
            else
              store(join(waiting[k - first], numbers), to + real_place(k, 0, out_row));
          }
        }
      }
  }
  template <class Numbers>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Numbers& numbers, T* to) const {
    if (streaming)
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
      // In the third-level cache, too, the copy is there for whoever reads it next.
      const bool streaming = exceeds_third_cache(numbers * (sizeof(S) + sizeof(T)));
      using Kernel = ConvertBlocks<S, T>;
      return for_each_item("convert", Kernel::n_items(range.n_outer),
                           Kernel{in, out, range.first, first_in, first_out, n, n_reals, streaming}, exec);
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
