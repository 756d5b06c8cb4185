// SPDX-License-Identifier: MIT
//
// Fourier sums, over each slice of a lattice, of as many numbers of a site as a kernel says at compile time.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/momentum.hpp"
#include "kov/core/lattice/slice_chunks.hpp"
#include "kov/core/launch/for_each_team.hpp"
#include "kov/core/vectors/reduce.hpp"

#include <Kokkos_Core.hpp>

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

namespace kov {

/// z[(momentum * n_slices + slice) * n_values + value], slices of the whole lattice.
struct SliceSums {
  int n_momenta, n_slices, n_values;
  std::vector<std::complex<double>> z;

  const std::complex<double>* at(int momentum, int slice) const {
    return z.data() + (std::size_t(momentum) * n_slices + slice) * n_values;
  }
  /// Adds the sums of all ranks.  Collective.
  void sum_over_ranks(const Comm& comm);
};

/// n complex numbers of a site: what a kernel returns for one of its blocks.
template <class R, int n>
struct SiteNumbers {
  using Real = R;
  static constexpr int n_complex = n;
  Complex<R> z[n];
};

namespace detail {

/// One chunk of packs.  The values of a site are computed block by block, then added to the sums of all momenta, which
/// stay in packs until the chunk ends.
template <class Kernel, class T, int N>
struct PackSliceSum {
  using R = Pack<T, N>;
  static constexpr int n_blocks = Kernel::n_blocks, block = Kernel::block, n_values = n_blocks * block;

  Kernel kernel;
  SliceChunks::View slices;
  typename MomentumPhases<T>::View phases;
  Layout::View layout;
  int zero_momentum;
  double* partial;

  /// Writes partial[((slot * n + momentum) * n_values + value) * 2].
  void operator()(int index) const {
    const SliceChunks::Chunk chunk = slices.chunk[index];
    const std::size_t n = std::size_t(phases.n);
    std::vector<Complex<R>> sum(n * n_values, Complex<R>{R(T(0)), R(T(0))}), phase(n);
    const std::size_t row = n * n_values * 2;
    std::fill_n(partial + std::size_t(chunk.first_slot) * row, std::size_t(chunk.n_slots) * row, 0.0);
    for (int i = 0; i < chunk.count; ++i) add(slices.outer[chunk.first + i], phase.data(), sum.data());
    for (std::size_t k = 0; k < n; ++k)
      for (int v = 0; v < n_values; ++v) {
        const Complex<R>& z = sum[k * n_values + v];
        for (int lane = 0; lane < N; ++lane) {
          const int slot = slices.lane_slot[chunk.lanes + lane];
          if (slot < 0) continue;
          double* to = partial + ((std::size_t(chunk.first_slot + slot) * n + k) * n_values + v) * 2;
          to[0] += double(z.re.lane(lane));
          to[1] += double(z.im.lane(lane));
        }
      }
  }

