// SPDX-License-Identifier: MIT
#include "kov/core/lattice/slice_chunks.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace kov {

namespace {

/// The slice of every lane of an outer site, -1 for padding.
using LaneSlices = std::array<int, default_lanes>;

LaneSlices lane_slices(const Lattice& lattice, int outer, std::size_t mu) {
  const Layout& layout = lattice.layout();
  LaneSlices slices;
  for (int lane = 0; lane < default_lanes; ++lane)
    slices[std::size_t(lane)] =
        layout.is_site(outer, lane) ? layout.coordinate(outer, lane)[mu] + lattice.geometry().origin()[mu] : -1;
  return slices;
}

}  // namespace

SliceChunks::SliceChunks(const Lattice& lattice, Subset subset, int direction)
    : n_slices_(lattice.extent()[std::size_t(direction)]) {
  const SiteRange range = lattice.layout().range(subset);
  std::map<LaneSlices, std::vector<int>> groups;
  for (int outer = range.first; outer < range.first + range.n_outer; ++outer)
    groups[lane_slices(lattice, outer, std::size_t(direction))].push_back(outer);

  const int length = std::clamp(range.n_outer / 1024, has_packs ? 8 : 4, 128);
  std::vector<Chunk> chunks;
  std::vector<int> outer, lane_slot;
  for (const auto& [slices, members] : groups) {
    std::vector<int> distinct;
    const int lanes = int(lane_slot.size());
    for (const int slice : slices) {
      auto found = std::find(distinct.begin(), distinct.end(), slice);
      if (slice >= 0 && found == distinct.end()) found = distinct.insert(distinct.end(), slice);
      lane_slot.push_back(slice < 0 ? -1 : int(found - distinct.begin()));
    }
    if (distinct.empty()) continue;
    for (int i = 0; i < int(members.size()); i += length) {
      const int count = std::min(length, int(members.size()) - i);
      chunks.push_back({int(outer.size()), count, n_slots(), int(distinct.size()), lanes});
      outer.insert(outer.end(), members.begin() + i, members.begin() + i + count);
      slot_slice_.insert(slot_slice_.end(), distinct.begin(), distinct.end());
    }
  }
  std::vector<int> slice_begin{0}, slot_of_slice;
  for (int slice = 0; slice < n_slices_; ++slice) {
    for (int slot = 0; slot < n_slots(); ++slot)
      if (slot_slice_[std::size_t(slot)] == slice) slot_of_slice.push_back(slot);
    slice_begin.push_back(int(slot_of_slice.size()));
  }
  slice_begin_ = Buffer<int>("slots of slices", slice_begin);
  slot_of_slice_ = Buffer<int>("slots of slices", slot_of_slice);
  chunk_ = Buffer<Chunk>("chunks of slices", chunks);
  outer_ = Buffer<int>("sites of slices", outer);
  lane_slot_ = Buffer<int>("lanes of slices", lane_slot);
}

const SliceChunks& SliceChunks::of(const Lattice& lattice, Subset subset, int direction) {
  return lattice.remember<SliceChunks>(std::pair(subset, direction),
                                       [&] { return SliceChunks(lattice, subset, direction); });
}

}  // namespace kov
