// SPDX-License-Identifier: MIT
#include "apps/distill/distill_memory.hpp"

#include "apps/distill/baryons.hpp"
#include "apps/distill/distill_correlators.hpp"
#include "apps/distill/two_mesons.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/quarks/quark_operator.hpp"
#include "kov/contractions/distillation/distilled_baryons.hpp"
#include "kov/contractions/engine/stream.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace kov::app {

namespace {

std::string step_text(DistillStep step) {
  switch (step) {
    case DistillStep::eigenvectors:
      return "eigenvectors";
    case DistillStep::elementals:
      return "elementals";
    case DistillStep::baryon_elementals:
      return "elementals of baryons";
    case DistillStep::perambulators:
      return "perambulators";
    case DistillStep::mesons:
      return "correlators of mesons";
    case DistillStep::two_pions:
      return "correlators of two pions";
    case DistillStep::pion_kaon:
      return "correlators of a pion and a kaon";
    case DistillStep::baryons:
      return "correlators of baryons";
  }
  return "";
}

/// Of a quark: columns of Krylov spaces that differ may be fewer.
int least_columns(const SolverChoice& solver) { return solver.is_block() ? solver.columns_at_once() : 1; }

/// Bytes of a real in solves.
double real_of_solves(const DistillParameters& p) { return p.solver.is_single() ? 4 : 8; }

double solving_bytes(const DistillParameters& p, const Coord& extent, double sites, int n_slices,
                     const DistillBatches& batches) {
  const double n = p.eigenvectors.n, real = real_of_solves(p);
  double of_site = 0;
  const std::vector<NamedQuark> quarks = p.all_quarks();  // one after the other
  for (std::size_t q = 0; q < quarks.size(); ++q) {
    const NamedQuark& quark = quarks[q];
    const int columns = batches.columns.at(q);
    of_site = std::max(of_site, operator_bytes_per_site(quark, columns) + 3 * columns * 24 * real +
                                    work_bytes_per_site(quark, columns));
  }
  return 64 * n * p.sources_of_a_file(extent[3]) * n_slices + of_site * sites;
}

/// Halves a number from the value that it has down to the least while too much is needed.
template <class Number>
void halve(Number& number, Number least, const std::function<bool()>& fits) {
  while (number > least && !fits()) number = std::max(least, Number(number / 2));
}

bool streams_vectors(const DistillParameters& p, const DistillBatches& batches) {
  return batches.vectors > 0 && batches.vectors < p.eigenvectors.n;
}

/// As batches_that_fit(), or the smallest where nothing fits.
DistillBatches smaller_batches(const DistillParameters& p, const Coord& extent, const Coord& grid,
                               const std::vector<DistillStep>& steps, double bytes) {
  DistillBatches batches = DistillBatches::of(p);
  const auto has = [&](DistillStep step) { return std::count(steps.begin(), steps.end(), step) > 0; };
  const auto fits = [&](DistillStep step) {
    return [&, step] { return distill_step_bytes(p, extent, grid, batches, step) <= bytes; };
  };
  // Reading vectors again takes little time beside solves, and changes no bit.
  const int n = p.eigenvectors.n, half = (n + 1) / 2, least_vectors = std::min(half, 8);
  const auto fit_vectors = [&] {
    return std::all_of(steps.begin(), steps.end(), [&](DistillStep step) {
      return step == DistillStep::eigenvectors || step > DistillStep::perambulators || fits(step)();
    });
  };
  const auto move_fewer = [&] {
    if (has(DistillStep::elementals)) halve(batches.displaced, 1, fits(DistillStep::elementals));
    if (has(DistillStep::baryon_elementals)) halve(batches.pairs, 1, fits(DistillStep::baryon_elementals));
  };
  const auto have_fewer_vectors = [&] {
    batches.vectors = half;
    while (batches.vectors > least_vectors && !fit_vectors())
      batches.vectors = std::max(least_vectors, (batches.vectors + 1) / 2);
    move_fewer();
  };
  if (!fit_vectors()) {
    if (n > 1)
      have_fewer_vectors();
    else
      move_fewer();
  }
  if (has(DistillStep::perambulators)) {
    const std::vector<NamedQuark> quarks = p.all_quarks();
    for (int less = 0; less < 12 && !fits(DistillStep::perambulators)(); ++less)
      for (std::size_t q = 0; q < quarks.size(); ++q) {
        const int least = least_columns(quarks[q].solver);
        batches.columns[q] = std::max(least, std::min(batches.columns[q], 12 - less) / least * least);
      }
  }
  const auto have_more_vectors = [&] {
    for (int more = 2 * batches.vectors; more < n; more *= 2) {
      const int before = std::exchange(batches.vectors, more);
      if (!fit_vectors()) batches.vectors = before;
    }
  };
  if (batches.vectors > 0) {
    // All of them may fit now: beside few displaced ones, as those that are read are copied to be displaced, or beside
    // solves of fewer columns.
    const DistillBatches streamed = batches, most;
    batches.vectors = 0;
    if (batches.displaced < most.displaced || batches.pairs < most.pairs) {
      batches.displaced = most.displaced;
      batches.pairs = most.pairs;
      move_fewer();
    }
    if (!fit_vectors()) {
      batches = streamed;
      have_more_vectors();
    }
  }
  if (has(DistillStep::eigenvectors)) {
    const auto make_groups = [&] {
      if (fits(DistillStep::eigenvectors)()) return;
      // Even, as laplacian_eigenvectors_in_groups() has them.
      for (batches.slices = extent[3] / grid[3]; batches.slices > 2 && !fits(DistillStep::eigenvectors)();)
        batches.slices = std::max(2, batches.slices / 4 * 2);
    };
    make_groups();
    if (batches.vectors == 0 && n > 1 && !fits(DistillStep::eigenvectors)()) {
      have_fewer_vectors();
      have_more_vectors();
      batches.slices = 0;
      make_groups();
    }
  }
  if (has(DistillStep::mesons)) {
    // Elementals that are kept are read once, and small workspaces cost little.
    halve(batches.meson_bytes, batches.meson_bytes / 16, fits(DistillStep::mesons));
    halve(batches.slice_bytes, std::size_t(1), fits(DistillStep::mesons));
    halve(batches.meson_bytes, std::size_t(1), fits(DistillStep::mesons));
  }
  if (has(DistillStep::two_pions)) halve(batches.two_meson_bytes, std::size_t(1), fits(DistillStep::two_pions));
  if (has(DistillStep::pion_kaon)) halve(batches.two_meson_bytes, std::size_t(1), fits(DistillStep::pion_kaon));
  if (has(DistillStep::baryons)) halve(batches.baryon_bytes, std::size_t(1), fits(DistillStep::baryons));
  return batches;
}

}  // namespace

