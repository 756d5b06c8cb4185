// SPDX-License-Identifier: MIT
#include "kov/stencil/stencil.hpp"

#include <algorithm>
#include <tuple>

namespace kov {

namespace {

/// The lexicographic index of the three coordinates other than mu.
int transverse(const Coord& x, const Coord& extent, int mu) {
  int index = 0;
  for (int nu = 3; nu >= 0; --nu)
    if (nu != mu) index = index * extent[nu] + x[nu];
  return index;
}

int face_sites(const Coord& extent, int mu) { return int(volume(extent) / extent[mu]); }

}  // namespace

const Stencil& Stencil::of(const Lattice& lattice) {
  return lattice.remember<Stencil>("stencil", [&] { return Stencil(lattice, lattice.layout()); });
}

const Stencil& Stencil::of_columns(const Lattice& lattice) {
  return lattice.remember<Stencil>("column stencil", [&] { return Stencil(lattice, lattice.column_layout()); });
}

Stencil::Stencil(const Lattice& lattice, const Layout& layout)
    : halo_(std::make_shared<HaloPlan>()),
      order_(layout.order()),
      lanes_(layout.lanes()),
      n_half_slots_(layout.n_outer() / 2 * layout.lanes()),
      origin_parity_(layout.origin_parity()) {
  for (int mu = 0; mu < 4; ++mu) {
    extent_[mu] = layout.extent()[mu];
    bit_[mu] = layout.lane_bit(mu);
    communicates_[mu] = lattice.communicates(mu);
  }
  build_halo(lattice, layout);
  build_tables(lattice, layout);
}

void Stencil::build_halo(const Lattice& lattice, const Layout& layout) {
  const bool nodes = order_ == Order::virtual_nodes;
  const Coord& box = nodes ? layout.outer_extent() : layout.extent();  // what blocks are counted in
  for (int leg = 0; leg < n_legs; ++leg) {
    const int mu = leg / 2, forward = leg % 2 == 0;
    HaloPlan::Face& face = halo_->faces[std::size_t(leg)];
    face.active = lattice.communicates(mu);
    for (int q = 0; q < 2; ++q) {
      halo_slot_[2 * leg + q] = halo_->n_blocks * lanes_;
      if (!face.active) continue;
      const int entries = (face_sites(box, mu) + 1) / 2;
      face.first_block[q] = halo_->n_blocks;
      face.n_blocks[q] = nodes ? entries : (entries + lanes_ - 1) / lanes_;
      halo_->n_blocks += face.n_blocks[q];
    }
    if (!face.active) continue;
    face.from_rank = lattice.geometry().neighbour(mu, forward ? +1 : -1);
    face.to_rank = lattice.geometry().neighbour(mu, forward ? -1 : +1);

    // A site y at an edge is looked for, by the site next to it, in this halo slot: a function of y's transverse
    // coordinates alone, so that both ends of a message count in the same order.
    const Coord& extent = layout.extent();
    const auto halo_slot = [&](const Coord& y, int lane_of_asker, int q) {
      if (!nodes) return halo_slot_[2 * leg + q] + transverse(y, extent, mu) / 2;
      Coord o = y;
      for (int nu = 0; nu < 4; ++nu) o[nu] %= box[nu];
      return halo_slot_[2 * leg + q] + transverse(o, box, mu) / 2 * lanes_ + lane_of_asker;
    };
    std::vector<std::tuple<int, int>> sends[2], copies[2];  // (halo slot, local slot)
    for (std::int64_t i = 0; i < volume(extent); ++i) {
      const Coord y = coordinate(i, extent);
      const auto at = layout.locate(y);
      const int q = (parity(y) + origin_parity_) & 1, slot = at.outer * lanes_ + at.lane;
      const int low = forward ? 0 : extent[mu] - 1;  // where senders' sites lie
      if (y[mu] == low) sends[q].push_back({halo_slot(y, at.lane ^ bit_[mu], q), slot});
      // Virtual nodes meet inside the local box: the asker's block also wants the lanes that come from here.
      if (bit_[mu] && y[mu] % box[mu] == (forward ? 0 : box[mu] - 1) && y[mu] != low)
        copies[q].push_back({halo_slot(y, at.lane ^ bit_[mu], q), slot});
    }
    for (int q = 0; q < 2; ++q) {
      std::sort(sends[q].begin(), sends[q].end());
      for (const auto& [to, from] : sends[q]) face.send[q].push_back(from);
      for (const auto& [to, from] : copies[q]) {
        face.copy_to[q].push_back(to);
        face.copy_from[q].push_back(from);
      }
    }
    // What arrives, counted from the asking side: where the local volume is odd, a face need not hold as many even
    // sites as the face that this rank sends.
    for (std::int64_t i = 0; i < volume(extent); ++i) {
      const Coord x = coordinate(i, extent);
      if (x[mu] != (forward ? extent[mu] - 1 : 0)) continue;
      const auto at = layout.locate(x);
      const int q = (parity(x) + origin_parity_ + 1) & 1;
      face.receive[q].push_back(halo_slot(x, at.lane, q));
    }
    for (int q = 0; q < 2; ++q) {
      std::sort(face.receive[q].begin(), face.receive[q].end());
      for (std::size_t j = 0; j < face.receive[q].size(); ++j)
        if (face.receive[q][j] != halo_slot_[2 * leg + q] + int(j)) face.in_place = false;
    }
  }
}

void Stencil::build_tables(const Lattice& lattice, const Layout& layout) {
  const bool nodes = order_ == Order::virtual_nodes, columns = lanes_ == 1;
  if (!has_packs) return;  // the even-odd order of a GPU computes its neighbours
  std::vector<std::uint32_t> entries(nodes || columns ? std::size_t(layout.n_outer()) * n_legs : 0);
  std::vector<std::int32_t> slots(nodes || columns ? 0 : std::size_t(layout.n_outer()) * n_legs * lanes_);
  const Coord& box = nodes ? layout.outer_extent() : layout.extent();
  for (int outer = 0; outer < layout.n_outer(); ++outer)
    for (int lane = 0; lane < (nodes ? 1 : lanes_); ++lane)
      for (int leg = 0; leg < n_legs; ++leg) {
        const int mu = leg / 2, q = outer < layout.n_outer() / 2 ? 1 : 0;
        Coord x = nodes ? layout.outer_coordinate(outer) : layout.coordinate(outer, lane);
        const int across = transverse(x, box, mu) / 2;
        x[mu] += leg % 2 ? -1 : +1;
        const bool wraps = x[mu] < 0 || x[mu] >= box[mu];
        x[mu] = (x[mu] + box[mu]) % box[mu];
        const bool in_halo = wraps && lattice.communicates(mu);
        if (nodes) {
          const int to = in_halo ? halo_slot_[2 * leg + q] / lanes_ + across : layout.outer_index(x);
          entries[std::size_t(outer) * n_legs + leg] =
              std::uint32_t(to) << 2 | std::uint32_t(in_halo) << 1 | std::uint32_t(wraps && !in_halo);
        } else {
          const auto at = layout.locate(x);
          const int to = in_halo ? halo_slot_[2 * leg + q] + across : at.outer * lanes_ + at.lane;
          if (columns)
            entries[std::size_t(outer) * n_legs + leg] = std::uint32_t(to) << 2 | std::uint32_t(in_halo) << 1;
          else
            slots[(std::size_t(outer) * n_legs + leg) * lanes_ + lane] = to << 1 | int(in_halo);
        }
      }
  if (!entries.empty()) entries.resize(entries.size() + n_legs);  // a prefetch looks one site ahead
  entries_ = Buffer<std::uint32_t>("stencil", entries);
  slots_ = Buffer<std::int32_t>("stencil", slots);
}

Stencil::View Stencil::view() const {
  return {entries_.data(),
          slots_.data(),
          order_,
          lanes_,
          n_half_slots_,
          origin_parity_,
          extent_,
          bit_,
          communicates_,
          halo_slot_,
          detail::FastDivisor(std::uint32_t(extent_[0] / 2)),
          detail::FastDivisor(std::uint32_t(extent_[1])),
          detail::FastDivisor(std::uint32_t(extent_[2]))};
}

}  // namespace kov
