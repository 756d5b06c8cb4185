// SPDX-License-Identifier: MIT
#include "kov/stencil/stencil.hpp"

#include "kov/core/base/host_threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

namespace kov {

namespace {

Coord operator+(const Coord& a, const Coord& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}; }
Coord operator-(const Coord& a) { return {-a[0], -a[1], -a[2], -a[3]}; }

int floor_divide(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// x brought back into a periodic box.
Coord wrapped(Coord x, const Coord& box) {
  for (int mu = 0; mu < 4; ++mu) x[mu] -= floor_divide(x[mu], box[mu]) * box[mu];
  return x;
}

/// Whether these legs are the first ones of nearest_neighbours(), which GPU kernels compute.
bool computed(const std::vector<Coord>& legs) {
  const auto& nearest = nearest_neighbours();
  return legs.size() <= nearest.size() && std::equal(legs.begin(), legs.end(), nearest.begin());
}

}  // namespace

const std::vector<Coord>& nearest_neighbours() {
  static const std::vector<Coord> legs{{1, 0, 0, 0}, {-1, 0, 0, 0}, {0, 1, 0, 0}, {0, -1, 0, 0},
                                       {0, 0, 1, 0}, {0, 0, -1, 0}, {0, 0, 0, 1}, {0, 0, 0, -1}};
  return legs;
}

const Stencil& Stencil::of(const Lattice& lattice) { return of(lattice, nearest_neighbours()); }
const Stencil& Stencil::of_columns(const Lattice& lattice) { return of_columns(lattice, nearest_neighbours()); }
const Stencil& Stencil::of_space(const Lattice& lattice) {
  static const std::vector<Coord> legs(nearest_neighbours().begin(), nearest_neighbours().begin() + 6);
  return of(lattice, legs);
}
const Stencil& Stencil::of(const Lattice& lattice, const std::vector<Coord>& legs) {
  return lattice.remember<Stencil>(legs, [&] { return Stencil(lattice, lattice.layout(), legs); });
}
const Stencil& Stencil::of_columns(const Lattice& lattice, const std::vector<Coord>& legs) {
  struct OfColumns {
    Stencil stencil;
  };
  return lattice.remember<OfColumns>(legs, [&] { return OfColumns{Stencil(lattice, lattice.column_layout(), legs)}; })
      .stencil;
}

/// Fills in the tables of a stencil.
class Stencil::Builder {
 public:
  Builder(Stencil& stencil, const Lattice& lattice, const Layout& layout)
      : s_(stencil),
        lattice_(lattice),
        layout_(layout),
        plan_(*stencil.halo_),
        nodes_(layout.order() == Order::virtual_nodes),
        box_(nodes_ ? layout.outer_extent() : layout.extent()),
        lanes_(layout.lanes()) {}