DistillBatches DistillBatches::of(const DistillParameters& parameters) {
  DistillBatches batches{.meson_bytes = EngineOptions{}.workspace_bytes,
                         .slice_bytes = StreamOptions{}.slice_bytes,
                         .two_meson_bytes = MultiMesonOptions{}.workspace_bytes,
                         .baryon_bytes = DistilledBaryonOptions{}.workspace_bytes};
  for (const NamedQuark& quark : parameters.all_quarks()) batches.columns.push_back(quark.solver.columns_at_once());
  return batches;
}

double distill_step_bytes(const DistillParameters& p, const Coord& extent, const Coord& grid,
                          const DistillBatches& batches, DistillStep step) {
  const int n_ranks = int(volume(grid)), n_slices = extent[3] / grid[3];
  const double n = p.eigenvectors.n, block = p.eigenvectors.block, sites = double(volume(extent)) / n_ranks;
  const double vector = 8 * 6 * sites;
  // The configuration, its smeared copy, and what the Laplacian reads.
  const double links = 8 * 72 * 3 * sites;
  // The eigenvectors, beside which there are matrices, on their way to a file, or solves for one source time; or some
  // of them, and one that is read.
  const double vectors = links + n * vector;
  const bool streams = streams_vectors(p, batches);
  switch (step) {
    case DistillStep::eigenvectors: {
      // Of the slices at a time: the basis and the block after it, what the filter works in, and what is found.  With
      // groups of slices their links, and the configuration and vectors as they are copied.
      const double basis = n + std::max(block, std::floor(n / 8)) + std::max(4 * block, std::floor(n / 2));
      if (batches.slices == 0 || batches.slices >= n_slices) return vectors + (basis + 3 * block) * vector;
      const double part = double(batches.slices) / n_slices;
      return (streams ? links : vectors) + part * ((n + basis + 3 * block) * vector + links) + 8 * 72 * sites +
             3 * vector;
    }
    case DistillStep::elementals: {
      const double displaced = std::min(n, double(batches.displaced)) * vector,
                   held = streams ? (batches.vectors + 1) * vector + displaced : n * vector;
      return links + held + 16 * n * n * n_slices * double(p.labels().size()) + 2 * displaced;
    }
    case DistillStep::baryon_elementals: {
      // Beside pairs the vectors that they are made of, where these are read.
      const double pairs = std::min(n, double(batches.pairs)) * vector,
                   held = streams ? (batches.vectors + 2) * vector + pairs : n * vector;
      return links + held + pairs + baryon_elemental_bytes(p, n_slices);
    }
    case DistillStep::perambulators: {
      // Solves in single precision have eigenvectors of their own.
      const double single = p.solver.is_single() ? 0.5 : 0,
                   held = streams ? (batches.vectors + 1) * vector * real_of_solves(p) / 8 : n * vector * (1 + single);
      return links + held + solving_bytes(p, extent, sites, n_slices, batches);
    }
    case DistillStep::mesons:
      return links + correlator_bytes(p, extent[3], n_ranks, batches);
    case DistillStep::two_pions:
      return links + two_meson_bytes(p, extent, MesonPair::two_pions, batches.two_meson_bytes);
    case DistillStep::pion_kaon:
      return links + two_meson_bytes(p, extent, MesonPair::pion_kaon, batches.two_meson_bytes);
    case DistillStep::baryons:
      return links + baryon_bytes(p, extent[3], batches.baryon_bytes);
  }
  return links;
}

