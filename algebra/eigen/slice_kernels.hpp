// SPDX-License-Identifier: MIT
//
// Private to slice_columns.cpp: the sites of time slices in the order of memory, and what the kernels of CPUs
// (slice_packs.hpp) and of GPUs (cuda/slice_tiles.hpp) share.  Both work on tiles in scratch memory.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/lattice/momentum.hpp"

#include <algorithm>
#include <vector>

namespace kov::detail {

/// The sites of this rank's part of every time slice, in the order of memory.
class SliceSites {
 public:
  explicit SliceSites(const Lattice& lattice) : lanes_(lattice.layout().lanes()), layout_(lattice.layout()) {
    const Coord box = lattice.geometry().local_extent();
    n_slices_ = box[3];
    n_sites_ = box[0] * box[1] * box[2];
    std::vector<int> slots;
    for (int t = 0; t < box[3]; ++t) {
      const std::size_t begin = slots.size();
      for (int i = 0; i < n_sites_; ++i) {
        Coord x = coordinate(i, {box[0], box[1], box[2], 1});
        x[3] = t;
        const Layout::Position at = layout_.locate(x);
        slots.push_back(at.outer * lanes_ + at.lane);
      }
      std::sort(slots.begin() + std::ptrdiff_t(begin), slots.end());
    }
    slots_ = Buffer<int>("sites of slices", std::span<const int>(slots));
  }
  static const SliceSites& of(const Lattice& lattice) {
    return lattice.remember<SliceSites>(0, [&] { return SliceSites(lattice); });
  }

  int n_slices() const { return n_slices_; }
  int n_sites() const { return n_sites_; }

  struct View {
    const int* slots;
    Layout::View layout;
    int n_slices, n_sites, lanes;

    KOKKOS_FORCEINLINE_FUNCTION LaneSite site(int slice, int i) const {
      const int slot = slots[std::ptrdiff_t(slice) * n_sites + i];
      return {slot / lanes, slot % lanes};
    }
    KOKKOS_FORCEINLINE_FUNCTION Coord coordinate(LaneSite x) const { return layout.coordinate(x.outer, x.lane); }
  };
  View view() const { return {slots_.data(), layout_.view(), n_slices_, n_sites_, lanes_}; }

 private:
  int lanes_, n_slices_ = 0, n_sites_ = 0;
  Layout layout_;
  Buffer<int> slots_;
};

/// A field as colour vectors: of spinors, number s * n_components + c is spin s of component c.
template <class F>
struct SliceVectors {
  using View = typename F::View;
  static constexpr int spins = View::n_complex / 3;
  View view;
  int n_components;

  explicit SliceVectors(const F& field) : view(field.view()), n_components(field.n_components()) {}
  KOKKOS_FORCEINLINE_FUNCTION int n() const { return spins * n_components; }
  /// x: a LaneSite, or a PackSite.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto read(Site x, int vector, int color) const {
    if constexpr (spins == 1) return view.element(x, vector, color);
    return view.element(x, vector % n_components, vector / n_components * 3 + color);
  }
  template <class Site, class Z>
  KOKKOS_FORCEINLINE_FUNCTION void write(Site x, int vector, int color, const Z& z) const {
    if constexpr (spins == 1)
      view.set_element(x, vector, color, z);
    else
      view.set_element(x, vector % n_components, vector / n_components * 3 + color, z);
  }
};

/// Adds the chunks of each matrix in their order; an item is a real number of a matrix.
struct AddSliceChunks {
  const double* partial;
  double* sums;
  int n_chunks;
  std::size_t n;  // reals of a matrix
  std::size_t first;
  KOKKOS_FUNCTION void operator()(int item) const {
    const std::size_t to = first + std::size_t(item), matrix = to / n, i = to % n;
    const double* const from = partial + matrix * std::size_t(n_chunks) * n + i;
    double sum = 0;
    for (int chunk = 0; chunk < n_chunks; ++chunk) sum += from[std::size_t(chunk) * n];
    sums[to] = sum;
  }
};

}  // namespace kov::detail
