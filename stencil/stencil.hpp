// SPDX-License-Identifier: MIT
//
// Stencil: where the neighbours of every site are, for any set of displacements.  Geometry only, independent of fields
// and operators.
#pragma once

#include "kov/core/base/fast_divisor.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/stencil/halo_plan.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace kov {

/// Where the neighbours of a PackSite are: that of lane i is lane i ^ exchange of the outer site; or, if slots is set,
/// slots[i] = (outer * N + lane) << 1 | halo says where that of lane i is.
struct PackHop {
  /// Of the field or, with halo, of the halo; meaningless if slots is set.
  int outer;
  int exchange;
  bool halo;
  const std::int32_t* slots;
  /// The crossing of the leg, see Stencil::windings().  One, or with slots one for each lane.
  const std::uint8_t* crossings = nullptr;

  /// Whether a lane has a crossing.
  KOKKOS_FORCEINLINE_FUNCTION bool crosses() const {
    bool any = crossings[0] != 0;
    if (slots)
      for (int lane = 1; lane < default_lanes; ++lane) any = any || crossings[lane] != 0;
    return any;
  }
};
#if !defined(KOKKOS_ENABLE_CUDA)
/// Where the neighbours of a PairSite are: those of its two sites are the pair of `outer` if they are together(), and
/// exchange() brings its lanes into the order of the two sites.  If not, a PackHop of each site says where they are.
struct PairHop {
  int outer;
  /// upper exchange << 16 | lower exchange << 8 | in the halo << 1 | together: one number, as GCC 12 shuffles the bytes
  /// of a struct of two bools at each leg.
  std::uint32_t rest;

  KOKKOS_FORCEINLINE_FUNCTION bool together() const { return (rest & 1) != 0; }
  KOKKOS_FORCEINLINE_FUNCTION bool halo() const { return (rest & 2) != 0; }
  KOKKOS_FORCEINLINE_FUNCTION HalvesExchange exchange() const {
    return {int(rest >> 8 & 0xff), int(rest >> 16 & 0xff)};
  }
  /// The pair of this number in a field.
  static KOKKOS_FORCEINLINE_FUNCTION PairHop to(int outer) { return {outer, 1}; }
};
#endif
/// Where the neighbour of a LaneSite or of a ColumnSite (lane 0) is.
struct LaneHop {
  /// Of the field or, with halo, of the halo.
  int outer;
  int lane;
  bool halo;
  /// Of the leg, see Stencil::windings(); 0 inside the lattice.
  int crossing = 0;
};
/// A LaneHop that does not lead into a halo.
struct LocalHop {
  int outer;
  int lane;
  /// Of the leg, see Stencil::windings(); 0 inside the lattice.
  int crossing = 0;
};

/// Displacements in the order +x -x +y -y +z -z +t -t.
const std::vector<Coord>& nearest_neighbours();
/// Whether all of these legs lead to sites of the other parity.
bool change_parity(const std::vector<Coord>& legs);

/// The displacements (legs) of an operator, and where the neighbour on each leg of each site is: in the field or in its
/// halo.  A table for each rank; kernels see it through a view.
class Stencil {
 public:
  /// The nearest neighbours of the lattice's layout, and of its column layout; made once per lattice.
  static const Stencil& of(const Lattice& lattice);
  static const Stencil& of_columns(const Lattice& lattice);
  /// The nearest neighbours in space alone: no messages between time slices.
  static const Stencil& of_space(const Lattice& lattice);
  /// The same for any legs: displacements in lattice units, at most the local extent in directions divided among ranks.
  /// Collective; throws InputError, on every rank, where a leg reaches beyond the next rank or the ranks give different
  /// legs.
  static const Stencil& of(const Lattice& lattice, const std::vector<Coord>& legs);
  static const Stencil& of_columns(const Lattice& lattice, const std::vector<Coord>& legs);

  /// layout: one of the lattice's.  Collective, throws as of() does.
  Stencil(const Lattice& lattice, const Layout& layout, const std::vector<Coord>& legs);

  const std::vector<Coord>& legs() const { return legs_; }
  /// The legs in words: different legs have different names.
  std::string name() const;
  const HaloPlan& halo() const { return *halo_; }

  /// How often a hop goes around the lattice in each direction, by the hop's crossing: [crossing][lane], with
  /// winding_lanes() lanes (1 if lanes do not differ).  Crossing 0 stays inside the local lattice or virtual node; for
  /// nearest neighbours crossing l + 1 is leg l leaving it.
  const std::vector<Coord>& windings() const { return windings_; }
  int winding_lanes() const { return winding_lanes_; }

