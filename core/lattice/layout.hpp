// SPDX-License-Identifier: MIT
//
// Layout: which outer site and which lane a local site lives in.  Even sites come first, so that each parity is a run.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/core/lattice/geometry.hpp"
#include "kov/core/lattice/site.hpp"

#include <cstdint>
#include <vector>

namespace kov {

/// How sites are numbered in memory.
enum class Order {
  /// CPU: the local lattice is cut into one sub-lattice per lane; site x = o + outer_extent * v is lane v of outer site
  /// o.  Where an outer extent is a multiple of four, outer sites half that extent apart are a pair, with the numbers
  /// 2 k and 2 k + 1.
  virtual_nodes,
  /// GPU, and CPU where extents cannot be divided into virtual nodes: the sites of a parity in lexicographic order,
  /// `lanes` of them an outer site, the last outer site of a parity padded.
  even_odd
};

/// "virtual nodes" or "even-odd"
std::string to_string(Order order);
/// "all", "even" or "odd"
std::string to_string(Subset subset);

/// The order of this rank's sites in memory.
class Layout {
 public:
  /// local_extent: any for even_odd; for virtual_nodes see fits(); origin_parity: of the global coordinate of the first
  /// site; divided: not 0 in directions divided among ranks, in which pairs lie only if they cannot lie in others.
  /// Throws InputError when the extents do not hold that many virtual nodes.
  Layout(const Coord& local_extent, int origin_parity, int lanes, Order order, const Coord& divided = {});

  /// Whether the extents can be cut into `lanes` virtual nodes: each cut halves another direction, x first, and needs a
  /// multiple of four there, because even-odd order needs even outer extents.
  static bool fits(const Coord& local_extent, int lanes);

  Order order() const { return order_; }
  int lanes() const { return lanes_; }
  const Coord& extent() const { return extent_; }
  const Coord& outer_extent() const { return outer_; }
  int origin_parity() const { return origin_parity_; }
  /// Lane bit of a cut direction, 0 of an uncut one.
  int lane_bit(int mu) const { return bit_[mu]; }
  /// The direction in which the two sites of a pair are half an outer extent apart; -1 if extents do not allow that,
  /// then pairs are of any two sites.
  int pair_direction() const { return pair_direction_; }

  int n_outer() const { return 2 * n_outer_half_; }
  /// The outer sites of a subset; of all sites in even-odd order with the time slices and bricks that extents allow.
  SiteRange range(Subset subset) const;
  std::int64_t n_sites() const { return volume(extent_); }

  /// Of a site in memory: its outer site, and the lane in it.
  struct Position {
    int outer, lane;
  };
  /// Where the site at local coordinates lies.
  Position locate(const Coord& local) const;
  /// The outer site of outer coordinate o (virtual nodes only).
  int outer_index(const Coord& o) const { return index_[std::size_t(lexicographic(o, outer_))]; }
  /// The outer coordinate of an outer site (virtual nodes only).
  Coord outer_coordinate(int outer) const { return unpack(base_host_[std::size_t(outer)]); }
  /// The local coordinate of a lane; of padding, that of the last site of its parity.
  Coord coordinate(int outer, int lane) const { return view(true).coordinate(outer, lane); }
  /// Whether a lane is a site and no padding.
  bool is_site(int outer, int lane) const { return view(true).is_site(outer, lane); }

  /// Passed to kernels, which look up coordinates of sites in it.
  struct View {
    /// What the functions below look up; kernels call these.
    Order order;
    int lanes, n_outer_half, n_even, n_odd, origin_parity;
    Kokkos::Array<int, 4> extent, outer, bit;
    const std::uint64_t* base;

    /// Local coordinates of a lane.
    KOKKOS_INLINE_FUNCTION Coord coordinate(int o, int lane) const {
      if (order == Order::virtual_nodes) {
        Coord x = unpack(base[o]);
        for (int mu = 0; mu < 4; ++mu)
          if (lane & bit[mu]) x[mu] += outer[mu];
        return x;
      }
      const int p = o >= n_outer_half, n = p ? n_odd : n_even;
      int s = (o - p * n_outer_half) * lanes + lane;
      if (s >= n) s = n - 1;
      return even_odd_coordinate(s, p);
    }
    /// Whether a lane is a site and no padding.
    KOKKOS_INLINE_FUNCTION bool is_site(int o, int lane) const {
      if (order == Order::virtual_nodes) return true;
      const int p = o >= n_outer_half;
      return (o - p * n_outer_half) * lanes + lane < (p ? n_odd : n_even);
    }
    /// The slot (outer * lanes + lane) of local coordinates in even-odd order.
    KOKKOS_INLINE_FUNCTION int even_odd_slot(const Coord& x) const {
      const int p = (x[0] + x[1] + x[2] + x[3] + origin_parity) & 1;
      return p * n_outer_half * lanes + (x[0] + extent[0] * (x[1] + extent[1] * (x[2] + extent[2] * x[3]))) / 2;
    }
    /// Site s of parity p: of each pair of lexicographic neighbours 2s, 2s + 1 one is even and one is odd.
    KOKKOS_INLINE_FUNCTION Coord even_odd_coordinate(int s, int p) const {
      for (int i = 2 * s;; ++i) {
        Coord x;
        int rest = i;
        for (int mu = 0; mu < 4; ++mu) {
          x[mu] = rest % extent[mu];
          rest /= extent[mu];
        }
        if (((x[0] + x[1] + x[2] + x[3] + origin_parity) & 1) == p || i > 2 * s) return x;
      }
    }
  };
  View view() const { return view(false); }

 private:
  View view(bool host) const;
  static KOKKOS_INLINE_FUNCTION Coord unpack(std::uint64_t w) {
    return {int(w & 0xffff), int(w >> 16 & 0xffff), int(w >> 32 & 0xffff), int(w >> 48)};
  }

  Coord extent_, outer_, bit_{};
  int origin_parity_, lanes_, pair_direction_ = -1;
  Order order_;
  int n_outer_half_, n_even_, n_odd_;
  std::vector<int> index_;                // outer site of an outer coordinate
  std::vector<std::uint64_t> base_host_;  // outer coordinate of an outer site, 16 bits a direction
  Buffer<std::uint64_t> base_;
};

}  // namespace kov
