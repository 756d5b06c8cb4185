// SPDX-License-Identifier: MIT
//
// LinkView: the matrix that transports from a neighbour to a site, for any leg of any stencil and any storage of links.
#pragma once

#include "kov/core/field/link_codecs.hpp"
#include "kov/core/site/su3.hpp"
#include "kov/stencil/links/cuda/load_order.hpp"
#include "kov/stencil/links/leg_factors.hpp"
#include "kov/stencil/neighbour_view.hpp"

namespace kov {

/// The Lanes of the LinkView for fields of these Lanes: ColumnLanes<1> for columns on CPUs, else SiteLanes.
template <class Lanes>
using link_lanes_t = std::conditional_t<has_packs && Lanes::holds_columns, ColumnLanes<1>, SiteLanes>;

/// For kernels over fields whose link_lanes_t is Lanes.  Component k of the links belongs to the opposite legs 2 k and
/// 2 k + 1: leg 2 k takes the matrix at the site, leg 2 k + 1 the adjoint of the matrix at the neighbour.  Doubled
/// links have both at the site: the matrix of leg 2 k in component 2 k, and the one whose adjoint leg 2 k + 1 takes in
/// component 2 k + 1.  Links for columns are doubled too, and shared by all columns of a site.
///
/// with_factors: whether legs may have factors.
template <class Storage, class Lanes = SiteLanes, bool with_factors = true>
class LinkView {
  static constexpr bool of_columns = Lanes::holds_columns;

 public:
  using Neighbours = NeighbourView<ColorMatrix, Storage, Lanes>;
  using Real = typename Neighbours::Real;
  using Codec = typename Neighbours::View::Codec;
  using Factors = std::conditional_t<with_factors, detail::LegFactorView<Real>, detail::NoLegFactors>;

  LinkView() = default;
  LinkView(const Neighbours& links, bool doubled, const Factors& factors)
      : links_(links), doubled_(doubled), factors_(factors) {}

  /// This view, if it has no factors: on GPUs in a form of a sixth of its size.
  auto without_factors() const {
    if constexpr (has_packs)
      return *this;
    else
      return LinkView<Storage, Lanes, false>(links_, doubled_, {});
  }

  /// Whether of_leg() multiplies matrices.
  KOKKOS_FORCEINLINE_FUNCTION bool has_factors() const { return factors_.any(); }

  /// The legs of a site, whose neighbourhood is near, that have the matrix 1 and no factor, a bit each: kernels over
  /// packs and columns need not ask for these matrices.
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION unsigned unit_legs([[maybe_unused]] const Near& near) const {
    if constexpr (requires { near.crossing_legs(); })
      if (factors_.unit != 0) return factors_.unit_legs(near.crossing_legs());
    return 0;
  }

