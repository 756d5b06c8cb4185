// SPDX-License-Identifier: MIT
//
// Shared by operators that perform all their steps on one time slice after the other, each while it is in the caches of
// a CPU.  Not for users.
#pragma once

#include "kov/core/runtime/runtime.hpp"
#include "kov/stencil/operators/gauge_links.hpp"

#include <algorithm>

namespace kov::detail {

/// A thread works on as many components of a slice at a time as take at most slice_cache_bytes; a single component may
/// take up to slice_largest_bytes.
constexpr std::size_t slice_cache_bytes = std::size_t(3) << 20, slice_largest_bytes = std::size_t(24) << 20;

inline int outer_slice(const Layout& layout) {
  return layout.outer_extent()[0] * layout.outer_extent()[1] * layout.outer_extent()[2];
}

/// The bytes of a slice of one component.
template <template <class> class SiteT, class T>
std::size_t slice_bytes(const Field<SiteT, T>& field) {
  return std::size_t(outer_slice(field.layout())) * Field<SiteT, T>::View::block * sizeof(T);
}

/// As many components as fit into the cache with n_slices slices of each, but so few that every thread has several
/// tasks.
template <template <class> class SiteT, class T>
int components_at_once(const Field<SiteT, T>& field, int n_slices) {
  const std::size_t fit = slice_cache_bytes / (std::size_t(n_slices) * slice_bytes(field));
  int k = std::max(1, std::min(int(fit), field.n_components()));
  while (k > 1 && field.layout().outer_extent()[3] * (field.n_components() / k) < 4 * Runtime::threads()) --k;
  return k;
}

/// The six spatial neighbours of each site of a slice, with sites numbered lexicographically, the same for every slice;
/// and the outer sites of every slice.  For virtual nodes on one rank in space.
struct SliceTable {
  explicit SliceTable(const Layout& layout) {
    const Coord& box = layout.outer_extent();
    n = outer_slice(layout);
    std::vector<std::uint32_t> to(std::size_t(n) * 6);
    std::vector<int> where(std::size_t(n) * std::size_t(box[3]));
    for (int i = 0; i < n; ++i) {
      const Coord x = coordinate(i, {box[0], box[1], box[2], 1});
      for (int leg = 0; leg < 6; ++leg) {
        const int mu = leg / 2;
        Coord y = x;
        y[mu] += leg % 2 ? -1 : +1;
        const bool wraps = y[mu] < 0 || y[mu] >= box[mu];
        y[mu] = (y[mu] + box[mu]) % box[mu];
        to[std::size_t(i) * 6 + std::size_t(leg)] =
            std::uint32_t(lexicographic(y, box)) << 3 | std::uint32_t(wraps ? layout.lane_bit(mu) : 0);
      }
      for (int t = 0; t < box[3]; ++t)
        where[std::size_t(t) * std::size_t(n) + std::size_t(i)] = layout.outer_index({x[0], x[1], x[2], t});
    }
    neighbours = Buffer<std::uint32_t>("slice neighbours", to);
    outer = Buffer<int>("slice sites", where);
  }

  /// Made once per lattice.
  static const SliceTable& of(const Lattice& lattice) {
    return lattice.remember<SliceTable>(0, [&] { return SliceTable(lattice.layout()); });
  }

  int n;
  Buffer<std::uint32_t> neighbours;  // [site][leg]: site << 3 | lanes to exchange
  Buffer<int> outer;                 // [slice][site]
};

#if !defined(KOKKOS_ENABLE_CUDA)
/// Some components of a slice, in a field or in a buffer of its own.
template <template <class> class SiteT, class T>
class SliceView {
 public:
  using View = FieldView<SiteT, T>;
  using Value = SiteT<Pack<T, default_lanes>>;

  /// Component c here is `first` + c of the field.  sites: the outer sites of the slice, see SliceTable::outer.
  SliceView(const View& field, const int* sites, int first) : view_(field), sites_(sites), first_(first) {}
  /// A buffer of n sites.
  SliceView(T* buffer, int n, int n_components) : view_(buffer, 0, n_components) {
    view_.set_extents(n, n_components, "a buffer for slices");
  }

  T* address(int i, int c) const { return view_.address(outer(i), first_ + c); }
  Value operator()(int i, int c) const { return view_(PackSite{outer(i)}, first_ + c); }
  void set(int i, int c, const Value& v) const { view_.set(PackSite{outer(i)}, v, first_ + c); }

 private:
  int outer(int i) const { return sites_ ? sites_[i] : i; }

  View view_;
  const int* sites_ = nullptr;
  int first_ = 0;
};

/// sum += the six legs of component c of site i.  neighbours: of SliceTable; where: the outer sites of this slice;
/// crossings: of Stencil::of_space().
template <template <class> class SiteT, class T>
KOKKOS_FORCEINLINE_FUNCTION void add_slice_legs(SiteT<Pack<T, default_lanes>>& sum, const LinkView<T>& links,
                                                const SliceView<SiteT, T>& from, const std::uint32_t* neighbours,
                                                const std::uint8_t* crossings, const int* where, int i, int c) {
  using Neighbour = SiteInMemory<SiteT, T, default_lanes>;
  const PackSite x{where[i]};
  const std::uint8_t* const crossing = crossings + std::size_t(x.outer) * 6;
  for (int leg = 0; leg < 6; leg += 2) {
    const auto hop = [&](int l) {
      const std::uint32_t to = neighbours[i * 6 + l];
      return PackHop{int(to >> 3), int(to & 7), false, nullptr, crossing + l};
    };
    const PackHop ahead = hop(leg), behind = hop(leg + 1);
    PackHop behind_in_field = behind;
    behind_in_field.outer = where[behind.outer];
    color_multiply_add(sum, links.template of_leg<false>(x, ahead, leg),
                       Neighbour(from.address(ahead.outer, c), ahead.exchange));
    color_multiply_add(sum, links.template of_leg<true>(x, behind_in_field, leg + 1),
                       Neighbour(from.address(behind.outer, c), behind.exchange));
  }
}
#endif

}  // namespace kov::detail
