// SPDX-License-Identifier: MIT
//
// ProjectedNeighbours: a field of spinors together with a halo of half spinors, which are projected already.
#pragma once

#include "kov/core/field/codec.hpp"
#include "kov/core/field/field_view.hpp"
#include "kov/stencil/stencil.hpp"

namespace kov {

/// unit times site.  What GPUs read from fields of integers: a kernel multiplies sums of such numbers by the unit,
/// which takes fewer instructions than to multiply the numbers.
template <class SiteT>
struct InUnits {
  SiteT site;
  typename SiteT::Real unit;
};
/// Complex number i, multiplied by the unit.
template <class SiteT>
KOKKOS_FORCEINLINE_FUNCTION auto element(const InUnits<SiteT>& v, int i) {
  return v.unit * v.site.z[i];
}

#if !defined(KOKKOS_ENABLE_CUDA)
/// A field of spinors without a halo, for sites all of whose neighbours are in the field.
template <class Storage>
class LocalNeighbours {
 public:
  using View = FieldView<Spinor, Storage>;
  using Real = typename View::Real;
  using InMemory = typename View::InMemory;
  using PairInMemory = typename View::PairInMemory;
  using HalfInMemory = SiteInMemory<HalfSpinor, Real, View::lanes, View::row>;
  using HalfPairInMemory = SiteInMemory<HalfSpinor, Real, 2 * View::lanes, 2 * View::lanes>;
  static constexpr int n_complex = View::n_complex;

  KOKKOS_FORCEINLINE_FUNCTION explicit LocalNeighbours(const View& field) : field_(field) {}

  KOKKOS_FORCEINLINE_FUNCTION Spinor<Real> read(LaneSite, LaneHop hop, int group = 0) const {
    return field_(LaneSite{hop.outer, hop.lane}, group);
  }
  /// Makes a site refer to its neighbour in memory, only for a hop without slots; and the sites of a pair to theirs,
  /// only if these are together.
  KOKKOS_FORCEINLINE_FUNCTION void locate(InMemory& site, const PackHop& hop, int group) const {
    site.point_to(field_.address(hop.outer, group) + View::first_lane(hop.outer), nullptr, hop.exchange);
  }
  KOKKOS_FORCEINLINE_FUNCTION void locate(PairInMemory& sites, const PairHop& hop, int group) const {
    sites.point_to(field_.address(PairSite{hop.outer}, group), nullptr, hop.exchange());
  }
  /// The same for the two spins from `first` on, 0 or 2.
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION void locate_half(HalfInMemory& half, const PackHop& hop, int group) const {
    half.point_to(field_.address(hop.outer, group) + View::first_lane(hop.outer) + 6 * first * View::row, nullptr,
                  hop.exchange);
  }
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION void locate_half(HalfPairInMemory& halves, const PairHop& hop, int group) const {
    halves.point_to(field_.address(PairSite{hop.outer}, group) + 6 * first * View::row, nullptr, hop.exchange());
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(const PackHop& hop, int group) const {
    if (!hop.slots) field_.prefetch(hop.outer, group);
  }

 private:
  View field_;
};
#endif

/// For kernels that read spinors only in sums a + i^k b, where a is one of the upper two spins and b one of the lower
/// two, or only two spins of them.  A site in the halo has the projected half as its upper spins and zeros as its lower
/// ones, so that the sum is right without a branch; on legs that need two spins alone, it has those.  Storage: float,
/// double, Fixed16 or Fixed8, whose halo has a scale of its own for each half spinor.
template <class Storage, class Lanes = SiteLanes>
class ProjectedNeighbours {
 public:
  using View = FieldView<Spinor, Storage, Lanes>;
  using HalfView = FieldView<HalfSpinor, Storage, Lanes>;
  using Real = typename View::Real;
  using Stored = typename View::Stored;
  static constexpr int n_complex = View::n_complex;
  static constexpr bool holds_columns = View::holds_columns, is_plain = View::Codec::is_plain;

  ProjectedNeighbours() = default;
  /// zeros: as many zeros as half a block of spinors has numbers.
  KOKKOS_FORCEINLINE_FUNCTION ProjectedNeighbours(const View& field, const HalfView& halo, const Stored* zeros)
      : field_(field), halo_(halo), zeros_(zeros) {}