  /// The sites of a subset that have no neighbour in the halo, and the others.
  SiteList interior(Subset subset) const { return list(subset, 0); }
  SiteList surface(Subset subset) const { return list(subset, 1); }

  class View;
  class NearestView;
  View view() const;
  /// For a kernel that reads nearest neighbours only, in space or in spacetime: the compiler then knows the legs.
  /// Throws InputError for other legs.
  NearestView nearest() const;
  bool is_nearest() const;
  /// The same for GPUs if no neighbour is in a halo; throws InputError if one is, and on CPUs.
  class LocalView;
  LocalView local() const;

 private:
  class Builder;
  SiteList list(Subset subset, int which) const;

  std::vector<Coord> legs_;
  std::shared_ptr<HaloPlan> halo_;
  Buffer<std::uint32_t> entries_;  // [outer][leg], virtual nodes and columns
  Buffer<std::int32_t> slots_;  // [outer][leg][lane], even-odd order in packs, and on GPUs for other than nearest legs
  Buffer<std::uint8_t> crossings_;       // as entries_ or slots_
  Buffer<std::uint32_t> crossing_legs_;  // [outer], CPUs: legs with a crossing in any lane, a bit each for the first 32
  Buffer<std::uint64_t> pairs_;          // [pair][leg], where registers hold pairs: see detail::pair_entry()
  Buffer<std::uint32_t> legs_apart_;     // [pair]: legs whose neighbours are not together, a bit each for the first 32
  std::vector<Coord> windings_;
  int winding_lanes_ = 1;
  std::array<Buffer<int>, 2> lists_;  // interior, surface: even sites, then odd ones
  std::array<int, 2> n_even_listed_{};
  Order order_;
  int lanes_, n_half_slots_, origin_parity_;
  Kokkos::Array<int, 4> extent_, communicates_;
  Kokkos::Array<int, 16> halo_slot_;  // first slot of [leg][parity], nearest legs
};

/// The neighbours of one site, found once and asked leg by leg.
template <class Site>
class Neighbourhood;

/// Any legs, in fields and halos.
class Stencil::View {
 public:
  /// near = stencil.at(x); in(x, near(leg)) is the neighbour.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood<Site> at(Site x) const {
    return Neighbourhood<Site>(*this, x);
  }

  /// The tables that Neighbourhood looks neighbours up in; kernels use at().
  const std::uint32_t* entries;
  const std::int32_t* slots;
  const std::uint8_t* crossings;
  const std::uint32_t* crossing_legs;
  const std::uint64_t* pairs;
  const std::uint32_t* legs_apart;
  Order order;
  int n_legs, lanes, n_half_slots, origin_parity;
  Kokkos::Array<int, 4> extent, communicates;
  Kokkos::Array<int, 16> halo_slot;
  FastDivisor half_x, y, z;
};

namespace detail {
/// An entry of the table: outer << 4 | in the halo << 3 | lanes to exchange.
KOKKOS_FORCEINLINE_FUNCTION constexpr int entry_outer(std::uint32_t e) { return int(e >> 4); }
KOKKOS_FORCEINLINE_FUNCTION constexpr bool entry_halo(std::uint32_t e) { return (e & 8) != 0; }
KOKKOS_FORCEINLINE_FUNCTION constexpr int entry_exchange(std::uint32_t e) { return int(e & 7); }

#if !defined(KOKKOS_ENABLE_CUDA)
/// The hop of a pair whose sites have these hops.
KOKKOS_FORCEINLINE_FUNCTION PairHop pair_hop(const PackHop& lower, const PackHop& upper) {
  const bool together = lower.slots == nullptr && (lower.outer ^ upper.outer) == 1 && lower.halo == upper.halo;
  const int swapped = (lower.outer & 1) * default_lanes;
  const auto lower_exchange = std::uint32_t(lower.exchange | swapped);
  const auto upper_exchange = std::uint32_t(upper.exchange | swapped);
  return {lower.outer & ~1,
          upper_exchange << 16 | lower_exchange << 8 | std::uint32_t(lower.halo) << 1 | std::uint32_t(together)};
}
/// An entry of the table of pairs.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t pair_entry(const PairHop& hop) {
  return std::uint64_t(hop.outer) << 32 | hop.rest;
}
KOKKOS_FORCEINLINE_FUNCTION PairHop pair_hop(std::uint64_t e) { return {int(e >> 32), std::uint32_t(e)}; }
#endif
}  // namespace detail

