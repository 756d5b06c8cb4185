// SPDX-License-Identifier: MIT
//
// Private to slice_sum.hpp: sums over slices on GPUs, by teams that keep the numbers of a tile of sites in scratch
// memory; and what a GPU needs to know of a kernel whose numbers are summed.
#pragma once

#include "kov/core/lattice/momentum.hpp"
#include "kov/core/lattice/slice_table.hpp"
#include "kov/core/launch/for_each_team.hpp"

#include <cstddef>

namespace kov::detail {

/// How a kernel is run on GPUs: its numbers come in blocks of `block`, for `tile` sites at a time, few enough for the
/// scratch memory of a team to stay below the 48 KiB that every GPU has.  A kernel with arrays that it indexes is kept
/// in constant memory: as a parameter every thread would copy it to its local memory.  A specialisation derives from
/// StatedSliceSum; it stands in the folder cuda/ beside the kernel.
template <int block_, int tile_, bool in_constant_memory_>
struct StatedSliceSum {
  static constexpr int block = block_, tile = tile_;
  static constexpr bool in_constant_memory = in_constant_memory_;
};
template <class Kernel>
struct SliceSumTiles : StatedSliceSum<16, 64, false> {};
template <class Kernel>
requires(Kernel::n_values < 16) struct SliceSumTiles<Kernel> : StatedSliceSum<Kernel::n_values, 64, false> {
};

#if defined(KOKKOS_ENABLE_CUDA)

/// A team takes one block of a chunk.  Its threads write the values and phases of `tile` sites, one each, to scratch
/// memory; then each thread adds up the sites for some pairs of momentum and value.
template <class Kernel, class T, int N>
struct LaneSliceSum {
  static constexpr int block = SliceSumTiles<Kernel>::block, tile = SliceSumTiles<Kernel>::tile, n_momenta = 8;
  static constexpr bool in_constant_memory = SliceSumTiles<Kernel>::in_constant_memory;
  // Rows are one number longer, so that threads on different sites use different banks of memory.
  static constexpr int value_row = block + 1, phase_row = n_momenta + 1;
  static constexpr int n_sums = n_momenta * block > tile ? n_momenta* block : tile;

  Kernel kernel;
  SliceTable::View slices;
  typename MomentumPhases<T>::View phases;
  Layout::View layout;
  int n_blocks, n_values, size;  // of a block: `block` numbers or fewer
  int first_momentum, count;
  double* partial;

  static TeamShape shape(int n_teams) {
    const auto padded = [](std::size_t bytes) {
      return (bytes + tile_alignment - 1) / tile_alignment * tile_alignment;
    };
    return {.n_teams = n_teams,
            .threads = tile,
            .tile_bytes = padded(sizeof(Complex<T>) * tile * value_row) +
                          padded(sizeof(Complex<T>) * tile * phase_row) + padded(sizeof(Complex<double>) * n_sums)};
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Team<Member>& team) const {
    const SliceTable::Chunk chunk = slices.chunk[team.index() / n_blocks];
    const int b = team.index() % n_blocks, rest = n_values - b * size, here = rest < size ? rest : size;
    Complex<T>* const value = team.template tile<Complex<T>>(tile * value_row);
    Complex<T>* const phase = team.template tile<Complex<T>>(tile * phase_row);
    Complex<double>* const sum = team.template tile<Complex<double>>(n_sums);
    // If there are fewer pairs than threads, n_parts threads share a pair: part p takes the sites p, p + n_parts, ...
    // of a tile.
    const int n_pairs = count * here, n_parts = n_pairs < tile ? tile / n_pairs : 1;
    for (int slot = 0; slot < chunk.n_slots; ++slot) {
      team.share(n_pairs * n_parts, [&](int i) { sum[i] = {0, 0}; });
      for (int first = 0; first < chunk.count * N; first += tile) {
        team.barrier();
        team.share(int(tile),
                   [&](int s) { fill(chunk, slot, b, here, first + s, value + s * value_row, phase + s * phase_row); });
        team.barrier();
        team.share(n_pairs * n_parts, [&](int i) {
          const int k = i % n_pairs / here, v = i % here;
          Complex<T> acc{T(0), T(0)};
          for (int s = i / n_pairs; s < tile; s += n_parts)
            multiply_add(acc, phase[s * phase_row + k], value[s * value_row + v]);
          sum[i] += Complex<double>{acc.re, acc.im};
        });
      }
      team.barrier();
      team.share(n_pairs, [&](int i) {
        Complex<double> z = sum[i];
        for (int part = 1; part < n_parts; ++part) z += sum[part * n_pairs + i];
        const std::size_t row = std::size_t(chunk.first_slot + slot) * phases.n + first_momentum + i / here;
        double* to = partial + (row * n_values + b * size + i % here) * 2;
        to[0] = z.re;
        to[1] = z.im;
      });
      team.barrier();
    }
  }

  /// The values and phases of site i of a chunk; zero if the site is not in this slot.
  KOKKOS_FORCEINLINE_FUNCTION void fill(const SliceTable::Chunk& chunk, int slot, int b, int here, int i,
                                        Complex<T>* value, Complex<T>* phase) const {
    if (i >= chunk.count * N || slices.lane_slot[chunk.lanes + i % N] != slot) {
      for (int v = 0; v < here; ++v) value[v] = {T(0), T(0)};
      for (int k = 0; k < count; ++k) phase[k] = {T(0), T(0)};
      return;
    }
    const LaneSite site{slices.outer[chunk.first + i / N], i % N};
    const Coord x = layout.coordinate(site.outer, site.lane);
    for (int k = 0; k < count; ++k) phase[k] = phases(x, first_momentum + k);
    kernel(site, b, value);
  }
};

#endif

}  // namespace kov::detail
