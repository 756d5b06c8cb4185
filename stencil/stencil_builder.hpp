// SPDX-License-Identifier: MIT
//
// Private to Stencil: how its tables, and the plan of its halo, are made.
#pragma once

#include "kov/core/base/host_threads.hpp"
#include "kov/stencil/stencil.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

namespace kov {

namespace detail {

inline Coord operator+(const Coord& a, const Coord& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}; }
inline Coord operator-(const Coord& a) { return {-a[0], -a[1], -a[2], -a[3]}; }

inline int floor_divide(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// x brought back into a periodic box.
inline Coord wrapped(Coord x, const Coord& box) {
  for (int mu = 0; mu < 4; ++mu) x[mu] -= floor_divide(x[mu], box[mu]) * box[mu];
  return x;
}

}  // namespace detail

/// Fills in the tables of a stencil (stencil_builder.cpp) and the plan of its halo (stencil_builder_halo.cpp).
class Stencil::Builder {
 public:
  Builder(Stencil& stencil, const Lattice& lattice, const Layout& layout);
  void build();

  /// Whether these legs are the first ones of nearest_neighbours(), which GPU kernels compute.
  static bool computed(const std::vector<Coord>& legs);

 private:
  // Legs and boxes.
  void require_reach() const;
  /// Parity of the neighbour on a leg of the site (or outer site) x.
  int target_parity(const Coord& x, const Coord& leg) const {
    return (parity(x) + layout_.origin_parity() + parity(leg)) & 1;
  }
  /// Whether y is outside the box in a direction divided among ranks.
  bool leaves(const Coord& y, const Coord& box) const {
    for (int mu = 0; mu < 4; ++mu)
      if (lattice_.communicates(mu) && (y[mu] < 0 || y[mu] >= box[mu])) return true;
    return false;
  }

  /// Whether a leg leaves the rank anywhere.
  bool communicates(const Coord& leg) const {
    for (int mu = 0; mu < 4; ++mu)
      if (lattice_.communicates(mu) && leg[mu] != 0) return true;
    return false;
  }

  /// Sets how far the legs reach backward and forward in directions divided among ranks.
  void measure_reach();
  bool at_edge(int outer, int lane) const;
  /// By how many boxes the neighbour y is away in each direction.
  Coord boxes_crossed(const Coord& y) const {
    Coord w{};
    for (int mu = 0; mu < 4; ++mu) w[mu] = detail::floor_divide(y[mu], box_[mu]);
    return w;
  }
  bool inside_box(const Coord& y) const {
    for (int mu = 0; mu < 4; ++mu)
      if (y[mu] < 0 || y[mu] >= box_[mu]) return false;
    return true;
  }
  /// Numbers the crossings, the different boxes_crossed() of all legs, and finds the windings of each lane for each
  /// crossing.
  void number_crossings();

  // The halo.
  /// Calls f(x), in lexicographic order, for the sites x of this rank that a leg leads out of their own box in a
  /// divided direction.
  template <class F>
  void for_each_leaving(const Coord& extent, const Coord& leg, const F& f) const {
    using detail::operator+;
    for (std::int64_t first = 0; first < volume(extent); first += extent[0]) {
      const Coord row = detail::wrapped(coordinate(first, extent), box_);
      Coord middle = row + leg;
      middle[0] = 0;
      const bool whole = leaves(middle, box_);
      if (!whole && (leg[0] == 0 || !lattice_.communicates(0))) continue;
      Coord x = coordinate(first, extent);
      for (; x[0] < extent[0]; ++x[0]) {
        const int to = x[0] % box_[0] + leg[0];
        if (whole || to < 0 || to >= box_[0]) f(x);
      }
    }
  }

  /// Gives every site of the box (outer site, for virtual nodes) whose neighbour may be on another rank a place in the
  /// halo, for each leg and parity of the neighbour: outer sites in their order in memory, so that pairs find pairs,
  /// sites of a box in lexicographic order.
  void number_halo();
  /// n outer sites, filled up.
  int filled_up(int n) const { return lanes_ > 1 ? whole_pairs(n) : n; }
  /// The halo slot where kernels look for the neighbour of local site x.
  int halo_slot(std::size_t leg, const Coord& x) const {
    const int q = target_parity(x, s_.legs_[leg]), first = region_[leg].first[std::size_t(q)] * lanes_;
    if (!nodes_) return first + place_[leg][std::size_t(lexicographic(x, box_))];
    return first + place_[leg][std::size_t(lexicographic(detail::wrapped(x, box_), box_))] * lanes_ +
           layout_.locate(x).lane;
  }

  struct Message {
    std::array<std::vector<std::tuple<std::int64_t, int>>, 2> send, receive;  // (order, slot)
  };
  void list_messages(int number);
  void add_face(int leg, const Coord& offset, Message& message);
  int rank_at(const Coord& offset) const;
  /// Places the messages one after the other, each parity in whole blocks, with the same length at sender and receiver.
  void place_messages();

  // Tables.
  void fill_tables();
  /// Makes the table of pairs from the other tables.
  void fill_pairs();
  /// Lists interior and surface: outer sites for kernels over packs, slots for kernels over lanes.
  void list_sites();
  /// Calls f(outer, run) on all threads; each run of consecutive outer sites is done by one thread, in order.
  template <class F>
  void for_each_outer(const F& f) const {
    on_host_threads("stencil", n_runs(), [&](std::int64_t run, int) {
      const int last = int(std::min<std::int64_t>(layout_.n_outer(), (run + 1) * run_length));
      for (int outer = int(run * run_length); outer < last; ++outer) f(outer, int(run));
    });
  }
  static constexpr std::int64_t run_length = 1024;
  std::int64_t n_runs() const { return (layout_.n_outer() + run_length - 1) / run_length; }

  struct Region {
    std::array<int, 2> first{}, n{};  // blocks of each parity
  };
  Stencil& s_;
  const Lattice& lattice_;
  const Layout& layout_;
  HaloPlan& plan_;
  bool nodes_;
  Coord box_;  // extents of a virtual node, or of the local lattice
  int lanes_;
  Coord behind_{}, ahead_{};
  std::map<Coord, int> crossing_;        // number, by boxes_crossed()
  std::vector<std::vector<int>> place_;  // [leg][site of the box]
  std::vector<Region> region_;
};

}  // namespace kov