#if !defined(KOKKOS_ENABLE_CUDA)
template <>
class Neighbourhood<PackSite> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood(const Stencil::View& stencil, PackSite x)
      : entries_(stencil.entries + std::size_t(x.outer) * std::size_t(stencil.n_legs)),
        slots_(stencil.slots ? stencil.slots + std::size_t(x.outer) * std::size_t(stencil.n_legs) * default_lanes
                             : nullptr),
        crossings_(stencil.crossings +
                   std::size_t(x.outer) * std::size_t(stencil.n_legs) * (stencil.slots ? default_lanes : 1)),
        crossing_legs_(stencil.crossing_legs + x.outer) {}
  KOKKOS_FORCEINLINE_FUNCTION PackHop operator()(int leg) const {
    if (slots_) return {0, 0, false, slots_ + leg * default_lanes, crossings_ + leg * default_lanes};
    const std::uint32_t e = entries_[leg];
    return {detail::entry_outer(e), detail::entry_exchange(e), detail::entry_halo(e), nullptr, crossings_ + leg};
  }
  /// Whether the lanes of the neighbours are gathered from slots.
  KOKKOS_FORCEINLINE_FUNCTION bool gathers() const { return slots_ != nullptr; }
  /// The legs with a crossing in any lane, a bit each for the first 32.
  KOKKOS_FORCEINLINE_FUNCTION unsigned crossing_legs() const { return *crossing_legs_; }

 private:
  const std::uint32_t* entries_;
  const std::int32_t* slots_;
  const std::uint8_t* crossings_;
  const std::uint32_t* crossing_legs_;
};

template <>
class Neighbourhood<PairSite> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood(const Stencil::View& stencil, PairSite x)
      : stencil_(stencil), x_(x), entries_(stencil.pairs + std::size_t(x.outer / 2) * std::size_t(stencil.n_legs)) {}
  KOKKOS_FORCEINLINE_FUNCTION PairHop operator()(int leg) const { return detail::pair_hop(entries_[leg]); }
  /// The legs whose neighbours are not together, a bit each for the first 32.
  KOKKOS_FORCEINLINE_FUNCTION unsigned legs_apart() const { return stencil_.legs_apart[x_.outer / 2]; }
  /// The legs with a crossing in any lane.
  KOKKOS_FORCEINLINE_FUNCTION unsigned crossing_legs() const {
    return stencil_.crossing_legs[x_.outer] | stencil_.crossing_legs[x_.outer + 1];
  }
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood<PackSite> lower() const { return {stencil_, x_.lower()}; }
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood<PackSite> upper() const { return {stencil_, x_.upper()}; }

 private:
  const Stencil::View& stencil_;
  PairSite x_;
  const std::uint64_t* entries_;
};

template <>
class Neighbourhood<ColumnSite> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood(const Stencil::View& stencil, ColumnSite x)
      : entries_(stencil.entries + std::size_t(x.outer) * std::size_t(stencil.n_legs)),
        crossings_(stencil.crossings + std::size_t(x.outer) * std::size_t(stencil.n_legs)),
        crossing_legs_(stencil.crossing_legs + x.outer) {}
  KOKKOS_FORCEINLINE_FUNCTION LaneHop operator()(int leg) const {
    const std::uint32_t e = entries_[leg];
    return {detail::entry_outer(e), 0, detail::entry_halo(e), crossings_[leg]};
  }
  /// The legs with a crossing, a bit each for the first 32.
  KOKKOS_FORCEINLINE_FUNCTION unsigned crossing_legs() const { return *crossing_legs_; }

 private:
  const std::uint32_t* entries_;
  const std::uint8_t* crossings_;
  const std::uint32_t* crossing_legs_;
};
#endif