  /// Spinor<Real>, or InUnits of it.
  KOKKOS_FORCEINLINE_FUNCTION auto read(LaneSite, LaneHop hop, int group = 0) const {
    const Halves at = halves(hop.outer, hop.lane, hop.halo, group);
    const auto number = [&](const Stored* half, int i) __attribute__((always_inline)) {
      return detail::load_as<Real, View::row, detail::reals_together<Stored>(12)>(half, i, hop.lane);
    };
    Spinor<Real> psi;
    for (int i = 0; i < 6; ++i) {
      psi.z[i] = number(at.upper, i);
      psi.z[6 + i] = number(at.lower, i);
    }
    if constexpr (is_plain) {
      return psi;
    } else {
      const Real unit = at.scale[hop.lane] * unit_of_scale();
      if constexpr (has_packs)
        return unit * psi;
      else
        return InUnits<Spinor<Real>>{psi, unit};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION auto read(LaneSite x, LocalHop hop, int group = 0) const {
    if constexpr (is_plain)
      return field_(LaneSite{hop.outer, hop.lane}, group);
    else
      return read(x, LaneHop{hop.outer, hop.lane, false, hop.crossing}, group);
  }
  /// The two spins from `first` on, 0 or 2, of which a halo holds no others: HalfSpinor<Real>, or InUnits of it.
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION auto read_half(LaneSite, LaneHop hop, int group = 0) const {
    const Halves at = halves<first>(hop.outer, hop.lane, hop.halo, group);
    HalfSpinor<Real> half;
    for (int i = 0; i < 6; ++i)
      half.z[i] = detail::load_as<Real, View::row, detail::reals_together<Stored>(12)>(at.upper, i, hop.lane);
    if constexpr (is_plain) {
      return half;
    } else {
      const Real unit = at.scale[hop.lane] * unit_of_scale();
      if constexpr (has_packs)
        return unit * half;
      else
        return InUnits<HalfSpinor<Real>>{half, unit};
    }
  }
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION auto read_half(LaneSite x, LocalHop hop, int group = 0) const {
    return read_half<first>(x, LaneHop{hop.outer, hop.lane, false, hop.crossing}, group);
  }

#if !defined(KOKKOS_ENABLE_CUDA)
  /// What kernels read on sites all of whose neighbours are in the field: they are faster if they select no addresses
  /// (docs/performance.md).
  LocalNeighbours<Storage> local() const requires(!holds_columns && is_plain) {
    return LocalNeighbours<Storage>(field_);
  }

  using InMemory = SiteInMemory<Spinor, Real, View::lanes, View::row, 6>;
  using PairInMemory = SiteInMemory<Spinor, Real, 2 * View::lanes, 2 * View::lanes, 6>;
  using HalfInMemory = SiteInMemory<HalfSpinor, Real, View::lanes, View::row>;
  using HalfPairInMemory = SiteInMemory<HalfSpinor, Real, 2 * View::lanes, 2 * View::lanes>;

  KOKKOS_FORCEINLINE_FUNCTION InMemory read(ColumnSite, LaneHop hop, int group = 0) const {
    const Halves at = halves(hop.outer, 0, hop.halo, group);
    return InMemory(at.upper, at.lower);
  }
  /// Makes a site refer to the neighbour in memory, or fills it with the decoded numbers; only for a hop without slots.
  KOKKOS_FORCEINLINE_FUNCTION void locate(InMemory& site, const PackHop& hop, int group) const {
    const Halves at = halves(hop.outer, 0, hop.halo, group);
    if constexpr (is_plain)
      site.point_to(at.upper, at.lower, hop.exchange);
    else
      site.copy_from(decoded<View::lanes>(at), hop.exchange);
  }
  /// The same for the neighbours of a pair; only if they are together.
  KOKKOS_FORCEINLINE_FUNCTION void locate(PairInMemory& sites, const PairHop& hop, int group) const {
    const Halves at = halves(hop.outer, 0, hop.halo(), group);
    if constexpr (is_plain)
      sites.point_to(at.upper, at.lower, hop.exchange());
    else
      sites.copy_from(decoded<2 * View::lanes>(at), hop.exchange());
  }
  /// The same for what read_half() returns.
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION void locate_half(HalfInMemory& half, const PackHop& hop, int group) const
      requires(is_plain) {
    half.point_to(halves<first>(hop.outer, 0, hop.halo, group).upper, nullptr, hop.exchange);
  }
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION void locate_half(HalfPairInMemory& both, const PairHop& hop, int group) const
      requires(is_plain) {
    both.point_to(halves<first>(hop.outer, 0, hop.halo(), group).upper, nullptr, hop.exchange());
  }
  /// Writes the decoded neighbour in the order of a site in memory; only for a hop without slots.
  KOKKOS_FORCEINLINE_FUNCTION void decode(Real* to, const PackHop& hop, int group) const requires(!is_plain) {
    put<View::lanes, View::row>(to, halves(hop.outer, 0, hop.halo, group), hop.exchange);
  }
  /// The same for the neighbours of a pair; only if they are together.
  KOKKOS_FORCEINLINE_FUNCTION void decode(Real* to, const PairHop& hop, int group) const requires(!is_plain) {
    put<2 * View::lanes, 2 * View::lanes>(to, halves(hop.outer, 0, hop.halo(), group), hop.exchange());
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(LaneHop hop, int group) const { prefetch(hop.outer, hop.halo, group); }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(const PackHop& hop, int group) const {
    if (!hop.slots) prefetch(hop.outer, hop.halo, group);
  }
#endif

 private:
  /// Where the numbers of an outer site begin, at its first lane.
  struct Halves {
    const Stored *upper, *lower;
    const float* scale = nullptr;  // of integers
  };
  static KOKKOS_FORCEINLINE_FUNCTION constexpr float unit_of_scale() {
    if constexpr (is_plain)
      return 1;
    else
      return View::Codec::unit;
  }
  /// Selects addresses instead of branching, so that the loads of all legs can be in flight at the same time.  first: 2
  /// where the lower spins are wanted as `upper`.
  template <int first = 0>
  KOKKOS_FORCEINLINE_FUNCTION Halves halves(int outer, [[maybe_unused]] int lane, bool in_halo, int group) const {
    if constexpr (detail::checks_bounds)
      in_halo ? halo_.require_inside(outer, group, lane) : field_.require_inside(outer, group, lane);
    constexpr int scales = View::row * View::Codec::shape.n_scale;
    const Stored* const there = halo_.unchecked_address(outer, group) + scales + View::first_lane(outer);
    const Stored* const here = field_.unchecked_address(outer, group) + scales + View::first_lane(outer);
    Halves at{in_halo ? there : here, in_halo ? zeros_ : here + (HalfView::block - scales)};
    if constexpr (!is_plain)
      at.scale = reinterpret_cast<const float*>(at.upper - scales - View::first_lane(outer)) + View::first_lane(outer);
    if constexpr (first == 2) at.upper = in_halo ? there : here + (HalfView::block - scales);
    return at;
  }

#if !defined(KOKKOS_ENABLE_CUDA)
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION Spinor<Pack<Real, N>> decoded(const Halves& at) {
    using P = Pack<Real, N>;
    constexpr int row = View::row;
    const P unit = P::load(at.scale) * P(unit_of_scale());
    Spinor<P> psi;
    unroll<6>([&](int i) __attribute__((always_inline)) {
      psi.z[i] = {P::of_integers(at.upper + 2 * row * i) * unit, P::of_integers(at.upper + 2 * row * i + row) * unit};
      psi.z[6 + i] = {P::of_integers(at.lower + 2 * row * i) * unit,
                      P::of_integers(at.lower + 2 * row * i + row) * unit};
    });
    return psi;
  }
  template <int N, int row, class Exchange>
  static KOKKOS_FORCEINLINE_FUNCTION void put(Real* to, const Halves& at, Exchange exchange) {
    const auto psi = decoded<N>(at);
    unroll<12>([&](int i) __attribute__((always_inline)) {
      psi.z[i].re.store(to + 2 * row * i);
      psi.z[i].im.store(to + 2 * row * i + row);
    });
    if (!exchanges_lanes(exchange)) return;
    const LaneExchange<Real, N> exchanged(exchange);
    for (int k = 0; k < 24; ++k) exchanged.load(to + row * k).store(to + row * k);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int outer, bool in_halo, int group) const {
    in_halo ? halo_.prefetch(outer, group) : field_.prefetch(outer, group);
  }
#endif

  View field_;
  HalfView halo_;
  const Stored* zeros_ = nullptr;
};

}  // namespace kov