  /// sum[momentum * n_values + value] += phase * value at an outer site.
  void add(int outer, Complex<R>* phase, Complex<R>* sum) const {
    const bool at_rest = phases.n == 1 && zero_momentum == 0;
    for (int lane = 0; lane < N && !at_rest; ++lane) {
      const Coord x = layout.coordinate(outer, lane);
      for (int k = 0; k < phases.n; ++k) {
        const Complex<T> p = phases(x, k);
        phase[k].re.set_lane(lane, p.re);
        phase[k].im.set_lane(lane, p.im);
      }
    }
    for (int b = 0; b < n_blocks; ++b) {
      const SiteNumbers<R, block> value = kernel(PackSite{outer}, b);
      for (int k = 0; k < phases.n; ++k) {
        Complex<R>* to = sum + k * n_values + b * block;
        if (k == zero_momentum)
          for (int v = 0; v < block; ++v) to[v] += value.z[v];
        else
          for (int v = 0; v < block; ++v) multiply_add(to[v], phase[k], value.z[v]);
      }
    }
  }
};

/// The GPU's form: a team takes one block of a chunk.  Its threads write the values and phases of `tile` sites, one
/// each, to scratch memory; then each thread adds up the sites for some pairs of momentum and value.
template <class Kernel, class T, int N>
struct LaneSliceSum {
  static constexpr int n_blocks = Kernel::n_blocks, block = Kernel::block, n_values = n_blocks * block;
  // Sites and momenta at a time, few enough for a team's scratch memory to stay below the 48 KiB that every GPU has.
  static constexpr int tile = block > 16 ? 32 : 64, n_momenta = 8;
  static constexpr int vector_length = 32, team_size = tile / vector_length;
  // Rows are one number longer, so that threads on different sites use different banks of memory.
  static constexpr int value_row = block + 1, phase_row = n_momenta + 1;
  static constexpr int n_sums = n_momenta * block > tile ? n_momenta* block : tile;
  using Scratch = Exec::scratch_memory_space;
  using Array = Kokkos::View<Complex<T>*, Scratch, Kokkos::MemoryUnmanaged>;
  using Sums = Kokkos::View<Complex<double>*, Scratch, Kokkos::MemoryUnmanaged>;

  Kernel kernel;
  SliceChunks::View slices;
  typename MomentumPhases<T>::View phases;
  Layout::View layout;
  int first_momentum, count;
  double* partial;

  static std::size_t scratch_bytes() {
    return Array::shmem_size(tile * value_row) + Array::shmem_size(tile * phase_row) + Sums::shmem_size(n_sums);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const SliceChunks::Chunk chunk = slices.chunk[team.league_rank() / n_blocks];
    const int b = team.league_rank() % n_blocks;
    const Array value(team.team_scratch(0), tile * value_row), phase(team.team_scratch(0), tile * phase_row);
    const Sums sum(team.team_scratch(0), n_sums);
    // If there are fewer pairs than threads, n_parts threads share a pair: part p takes the sites p, p + n_parts, ...
    // of a tile.
    const int n_pairs = count * block, n_parts = n_pairs < tile ? tile / n_pairs : 1;
    for (int slot = 0; slot < chunk.n_slots; ++slot) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n_pairs * n_parts), [&](int i) { sum(i) = {0, 0}; });
      for (int first = 0; first < chunk.count * N; first += tile) {
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int(tile)), [&](int s) {
          fill(chunk, slot, b, first + s, &value(s * value_row), &phase(s * phase_row));
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n_pairs * n_parts), [&](int i) {
          const int k = i % n_pairs / block, v = i % block;
          Complex<T> acc{T(0), T(0)};
          for (int s = i / n_pairs; s < tile; s += n_parts)
            multiply_add(acc, phase(s * phase_row + k), value(s * value_row + v));
          sum(i) += Complex<double>{acc.re, acc.im};
        });
      }
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n_pairs), [&](int i) {
        Complex<double> z = sum(i);
        for (int part = 1; part < n_parts; ++part) z += sum(part * n_pairs + i);
        const std::size_t row = std::size_t(chunk.first_slot + slot) * phases.n + first_momentum + i / block;
        double* to = partial + (row * n_values + b * block + i % block) * 2;
        to[0] = z.re;
        to[1] = z.im;
      });
      team.team_barrier();
    }
  }

  /// The values and phases of site i of a chunk; zero if the site is not in this slot.
  KOKKOS_FORCEINLINE_FUNCTION void fill(const SliceChunks::Chunk& chunk, int slot, int b, int i, Complex<T>* value,
                                        Complex<T>* phase) const {
    if (i >= chunk.count * N || slices.lane_slot[chunk.lanes + i % N] != slot) {
      for (int v = 0; v < block; ++v) value[v] = {T(0), T(0)};
      for (int k = 0; k < count; ++k) phase[k] = {T(0), T(0)};
      return;
    }
    const LaneSite site{slices.outer[chunk.first + i / N], i % N};
    const Coord x = layout.coordinate(site.outer, site.lane);
    for (int k = 0; k < count; ++k) phase[k] = phases(x, first_momentum + k);
    const SiteNumbers<T, block> z = kernel(site, b);
    for (int v = 0; v < block; ++v) value[v] = z.z[v];
  }
};