/// The nearest neighbours of a lane in even-odd order, computed: faster on a GPU than a table.  local: no neighbour is
/// in a halo.
template <bool local>
class ComputedNeighbourhood {
 public:
  KOKKOS_FORCEINLINE_FUNCTION ComputedNeighbourhood(const Stencil::View& stencil, LaneSite site) : g_(stencil) {
    const int slot = site.outer * stencil.lanes + site.lane;
    p_ = slot >= stencil.n_half_slots;
    s_ = slot - p_ * stencil.n_half_slots;
    const std::uint32_t a = stencil.half_x(std::uint32_t(s_));
    xh_ = s_ - int(a * stencil.half_x.divisor);
    const std::uint32_t b = stencil.y(a);
    y_ = int(a - b * stencil.y.divisor);
    t_ = int(stencil.z(b));
    z_ = int(b) - t_ * int(stencil.z.divisor);
    x_ = 2 * xh_ + ((y_ + z_ + t_ + p_ + stencil.origin_parity) & 1);
  }

  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int leg) const {
    const int half = int(g_.half_x.divisor), ny = g_.extent[1], nz = g_.extent[2], nt = g_.extent[3];
    switch (leg) {
      case 0:
        return hop(x_ == g_.extent[0] - 1, 0, 0, (x_ & 1) ? 1 : 0, 1 - half, (y_ + ny * (z_ + nz * t_)) >> 1);
      case 1:
        return hop(x_ == 0, 0, 1, (x_ & 1) ? 0 : -1, half - 1, (y_ + ny * (z_ + nz * t_)) >> 1);
      case 2:
        return hop(y_ == ny - 1, 1, 2, half, -(ny - 1) * half, xh_ + half * (z_ + nz * t_));
      case 3:
        return hop(y_ == 0, 1, 3, -half, (ny - 1) * half, xh_ + half * (z_ + nz * t_));
      case 4:
        return hop(z_ == nz - 1, 2, 4, half * ny, -(nz - 1) * half * ny, xh_ + half * (y_ + ny * t_));
      case 5:
        return hop(z_ == 0, 2, 5, -half * ny, (nz - 1) * half * ny, xh_ + half * (y_ + ny * t_));
      case 6:
        return hop(t_ == nt - 1, 3, 6, half * ny * nz, -(nt - 1) * half * ny * nz, xh_ + half * (y_ + ny * z_));
      default:
        return hop(t_ == 0, 3, 7, -half * ny * nz, (nt - 1) * half * ny * nz, xh_ + half * (y_ + ny * z_));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION auto hop(bool edge, int mu, int leg, int step, int wrap, int face) const {
    const int n = has_packs ? g_.lanes : default_lanes;
    const int here = (1 - p_) * g_.n_half_slots + s_ + (edge ? wrap : step);
    if constexpr (local) {
      return LocalHop{here / n, here % n, edge ? leg + 1 : 0};
    } else {
      const bool halo = edge && g_.communicates[mu];
      const int slot = halo ? g_.halo_slot[2 * leg + 1 - p_] + face : here;
      return LaneHop{slot / n, slot % n, halo, edge ? leg + 1 : 0};
    }
  }

  const Stencil::View& g_;
  int s_, p_, x_, xh_, y_, z_, t_;
};

/// Any legs: from tables, except for nearest neighbours on GPUs, which are computed.
template <>
class Neighbourhood<LaneSite> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood(const Stencil::View& stencil, LaneSite site)
      : g_(stencil), at_(site), computed_(stencil, site) {}

  KOKKOS_FORCEINLINE_FUNCTION LaneHop operator()(int leg) const {
    if (g_.slots) {
      const int n = has_packs ? g_.lanes : default_lanes;
      const std::size_t at =
          (std::size_t(at_.outer) * std::size_t(g_.n_legs) + std::size_t(leg)) * std::size_t(n) + std::size_t(at_.lane);
      const int entry = g_.slots[at];
      return {(entry >> 1) / n, (entry >> 1) % n, (entry & 1) != 0, g_.crossings[at]};
    }
    if (has_packs && g_.order == Order::virtual_nodes) {
      const std::size_t at = std::size_t(at_.outer) * std::size_t(g_.n_legs) + std::size_t(leg);
      const std::uint32_t e = g_.entries[at];
      return {detail::entry_outer(e), at_.lane ^ detail::entry_exchange(e), detail::entry_halo(e), g_.crossings[at]};
    }
    return computed_(leg);
  }

 private:
  const Stencil::View& g_;
  LaneSite at_;
  ComputedNeighbourhood<false> computed_;
};

/// The nearest neighbours, in fields and halos: GPUs compute where they are.
class Stencil::NearestView : public Stencil::View {
 public:
  /// As that of View.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto at(Site x) const {
    if constexpr (has_packs)
      return Neighbourhood<Site>(*this, x);
    else
      return ComputedNeighbourhood<false>(*this, x);
  }
};

/// The nearest neighbours where none is in a halo.
class Stencil::LocalView : public Stencil::View {
 public:
  /// As that of View.
  KOKKOS_FORCEINLINE_FUNCTION auto at(LaneSite x) const { return ComputedNeighbourhood<true>(*this, x); }
};

}  // namespace kov
