// SPDX-License-Identifier: MIT
//
// SliceChunks: the outer sites of a lattice in chunks whose lanes lie on the same slices, so that sums over slices can
// keep whole packs to the end of a chunk, in every memory order.
#pragma once

#include "kov/core/lattice/lattice.hpp"

#include <vector>

namespace kov {

/// The words used here: a slice is all sites with one coordinate in a direction; a chunk is a run of outer sites of
/// which lane i is on the same slice in every one; a slot is one slice of one chunk, where a partial sum is written.
class SliceChunks {
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
    /// slot_of_slice[slice_begin[i]], ..., slot_of_slice[slice_begin[i + 1] - 1] are the slots of slice i of the whole
    /// lattice.
    const int *slice_begin, *slot_of_slice;
    int n_chunks;
  };

  /// Chunks are about 1/1000 of the lattice, whatever the number of threads, so that sums do not depend on it.
  explicit SliceChunks(const Lattice& lattice, Subset subset = Subset::all, int direction = 3);
  /// Made once per lattice and kept by it.
  static const SliceChunks& of(const Lattice& lattice, Subset subset = Subset::all, int direction = 3);

  int n_chunks() const { return int(chunk_.size()); }
  int n_slots() const { return int(slot_slice_.size()); }
  /// The number of slices of the whole lattice.
  int n_slices() const { return n_slices_; }
  /// The slice of a slot.
  int slice(int slot) const { return slot_slice_[std::size_t(slot)]; }
  View view() const {
    return {chunk_.data(), outer_.data(), lane_slot_.data(), slice_begin_.data(), slot_of_slice_.data(), n_chunks()};
  }

 private:
  int n_slices_;
  Buffer<Chunk> chunk_;
  Buffer<int> outer_, lane_slot_, slice_begin_, slot_of_slice_;
  std::vector<int> slot_slice_;
};

}  // namespace kov
