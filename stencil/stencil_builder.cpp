// SPDX-License-Identifier: MIT
#include "kov/stencil/stencil_builder.hpp"

#include <cstdlib>

namespace kov {

using detail::floor_divide;
using detail::wrapped;
using detail::operator+;

Stencil::Builder::Builder(Stencil& stencil, const Lattice& lattice, const Layout& layout)
    : s_(stencil),
      lattice_(lattice),
      layout_(layout),
      plan_(*stencil.halo_),
      nodes_(layout.order() == Order::virtual_nodes),
      box_(nodes_ ? layout.outer_extent() : layout.extent()),
      lanes_(layout.lanes()) {}

void Stencil::Builder::build() {
  require_reach();
  measure_reach();
  number_crossings();
  number_halo();
  for (std::size_t leg = 0; leg < s_.legs_.size(); ++leg)
    if (communicates(s_.legs_[leg])) list_messages(int(leg));
  place_messages();
  fill_tables();
  list_sites();
}

bool Stencil::Builder::computed(const std::vector<Coord>& legs) {
  const auto& nearest = nearest_neighbours();
  return legs.size() <= nearest.size() && std::equal(legs.begin(), legs.end(), nearest.begin());
}

void Stencil::Builder::require_reach() const {
  const Coord& extent = layout_.extent();
  for (const Coord& leg : s_.legs_)
    for (int mu = 0; mu < 4; ++mu)
      require(!lattice_.communicates(mu) || std::abs(leg[mu]) <= extent[mu], "the leg", leg_name(leg),
              "reaches beyond the next rank: each has", extent[mu], "sites in direction", "xyzt"[mu],
              ", so divide that direction among fewer ranks");
}

void Stencil::Builder::measure_reach() {
  for (const Coord& leg : s_.legs_)
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if (!lattice_.communicates(int(mu))) continue;
      behind_[mu] = std::max(behind_[mu], -leg[mu]);
      ahead_[mu] = std::max(ahead_[mu], leg[mu]);
    }
}

bool Stencil::Builder::at_edge(int outer, int lane) const {
  if (behind_ == Coord{} && ahead_ == Coord{}) return false;
  const Coord x = nodes_ ? layout_.outer_coordinate(outer) : layout_.coordinate(outer, lane);
  for (std::size_t mu = 0; mu < 4; ++mu)
    if (x[mu] < behind_[mu] || x[mu] >= box_[mu] - ahead_[mu]) return true;
  return false;
}

void Stencil::Builder::number_crossings() {
  const Geometry& g = lattice_.geometry();
  const int lanes = s_.winding_lanes_ = nodes_ ? lanes_ : 1;
  s_.windings_.assign(std::size_t(lanes), Coord{});
  crossing_[Coord{}] = 0;
  const auto add = [&](const Coord& w) {
    if (!crossing_.emplace(w, int(crossing_.size())).second) return;
    for (int lane = 0; lane < lanes; ++lane) {
      Coord winding{};
      for (int mu = 0; mu < 4; ++mu) {
        const int nodes = layout_.extent()[mu] / box_[mu];
        const int node = g.grid_coordinate()[mu] * nodes + ((lane & layout_.lane_bit(mu)) != 0 ? 1 : 0);
        winding[mu] = floor_divide(node + w[mu], g.grid()[mu] * nodes);
      }
      s_.windings_.push_back(winding);
    }
  };
  for (const Coord& leg : s_.legs_) {
    Coord low = boxes_crossed(leg), high{};
    for (int mu = 0; mu < 4; ++mu) high[mu] = floor_divide(box_[mu] - 1 + leg[mu], box_[mu]);
    for (Coord w = low; w[3] <= high[3]; ++w[3])
      for (w[2] = low[2]; w[2] <= high[2]; ++w[2])
        for (w[1] = low[1]; w[1] <= high[1]; ++w[1])
          for (w[0] = low[0]; w[0] <= high[0]; ++w[0]) add(w);
  }
  require(crossing_.size() <= 256, "the legs", s_.name(), "cross the ends of a lattice of", to_string(box_), "in",
          crossing_.size(), "ways, but at most 256 are possible: take shorter legs or a larger lattice");
}

