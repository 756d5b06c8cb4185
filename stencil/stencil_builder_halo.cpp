// SPDX-License-Identifier: MIT
#include "kov/stencil/stencil_builder.hpp"

namespace kov {

using detail::floor_divide;
using detail::wrapped;
using detail::operator+;
using detail::operator-;

void Stencil::Builder::number_halo() {
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

void Stencil::Builder::list_messages(int number) {
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

void Stencil::Builder::add_face(int leg, const Coord& offset, Message& message) {
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

int Stencil::Builder::rank_at(const Coord& offset) const {
  const Geometry& g = lattice_.geometry();
  Coord x{};
  for (int mu = 0; mu < 4; ++mu) x[mu] = g.origin()[mu] + offset[mu] * g.local_extent()[mu];
  return g.rank_of(wrapped(x, g.extent()));
}

void Stencil::Builder::place_messages() {
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

}  // namespace kov
