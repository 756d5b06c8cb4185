// SPDX-License-Identifier: MIT
#include "apps/bench/scaling/scaling_plan.hpp"

#include "apps/settings/format.hpp"
#include "kov/core/base/memory_use.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kov::app {

namespace {

constexpr double GiB = double(1 << 30);
constexpr std::int64_t most_ranks = 1 << 16;

/// Of one rank: its sites that have a neighbour on another, each counted for each direction.
double face_sites(const Coord& extent, const Coord& grid) {
  double sites = 0, local = 1;
  for (int mu = 0; mu < 4; ++mu) local *= double(extent[mu]) / grid[mu];
  for (int mu = 0; mu < 4; ++mu)
    if (grid[mu] > 1) sites += 2 * local / (double(extent[mu]) / grid[mu]);
  return sites;
}

/// Messages lie in buffers, which are counted, and shared memory between ranks holds about as much.
double measured(const Coord& extent, bool force_exchange, const ScalingProblem& problem,
                const ScalingPrecision& precision) {
  return double(most_bytes_of([&] {
    const Lattice lattice(
        Comm::self(), extent,
        {.force_exchange = force_exchange, .exchange = {.transport = ExchangeOptions::Transport::staged}});
    precision.make(lattice, problem, precision)(0, 2);
  }));
}

/// A number of ranks that can share the lattice.
struct Ranks {
  int n;
  Coord grid;
};

std::vector<Ranks> possible_ranks(const Coord& extent) {
  std::vector<Ranks> all;
  for (int n = 1; n <= std::min<std::int64_t>(most_ranks, volume(extent)); ++n) {
    if (volume(extent) % n != 0) continue;
    try {
      all.push_back({n, Geometry::choose_grid(extent, n)});
    } catch (const InputError&) {  // x has too few even extents
    }
  }
  return all;
}

}  // namespace

double ScalingMemory::of_rank(const Coord& extent, const Coord& grid) const {
  double local = 1;
  for (int mu = 0; mu < 4; ++mu) local *= double(extent[mu]) / grid[mu];
  return fixed + of_site * local + of_face_site * face_sites(extent, grid);
}

ScalingMemory scaling_memory(const ScalingProblem& problem, const ScalingPrecision& precision) {
  constexpr Coord small{8, 8, 8, 8}, large{8, 8, 8, 16};
  constexpr double n_small = 4096, n_large = 8192, n_faces = 4 * 2 * 512;
  const double inside = measured(small, false, problem, precision), more = measured(large, false, problem, precision),
               with_halos = measured(small, true, problem, precision);
  const double of_site = (more - inside) / (n_large - n_small);
  return {.fixed = std::max(0.0, inside - of_site * n_small),
          .of_site = of_site,
          .of_face_site = std::max(0.0, with_halos - inside) / n_faces};
}

void plan_scaling(const Session& session, const ScalingPlan& plan) {
  require(plan.memory > 0, "a rank cannot have", plan.memory / GiB, "GiB: give --memory a positive number");
  Geometry(plan.lattice, {1, 1, 1, 1}, 0, 1);  // throws for a lattice that there cannot be
  const std::vector<Ranks> ranks = possible_ranks(plan.lattice);
  session.say(format("%s, %d column%s at once, on %s; %.4g GiB for each rank",
                     plan.problem.action == "wilson" ? "Wilson" : "Wilson-clover", plan.problem.columns,
                     plan.problem.columns > 1 ? "s" : "", to_string(plan.lattice).c_str(), plan.memory / GiB));
  session.say(format("%-14s %12s %17s %9s %-16s %11s", "precision", "bytes a site", "and of a face", "ranks", "grid",
                     "GiB a rank"));
  for (const ScalingPrecision& precision : scaling_precisions()) {
    const ScalingMemory memory = scaling_memory(plan.problem, precision);
    const std::string counts =
        format("%-14s %12.0f %17.0f", precision.name.c_str(), memory.of_site, memory.of_face_site);
    const auto enough = std::find_if(ranks.begin(), ranks.end(), [&](const Ranks& r) {
      return memory.of_rank(plan.lattice, r.grid) <= plan.memory;
    });
    if (enough == ranks.end())
      session.say(counts + "      no number of ranks has enough memory: give each rank more");
    else
      session.say(counts + format(" %9d %-16s %11.3g", enough->n, to_string(enough->grid).c_str(),
                                  memory.of_rank(plan.lattice, enough->grid) / GiB));
  }
}

}  // namespace kov::app
