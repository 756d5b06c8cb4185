// SPDX-License-Identifier: MIT
//
// SliceTable: which sites lie on which slice of a lattice; in chunks of whole packs for sums over slices, and one by
// one.
#pragma once

#include "kov/core/lattice/lattice.hpp"
#include "kov/core/lattice/site.hpp"

#include <vector>

namespace kov {

/// The words used here: a slice is all sites with one coordinate in a direction; a chunk is a run of outer sites of
/// which lane i is on the same slice in every one, so that a sum can keep whole packs to the chunk's end, in every
/// memory order; a slot is one slice of one chunk, where a partial sum is written.
class SliceTable {
 public:
  struct Chunk {
    /// outer[first], ..., outer[first + count - 1]
    int first, count;
    /// slots first_slot, ..., first_slot + n_slots - 1
    int first_slot, n_slots;
    /// lane_slot[lanes + i] is the slot of lane i counted from first_slot, or -1 where it is padding
    int lanes;
  };
  /// Passed to kernels: n_chunks chunks, the outer sites of all of them, and the slots of their lanes.
  struct View {
    const Chunk* chunk;
    const int* outer;
    const int* lane_slot;
    /// slot_of_slice[slice_begin[i]], ..., slot_of_slice[slice_begin[i + 1] - 1] are the slots of slice i of the whole
    /// lattice.
    const int *slice_begin, *slot_of_slice;
    int n_chunks;

    /// Lane by lane, whether site i of a chunk is one and in this slot, and that site.
    KOKKOS_FORCEINLINE_FUNCTION bool holds(const Chunk& of, int slot, int i) const {
      return i < of.count * default_lanes && lane_slot[of.lanes + i % default_lanes] == slot;
    }
    KOKKOS_FORCEINLINE_FUNCTION LaneSite site(const Chunk& of, int i) const {
      return {outer[of.first + i / default_lanes], i % default_lanes};
    }
  };
  /// The sites of this rank's slices, each slice in the order of memory.
  struct Sites {
    /// [slice][site]: outer * lanes + lane.
    const int* places;
    Layout::View layout;
    /// Slices of this rank, sites of a slice, and lanes of the layout.
    int n_slices, n_sites, lanes;

    /// Site i < n_sites of a slice < n_slices, counted from this rank's first one.
    KOKKOS_FORCEINLINE_FUNCTION LaneSite site(int slice, int i) const {
      const int place = places[std::ptrdiff_t(slice) * n_sites + i];
      return {place / lanes, place % lanes};
    }
    /// Local.
    KOKKOS_FORCEINLINE_FUNCTION Coord coordinate(LaneSite x) const { return layout.coordinate(x.outer, x.lane); }
  };

  /// Chunks are about 1/1000 of the lattice, whatever the number of threads, so that sums do not depend on it.
  explicit SliceTable(const Lattice& lattice, Subset subset = Subset::all, int direction = 3);
  /// Made once per lattice and kept by it.
  static const SliceTable& of(const Lattice& lattice, Subset subset = Subset::all, int direction = 3);

  int n_chunks() const { return int(chunk_.size()); }
  int n_slots() const { return int(slot_slice_.size()); }
  /// The number of slices of the whole lattice.
  int n_slices() const { return n_slices_; }
  /// Whether each chunk is made of pairs of outer sites, see PairSite, one after the other.
  bool has_pairs() const { return has_pairs_; }
  /// The slice of a slot.
  int slice(int slot) const { return slot_slice_[std::size_t(slot)]; }
  View view() const {
    return {chunk_.data(), outer_.data(), lane_slot_.data(), slice_begin_.data(), slot_of_slice_.data(), n_chunks()};
  }
  /// Of a table of all sites, whose slices are equally large; throws InputError for one of a parity.
  Sites sites() const;
  /// The sites of slice i of the whole lattice that this rank has, as outer * default_lanes + lane in the order of
  /// memory, on the host.
  std::vector<std::vector<int>> places_of_slices() const;

 private:
  Layout layout_;
  int n_slices_, origin_;
  bool has_pairs_ = true;
  Buffer<Chunk> chunk_;
  Buffer<int> outer_, lane_slot_, slice_begin_, slot_of_slice_, places_;
  std::vector<int> slot_slice_;
  std::vector<std::size_t> place_begin_;  // [slice of this rank], and the end of the last one
};

}  // namespace kov