double distill_bytes(const DistillParameters& parameters, const Coord& extent, const Coord& grid,
                     const DistillBatches& batches, const std::vector<DistillStep>& steps) {
  double most = 8 * 72 * 3 * double(volume(extent)) / double(volume(grid));
  for (const DistillStep step : steps)
    most = std::max(most, distill_step_bytes(parameters, extent, grid, batches, step));
  return most;
}

DistillBatches batches_that_fit(const DistillParameters& parameters, const Coord& extent, const Coord& grid,
                                const std::vector<DistillStep>& steps, double bytes) {
  const DistillBatches batches = smaller_batches(parameters, extent, grid, steps, bytes);
  const auto needed = [&](const DistillParameters& p, const DistillBatches& b) {
    return distill_bytes(p, extent, grid, b, steps);
  };
  if (needed(parameters, batches) <= bytes) return batches;
  const auto worst = std::max_element(steps.begin(), steps.end(), [&](DistillStep a, DistillStep b) {
    return distill_step_bytes(parameters, extent, grid, batches, a) <
           distill_step_bytes(parameters, extent, grid, batches, b);
  });
  // How many eigenvectors would fit: by bisection.
  DistillParameters fewer = parameters;
  int fit = 0;
  for (int too_many = parameters.eigenvectors.n; too_many - fit > 1;) {
    fewer.eigenvectors.n = (fit + too_many) / 2;
    (needed(fewer, smaller_batches(fewer, extent, grid, steps, bytes)) <= bytes ? fit : too_many) =
        fewer.eigenvectors.n;
  }
  const std::string remedy = fit > 0 ? "set eigenvectors.n to " + std::to_string(fit) + " or less, which fits" : "";
  throw InputError(too_little_memory(worst == steps.end() ? "links" : step_text(*worst), needed(parameters, batches),
                                     bytes, remedy));
}

std::string batches_text(const DistillParameters& p, const Coord& extent, const Coord& grid,
                         const DistillBatches& batches, const std::vector<DistillStep>& steps) {
  std::vector<std::string> parts;
  if (streams_vectors(p, batches) &&
      std::any_of(steps.begin(), steps.end(), [](DistillStep step) { return step <= DistillStep::perambulators; }))
    parts.push_back(sentence(batches.vectors, "eigenvectors in memory at a time"));
  for (const DistillStep step : steps) switch (step) {
      case DistillStep::eigenvectors:
        if (batches.slices == 0)
          parts.push_back("eigenvectors of all slices together");
        else
          parts.push_back(sentence("eigenvectors of", batches.slices, "slices at a time"));
        break;
      case DistillStep::elementals:
        parts.push_back(sentence(std::min(p.eigenvectors.n, batches.displaced), "vectors displaced at a time"));
        break;
      case DistillStep::baryon_elementals:
        parts.push_back(sentence(std::min(p.eigenvectors.n, batches.pairs), "pairs of vectors at a time"));
        break;
      case DistillStep::perambulators:
        parts.push_back("solves of " + columns_text(batches.columns));
        break;
      case DistillStep::mesons:
        parts.push_back(
            sentence("products of mesons in up to", mebibytes_text(double(batches.meson_bytes)) + ", elementals",
                     keeps_elementals(p, extent[3], int(volume(grid)), batches) ? "kept" : "read for every source"));
        break;
      case DistillStep::two_pions:
        parts.push_back(sentence("two pions in up to", mebibytes_text(double(batches.two_meson_bytes))));
        break;
      case DistillStep::pion_kaon:
        parts.push_back(sentence("pion and kaon in up to", mebibytes_text(double(batches.two_meson_bytes))));
        break;
      case DistillStep::baryons:
        parts.push_back(sentence("products of baryons in up to", mebibytes_text(double(batches.baryon_bytes))));
        break;
    }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace kov::app
