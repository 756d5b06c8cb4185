// SPDX-License-Identifier: MIT
#include "kov/core/lattice/slice_table.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/lattice/cuda/slice_chunks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

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

SliceTable::SliceTable(const Lattice& lattice, Subset subset, int direction)
    : layout_(lattice.layout()),
      n_slices_(lattice.extent()[std::size_t(direction)]),
      origin_(lattice.geometry().origin()[std::size_t(direction)]) {
  const SiteRange range = lattice.layout().range(subset);
  std::map<LaneSlices, std::vector<int>> groups;
  std::vector<std::vector<int>> places(std::size_t(lattice.geometry().local_extent()[std::size_t(direction)]));
  for (int outer = range.first; outer < range.first + range.n_outer; ++outer) {
    const LaneSlices slices = lane_slices(lattice, outer, std::size_t(direction));
    groups[slices].push_back(outer);
    for (int lane = 0; lane < default_lanes; ++lane)
      if (const int slice = slices[std::size_t(lane)]; slice >= 0)
        places[std::size_t(slice - origin_)].push_back(outer * default_lanes + lane);
  }

  const int shortest = has_packs ? 8 : detail::shortest_slice_chunk(range.n_outer);
  int length = std::clamp(range.n_outer / 1024, shortest, 128);
  if (has_packs) length -= length % 2;
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
      for (int k = 0; k < count; k += 2)
        has_pairs_ = has_pairs_ && count % 2 == 0 && members[std::size_t(i + k)] % 2 == 0 &&
                     members[std::size_t(i + k + 1)] == members[std::size_t(i + k)] + 1;
      slot_slice_.insert(slot_slice_.end(), distinct.begin(), distinct.end());
    }
  }
  std::vector<int> slice_begin(std::size_t(n_slices_) + 1), slot_of_slice(slot_slice_.size());
  for (const int slice : slot_slice_) ++slice_begin[std::size_t(slice) + 1];
  std::partial_sum(slice_begin.begin(), slice_begin.end(), slice_begin.begin());
  std::vector<int> next = slice_begin;
  for (int slot = 0; slot < n_slots(); ++slot)
    slot_of_slice[std::size_t(next[std::size_t(slot_slice_[std::size_t(slot)])]++)] = slot;
  slice_begin_ = Buffer<int>("slots of slices", slice_begin);
  slot_of_slice_ = Buffer<int>("slots of slices", slot_of_slice);
  chunk_ = Buffer<Chunk>("chunks of slices", chunks);
  outer_ = Buffer<int>("sites of slices", outer);
  lane_slot_ = Buffer<int>("lanes of slices", lane_slot);
  std::vector<int> all_places;
  for (const std::vector<int>& of_slice : places) {
    place_begin_.push_back(all_places.size());
    all_places.insert(all_places.end(), of_slice.begin(), of_slice.end());
  }
  place_begin_.push_back(all_places.size());
  places_ = Buffer<int>("places of slices", all_places);
}

SliceTable::Sites SliceTable::sites() const {
  const std::size_t n_here = place_begin_.size() - 1, n_sites = place_begin_[1];
  require(places_.size() == std::size_t(layout_.n_sites()), "the sites of slices of one parity were asked for, which",
          "may differ in number: take a table of all sites");
  return {places_.data(), layout_.view(), int(n_here), int(n_sites), default_lanes};
}

std::vector<std::vector<int>> SliceTable::places_of_slices() const {
  const std::vector<int> all = places_.to_host();
  std::vector<std::vector<int>> slices;
  slices.resize(std::size_t(n_slices_));
  for (std::size_t i = 0; i + 1 < place_begin_.size(); ++i)
    slices[std::size_t(origin_) + i].assign(all.begin() + std::ptrdiff_t(place_begin_[i]),
                                            all.begin() + std::ptrdiff_t(place_begin_[i + 1]));
  return slices;
}

const SliceTable& SliceTable::of(const Lattice& lattice, Subset subset, int direction) {
  return lattice.remember<SliceTable>(std::pair(subset, direction),
                                      [&] { return SliceTable(lattice, subset, direction); });
}

}  // namespace kov
