// SPDX-License-Identifier: MIT
#include "kov/contractions/kernels/time_slices.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace kov {

namespace {

/// The global time of every lane of an outer site, -1 for padding.
using LaneTimes = std::array<int, default_lanes>;

LaneTimes lane_times(const Lattice& lattice, int outer) {
  const Layout& layout = lattice.layout();
  LaneTimes times;
  for (int lane = 0; lane < default_lanes; ++lane)
    times[std::size_t(lane)] =
        layout.is_site(outer, lane) ? layout.coordinate(outer, lane)[3] + lattice.geometry().origin()[3] : -1;
  return times;
}

}  // namespace

TimeSlices::TimeSlices(const Lattice& lattice) {
  const Layout& layout = lattice.layout();
  std::map<LaneTimes, std::vector<int>> groups;
  for (int outer = 0; outer < layout.n_outer(); ++outer) groups[lane_times(lattice, outer)].push_back(outer);

  const int length = std::clamp(layout.n_outer() / 1024, has_packs ? 8 : 4, 128);
  std::vector<Chunk> chunks;
  std::vector<int> outer, lane_slot;
  for (const auto& [times, members] : groups) {
    std::vector<int> distinct;
    const int lanes = int(lane_slot.size());
    for (int time : times) {
      auto found = std::find(distinct.begin(), distinct.end(), time);
      if (time >= 0 && found == distinct.end()) found = distinct.insert(distinct.end(), time);
      lane_slot.push_back(time < 0 ? -1 : int(found - distinct.begin()));
    }
    if (distinct.empty()) continue;
    for (int i = 0; i < int(members.size()); i += length) {
      const int count = std::min(length, int(members.size()) - i);
      chunks.push_back({int(outer.size()), count, int(slot_time_.size()), int(distinct.size()), lanes});
      outer.insert(outer.end(), members.begin() + i, members.begin() + i + count);
      slot_time_.insert(slot_time_.end(), distinct.begin(), distinct.end());
    }
  }
  std::vector<int> time_begin{0}, slot_of_time;
  for (int time = 0; time < lattice.extent()[3]; ++time) {
    for (int slot = 0; slot < n_slots(); ++slot)
      if (slot_time_[std::size_t(slot)] == time) slot_of_time.push_back(slot);
    time_begin.push_back(int(slot_of_time.size()));
  }
  time_begin_ = Buffer<int>("time slice slots", time_begin);
  slot_of_time_ = Buffer<int>("time slice slots", slot_of_time);
  chunk_ = Buffer<Chunk>("time slice chunks", chunks);
  outer_ = Buffer<int>("time slice sites", outer);
  lane_slot_ = Buffer<int>("time slice lanes", lane_slot);
}

const TimeSlices& TimeSlices::of(const Lattice& lattice) {
  return lattice.remember<TimeSlices>("time slices", [&] { return TimeSlices(lattice); });
}

}  // namespace kov
