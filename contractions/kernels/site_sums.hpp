// SPDX-License-Identifier: MIT
//
// Fourier sums, over the time slices of a lattice, of numbers that a kernel computes at a site; how many is known at
// run time only.  slice_sums() is for kernels that know it at compile time.
#pragma once

#include "kov/core/vectors/slice_sum.hpp"

#include <algorithm>

namespace kov::detail {

/// Where a kernel of site_sums() writes its numbers: block b has the numbers b * block to (b + 1) * block - 1.
struct ValueBlocks {
  int n_values, block;

  int n_blocks() const { return (n_values + block - 1) / block; }
};

/// Momenta whose phases are complex conjugates of each other share their products with real and imaginary parts of one
/// phase: the sums over sites of cos * z and sin * z make both.
struct MomentumPairs {
  struct Pair {
    /// The second is -1 where the first is alone; both are -1 - k for the momentum k = 0, whose phase is 1.
    int first, second;
  };
  std::vector<Pair> pairs;

  explicit MomentumPairs(const std::vector<Momentum>& momenta) {
    std::vector<bool> done(momenta.size(), false);
    for (std::size_t k = 0; k < momenta.size(); ++k) {
      if (done[k]) continue;
      const Momentum opposite{-momenta[k][0], -momenta[k][1], -momenta[k][2]};
      if (momenta[k] == opposite) {
        pairs.push_back({-1 - int(k), -1 - int(k)});
        continue;
      }
      int other = -1;
      for (std::size_t i = k + 1; i < momenta.size() && other < 0; ++i)
        if (!done[i] && momenta[i] == opposite) other = int(i);
      if (other >= 0) done[std::size_t(other)] = true;
      pairs.push_back({int(k), other});
    }
  }
};

/// One chunk of packs.  The numbers of a few sites are computed block by block and added to the sums of all momenta,
/// which stay in packs until the chunk ends; several sites at a time, as the sums of many numbers and momenta are
/// larger than the first-level cache.
template <class Kernel, class T, int N>
struct PackSiteSum {
  using R = Pack<T, N>;
  static constexpr int n_sites = 4;

  Kernel kernel;
  SliceChunks::View slices;
  typename MomentumPhases<T>::View phases;
  Layout::View layout;
  const MomentumPairs* momenta;
  ValueBlocks blocks;
  double* partial;

  /// Writes partial[((slot * n + momentum) * n_values + value) * 2].
  void operator()(int index) const {
    const SliceChunks::Chunk chunk = slices.chunk[index];
    const std::size_t n_values = std::size_t(blocks.n_values), n = std::size_t(phases.n), n_sums = n * n_values;
    // Of a pair the sums with cos and sin are where those of its two momenta will be; sin of one alone is at the end.
    const Complex<R> none{R(T(0)), R(T(0))};
    std::vector<Complex<R>> sum((n + momenta->pairs.size()) * n_values, none), phase(n * n_sites),
        value(std::size_t(n_sites * blocks.block), none);
    for (int i = 0; i < chunk.count; i += n_sites) {
      const int count = chunk.count - i < n_sites ? chunk.count - i : n_sites;
      add(slices.outer + chunk.first + i, count, value.data(), phase.data(), sum.data());
    }
    for (std::size_t k = 0; k < momenta->pairs.size(); ++k) finish(momenta->pairs[k], sum.data(), n + k);
    double* const to = partial + std::size_t(chunk.first_slot) * n_sums * 2;
    const int* const slot = slices.lane_slot + chunk.lanes;
    if (std::all_of(slot, slot + N, [](int i) { return i == 0; })) {
      for (std::size_t i = 0; i < n_sums; ++i) {
        to[2 * i] = sum_of_lanes(sum[i].re);
        to[2 * i + 1] = sum_of_lanes(sum[i].im);
      }
      return;
    }
    std::fill_n(to, std::size_t(chunk.n_slots) * n_sums * 2, 0.0);
    for (std::size_t i = 0; i < n_sums; ++i)
      for (int lane = 0; lane < N; ++lane) {
        if (slot[lane] < 0) continue;
        double* at = to + (std::size_t(slot[lane]) * n_sums + i) * 2;
        at[0] += double(sum[i].re.lane(lane));
        at[1] += double(sum[i].im.lane(lane));
      }
  }

