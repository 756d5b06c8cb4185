// SPDX-License-Identifier: MIT
//
// Private to baryon_sums.cpp: sums of baryons on GPUs, by teams of threads that share the sites of a tile.
#pragma once

#include "kov/contractions/hadrons/baryon_program.hpp"
#include "kov/contractions/hadrons/cuda/site_phases.hpp"
#include "kov/contractions/hadrons/cuda/staged_quarks.hpp"
#include "kov/core/vectors/slice_sum.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace kov::detail {

/// Whether GPUs sum baryons by BaryonTeams where their tiles fit, or all by slice_sums().
inline constexpr bool has_baryon_teams = !has_packs;

/// How a team shares a tile.  A site has n_parts threads.
struct BaryonTile {
  int n_sites, n_parts;

  int threads() const { return n_sites * n_parts; }
  /// 36 KiB of quarks or less.
  template <class T>
  static BaryonTile of(int n_quarks) {
    if (n_quarks == 1) return {sizeof(T) == 4 ? 32 : 16, 4};
    const int n_sites = (n_quarks == 2 ? 8 : 4) * (sizeof(T) == 4 ? 2 : 1);
    return {n_sites, 128 / n_sites};
  }
};

/// Sums over slices of thirds of a program, which are put together to values after the last site.  For each tile the
/// threads of a team write its quarks in the Dirac-Pauli basis to scratch memory, 600 flops for each quark; then a
/// part of a site runs its steps, 306 flops each, and closes diquarks, 72 flops each; then threads add up the sites for
/// pairs of momentum and third.  n_splits teams share a chunk, and have numbers of their own, the parts of SlotSums.
///
/// The nucleon at rest takes 16 steps and 8 closures, 6100 flops a site, and reads 288 reals.
template <class T>
struct BaryonTeams {
  /// 168 registers, or 102.
  static constexpr int max_threads = 128, min_teams = sizeof(T) == 4 ? 5 : 3;
  static constexpr bool in_constant_memory = true;
  static constexpr int most_momenta = SitePhases<T>::most, N = default_lanes;
  using Step = typename BaryonTeamProgramView<T>::Step;

  RotatedQuarks<T> quarks;
  BaryonTeamProgramView<T> program;
  SliceTable::View slices;
  /// [outer][lane][momentum < count]; nullptr where all are 1.
  const Complex<T>* phases;
  BaryonTile tile;
  int n_splits, n_blocks, n_values, size;  // of a block: `size` values or fewer
  int most_steps, most_thirds, n_sums;
  int n_momenta, first_momentum, count;
  double* partial;

  /// Of the thirds of a site: odd, so that threads on different sites use different banks.
  static KOKKOS_FORCEINLINE_FUNCTION int row_of(int most_thirds) { return most_thirds | 1; }

  static std::size_t tile_bytes(int n_quarks, const BaryonTile& tile, int most_steps, int most_thirds, int count) {
    return tile_size(sizeof(Complex<T>) * std::size_t(StagedQuarks<T>::size(n_quarks, tile.n_sites))) +
           tile_size(sizeof(Complex<T>) * std::size_t(row_of(most_thirds) * tile.n_sites)) +
           tile_size(sizeof(Complex<T>) * std::size_t(count * tile.n_sites)) +
           tile_size(sizeof(Complex<double>) * std::size_t(sums(tile, most_thirds, count))) +
           tile_size(sizeof(Step) * std::size_t(most_steps));
  }
  static int sums(const BaryonTile& tile, int most_thirds, int count) {
    return std::max(most_thirds * count, tile.threads());
  }

  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    const int split = team.index() % n_splits, b = team.index() / n_splits % n_blocks;
    const SliceTable::Chunk chunk = slices.chunk[team.index() / (n_splits * n_blocks)];
    const int rest = n_values - b * size, here = rest < size ? rest : size;
    Complex<T>* const staged = team.template tile<Complex<T>>(StagedQuarks<T>::size(quarks.n, tile.n_sites));
    const int row = row_of(most_thirds);
    Complex<T>* const third = team.template tile<Complex<T>>(row * tile.n_sites);
    Complex<T>* const phase = team.template tile<Complex<T>>(count * tile.n_sites);
    Complex<double>* const sum = team.template tile<Complex<double>>(n_sums);
    Step* const steps = team.template tile<Step>(most_steps);

