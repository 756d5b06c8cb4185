// SPDX-License-Identifier: MIT
//
// Shared by operators that perform all their steps on one time slice after the other, each while it is in the caches of
// a CPU.  Not for users.
#pragma once

#include "kov/core/runtime/runtime.hpp"
#include "kov/stencil/links/gauge_links.hpp"
#include "kov/stencil/links/links_at.hpp"

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
  using View = typename Field<SiteT, T>::View;
  return std::size_t(outer_slice(field.layout()) / View::outers) * View::block * sizeof(T);
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

#if !defined(KOKKOS_ENABLE_CUDA)
/// The six spatial neighbours of each site of a slice, with sites numbered lexicographically, pair by pair, the same
/// for every slice; and where these numbers lie in fields.  For virtual nodes on one rank in space, whose packs lie on
/// one slice of virtual nodes each.
struct SliceNeighbours {
  explicit SliceNeighbours(const Layout& layout) {
    const Coord& box = layout.outer_extent();
    const int along = layout.pair_direction();
    has_pairs = 0 <= along && along < 3;
    Coord first_box{box[0], box[1], box[2], 1};  // of the first sites of pairs
    if (has_pairs) first_box[along] /= 2;
    const auto number = [&](Coord x) {
      if (!has_pairs) return int(lexicographic(x, first_box));
      const int upper = x[along] / first_box[along];
      x[along] %= first_box[along];
      return 2 * int(lexicographic(x, first_box)) + upper;
    };
    n = outer_slice(layout);
    std::vector<std::uint32_t> to(std::size_t(n) * 6);
    std::vector<int> where(std::size_t(n) * std::size_t(box[3]));
    for (int k = 0; k < n; ++k) {
      const Coord x = coordinate(k, {box[0], box[1], box[2], 1});
      const int i = number(x);
      for (int leg = 0; leg < 6; ++leg) {
        const int mu = leg / 2;
        Coord y = x;
        y[mu] += leg % 2 ? -1 : +1;
        const bool wraps = y[mu] < 0 || y[mu] >= box[mu];
        y[mu] = (y[mu] + box[mu]) % box[mu];
        to[std::size_t(i) * 6 + std::size_t(leg)] =
            std::uint32_t(number(y)) << 3 | std::uint32_t(wraps ? layout.lane_bit(mu) : 0);
      }
      for (int t = 0; t < box[3]; ++t)
        where[std::size_t(t) * std::size_t(n) + std::size_t(i)] = layout.outer_index({x[0], x[1], x[2], t});
    }
    neighbours = Buffer<std::uint32_t>("slice neighbours", to);
    if (has_pairs) {
      std::vector<std::uint64_t> of_pairs(to.size() / 2);
      const auto hop = [&](std::size_t entry) {
        return PackHop{int(to[entry] >> 3), int(to[entry] & 7), false, nullptr};
      };
      for (std::size_t k = 0; k < of_pairs.size(); ++k) {
        const std::size_t lower = k / 6 * 12 + k % 6;
        of_pairs[k] = pair_entry(pair_hop(hop(lower), hop(lower + 6)));
      }
      pairs = Buffer<std::uint64_t>("slice pairs", of_pairs);
    }
    outer = Buffer<int>("slice sites", where);
  }

  /// Made once per lattice.
  static const SliceNeighbours& of(const Lattice& lattice) {
    return lattice.remember<SliceNeighbours>(0, [&] { return SliceNeighbours(lattice.layout()); });
  }

  int n;
  /// Whether the sites 2 k and 2 k + 1 are a pair in fields.
  bool has_pairs;
  Buffer<std::uint32_t> neighbours;  // [site][leg]: site << 3 | lanes to exchange
  Buffer<std::uint64_t> pairs;       // [pair][leg]: see pair_entry()
  Buffer<int> outer;                 // [slice][site]
};

/// Where a slice lies, as far as it is known when a kernel is compiled.
enum class SlicePlace { in_field, in_buffer, in_either };

/// Some components of a slice, in a field or in a buffer of its own.  Its sites are numbered within the slice: they are
/// PackSites or PairSites of these numbers.
template <template <class> class SiteT, class T, SlicePlace place = SlicePlace::in_either>
class SliceView {
 public:
  using View = FieldView<SiteT, T>;

