// SPDX-License-Identifier: MIT
//
// Stencil: where the nearest neighbours of every site are.  Geometry alone: it knows no field and no operator.
#pragma once

#include "kov/core/field_view.hpp"
#include "kov/core/lattice.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace kov {

namespace detail {
/// Division by a number known at set-up, as one multiplication (Granlund and Montgomery, PLDI 1994).
struct FastDivisor {
  std::uint32_t divisor, multiplier, shift;
  FastDivisor() = default;
  explicit FastDivisor(std::uint32_t d) : divisor(d), shift(0) {
    while ((std::uint64_t(1) << shift) < d) ++shift;
    multiplier = std::uint32_t((((std::uint64_t(1) << shift) - d) << 32) / d + 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator()(std::uint32_t n) const {
    const std::uint32_t high = std::uint32_t((std::uint64_t(n) * multiplier) >> 32);
    return (high + n) >> shift;
  }
};
}  // namespace detail

/// What has to travel so that every neighbour of every local site is at hand.
///
/// The halo is a field of its own, in blocks of one outer site.  The blocks of leg l hold the neighbours of this rank's
/// sites at its edge: first the even ones, then the odd.  In a direction that is cut by lanes some lanes of a block are
/// local; they are copied, so that a kernel finds whole blocks.
struct HaloPlan {
  struct Face {
    bool active = false;
    int first_block[2] = {0, 0};  // of even and odd neighbours
    int n_blocks[2] = {0, 0};
    /// For each parity: local slots (outer * lanes + lane) whose sites go to the rank that needs them, in message
    /// order.
    std::vector<int> send[2];
    /// Halo slots that messages fill, in the same order; in_place when they are the first ones of the blocks.
    std::vector<int> receive[2];
    bool in_place = true;
    /// Local slots and the halo slots that want a copy of them.
    std::vector<int> copy_from[2], copy_to[2];
    int to_rank = 0, from_rank = 0;
  };
  std::array<Face, 8> faces;
  int n_blocks = 0;
  bool any() const { return n_blocks > 0; }
};

/// Legs in the order +x -x +y -y +z -z +t -t.
class Stencil {
 public:
  static constexpr int n_legs = 8;

  /// Of the lattice's layout; made once per lattice.
  static const Stencil& of(const Lattice& lattice);
  /// Of the lattice's column layout.
  static const Stencil& of_columns(const Lattice& lattice);

  Stencil(const Lattice& lattice, const Layout& layout);

  const HaloPlan& halo() const { return *halo_; }

  class View;
  View view() const;

 private:
  void build_tables(const Lattice& lattice, const Layout& layout);
  void build_halo(const Lattice& lattice, const Layout& layout);

  std::shared_ptr<HaloPlan> halo_;
  Buffer<std::uint32_t> entries_;  // [outer][leg], virtual nodes and columns
  Buffer<std::int32_t> slots_;     // [outer][leg][lane], even-odd order in packs
  Order order_;
  int lanes_, n_half_slots_, origin_parity_;
  Kokkos::Array<int, 4> extent_, bit_, communicates_;
  Kokkos::Array<int, 16> halo_slot_;  // first slot of [leg][parity]
};

/// The neighbours of one site, found once and asked leg by leg.
template <class Site>
class Neighbourhood;

class Stencil::View {
 public:
  /// near = stencil.at(x); in(x, near(leg)) is the neighbour.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood<Site> at(Site x) const {
    return Neighbourhood<Site>(*this, x);
  }

  const std::uint32_t* entries;
  const std::int32_t* slots;
  Order order;
  int lanes, n_half_slots, origin_parity;
  Kokkos::Array<int, 4> extent, bit, communicates;
  Kokkos::Array<int, 16> halo_slot;
  detail::FastDivisor half_x, y, z;
};

#if !defined(KOKKOS_ENABLE_CUDA)
template <>
class Neighbourhood<PackSite> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood(const Stencil::View& stencil, PackSite x)
      : entries_(stencil.entries + std::size_t(x.outer) * Stencil::n_legs),
        slots_(stencil.slots ? stencil.slots + std::size_t(x.outer) * Stencil::n_legs * default_lanes : nullptr),
        bit_(stencil.bit.data()) {}
  KOKKOS_FORCEINLINE_FUNCTION PackHop operator()(int leg) const {
    if (slots_) return {0, 0, false, slots_ + leg * default_lanes};
    const std::uint32_t e = entries_[leg];
    return {int(e >> 2), e & 1 ? bit_[leg / 2] : 0, (e & 2) != 0, nullptr};
  }

 private:
  const std::uint32_t* entries_;
  const std::int32_t* slots_;
  const int* bit_;
};

template <>
class Neighbourhood<ColumnSite> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood(const Stencil::View& stencil, ColumnSite x)
      : entries_(stencil.entries + std::size_t(x.outer) * Stencil::n_legs) {}
  KOKKOS_FORCEINLINE_FUNCTION LaneHop operator()(int leg) const {
    const std::uint32_t e = entries_[leg];
    return {int(e >> 2), 0, (e & 2) != 0};
  }

 private:
  const std::uint32_t* entries_;
};
#endif

/// Even-odd order computes neighbours: on a GPU as fast as compile-time extents, where a table costs 5 % (measured,
/// H200). On a CPU it works on virtual nodes too.
template <>
class Neighbourhood<LaneSite> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Neighbourhood(const Stencil::View& stencil, LaneSite site) : g_(stencil), at_(site) {
    if (has_packs && stencil.order == Order::virtual_nodes) return;
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

  KOKKOS_FORCEINLINE_FUNCTION LaneHop operator()(int leg) const {
    if (has_packs && g_.order == Order::virtual_nodes) {
      const std::uint32_t e = g_.entries[std::size_t(at_.outer) * Stencil::n_legs + leg];
      return {int(e >> 2), e & 1 ? at_.lane ^ g_.bit[leg / 2] : at_.lane, (e & 2) != 0};
    }
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
  KOKKOS_FORCEINLINE_FUNCTION LaneHop hop(bool edge, int mu, int leg, int step, int wrap, int face) const {
    const int n = has_packs ? g_.lanes : default_lanes;
    const bool halo = edge && g_.communicates[mu];
    const int here = (1 - p_) * g_.n_half_slots + s_ + (edge ? wrap : step);
    const int slot = halo ? g_.halo_slot[2 * leg + 1 - p_] + face : here;
    return {slot / n, slot % n, halo};
  }

  const Stencil::View& g_;
  LaneSite at_;
  int s_ = 0, p_ = 0, x_ = 0, xh_ = 0, y_ = 0, z_ = 0, t_ = 0;
};

}  // namespace kov