    const int first_part = b * tile.n_parts, first_step = program.step_begin[first_part],
              first_third = program.third_begin[first_part];
    const int n_thirds = program.third_begin[first_part + tile.n_parts] - first_third;
    team.share(program.step_begin[first_part + tile.n_parts] - first_step,
               [&](int i) { steps[i] = program.steps[first_step + i]; });
    // If there are fewer pairs than threads, n_parts threads share a pair: part p takes the sites p, p + n_parts, ...
    // There are none where all contractions of the values cancel.
    const int n_pairs = count * n_thirds, threads = tile.n_sites * tile.n_parts,
              n_parts = n_pairs > 0 && n_pairs < threads && 2 * n_thirds < threads ? threads / n_pairs : 1;
    const int n_tiles = (chunk.count * N + tile.n_sites - 1) / tile.n_sites;
    const int first_tile = n_tiles * split / n_splits, last_tile = n_tiles * (split + 1) / n_splits;
    for (int slot = 0; slot < chunk.n_slots; ++slot) {
      team.share(n_pairs * n_parts, [&](int i) { sum[i] = {0, 0}; });
      for (int t = first_tile; t < last_tile; ++t) {
        const int first = t * tile.n_sites;
        team.barrier();
        stage(team, chunk, slot, first, staged, phase);
        team.barrier();
        team.share(threads, [&](int i) {
          const int s = i % tile.n_sites, part = first_part + i / tile.n_sites;
          const int begin = program.third_begin[part], end = program.third_begin[part + 1];
          Complex<T>* const to = third + row * s + (begin - first_third);
          if (slices.holds(chunk, slot, first + s))
            run(StagedQuarks<T>(staged, tile.n_sites, s), steps + (program.step_begin[part] - first_step),
                steps + (program.step_begin[part + 1] - first_step), program.thirds + begin, to);
          else
            for (int k = 0; k < end - begin; ++k) to[k] = {T(0), T(0)};
        });
        team.barrier();
        if (2 * n_thirds >= threads)
          add_thirds(team, n_thirds, third, phase, sum);
        else
          team.share(n_pairs * n_parts, [&](int i) {
            const int k = i % n_pairs / n_thirds, c = i % n_thirds;
            Complex<T> acc{T(0), T(0)};
            for (int s = i / n_pairs; s < tile.n_sites; s += n_parts)
              multiply_add(acc, phase[k * tile.n_sites + s], third[row * s + c]);
            sum[i] += Complex<double>{acc.re, acc.im};
          });
      }
      team.barrier();
      team.share(here * count, [&](int i) {
        const int k = i / here, v = b * size + i % here;
        Complex<double> z{0, 0};
        for (int o = program.output_begin[v]; o < program.output_begin[v + 1]; ++o) {
          const auto output = program.outputs[o];
          for (int part = 0; part < n_parts; ++part)
            multiply_add(z, Complex<double>{output.coefficient.re, output.coefficient.im},
                         sum[part * n_pairs + k * n_thirds + output.third]);
        }
        const std::size_t place = std::size_t(chunk.first_slot + slot) * n_momenta + first_momentum + k;
        double* const to = partial + ((place * n_splits + split) * n_values + v) * 2;
        to[0] = z.re;
        to[1] = z.im;
      });
      team.barrier();
    }
  }

 private:
  /// Writes the quarks of a tile, and the phases [momentum][site], which are zero where no site of this slot is.
  template <class TeamT>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const TeamT& team, const SliceTable::Chunk& chunk, int slot, int first,
                                         Complex<T>* staged, Complex<T>* phase) const {
    team.share(count * tile.n_sites, [&](int i) {
      const int s = i / count, k = i % count;
      Complex<T> z{T(0), T(0)};
      if (slices.holds(chunk, slot, first + s)) {
        const LaneSite x = slices.site(chunk, first + s);
        z = phases == nullptr ? Complex<T>{T(1), T(0)} : phases[(std::ptrdiff_t(x.outer) * N + x.lane) * count + k];
      }
      phase[k * tile.n_sites + s] = z;
    });
    team.share(4 * quarks.n * tile.n_sites, [&](int i) {
      const int s = i % tile.n_sites;
      if (slices.holds(chunk, slot, first + s))
        StagedQuarks<T>(staged, tile.n_sites, s).write_colors(quarks, slices.site(chunk, first + s), i / tile.n_sites);
    });
    // Prefetches the quarks of the next outer site, in single precision alone: slower in double (docs/performance.md).
    const int next = first + tile.n_sites;
    if (sizeof(T) == 4 && team.thread() == 0 && next % N == 0 && next < chunk.count * N)
      for (int q = 0; q < quarks.n; ++q)
        prefetch_outer_site(quarks.s[q].unchecked_address(slices.outer[chunk.first + next / N], 0));
  }
  static KOKKOS_FORCEINLINE_FUNCTION void prefetch_outer_site([[maybe_unused]] const void* quark) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(quark)),
                 "r"(unsigned(12 * 12 * N * sizeof(Complex<T>)))
                 : "memory");