/// Memory for the sums of slots, partial[((slot * n_momenta + momentum) * n_values + value) * 2], where kernels run:
/// the lattice's scratch memory or, for many, memory of its own.
class SlotSums {
 public:
  SlotSums(const std::string& name, const Lattice& lattice, const SliceChunks& slices, int n_momenta, int n_values);

  double* data() const { return data_; }
  /// Adds the slots of each slice in index order, in a kernel.  Fences.
  SliceSums add_slots() const;

 private:
  const SliceChunks& slices_;
  int n_momenta_, n_values_;
  SumScratchPool::Loan scratch_;
  Buffer<double> large_;
  double* data_;
};

/// The sums over all ranks, in exact mode, of the numbers that StoreValues wrote: values[k * n_lanes + lane of the
/// subset], k < n.  Returns [slice of the whole lattice][k].  Collective, fences.
std::vector<double> exact_slice_sums(const Lattice& lattice, Subset subset, int direction, int n,
                                     const Buffer<double>& values);

}  // namespace detail

/// sum over the sites x of this rank on each slice of e^{+i p.(x - source)} kernel(x), for every momentum.  Not summed
/// over ranks: combine values first if fewer are needed, then call sum_over_ranks() or Comm::sum.
///
/// kernel(site, b), site a PackSite or LaneSite, b = 0, ..., n_blocks - 1, returns SiteNumbers<R, block>; T is what the
/// kernel computes in, n_blocks and block are its static members.  Sums are taken in T over a chunk of sites (GPU: a
/// tile of it), then in double, in an order that depends on the decomposition but not on the number of threads.
/// Fences.
///
/// slices: the slices to sum over; left out, the time slices of all sites.
template <class T, class Kernel>
SliceSums slice_sums(const std::string& name, const Lattice& lattice, const std::vector<Momentum>& momenta,
                     const Coord& source, const Kernel& kernel, const SliceChunks& slices) {
  constexpr int N = default_lanes, n_values = Kernel::n_blocks * Kernel::block;
  const MomentumPhases<T> phases(lattice, momenta, source);
  const int n = phases.size();
  const detail::SlotSums sums(name, lattice, slices, n, n_values);
  double* const partial = sums.data();
  if constexpr (std::is_same_v<site_index_t<Exec>, PackSite>) {
    int zero_momentum = -1;
    for (int k = 0; k < n; ++k)
      if (momenta[std::size_t(k)] == Momentum{0, 0, 0}) zero_momentum = k;
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(0, slices.n_chunks()).set_chunk_size(1),
        detail::PackSliceSum<Kernel, T, N>{kernel, slices.view(), phases.view(), lattice.layout().view(), zero_momentum,
                                           partial});
  } else {
    using Sum = detail::LaneSliceSum<Kernel, T, N>;
    for (int first = 0; first < n; first += Sum::n_momenta) {
      const int count = n - first < Sum::n_momenta ? n - first : Sum::n_momenta;
      Kokkos::TeamPolicy<Exec, detail::InParameters> policy(slices.n_chunks() * Kernel::n_blocks, Sum::team_size,
                                                            Sum::vector_length);
      policy.set_scratch_size(0, Kokkos::PerTeam(int(Sum::scratch_bytes())));
      Kokkos::parallel_for(name, policy,
                           Sum{kernel, slices.view(), phases.view(), lattice.layout().view(), first, count, partial});
    }
  }
  return sums.add_slots();
}
template <class T, class Kernel>
SliceSums slice_sums(const std::string& name, const Lattice& lattice, const std::vector<Momentum>& momenta,
                     const Coord& source, const Kernel& kernel) {
  return slice_sums<T>(name, lattice, momenta, source, kernel, SliceChunks::of(lattice));
}

}  // namespace kov
