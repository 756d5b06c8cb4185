// SPDX-License-Identifier: MIT
//
// NeighbourView: a field together with the halo of its neighbours.
#pragma once

#include "kov/core/field/field_view.hpp"
#include "kov/stencil/stencil.hpp"

namespace kov {

#if !defined(KOKKOS_ENABLE_CUDA)
/// Prefetches group `group` of the neighbour on a leg of a site whose neighbourhood is near.
template <class View, class Near>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_neighbour(const View& view, const Near& near, int leg, int group) {
  const auto hop = near(leg);
  if constexpr (!std::is_same_v<decltype(hop), const PairHop>) {
    view.prefetch(hop, group);
  } else if (hop.together()) {
    view.prefetch(PackHop{hop.outer, 0, hop.halo(), nullptr}, group);
  } else {
    view.prefetch(near.lower()(leg), group);
    view.prefetch(near.upper()(leg), group);
  }
}
#endif

/// v(x) is the site as in FieldView, v(x, hop) the neighbour where the hop of a Stencil leads.
template <template <class> class SiteT, class Storage, class Lanes = SiteLanes>
class NeighbourView {
 public:
  using View = FieldView<SiteT, Storage, Lanes>;
  using Real = typename View::Real;
  using Stored = typename View::Stored;
  static constexpr int n_complex = View::n_complex;
  static constexpr bool holds_columns = View::holds_columns;

  NeighbourView() = default;
  KOKKOS_FORCEINLINE_FUNCTION NeighbourView(const View& field, const View& halo) : field_(field), halo_(halo) {}

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int group = 0) const {
    return field_(x, group);
  }
  /// See FieldView.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto element(Site x, int group, int i) const {
    return field_.element(x, group, i);
  }
  /// Selects an address instead of branching, so that the loads of all legs can be in flight at the same time.
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Real> operator()(LaneSite, LaneHop hop, int group = 0) const {
    const Stored* const there = halo_.unchecked_address(hop.outer, group);
    const Stored* const here = field_.unchecked_address(hop.outer, group);
    if constexpr (detail::checks_bounds) (hop.halo ? halo_ : field_).require_inside(hop.outer, group, hop.lane);
    return View::load_lane(hop.halo ? there : here, LaneSite{hop.outer, hop.lane});
  }
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Real> operator()(LaneSite, LocalHop hop, int group = 0) const {
    return field_(LaneSite{hop.outer, hop.lane}, group);
  }
  /// The neighbour on a leg of a site whose neighbourhood is near.
  template <class Site, class Near>
  KOKKOS_FORCEINLINE_FUNCTION auto neighbour(Site x, const Near& near, int leg, int group) const {
    if constexpr (std::is_same_v<Site, PairSite>)
      return of_pair(x, near, leg, group);
    else
      return (*this)(x, near(leg), group);
  }
  KOKKOS_FORCEINLINE_FUNCTION const View& field() const { return field_; }
  KOKKOS_FORCEINLINE_FUNCTION const View& halo() const { return halo_; }
  /// v(x, hop), or a SiteInMemory of it: for kernels that read each element once, through element().
  template <class Hop>
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Real> read(LaneSite x, const Hop& hop, int group = 0) const {
    return (*this)(x, hop, group);
  }

#if !defined(KOKKOS_ENABLE_CUDA)
  using PackValue = typename View::PackValue;
  using InMemory = typename View::InMemory;
  using PairInMemory = typename View::PairInMemory;

  KOKKOS_FORCEINLINE_FUNCTION PackValue operator()(ColumnSite, LaneHop hop, int group = 0) const {
    return (hop.halo ? halo_ : field_)(ColumnSite{hop.outer}, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION InMemory read(ColumnSite, LaneHop hop, int group = 0) const {
    return (hop.halo ? halo_ : field_).read(ColumnSite{hop.outer}, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(LaneHop hop, int group) const {
    (hop.halo ? halo_ : field_).prefetch(hop.outer, group);
  }

  KOKKOS_FORCEINLINE_FUNCTION InMemory read(PackSite, const PackHop& hop, int group = 0) const {
    return InMemory([&](InMemory & site) __attribute__((always_inline)) {
      if (hop.slots)
        site.copy_from(gather(hop.slots, group));
      else
        locate(site, hop, group);
    });
  }
  /// Makes a site refer to v(x, hop) in memory, or fills it with the decoded numbers; only for a hop without slots.
  KOKKOS_FORCEINLINE_FUNCTION void locate(InMemory& site, const PackHop& hop, int group) const {
    (hop.halo ? halo_ : field_).locate(site, PackSite{hop.outer}, group, hop.exchange);
  }
  /// The same for the neighbours of a pair; only if they are together.
  KOKKOS_FORCEINLINE_FUNCTION void locate(PairInMemory& sites, const PairHop& hop, int group) const {
    (hop.halo() ? halo_ : field_).locate(sites, PairSite{hop.outer}, group, hop.exchange());
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(const PackHop& hop, int group) const {
    if (!hop.slots) (hop.halo ? halo_ : field_).prefetch(hop.outer, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION PackValue operator()(PackSite, const PackHop& hop, int group = 0) const {
    if (hop.slots) return gather(hop.slots, group);
    return (hop.halo ? halo_ : field_)(PackSite{hop.outer}, group, hop.exchange);
  }

 private:
  PackValue gather(const std::int32_t* slots, int group) const {
    constexpr int N = View::lanes;
    alignas(64) Real re[n_complex][N], im[n_complex][N];
    for (int lane = 0; lane < N; ++lane) {
      const int slot = slots[lane] >> 1;
      const auto v =
          View::load_lane((slots[lane] & 1 ? halo_ : field_).address(slot / N, group), LaneSite{slot / N, slot % N});
      for (int i = 0; i < n_complex; ++i) {
        re[i][lane] = v.z[i].re;
        im[i][lane] = v.z[i].im;
      }
    }
    PackValue r;
    for (int i = 0; i < n_complex; ++i) r.z[i] = {Pack<Real, N>::load(re[i]), Pack<Real, N>::load(im[i])};
    return r;
  }
  /// The neighbours of a pair whose neighbourhood is near, together or not.
  KOKKOS_FORCEINLINE_FUNCTION auto of_pair(PairSite x, const Neighbourhood<PairSite>& near, int leg, int group) const {
    const PairHop hop = near(leg);
    typename View::PairValue v;
    if (hop.together()) {
      v = (hop.halo() ? halo_ : field_)(PairSite{hop.outer}, group, hop.exchange());
    } else {
      const PackValue lower = (*this)(x.lower(), near.lower()(leg), group);
      const PackValue upper = (*this)(x.upper(), near.upper()(leg), group);
      for (int i = 0; i < n_complex; ++i)
        v.z[i] = {join(lower.z[i].re, upper.z[i].re), join(lower.z[i].im, upper.z[i].im)};
    }
    return v;
  }
#endif

 private:
  View field_, halo_;
};

}  // namespace kov