  /// The sums of `count` outer sites.
  void add(const int* outer, int count, Complex<R>* value, Complex<R>* phase, Complex<R>* sum) const {
    const bool at_rest = phases.n == 1 && momenta->pairs[0].first < 0;
    for (int s = 0; s < count && !at_rest; ++s)
      for (int lane = 0; lane < N; ++lane) {
        const Coord x = layout.coordinate(outer[s], lane);
        for (int k = 0; k < phases.n; ++k) {
          const Complex<T> p = phases(x, k);
          phase[s * phases.n + k].re.set_lane(lane, p.re);
          phase[s * phases.n + k].im.set_lane(lane, p.im);
        }
      }
    const int n_values = blocks.n_values, block = blocks.block;
    for (int b = 0; b < blocks.n_blocks(); ++b) {
      const int here = n_values - b * block < block ? n_values - b * block : block;
      for (int s = 0; s < count; ++s) kernel(PackSite{outer[s]}, b, value + s * block);
      for (std::size_t k = 0; k < momenta->pairs.size(); ++k) {
        const MomentumPairs::Pair pair = momenta->pairs[k];
        if (pair.first < 0) {
          Complex<R>* to = sum + (-1 - pair.first) * n_values + b * block;
          for (int v = 0; v < here; ++v)
            for (int s = 0; s < count; ++s) to[v] += value[s * block + v];
          continue;
        }
        const int other = pair.second >= 0 ? pair.second : phases.n + int(k);
        add_pair(phase + pair.first, count, value, here, sum + pair.first * n_values + b * block,
                 sum + other * n_values + b * block);
      }
    }
  }

 private:
  static double sum_of_lanes(const R& r) {
    double sum = double(r.lane(0));
    for (int lane = 1; lane < N; ++lane) sum += double(r.lane(lane));
    return sum;
  }
  void add_pair(const Complex<R>* phase, int count, const Complex<R>* value, int here, Complex<R>* with_cos,
                Complex<R>* with_sin) const {
    for (int v = 0; v < here; ++v) {
      Complex<R> c = with_cos[v], s = with_sin[v];
      for (int site = 0; site < count; ++site) {
        const Complex<R>&p = phase[site * phases.n], &z = value[site * blocks.block + v];
        c.re += p.re * z.re;
        c.im += p.re * z.im;
        s.re += p.im * z.re;
        s.im += p.im * z.im;
      }
      with_cos[v] = c;
      with_sin[v] = s;
    }
  }
  /// C + i S and C - i S of the sums C with cos and S with sin.
  void finish(const MomentumPairs::Pair& pair, Complex<R>* sum, std::size_t alone) const {
    if (pair.first < 0) return;
    const std::size_t n_values = std::size_t(blocks.n_values);
    Complex<R>*first = sum + std::size_t(pair.first) * n_values,
    *second = sum + (pair.second >= 0 ? std::size_t(pair.second) : alone) * n_values;
    for (std::size_t v = 0; v < n_values; ++v) {
      const Complex<R> c = first[v], s = times_i(second[v]);
      first[v] = c + s;
      second[v] = c - s;
    }
  }
};

/// The GPU's form: a team takes one block of a chunk.  Its threads write the values and phases of `tile` sites, one
/// each, to scratch memory; then each thread adds up the sites for some pairs of momentum and value.
template <class Kernel, class T, int N>
struct LaneSiteSum {
  static constexpr int block = Kernel::lane_block, tile = block > 8 ? 32 : 64, n_momenta = 8;
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
  int n_blocks, n_values, first_momentum, count;
  double* partial;

