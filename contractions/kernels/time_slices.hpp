// SPDX-License-Identifier: MIT
//
// TimeSlices: the outer sites of a lattice in chunks whose lanes lie on the same time slices, so that sums over slices
// can keep whole packs to the end of a chunk, in every memory order.
#pragma once

#include "kov/core/lattice/lattice.hpp"

#include <vector>

namespace kov {

/// The words used here: a chunk is a run of outer sites of which lane i is on the same time slice in every one; a slot
/// is one time slice of one chunk, where a partial sum is written.
class TimeSlices {
 public:
  struct Chunk {
    /// outer[first], ..., outer[first + count - 1]
    int first, count;
    /// slots first_slot, ..., first_slot + n_slots - 1
    int first_slot, n_slots;
    /// lane_slot[lanes + i] is the slot of lane i counted from first_slot, or -1 where it is padding
    int lanes;
  };
  struct View {
    const Chunk* chunk;
    const int* outer;
    const int* lane_slot;
    /// slot_of_time[time_begin[t]], ..., slot_of_time[time_begin[t + 1] - 1] are the slots of global time t.
    const int *time_begin, *slot_of_time;
    int n_chunks;
  };

  /// Chunks are about 1/1000 of the lattice, whatever the number of threads, so that sums do not depend on it.
  explicit TimeSlices(const Lattice& lattice);
  /// The lattice's own.
  static const TimeSlices& of(const Lattice& lattice);

  int n_chunks() const { return int(chunk_.size()); }
  int n_slots() const { return int(slot_time_.size()); }
  /// The global time of a slot.
  int time(int slot) const { return slot_time_[std::size_t(slot)]; }
  View view() const {
    return {chunk_.data(), outer_.data(), lane_slot_.data(), time_begin_.data(), slot_of_time_.data(), n_chunks()};
  }

 private:
  Buffer<Chunk> chunk_;
  Buffer<int> outer_, lane_slot_, time_begin_, slot_of_time_;
  std::vector<int> slot_time_;
};

}  // namespace kov