  /// Component c here is `first` + c of the field.  sites: the outer sites of the slice, see SliceNeighbours::outer.
  SliceView(const View& field, const int* sites, int first) : view_(field), sites_(sites), first_(first) {}
  /// The same slice, whose place is known now.
  template <SlicePlace other>
  explicit SliceView(const SliceView<SiteT, T, other>& slice)
      : view_(slice.view_), sites_(slice.sites_), first_(slice.first_) {}
  /// A buffer of n sites.
  SliceView(T* buffer, int n, int n_components) : view_(buffer, 0, n_components) {
    view_.set_extents(n, n_components, "a buffer for slices");
  }

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site i, int c) const {
    return view_(in_view(i), component(c));
  }
  template <class Site, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void set(Site i, int c, const Value& v) const {
    view_.set(in_view(i), v, component(c));
  }
  /// See FieldView.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto element(Site i, int c, int number) const {
    return view_.element(in_view(i), component(c), number);
  }
  /// The neighbours that the hop of a SliceStencil leads to.
  KOKKOS_FORCEINLINE_FUNCTION typename View::InMemory read(const PackHop& hop, int c) const {
    const int outer = in_view(PackSite{hop.outer}).outer;
    return typename View::InMemory([&](auto& site) __attribute__((always_inline)) {
      site.point_to(view_.address(outer, component(c)) + View::first_lane(outer), nullptr, hop.exchange);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION typename View::PairInMemory read(const PairHop& hop, int c) const {
    const int outer = in_view(PairSite{hop.outer}).outer;
    return typename View::PairInMemory([&](auto& sites) __attribute__((always_inline)) {
      sites.point_to(view_.address(PairSite{outer}, component(c)), nullptr, hop.exchange());
    });
  }

 private:
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION Site in_view(Site i) const {
    const bool listed = place == SlicePlace::in_either ? sites_ != nullptr : place == SlicePlace::in_field;
    return {listed ? sites_[i.outer] : i.outer};
  }
  KOKKOS_FORCEINLINE_FUNCTION int component(int c) const { return place == SlicePlace::in_buffer ? c : first_ + c; }

  template <template <class> class OtherSite, class U, SlicePlace other>
  friend class SliceView;

  View view_;
  const int* sites_ = nullptr;
  int first_ = 0;
};

/// The six spatial neighbours of the sites of one slice.
struct SliceStencil {
  const std::uint32_t* neighbours;     // SliceNeighbours::neighbours
  const std::uint64_t* pairs;          // SliceNeighbours::pairs
  const std::uint8_t* crossings;       // of Stencil::of_space()
  const std::uint32_t* crossing_legs;  // likewise
  const int* where;                    // the outer sites of the slice

  /// A site, or the neighbours on a leg, in fields.
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION At in_field(At at) const {
    at.outer = where[at.outer];
    return at;
  }
  /// The neighbours on a leg, numbered within the slice.
  KOKKOS_FORCEINLINE_FUNCTION PackHop hop(PackSite i, int leg) const {
    const std::uint32_t to = neighbours[i.outer * 6 + leg];
    return {int(to >> 3), int(to & 7), false, nullptr, crossings + std::size_t(where[i.outer]) * 6 + leg};
  }
  KOKKOS_FORCEINLINE_FUNCTION PairHop hop(PairSite i, int leg) const { return pair_hop(pairs[i.outer / 2 * 6 + leg]); }
};

/// The neighbours of one site in fields, as LinksAt asks for them.
template <class Site>
struct SliceNeighbourhood {
  const SliceStencil& stencil;
  Site i;

  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int leg) const { return stencil.in_field(stencil.hop(i, leg)); }
  KOKKOS_FORCEINLINE_FUNCTION unsigned legs_apart() const { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION unsigned crossing_legs() const {
    const unsigned first = stencil.crossing_legs[stencil.where[i.outer]];
    if constexpr (std::is_same_v<Site, PairSite>)
      return first | stencil.crossing_legs[stencil.where[i.outer + 1]];
    else
      return first;
  }
  KOKKOS_FORCEINLINE_FUNCTION SliceNeighbourhood<PackSite> lower() const { return {stencil, i.lower()}; }
  KOKKOS_FORCEINLINE_FUNCTION SliceNeighbourhood<PackSite> upper() const { return {stencil, i.upper()}; }
};

/// sum += the six legs of component c of site i.  multiplies: see LinksAt.
template <bool multiplies, class Sum, class T, class From, class Site>
KOKKOS_FORCEINLINE_FUNCTION void add_slice_legs(Sum& sum, const LinkView<T>& links, const From& from,
                                                const SliceStencil& stencil, Site i, int c) {
  const SliceNeighbourhood<Site> near{stencil, i};
  const LinksAt<LinkView<T>, Site, 6, multiplies> u(links, stencil.in_field(i), near);
  for (int leg = 0; leg < 6; leg += 2) {
    const auto ahead = stencil.hop(i, leg), behind = stencil.hop(i, leg + 1);
    color_multiply_add(sum, u.template of_leg<false>(ahead, leg), from.read(ahead, c));
    color_multiply_add(sum, u.template of_leg<true>(stencil.in_field(behind), leg + 1), from.read(behind, c));
  }
}
#endif

}  // namespace kov::detail
