// SPDX-License-Identifier: MIT
//
// Private to slice_columns.cpp: what the kernels of CPUs (slice_packs.hpp) and of GPUs (cuda/slice_tiles.hpp) share.
// Both work on tiles in scratch memory.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/lattice/momentum.hpp"
#include "kov/core/lattice/slice_table.hpp"

#include <cstddef>

namespace kov::detail {

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

/// Adds the chunks of each matrix in their order; an item is a real number of a matrix.  slice_sums() does not do that:
/// it takes the numbers of a site from one kernel and keeps those of all slices of the lattice for a chunk of few
/// sites, while these matrices have up to 10^9 numbers, of this rank's slices alone, and chunks as memory allows.
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