void Stencil::Builder::fill_tables() {
  const bool columns = lanes_ == 1, nearest = computed(s_.legs_);
  const std::size_t n_legs = s_.legs_.size(), n_outer = std::size_t(layout_.n_outer());
  const bool by_entry = has_packs && (nodes_ || columns), by_slot = !by_entry && (has_packs || !nearest);
  // Room for one site more, as prefetches look one site ahead.
  std::vector<std::uint32_t> entries(by_entry ? (n_outer + 1) * n_legs : 0);
  std::vector<std::int32_t> slots(by_slot ? n_outer * n_legs * std::size_t(lanes_) : 0);
  std::vector<std::uint8_t> crossings(std::max(entries.size(), slots.size()));
  std::vector<std::uint32_t> crossing_legs(has_packs ? n_outer + 2 : 0);  // likewise, a pair ahead
  for_each_outer([&](int outer, int) {
    if (!by_entry && !by_slot) return;
    for (int lane = 0; lane < (nodes_ ? 1 : lanes_); ++lane) {
      const Coord x = nodes_ ? layout_.outer_coordinate(outer) : layout_.coordinate(outer, lane);
      for (std::size_t leg = 0; leg < n_legs; ++leg) {
        const Coord y = x + s_.legs_[leg];
        const bool in_halo = leaves(y, box_);
        const std::size_t index = std::size_t(outer) * n_legs + leg;
        if (!inside_box(y)) {
          crossings[by_slot ? index * std::size_t(lanes_) + std::size_t(lane) : index] =
              std::uint8_t(crossing_.at(boxes_crossed(y)));
          if (has_packs && leg < 32) crossing_legs[std::size_t(outer)] |= std::uint32_t(1) << leg;
        }
        if (nodes_) {
          const int to = in_halo ? halo_slot(leg, x) / lanes_ : layout_.outer_index(wrapped(y, box_));
          int exchange = 0;
          for (int mu = 0; mu < 4 && !in_halo; ++mu)
            if (floor_divide(y[mu], box_[mu]) & 1) exchange ^= layout_.lane_bit(mu);
          entries[index] = std::uint32_t(to) << 4 | std::uint32_t(in_halo) << 3 | std::uint32_t(exchange);
          continue;
        }
        const auto at = layout_.locate(wrapped(y, box_));
        const int to = in_halo ? halo_slot(leg, x) : at.outer * lanes_ + at.lane;
        if (by_entry)
          entries[index] = std::uint32_t(to) << 4 | std::uint32_t(in_halo) << 3;
        else
          slots[index * std::size_t(lanes_) + std::size_t(lane)] = to << 1 | int(in_halo);
      }
    }
  });
  s_.entries_ = Buffer<std::uint32_t>("stencil", entries);
  s_.slots_ = Buffer<std::int32_t>("stencil", slots);
  s_.crossings_ = Buffer<std::uint8_t>("stencil", crossings);
  s_.crossing_legs_ = Buffer<std::uint32_t>("stencil", crossing_legs);
  if (has_packs && !columns) fill_pairs();
}

void Stencil::Builder::fill_pairs() {
#if !defined(KOKKOS_ENABLE_CUDA)
  if (!registers_hold_pairs<float>) return;
  const Stencil::View all = s_.view();
  const std::size_t n_legs = s_.legs_.size(), n_pairs = std::size_t(layout_.n_outer()) / 2;
  // One pair more, as prefetches look one ahead; its neighbours are together, so nothing is asked of its sites.
  std::vector<std::uint64_t> pairs((n_pairs + 1) * n_legs, detail::pair_entry(PairHop::to(0)));
  std::vector<std::uint32_t> apart(n_pairs);
  for_each_outer([&](int outer, int) {
    if (outer % 2 != 0) return;
    const std::size_t k = std::size_t(outer) / 2;
    const PairSite x{outer};
    const auto lower = all.at(x.lower()), upper = all.at(x.upper());
    for (std::size_t leg = 0; leg < n_legs; ++leg) {
      const PairHop hop = detail::pair_hop(lower(int(leg)), upper(int(leg)));
      pairs[k * n_legs + leg] = detail::pair_entry(hop);
      if (!hop.together() && leg < 32) apart[k] |= std::uint32_t(1) << leg;
    }
  });
  s_.pairs_ = Buffer<std::uint64_t>("stencil", pairs);
  s_.legs_apart_ = Buffer<std::uint32_t>("stencil", apart);
#endif
}

void Stencil::Builder::list_sites() {
  using Lists = std::array<std::vector<int>, 2>;
  std::vector<Lists> runs;
  runs.resize(std::size_t(n_runs()));
  for_each_outer([&](int outer, int run) {
    Lists& lists = runs[std::size_t(run)];
    if (!has_packs) {
      for (int lane = 0; lane < lanes_; ++lane)
        if (layout_.is_site(outer, lane)) lists[at_edge(outer, lane)].push_back(outer * lanes_ + lane);
      return;
    }
    // Kernels take pairs from one list or the other.
    const bool in_pairs = registers_hold_pairs<float> && lanes_ > 1;
    const int first = in_pairs ? outer & ~1 : outer;
    bool edge = false;
    for (int o = first; o < first + (in_pairs ? 2 : 1); ++o)
      for (int lane = 0; lane < (nodes_ ? 1 : lanes_); ++lane) edge = edge || at_edge(o, lane);
    lists[edge].push_back(outer);
  });
  const int first_odd = layout_.n_outer() / 2 * (has_packs ? 1 : lanes_);
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<int> all;
    for (const Lists& lists : runs) all.insert(all.end(), lists[k].begin(), lists[k].end());
    s_.n_even_listed_[k] = int(std::lower_bound(all.begin(), all.end(), first_odd) - all.begin());
    s_.lists_[k] = Buffer<int>("stencil sites", all);
  }
}

}  // namespace kov