  void build() {
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

 private:
  void require_reach() const {
    const Coord& extent = layout_.extent();
    for (const Coord& leg : s_.legs_)
      for (int mu = 0; mu < 4; ++mu)
        require(!lattice_.communicates(mu) || std::abs(leg[mu]) <= extent[mu], "the leg", leg_name(leg),
                "reaches beyond the next rank: each has", extent[mu], "sites in direction", "xyzt"[mu],
                ", so divide that direction among fewer ranks");
  }

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
  void measure_reach() {
    for (const Coord& leg : s_.legs_)
      for (std::size_t mu = 0; mu < 4; ++mu) {
        if (!lattice_.communicates(int(mu))) continue;
        behind_[mu] = std::max(behind_[mu], -leg[mu]);
        ahead_[mu] = std::max(ahead_[mu], leg[mu]);
      }
  }
  bool at_edge(int outer, int lane) const {
    if (behind_ == Coord{} && ahead_ == Coord{}) return false;
    const Coord x = nodes_ ? layout_.outer_coordinate(outer) : layout_.coordinate(outer, lane);
    for (std::size_t mu = 0; mu < 4; ++mu)
      if (x[mu] < behind_[mu] || x[mu] >= box_[mu] - ahead_[mu]) return true;
    return false;
  }

  /// By how many boxes the neighbour y is away in each direction.
  Coord boxes_crossed(const Coord& y) const {
    Coord w{};
    for (int mu = 0; mu < 4; ++mu) w[mu] = floor_divide(y[mu], box_[mu]);
    return w;
  }
  bool inside_box(const Coord& y) const {
    for (int mu = 0; mu < 4; ++mu)
      if (y[mu] < 0 || y[mu] >= box_[mu]) return false;
    return true;
  }
  /// Numbers the crossings, the different boxes_crossed() of all legs, and finds the windings of each lane for each
  /// crossing.
  void number_crossings() {
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

  /// Calls f(x), in lexicographic order, for the sites x of this rank that a leg leads out of their own box in a
  /// divided direction.
  template <class F>
  void for_each_leaving(const Coord& extent, const Coord& leg, const F& f) const {
    for (std::int64_t first = 0; first < volume(extent); first += extent[0]) {
      const Coord row = wrapped(coordinate(first, extent), box_);
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
  void number_halo() {
    place_.assign(s_.legs_.size(), {});
    region_.assign(s_.legs_.size(), {});
    for (std::size_t leg = 0; leg < s_.legs_.size(); ++leg) {
      std::array<int, 2> count{};
      if (communicates(s_.legs_[leg])) {
        auto& place = place_[leg];
        place.assign(std::size_t(volume(box_)), -1);
        std::vector<Coord> leaving;
        for_each_leaving(box_, s_.legs_[leg], [&](const Coord& o) { leaving.push_back(o); });
        if (nodes_)
          std::sort(leaving.begin(), leaving.end(),
                    [&](const Coord& a, const Coord& b) { return layout_.outer_index(a) < layout_.outer_index(b); });
        for (const Coord& o : leaving)
          place[std::size_t(lexicographic(o, box_))] = count[std::size_t(target_parity(o, s_.legs_[leg]))]++;
      }
      // If local volumes are odd, it depends on the rank which parity has one site more.
      const int entries = std::max(count[0], count[1]);
      for (std::size_t q = 0; q < 2; ++q) {
        region_[leg].first[q] = plan_.n_blocks;
        region_[leg].n[q] = filled_up(nodes_ ? entries : (entries + lanes_ - 1) / lanes_);
        plan_.n_blocks += region_[leg].n[q];
        plan_.block_legs.insert(plan_.block_legs.end(), std::size_t(region_[leg].n[q]), int(leg));
        if (leg < 8) s_.halo_slot_[2 * leg + q] = region_[leg].first[q] * lanes_;
      }
    }
  }
  /// n outer sites, filled up.
  int filled_up(int n) const { return lanes_ > 1 ? whole_pairs(n) : n; }
  /// The halo slot where kernels look for the neighbour of local site x.
  int halo_slot(std::size_t leg, const Coord& x) const {
    const int q = target_parity(x, s_.legs_[leg]), first = region_[leg].first[std::size_t(q)] * lanes_;
    if (!nodes_) return first + place_[leg][std::size_t(lexicographic(x, box_))];
    return first + place_[leg][std::size_t(lexicographic(wrapped(x, box_), box_))] * lanes_ + layout_.locate(x).lane;
  }

  struct Message {
    std::array<std::vector<std::tuple<std::int64_t, int>>, 2> send, receive;  // (order, slot)
  };

  void list_messages(int number) {
    const std::size_t leg = std::size_t(number);
    const Coord &d = s_.legs_[leg], &extent = layout_.extent();
    std::map<Coord, Message> messages;  // by the offset of the rank that has the neighbours
    const auto offset_of = [&](const Coord& y) {
      Coord r{};
      for (int mu = 0; mu < 4; ++mu)
        if (lattice_.communicates(mu)) r[mu] = floor_divide(y[mu], extent[mu]);
      return r;
    };
    // Sender and receiver order the sites of a message by the same number: the place, in its rank, of the site that
    // needs the neighbour.
    const auto order = [&](const Coord& asker) {
      return nodes_ ? std::int64_t(halo_slot(leg, asker)) : lexicographic(asker, extent);
    };
    const auto slot = [&](const Coord& x) {
      const auto at = layout_.locate(x);
      return at.outer * lanes_ + at.lane;
    };
    // What this rank receives or copies.
    for_each_leaving(extent, d, [&](const Coord& here) {
      const Coord target = here + d, from = offset_of(target);
      const std::size_t q = std::size_t(target_parity(here, d));
      if (from != Coord{}) {
        messages[from].receive[q].push_back({order(here), halo_slot(leg, here)});
      } else {
        plan_.copy_from[q].push_back(slot(wrapped(target, extent)));
        plan_.copy_to[q].push_back(halo_slot(leg, here));
      }
    });
    // What this rank sends.
    for_each_leaving(extent, -d, [&](const Coord& here) {
      const Coord asker = here + (-d), towards = offset_of(asker);
      if (towards == Coord{}) return;
      const std::size_t mine = std::size_t((parity(here) + layout_.origin_parity()) & 1);
      messages[-towards].send[mine].push_back({order(wrapped(asker, extent)), slot(here)});
    });
    for (auto& [offset, message] : messages) add_face(number, offset, message);
  }

  void add_face(int leg, const Coord& offset, Message& message) {
    HaloPlan::Face face;
    face.leg = leg;
    face.offset = offset;
    face.from_rank = rank_at(offset);
    face.to_rank = rank_at(-offset);
    for (std::size_t q = 0; q < 2; ++q) {
      std::sort(message.send[q].begin(), message.send[q].end());
      std::sort(message.receive[q].begin(), message.receive[q].end());
      for (const auto& entry : message.send[q]) face.send[q].push_back(std::get<1>(entry));
      for (const auto& entry : message.receive[q]) face.receive[q].push_back(std::get<1>(entry));
    }
    plan_.faces.push_back(std::move(face));
  }
  int rank_at(const Coord& offset) const {
    const Geometry& g = lattice_.geometry();
    Coord x{};
    for (int mu = 0; mu < 4; ++mu) x[mu] = g.origin()[mu] + offset[mu] * g.local_extent()[mu];
    return g.rank_of(wrapped(x, g.extent()));
  }

  /// Places the messages one after the other, each parity in whole blocks, with the same length at sender and receiver.
  void place_messages() {
    for (auto& face : plan_.faces) {
      const auto& region = region_[std::size_t(face.leg)];
      std::size_t longest = 0;
      bool in_place = true;
      for (std::size_t q = 0; q < 2; ++q) {
        longest = std::max({longest, face.send[q].size(), face.receive[q].size()});
        for (std::size_t j = 0; j < face.receive[q].size(); ++j)
          in_place = in_place && face.receive[q][j] == region.first[q] * lanes_ + int(j);
      }
      const int blocks = filled_up((int(longest) + lanes_ - 1) / lanes_);
      for (std::size_t q = 0; q < 2; ++q) {
        face.first_block[q] = plan_.n_message_blocks;
        face.n_blocks[q] = blocks;
        face.halo_block[q] = region.first[q];
        plan_.n_message_blocks += blocks;
      }
      face.in_place = in_place && blocks == region.n[0] && blocks == region.n[1];
    }
  }

  void fill_tables() {
    const bool columns = lanes_ == 1, nearest = computed(s_.legs_);
    const std::size_t n_legs = s_.legs_.size(), n_outer = std::size_t(layout_.n_outer());
    const bool by_entry = has_packs && (nodes_ || columns), by_slot = !by_entry && (has_packs || !nearest);
    // Room for one site more, as prefetches look one site ahead.
    std::vector<std::uint32_t> entries(by_entry ? (n_outer + 1) * n_legs : 0);
    std::vector<std::int32_t> slots(by_slot ? n_outer * n_legs * std::size_t(lanes_) : 0);
    std::vector<std::uint8_t> crossings(std::max(entries.size(), slots.size()));
    std::vector<std::uint32_t> crossing_legs(has_packs ? n_outer : 0);
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
  /// Makes the table of pairs from the other tables.
  void fill_pairs() {
#if !defined(KOKKOS_ENABLE_CUDA)
    if (!registers_hold_pairs<float>) return;
    const Stencil::View all = s_.view();
    const std::size_t n_legs = s_.legs_.size(), n_pairs = std::size_t(layout_.n_outer()) / 2;
    // One pair more, as prefetches look one ahead; its neighbours are together, so nothing is asked of its sites.
    std::vector<std::uint64_t> pairs((n_pairs + 1) * n_legs, detail::pair_entry({0, {0, 0}, false, true}));
    std::vector<std::uint32_t> apart(n_pairs);
    for_each_outer([&](int outer, int) {
      if (outer % 2 != 0) return;
      const std::size_t k = std::size_t(outer) / 2;
      const PairSite x{outer};
      const auto lower = all.at(x.lower()), upper = all.at(x.upper());
      for (std::size_t leg = 0; leg < n_legs; ++leg) {
        const PairHop hop = detail::pair_hop(lower(int(leg)), upper(int(leg)));
        pairs[k * n_legs + leg] = detail::pair_entry(hop);
        if (!hop.together && leg < 32) apart[k] |= std::uint32_t(1) << leg;
      }
    });
    s_.pairs_ = Buffer<std::uint64_t>("stencil", pairs);
    s_.legs_apart_ = Buffer<std::uint32_t>("stencil", apart);
#endif
  }

  /// Lists interior and surface: outer sites for kernels over packs, slots for kernels over lanes.
  void list_sites() {
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

std::string Stencil::name() const {
  std::string text = "legs";
  for (const Coord& leg : legs_) text.append(" ").append(leg_name(leg));
  return text;
}

Stencil::Stencil(const Lattice& lattice, const Layout& layout, const std::vector<Coord>& legs)
    : legs_(legs),
      halo_(std::make_shared<HaloPlan>()),
      order_(layout.order()),
      lanes_(layout.lanes()),
      n_half_slots_(layout.n_outer() / 2 * layout.lanes()),
      origin_parity_(layout.origin_parity()) {
  lattice.comm().require_same("the legs of a stencil", name(), lattice.halo_options().timeout_seconds);
  for (int mu = 0; mu < 4; ++mu) {
    extent_[mu] = layout.extent()[mu];
    communicates_[mu] = lattice.communicates(mu);
  }
  Builder(*this, lattice, layout).build();
}

SiteList Stencil::list(Subset subset, int which) const {
  const Buffer<int>& all = lists_[std::size_t(which)];
  const int n = int(all.size()), even = n_even_listed_[std::size_t(which)];
  switch (subset) {
    case Subset::all:
      return {all.data(), n};
    case Subset::even:
      return {all.data(), even};
    default:
      return {all.data() + even, n - even};
  }
}

bool Stencil::is_nearest() const { return (legs_.size() == 6 || legs_.size() == 8) && computed(legs_); }

Stencil::NearestView Stencil::nearest() const {
  require<InputError>(is_nearest(), "a kernel for nearest neighbours was given a stencil of", name(),
                      ": use Stencil::of(lattice) or of_space(lattice), or let the kernel take Stencil::View");
  return {view()};
}

Stencil::LocalView Stencil::local() const {
  require<InputError>(!halo().any() && !has_packs, "a kernel without halos was given a stencil of", name(),
                      "which has halos or is on a CPU: use nearest()");
  return {nearest()};
}

Stencil::View Stencil::view() const {
  return {entries_.data(),
          slots_.data(),
          crossings_.data(),
          crossing_legs_.data(),
          pairs_.data(),
          legs_apart_.data(),
          order_,
          int(legs_.size()),
          lanes_,
          n_half_slots_,
          origin_parity_,
          extent_,
          communicates_,
          halo_slot_,
          FastDivisor(std::uint32_t(extent_[0] / 2)),
          FastDivisor(std::uint32_t(extent_[1])),
          FastDivisor(std::uint32_t(extent_[2]))};
}

}  // namespace kov