#endif
  }

  /// A thread takes all momenta of a third, a few sites at a time.
  template <class TeamT>
  KOKKOS_FORCEINLINE_FUNCTION void add_thirds(const TeamT& team, int n_thirds, const Complex<T>* third,
                                              const Complex<T>* phase, Complex<double>* sum) const {
    constexpr int few = sizeof(T) == 4 ? 8 : 4;  // a divisor of all n_sites
    const int row = row_of(most_thirds);
    team.share(n_thirds, [&](int c) {
      for (int first = 0; first < tile.n_sites; first += few) {
        Complex<T> z[few];
        repeat<few>([&](int s) { z[s] = third[row * (first + s) + c]; });
        for (int k = 0; k < count; ++k) {
          Complex<T> acc{T(0), T(0)};
          repeat<few>([&](int s) { multiply_add(acc, phase[k * tile.n_sites + first + s], z[s]); });
          sum[k * n_thirds + c] += Complex<double>{acc.re, acc.im};
        }
      }
    });
  }

  /// The thirds of the steps of a part.
  KOKKOS_FORCEINLINE_FUNCTION void run(const StagedQuarks<T>& quark, const Step* step, const Step* end,
                                       const short* closing, Complex<T>* third) const {
    using Matrix = ColorMatrix<T>;
    Matrix diquark = zero<Matrix>();
    for (; step != end; ++step) {
      add_cross(diquark, scaled(step->coefficient, quark(step->x)), quark(step->y));
      if (step->n_thirds == 0) continue;
      for (int n = 0; n < step->n_thirds; ++n) {
        const Matrix q = quark(*closing++);
        Complex<T> z{T(0), T(0)};
        for (int k = 0; k < 9; ++k) multiply_add(z, diquark.z[k], q.z[k]);
        *third++ = z;
      }
      diquark = zero<Matrix>();
    }
  }
};

/// A program whose tiles fit into the scratch memory that every GPU has, in the memory of kernels.
template <class T>
struct BaryonPlan {
  bool fits;
  int n_blocks, size, most_steps, most_thirds;
  std::size_t bytes;  // of the tiles of a team
  Buffer<std::byte> memory;
  BaryonTeamProgramView<T> program;

  /// momenta: at once.
  BaryonPlan(const std::vector<BaryonValue>& values, int n_quarks, int momenta) {
    const BaryonTile tile = BaryonTile::of<T>(n_quarks);
    // As most_tile_bytes_of() counts them.
    const std::size_t most = 48 * 1024 - sizeof(double) * std::size_t(tile.threads() + 2) - tile_alignment;
    const int n_values = int(values.size());
    for (n_blocks = 1;; ++n_blocks) {
      const int of_block = (n_values + n_blocks - 1) / n_blocks;
      if (n_blocks > 1 && of_block == size) continue;
      size = of_block;
      const BaryonTeamProgram<T> made(values, size, tile.n_parts);
      most_steps = made.most_steps();
      most_thirds = made.most_thirds();
      bytes = BaryonTeams<T>::tile_bytes(n_quarks, tile, most_steps, most_thirds, momenta);
      fits = bytes <= most;
      if (fits) program = made.view(memory);
      if (fits || size == 1) break;
    }
    n_blocks = (n_values + size - 1) / size;
  }

