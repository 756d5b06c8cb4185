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

/// One of the n_parts threads that compute the numbers of a site together, and what the sites of their team share:
/// numbers of n_sites sites, of which this is number `site`.
template <class T>
struct StagedPart {
  Complex<T>* numbers;
  int n_sites, site, part, n_parts;
};

#if defined(KOKKOS_ENABLE_CUDA)

/// A kernel whose numbers at a site several threads compute together from what they staged in scratch memory before:
/// all threads of a site call kernel.stage(site, part), and then kernel(part, b, value), whose values are added up over
/// the parts; part is a StagedPart.  n_staged() complex numbers are shared by sites_at_once() sites, a divisor of
/// `tile`.
template <class Kernel>
concept StagesSites = requires(const Kernel& kernel) {
  kernel.n_staged();
  kernel.sites_at_once();
};

/// A team takes one block of a chunk.  Its threads write the values and phases of `tile` sites, one each, to scratch
/// memory; then each thread adds up the sites for some pairs of momentum and value.  If the kernel stages sites, there
/// are so many parts of fewer sites.
template <class Kernel, class T, int N>
struct LaneSliceSum {
  static constexpr bool stages = StagesSites<Kernel>;
  static constexpr int block = SliceSumTiles<Kernel>::block, tile = SliceSumTiles<Kernel>::tile,
                       n_momenta = stages ? 4 : 8;
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

  static TeamShape shape(int n_teams, [[maybe_unused]] const Kernel& kernel) {
    std::size_t staged = 0;
    if constexpr (stages) staged = tile_size(sizeof(Complex<T>) * std::size_t(kernel.n_staged()));
    return {.n_teams = n_teams,
            .threads = tile,
            .tile_bytes = tile_size(sizeof(Complex<T>) * tile * value_row) +
                          tile_size(sizeof(Complex<T>) * tile * phase_row) +
                          tile_size(sizeof(Complex<double>) * n_sums) + staged};
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Team<Member>& team) const {
    const SliceTable::Chunk chunk = slices.chunk[team.index() / n_blocks];
    const int b = team.index() % n_blocks, rest = n_values - b * size, here = rest < size ? rest : size;
    Complex<T>* const value = team.template tile<Complex<T>>(tile * value_row);
    Complex<T>* const phase = team.template tile<Complex<T>>(tile * phase_row);
    Complex<double>* const sum = team.template tile<Complex<double>>(n_sums);
    StagedPart<T> at{nullptr, tile, team.thread(), 0, 1};
    if constexpr (stages) {
      const int n_sites = kernel.sites_at_once();
      at = {team.template tile<Complex<T>>(kernel.n_staged()), n_sites, team.thread() % n_sites,
            team.thread() / n_sites, tile / n_sites};
    }
    // If there are fewer pairs than threads, n_parts threads share a pair: part p takes the sites p, p + n_parts, ...
    // of a tile.
    const int n_pairs = count * here, n_parts = n_pairs < tile ? tile / n_pairs : 1;
    for (int slot = 0; slot < chunk.n_slots; ++slot) {
      team.share(n_pairs * n_parts, [&](int i) { sum[i] = {0, 0}; });
      for (int first = 0; first < chunk.count * N; first += at.n_sites) {
        team.barrier();
        if constexpr (stages) {
          if (slices.holds(chunk, slot, first + at.site)) kernel.stage(slices.site(chunk, first + at.site), at);
          team.barrier();
        }
        fill(chunk, slot, b, here, first + at.site, at, value + team.thread() * value_row,
             phase + team.thread() * phase_row);
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
                                        [[maybe_unused]] const StagedPart<T>& at, Complex<T>* value,
                                        Complex<T>* phase) const {
    if (!slices.holds(chunk, slot, i)) {
      for (int v = 0; v < here; ++v) value[v] = {T(0), T(0)};
      for (int k = 0; k < count; ++k) phase[k] = {T(0), T(0)};
      return;
    }
    const LaneSite lane = slices.site(chunk, i);
    const Coord x = layout.coordinate(lane.outer, lane.lane);
    for (int k = 0; k < count; ++k) phase[k] = phases(x, first_momentum + k);
    if constexpr (stages)
      kernel(at, b, value);
    else
      kernel(lane, b, value);
  }
};

#endif

}  // namespace kov::detail
