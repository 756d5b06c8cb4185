// SPDX-License-Identifier: MIT
//
// NeighbourView: a field together with the halo of its neighbours.
#pragma once

#include "kov/core/field/field_view.hpp"
#include "kov/stencil/stencil.hpp"

namespace kov {

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
  /// Selects an address instead of branching, so that the loads of all legs can be in flight at the same time.
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Real> operator()(LaneSite, LaneHop hop, int group = 0) const {
    const Stored* const there = halo_.unchecked_address(hop.outer, group);
    const Stored* const here = field_.unchecked_address(hop.outer, group);
    if constexpr (detail::checks_bounds) (hop.halo ? halo_ : field_).require_inside(hop.outer, group, hop.lane);
    return View::load_lane(hop.halo ? there : here, hop.lane);
  }
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Real> operator()(LaneSite, LocalHop hop, int group = 0) const {
    return field_(LaneSite{hop.outer, hop.lane}, group);
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
    if constexpr (View::Codec::is_plain) {
      return InMemory([&](InMemory& site) __attribute__((always_inline)) { tell(site, hop, group); });
    } else {
      if (hop.slots) return InMemory(gather(hop.slots, group));
      return (hop.halo ? halo_ : field_).read(PackSite{hop.outer}, group, hop.exchange);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION PairInMemory<InMemory> read(PairSite x, const PairHop& hop, int group = 0) const {
    return {read(x.lower, hop.lower, group), read(x.upper, hop.upper, group)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(const PairHop& hop, int group) const {
    prefetch(hop.lower, group);
    prefetch(hop.upper, group);
  }
  /// Tells a site where v(x, hop) is.  Storage: float or double.
  KOKKOS_FORCEINLINE_FUNCTION void tell(InMemory& site, const PackHop& hop, int group) const {
    constexpr int N = View::lanes;
    if (hop.slots)
      site.gather([&](int lane) __attribute__((always_inline)) {
        const int slot = hop.slots[lane] >> 1;
        return LaneInMemory<Real>{address(slot / N, (hop.slots[lane] & 1) != 0, group), nullptr, slot % N};
      });
    else
      site.lie_at(address(hop.outer, hop.halo, group), nullptr, hop.exchange);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(const PackHop& hop, int group) const {
    if (!hop.slots) (hop.halo ? halo_ : field_).prefetch(hop.outer, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION PackValue operator()(PackSite, const PackHop& hop, int group = 0) const {
    if (hop.slots) return gather(hop.slots, group);
    const View& from = hop.halo ? halo_ : field_;
    constexpr int N = View::lanes;
    switch (hop.exchange) {
      case 0:
        return from.template load<0>(hop.outer, group);
      case 1:
        return from.template load<1 % N>(hop.outer, group);
      case 2:
        return from.template load<2 % N>(hop.outer, group);
      case 3:
        return from.template load<3 % N>(hop.outer, group);
      case 4:
        return from.template load<4 % N>(hop.outer, group);
      case 5:
        return from.template load<5 % N>(hop.outer, group);
      case 6:
        return from.template load<6 % N>(hop.outer, group);
      default:
        return from.template load<7 % N>(hop.outer, group);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION const Stored* address(int outer, bool in_halo, int group) const {
    return (in_halo ? halo_ : field_).address(outer, group);
  }
  PackValue gather(const std::int32_t* slots, int group) const {
    constexpr int N = View::lanes;
    alignas(64) Real re[n_complex][N], im[n_complex][N];
    for (int lane = 0; lane < N; ++lane) {
      const int slot = slots[lane] >> 1;
      const auto v = View::load_lane((slots[lane] & 1 ? halo_ : field_).address(slot / N, group), slot % N);
      for (int i = 0; i < n_complex; ++i) {
        re[i][lane] = v.z[i].re;
        im[i][lane] = v.z[i].im;
      }
    }
    PackValue r;
    for (int i = 0; i < n_complex; ++i) r.z[i] = {Pack<Real, N>::load(re[i]), Pack<Real, N>::load(im[i])};
    return r;
  }
#endif

 private:
  View field_, halo_;
};

}  // namespace kov