  /// The matrix of a leg at x, times the factor of the leg.  backward: whether the leg's number is odd.  For packs the
  /// result is read element by element, with element().
  template <bool backward, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> of_leg(LaneSite x, const Hop& hop, int leg) const {
    const ColorMatrix<Real> u = of_lane<backward, false>(x, hop, leg);
    return has_factors() ? product(lane_factor(x, hop.crossing, leg), u) : u;
  }
  /// The same for a leg with an even number, and for one with an odd number.
  template <class Site, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto forward(Site x, const Hop& hop, int leg) const {
    return of_leg<false>(x, hop, leg);
  }
  template <class Site, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto backward(Site x, const Hop& hop, int leg) const {
    return of_leg<true>(x, hop, leg);
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION auto of_leg(ColumnSite x, const LaneHop& hop, int leg) const {
    ColorMatrix<Real> u = links_(LaneSite{x.outer, 0}, leg);
    if (has_factors()) scale<backward>(u, hop.crossing, leg);
    if constexpr (backward)
      return adj(u);
    else
      return u;
  }
  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION auto of_leg(PackSite x, const PackHop& hop, int leg) const {
    if constexpr (backward)
      return AdjointInMemory<InMemory>{read<true>(x, hop, leg)};
    else
      return read<false>(x, hop, leg);
  }
  /// Prefetches the data that this leg of site x will load.
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(PackSite x, const Near& near, int leg) const {
    if (unit_legs(near) >> leg & 1) return;
    if (doubled_)
      links_.field().prefetch(x.outer, leg);
    else if (leg % 2 == 0)
      links_.field().prefetch(x.outer, leg / 2);
    else
      links_.prefetch(near(leg), leg / 2);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(PairSite x, const Neighbourhood<PairSite>& near, int leg) const {
    if (unit_legs(near) >> leg & 1) return;
    if (doubled_ || leg % 2 == 0)
      links_.field().prefetch(x.outer, doubled_ ? leg : leg / 2);
    else
      prefetch_neighbour(links_, near, leg, leg / 2);
  }
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(ColumnSite x, const Near& near, int leg) const {
    if (unit_legs(near) >> leg & 1) return;
    links_.field().prefetch(x.outer, leg);
  }
#endif

 private:
  /// of_leg() where has_factors() is `multiplies`.  Without branches on GPUs, so that the loads of all legs can be in
  /// flight together.
  template <bool backward, bool multiplies, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> of_lane(LaneSite x, const Hop& hop, int leg) const {
    ColorMatrix<Real> u = has_packs && doubled_ ? links_(x, leg)
                          : backward            ? links_(x, hop, leg / 2)
                                                : links_(x, leg / 2);
    if constexpr (backward) u = adj(u);
    if constexpr (multiplies) u = product(lane_factor(x, hop.crossing, leg), u);
    return u;
  }
  /// The same on a leg in time on GPUs, see loads_unit_links: where the matrix is 1, threads may read that of the first
  /// site.
  template <bool backward, bool multiplies, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> of_lane_in_time(LaneSite x, const Hop& hop, int leg) const {
    if constexpr (!detail::asks_for_unit_links<typename FieldView<ColorMatrix, Storage>::Stored>) {
      return of_lane<backward, multiplies>(x, hop, leg);
    } else {
      const bool unit = (factors_.unit_legs(hop.crossing != 0 ? 1u << leg : 0) >> leg & 1) != 0;
      return of_lane<backward, multiplies>(unit && !backward ? LaneSite{0, 0} : x, unit ? unit_hop(hop) : hop, leg);
    }
  }
  /// The hop to the first site.
  template <class Hop>
  static KOKKOS_FORCEINLINE_FUNCTION Hop unit_hop(Hop hop) {
    hop.outer = hop.lane = 0;
    if constexpr (requires { hop.halo; }) hop.halo = false;
    return hop;
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<Real> lane_factor(LaneSite x, int crossing, int leg) const {
    const Real* const p = factors_.phases + 2 * phase_lanes * crossing + (phase_lanes > 1 ? x.lane : 0);
    return product(factors_.of_leg[leg], Complex<Real>{p[0], p[phase_lanes]});
  }
  /// a b, fused explicitly on CPUs: compilers may fuse either of two products, and matrices must have the same bits in
  /// lanes, packs and for columns.
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION Complex<R> product(const Complex<R>& a, const Complex<R>& b) {
    if constexpr (has_packs) {
      using Kokkos::fma;
      return {fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im)};
    } else {
      return a * b;
    }
  }
  /// z u
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> product(const Complex<R>& z, const ColorMatrix<R>& u) {
    ColorMatrix<R> zu;
    for (int i = 0; i < 9; ++i) zu.z[i] = product(z, u.z[i]);
    return zu;
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  /// The legs of a site, whose neighbourhood is near, that have a factor in any lane, a bit each.
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION unsigned legs_with_factor(const Near& near) const {
    unsigned legs = factors_.scaled;
    if (factors_.phased) legs |= near.crossing_legs() & factors_.phased;
    return legs;
  }
  /// Multiplies u by the leg's factor; on a backward leg by its conjugate, as of_leg() takes the adjoint afterwards.
  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION void scale(ColorMatrix<Real>& u, int crossing, int leg) const {
    const bool crosses = (factors_.phased >> leg & 1) != 0 && crossing != 0;
    if (!crosses && (factors_.scaled >> leg & 1) == 0) return;
    Complex<Real> z = factors_.of_leg[leg];
    if (crosses) {
      const Real* const p = factors_.phases + 2 * crossing;
      z = product(z, Complex<Real>{p[0], p[1]});
    }
    u = product(backward ? conj(z) : z, u);
  }

  static constexpr int N = SiteLanes::lanes, phase_lanes = of_columns ? 1 : N;
  using InMemory = typename Neighbours::InMemory;
  using PairInMemory = typename Neighbours::PairInMemory;

  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION InMemory read(PackSite x, const PackHop& hop, int leg) const {
    return InMemory([&](InMemory & u) __attribute__((always_inline)) {
      locate<backward>(u, x, hop, leg);
      if (has_factor(hop, leg)) u.copy_from(product(factor<backward>(hop, leg), value(u)));
    });
  }
  /// Makes u refer to the matrix of a leg in memory, or fills it with the decoded numbers; without the leg's factor.
  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION void locate(InMemory& u, PackSite x, const PackHop& hop, int leg) const {
    if (backward && !doubled_)
      links_.locate(u, hop, leg / 2);
    else
      links_.locate(u, PackHop{x.outer, 0, false, nullptr}, doubled_ ? leg : leg / 2);
  }
  /// The same for a pair; on backward legs of links that are not doubled, only if its neighbours are together.
  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION void locate(PairInMemory& u, PairSite x, const PairHop& hop, int leg) const {
    if (backward && !doubled_)
      links_.locate(u, hop, leg / 2);
    else
      links_.locate(u, PairHop::to(x.outer), doubled_ ? leg : leg / 2);
  }
  static KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Pack<Real, N>> value(const InMemory& u) {
    ColorMatrix<Pack<Real, N>> v;
    for (int i = 0; i < 9; ++i) v.z[i] = u.z(i);
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has_factor(const PackHop& hop, int leg) const {
    return (factors_.scaled >> leg & 1) != 0 || ((factors_.phased >> leg & 1) != 0 && hop.crosses());
  }
  /// What the matrix is multiplied by; on a backward leg the conjugate of the leg's factor, as of_leg() takes the
  /// adjoint afterwards.
  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<Real, N>> factor(const PackHop& hop, int leg) const {
    using P = Pack<Real, N>;
    Complex<P> z{P(factors_.of_leg[leg].re), P(factors_.of_leg[leg].im)};
    if (factors_.phased >> leg & 1) {
      const Real* const p = factors_.phases + 2 * N * hop.crossings[0];
      Complex<P> phase{P::load(p), P::load(p + N)};
      if (hop.slots)
        for (int lane = 1; lane < N; ++lane) {
          const Real* const q = factors_.phases + 2 * N * hop.crossings[lane] + lane;
          phase.re.set_lane(lane, q[0]);
          phase.im.set_lane(lane, q[N]);
        }
      z = product(z, phase);
    }
    return backward ? conj(z) : z;
  }
  /// Writes the matrix of a leg times its factor, as locate() finds it, to the lanes of a block that begin at `to`.
  void multiply_leg(PackSite x, const PackHop& hop, int leg, Real* to) const {
    leg % 2 == 0 ? multiply_leg<false>(x, hop, leg, to) : multiply_leg<true>(x, hop, leg, to);
  }
  template <bool backward>
  void multiply_leg(PackSite x, const PackHop& hop, int leg, Real* to) const {
    constexpr int row = Neighbours::View::row;
    const InMemory u([&](InMemory& v) { locate<backward>(v, x, hop, leg); });
    const bool multiplies = has_factor(hop, leg);
    const auto z = factor<backward>(hop, leg);
    for (int i = 0; i < InMemory::n_complex; ++i) {
      const auto of_u = u.z(i);
      const auto of_leg = !multiplies ? of_u : factors_.is_real ? z.re * of_u : product(z, of_u);
      of_leg.re.store(to + 2 * row * i);
      of_leg.im.store(to + 2 * row * i + row);
    }
  }
#else
  static constexpr int phase_lanes = 1;
#endif

  template <class View, class Site, int n_legs, bool multiplies>
  friend class LinksAt;

  Neighbours links_;
  bool doubled_ = false;
  Factors factors_;
};

}  // namespace kov