  /// What a plan depends on, as numbers.
  static std::vector<double> key(const std::vector<BaryonValue>& values, int n_quarks, int momenta) {
    std::vector<double> key{double(n_quarks), double(momenta)};
    for (const BaryonValue& value : values) {
      key.insert(key.end(), value.quark.begin(), value.quark.end());
      key.push_back(double(value.terms.size()));
      for (const BaryonContraction& term : value.terms) {
        key.insert(key.end(), term.pair.begin(), term.pair.end());
        key.push_back(term.coefficient.real());
        key.push_back(term.coefficient.imag());
      }
    }
    return key;
  }

  /// Made once for the same values, as hosts need as long for a nucleon as GPUs need to sum one on a small lattice.
  /// A few are kept by the lattice.
  static std::shared_ptr<const BaryonPlan> of(const Lattice& lattice, const std::vector<BaryonValue>& values,
                                              int n_quarks, int momenta) {
    constexpr std::size_t most_kept = 16;
    using Plans = std::map<std::vector<double>, std::shared_ptr<const BaryonPlan>>;
    Plans& plans = *lattice.remember<std::shared_ptr<Plans>>(0, [] { return std::make_shared<Plans>(); });
    std::vector<double> wanted = key(values, n_quarks, momenta);
    const auto found = plans.find(wanted);
    if (found != plans.end()) return found->second;
    if (plans.size() >= most_kept) plans.clear();
    return plans[std::move(wanted)] = std::make_shared<const BaryonPlan>(values, n_quarks, momenta);
  }
};

/// The sums of values with their momenta, on this rank, by BaryonTeams; false where no tile fits into the scratch
/// memory that every GPU has.
template <class T>
bool sum_by_teams(const RotatedQuarks<T>& quarks, const std::vector<BaryonValue>& values, const Lattice& lattice,
                  const std::vector<Momentum>& momenta, const Coord& origin, SliceSums& sums, const Exec& exec) {
  using Teams = BaryonTeams<T>;
  const BaryonTile tile = BaryonTile::of<T>(quarks.n);
  const int n_values = int(values.size()), n_momenta = int(momenta.size());
  const int together = std::min(n_momenta, Teams::most_momenta);
  const auto plan = BaryonPlan<T>::of(lattice, values, quarks.n, together);
  if (!plan->fits) return false;

  const SliceTable& slices = SliceTable::of(lattice);
  // Several times the teams that run at once, for these to end together.
  const int n_splits = std::clamp(4096 / (slices.n_chunks() * plan->n_blocks), 1, 4);
  const bool rests = n_momenta == 1 && momenta[0] == Momentum{0, 0, 0};
  std::optional<SitePhases<T>> phases;
  if (!rests) phases.emplace(lattice, momenta, origin, together, exec);
  const SlotSums slots("baryon", lattice, slices, n_momenta, n_values, exec, n_splits);
  for (int first = 0; first < n_momenta; first += together) {
    const int count = std::min(n_momenta - first, together);
    const TeamShape shape{
        .n_teams = slices.n_chunks() * plan->n_blocks * n_splits, .threads = tile.threads(), .tile_bytes = plan->bytes};
    std::vector<int> numbers(std::size_t(count), 0);
    std::iota(numbers.begin(), numbers.end(), first);
    for_each_team("baryon", shape,
                  Teams{quarks, plan->program, slices.view(), rests ? nullptr : phases->of(numbers), tile, n_splits,
                        plan->n_blocks, n_values, plan->size, plan->most_steps, plan->most_thirds,
                        Teams::sums(tile, plan->most_thirds, together), n_momenta, first, count, slots.data()},
                  exec);
  }
  sums = slots.add_slots(exec);
  return true;
}

}  // namespace kov::detail