  static std::size_t scratch_bytes() {
    return Array::shmem_size(tile * value_row) + Array::shmem_size(tile * phase_row) + Sums::shmem_size(n_sums);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const SliceChunks::Chunk chunk = slices.chunk[team.league_rank() / n_blocks];
    const int b = team.league_rank() % n_blocks, rest = n_values - b * block, here = rest < block ? rest : block;
    const Array value(team.team_scratch(0), tile * value_row), phase(team.team_scratch(0), tile * phase_row);
    const Sums sum(team.team_scratch(0), n_sums);
    // If there are fewer pairs than threads, n_parts threads share a pair: part p takes the sites p, p + n_parts, ...
    // of a tile.
    const int n_pairs = count * here, n_parts = n_pairs < tile ? tile / n_pairs : 1;
    for (int slot = 0; slot < chunk.n_slots; ++slot) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n_pairs * n_parts), [&](int i) { sum(i) = {0, 0}; });
      for (int first = 0; first < chunk.count * N; first += tile) {
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int(tile)), [&](int s) {
          fill(chunk, slot, b, here, first + s, &value(s * value_row), &phase(s * phase_row));
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n_pairs * n_parts), [&](int i) {
          const int k = i % n_pairs / here, v = i % here;
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
        const std::size_t row = std::size_t(chunk.first_slot + slot) * phases.n + first_momentum + i / here;
        double* to = partial + (row * n_values + b * block + i % here) * 2;
        to[0] = z.re;
        to[1] = z.im;
      });
      team.team_barrier();
    }
  }

  /// The values and phases of site i of a chunk; zero if the site is not in this slot.
  KOKKOS_FORCEINLINE_FUNCTION void fill(const SliceChunks::Chunk& chunk, int slot, int b, int here, int i,
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

/// sum over the sites x of this rank on each time slice of e^{+i p.(x - source)} kernel(x), for every momentum, with
/// blocks.n_values numbers each: as slice_sums(), in one sweep.  Not summed over ranks.  Fences.
///
/// kernel(site, b, value), site a PackSite or LaneSite, writes the numbers of block b to value[0], ...; T is what the
/// kernel computes in.  On a GPU a block has at most Kernel::lane_block numbers.
template <class T, class Kernel>
SliceSums site_sums(const std::string& name, const Lattice& lattice, const std::vector<Momentum>& momenta,
                    const Coord& source, const Kernel& kernel, const ValueBlocks& blocks) {
  constexpr int N = default_lanes;
  const SliceChunks& slices = SliceChunks::of(lattice);
  const MomentumPhases<T> phases(lattice, momenta, source);
  const int n = phases.size(), n_values = blocks.n_values;
  const SlotSums sums(name, lattice, slices, n, n_values);
  double* const partial = sums.data();
  if constexpr (std::is_same_v<site_index_t<Exec>, PackSite>) {
    const MomentumPairs pairs(momenta);
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(0, slices.n_chunks()).set_chunk_size(1),
        PackSiteSum<Kernel, T, N>{kernel, slices.view(), phases.view(), lattice.layout().view(), &pairs, blocks,
                                  partial});
    Exec().fence("momenta of site sums");
  } else {
    using Sum = LaneSiteSum<Kernel, T, N>;
    for (int first = 0; first < n; first += Sum::n_momenta) {
      const int count = n - first < Sum::n_momenta ? n - first : Sum::n_momenta;
      // As a parameter every thread would copy a kernel with arrays to its local memory.
      Kokkos::TeamPolicy<Exec> policy(slices.n_chunks() * blocks.n_blocks(), Sum::team_size, Sum::vector_length);
      policy.set_scratch_size(0, Kokkos::PerTeam(int(Sum::scratch_bytes())));
      Kokkos::parallel_for(name, policy,
                           Sum{kernel, slices.view(), phases.view(), lattice.layout().view(), blocks.n_blocks(),
                               n_values, first, count, partial});
    }
  }
  return sums.add_slots();
}

}  // namespace kov::detail
