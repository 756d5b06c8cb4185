// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_memory.hpp"

#include "apps/quarks/named_quarks.hpp"
#include "kov/core/lattice/lanes.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace kov::app {

namespace {

constexpr double links = 72, spinor = 24, propagator = 12 * spinor;  // reals of a site

std::string step_text(SpectrumStep step) {
  switch (step) {
    case SpectrumStep::solves:
      return "solves";
    case SpectrumStep::correlators:
      return "correlators";
    case SpectrumStep::three_points:
      return "three-point functions";
    case SpectrumStep::loops:
      return "quark loops";
  }
  return "";
}

bool is_smeared_at_sink(const SpectrumParameters& p) {
  return std::any_of(p.sink.smearings.begin(), p.sink.smearings.end(),
                     [](const std::string& s) { return s != "none"; });
}

/// Places of quarks whose operators have the opposite twisted mass, or that are made for three-point functions alone.
std::set<std::size_t> turned_quarks(const SpectrumParameters& p) {
  const std::vector<NamedQuark> all = p.all_quarks();
  std::set<std::size_t> places;
  for (const ThreePointChoice& choice : p.three_points)
    if (const std::size_t q = p.struck_quark(choice); all[q].mu != 0 || !all[q].propagators.empty()) places.insert(q);
  return places;
}

/// Bytes of a site: of operators while one of them is at work, or none.
double operators_of_site(const SpectrumParameters& p, const SpectrumBatches& batches, bool at_work) {
  const std::vector<NamedQuark> all = p.all_quarks();
  double sum = 0, most = 0;
  const auto bytes_of = [&](std::size_t q) { return operator_bytes_per_site(all[q], batches.columns.at(q)); };
  for (std::size_t q = 0; q < all.size(); ++q) {
    if (all[q].propagators.empty()) sum += bytes_of(q);
    most = std::max(most, bytes_of(q));
  }
  for (const std::size_t q : turned_quarks(p)) sum += bytes_of(q);
  if (batches.keeps_operators) return sum;
  return at_work ? most : 0;
}

double most_solve_bytes(const SpectrumParameters& p, const SpectrumBatches& batches) {
  const std::vector<NamedQuark> all = p.all_quarks();
  double most = 0;
  for (std::size_t q = 0; q < all.size(); ++q)
    most = std::max(most, work_bytes_per_site(all[q], batches.columns.at(q)));
  return most;
}

/// Bytes of a site: links that are there all the time.
double links_of_site(const SpectrumParameters& p, double real) {
  // The configuration, and its smeared copy or that of the chain.
  double reals = 8 * links * 2;
  const std::vector<NamedQuark> all = p.all_quarks();
  if (p.has_sources() && (p.source.is_smeared() || is_smeared_at_sink(p))) {
    std::set<std::array<double, 3>> boosts;
    for (const NamedQuark& quark : all) boosts.insert(quark.boost);
    reals += real * links * double(boosts.size());
  }
  if (p.three_points.empty()) return reals;
  std::set<std::size_t> conserved;
  for (const ThreePointChoice& choice : p.three_points)
    if (!choice.all_currents().conserved.empty()) conserved.insert(p.struck_quark(choice));
  return reals + real * links * double(1 + conserved.size());
}

/// Bytes of a process for sums over time slices: those of parts of slices, whose number is bounded here, and of slices.
double sums_bytes(const Lattice& lattice, double n_values, double n_momenta) {
  const Geometry& geometry = lattice.geometry();
  const double n_outer = double(geometry.local_volume()) / default_lanes, times = geometry.local_extent()[3];
  const double length = std::clamp(n_outer / 1024, has_packs ? 8.0 : 2.0, 128.0);
  const double parts = (n_outer / length + 2 * times) * (has_packs ? 2 : 1);
  return 16 * n_values * n_momenta * (parts + 4 * lattice.extent()[3]);
}

/// Of the phases that GPUs keep at every site while they sum hadrons: of mesons for one pair of opposite momenta or
/// three, of baryons for up to eight momenta, n or fewer; none for a momentum of zero alone.
double phases_bytes(const SpectrumParameters& p, const Lattice& lattice, const std::vector<Momentum>& momenta, double n,
                    bool mesons, bool baryons) {
  const std::vector<OppositeMomenta> pairs = opposite_momenta(momenta);
  const auto moving =
      std::count_if(pairs.begin(), pairs.end(), [](const OppositeMomenta& pair) { return !pair.rests; });
  if (has_packs || moving == 0) return 0;
  const double of_mesons = mesons ? (moving == 1 ? 1 : 3) : 0, of_baryons = baryons ? std::min(n, 8.0) : 0;
  const double complex_bytes = p.solver.is_single() ? 8 : 16;
  return complex_bytes * std::max(of_mesons, of_baryons) * double(lattice.geometry().local_volume());
}

/// Of mesons, with what is missing of opposite momenta, and baryons.
double correlator_sums_bytes(const SpectrumParameters& p, const Lattice& lattice, const SpectrumBatches& batches) {
  const std::vector<Momentum> momenta = p.momenta(lattice.extent());
  const double all = double(momenta.size());
  const double n = batches.momenta > 0 ? std::min(all, double(batches.momenta)) : all;
  const bool mesons = !p.meson_channels().empty();
  const double n_baryons = double(std::max(p.baryon_channels().size(), p.baryon_operators().size()));
  return sums_bytes(lattice, std::max(mesons ? 256.0 : 0.0, n_baryons), mesons && all > 1 ? 1.25 * n : n) +
         phases_bytes(p, lattice, momenta, n, mesons, n_baryons > 0);
}

/// Quarks that are smeared at a sink at once.
double n_at_sink(const SpectrumParameters& p, const SpectrumBatches& batches) {
  if (!is_smeared_at_sink(p)) return 0;
  const double all = double(p.all_quarks().size());
  if (batches.keeps_smeared) return all;
  std::set<std::size_t> together;
  for (const auto& [flavour, q] : p.flavours()) together.insert(q);
  return std::min(all, std::max(2.0, double(together.size())));
}

/// Propagators that currents make of two.
double n_moved(const ThreePointChoice& choice, bool all) {
  if (all) return choice.n_moved();
  int most = 0;
  for (const std::string& current : choice.currents) {
    ThreePointChoice one = choice;
    one.currents = {current};
    most = std::max(most, one.n_moved());
  }
  return most;
}

double three_point_bytes(const SpectrumParameters& p, const Lattice& lattice, const SpectrumBatches& batches,
                         double real) {
  const double sites = double(lattice.geometry().local_volume()), n_quarks = double(p.all_quarks().size());
  const double operators = operators_of_site(p, batches, true), smeared = n_at_sink(p, batches);
  // The source is made of quarks at the sink, which are not kept beside its solution.
  const double kept = n_quarks + (batches.keeps_smeared ? smeared : 0);
  const double source = real * propagator * (n_quarks + smeared + 1 + (is_smeared_at_sink(p) ? 2 : 0));
  const double solve = real * propagator * (kept + 2) + most_solve_bytes(p, batches);
  double moved = 0, sums = 0;
  for (const ThreePointChoice& choice : p.three_points) {
    moved = std::max(moved, n_moved(choice, batches.keeps_moved));
    const double transfers = double(choice.transfers.size());
    sums = std::max(
        sums, sums_bytes(lattice, 256, transfers) + phases_bytes(p, lattice, choice.transfers, transfers, true, false));
  }
  const double contraction = real * propagator * (kept + 1 + moved);
  return std::max(sites * (operators + std::max(source, solve)), sites * (operators + contraction) + sums);
}

double loop_bytes(const SpectrumParameters& p, const Lattice& lattice, const SpectrumBatches& batches, double real) {
  const std::vector<NamedQuark> all = p.all_quarks();
  double kept = batches.keeps_operators ? operators_of_site(p, batches, true) : 0, most = 0;
  for (const std::size_t q : p.loops.places(all)) {
    NamedQuark one = all[q];
    one.solver.columns = "one by one";
    // Beside an operator for columns together, which sources have left.
    const bool is_there = batches.keeps_operators && !all[q].solver.is_together();
    if (batches.keeps_operators && !is_there) kept += operator_bytes_per_site(one, 1);
    most =
        std::max(most, (batches.keeps_operators ? 0 : operator_bytes_per_site(one, 1)) + work_bytes_per_site(one, 1));
  }
  const double sites = double(lattice.geometry().local_volume());
  return sites * (kept + most + real * spinor * double(p.loops.n_fields())) +
         sums_bytes(lattice, 16, double(p.loops.momenta.size()));
}

/// Looks for batches with which steps fit into so many bytes.
class BatchSearch {
 public:
  BatchSearch(const SpectrumParameters& p, const Lattice& lattice, const std::vector<SpectrumStep>& steps, double bytes)
      : p_(p), lattice_(lattice), steps_(steps), bytes_(bytes), batches_(SpectrumBatches::of(p)) {}

  /// Those that fit, or where nothing fits the smallest.
  SpectrumBatches result() {
    make_smaller();
    if (fit(steps_)) make_larger();
    return batches_;
  }

 private:
  double needed(SpectrumStep step) const { return spectrum_step_bytes(p_, lattice_, batches_, step); }
  bool fit(const std::vector<SpectrumStep>& these) const {
    return std::all_of(these.begin(), these.end(), [&](SpectrumStep step) {
      return std::count(steps_.begin(), steps_.end(), step) == 0 || needed(step) <= bytes_;
    });
  }

  /// Where that helps a step that does not fit.
  void keep_less(bool SpectrumBatches::*keeps) {
    for (const SpectrumStep step : steps_) {
      const double before = needed(step);
      if (before <= bytes_) continue;
      batches_.*keeps = false;
      if (needed(step) < before) return;
      batches_.*keeps = true;
    }
  }

  void make_smaller() {
    using enum SpectrumStep;
    keep_less(&SpectrumBatches::keeps_moved);
    for (int n = n_momenta_; n > 2 && !fit({correlators});) batches_.momenta = n = std::max(2, n / 2);
    if (batches_.keeps_smeared) keep_less(&SpectrumBatches::keeps_smeared);
    // Operators take little time to make but for their eigenvectors, and columns may change the last digits.
    const std::vector<NamedQuark> all = p_.all_quarks();
    if (std::none_of(all.begin(), all.end(), [](const NamedQuark& quark) { return quark.solver.deflation > 0; }))
      keep_less(&SpectrumBatches::keeps_operators);
    while (!fit({solves, three_points}) && make_fewer(all, batches_.columns)) continue;
    if (batches_.keeps_operators) keep_less(&SpectrumBatches::keeps_operators);
  }

  /// What was made smaller before something else did more.
  void make_larger() {
    if (batches_.momenta > 0) {
      const int least = std::exchange(batches_.momenta, 0);
      for (int n = n_momenta_; !fit(steps_);) batches_.momenta = n = std::max(least, n / 2);
    }
    for (const auto keeps :
         {&SpectrumBatches::keeps_operators, &SpectrumBatches::keeps_smeared, &SpectrumBatches::keeps_moved}) {
      const bool before = std::exchange(batches_.*keeps, true);
      if (!fit(steps_)) batches_.*keeps = before;
    }
  }

  const SpectrumParameters& p_;
  const Lattice& lattice_;
  const std::vector<SpectrumStep>& steps_;
  double bytes_;
  SpectrumBatches batches_;
  int n_momenta_ = int(p_.momenta(lattice_.extent()).size());
};

}  // namespace

SpectrumBatches SpectrumBatches::of(const SpectrumParameters& parameters) {
  SpectrumBatches batches;
  for (const NamedQuark& quark : parameters.all_quarks()) batches.columns.push_back(quark.solver.columns_at_once());
  return batches;
}

double spectrum_step_bytes(const SpectrumParameters& p, const Lattice& lattice, const SpectrumBatches& batches,
                           SpectrumStep step) {
  const double sites = double(lattice.geometry().local_volume()), real = p.solver.is_single() ? 4 : 8;
  const double n_quarks = double(p.all_quarks().size());
  const double kept = sites * links_of_site(p, real);
  switch (step) {
    case SpectrumStep::solves: {
      // The last quark's beside those of the others; its source, smeared before, with what smearing works in.
      const double solve = real * propagator * (n_quarks + 1) + most_solve_bytes(p, batches);
      const double source = real * propagator * (n_quarks + (p.source.is_smeared() ? 2 : 0));
      return kept + sites * (operators_of_site(p, batches, true) + std::max(solve, source));
    }
    case SpectrumStep::correlators: {
      const double fields = real * propagator * (n_quarks + n_at_sink(p, batches));
      // Quarks are smeared before sums or between them.
      const double smearing = sites * real * propagator * (is_smeared_at_sink(p) ? 2 : 0);
      return kept + sites * (operators_of_site(p, batches, false) + fields) +
             std::max(smearing, correlator_sums_bytes(p, lattice, batches));
    }
    case SpectrumStep::three_points:
      return kept + three_point_bytes(p, lattice, batches, real);
    case SpectrumStep::loops:
      return kept + loop_bytes(p, lattice, batches, real);
  }
  return kept;
}

double spectrum_bytes(const SpectrumParameters& parameters, const Lattice& lattice, const SpectrumBatches& batches,
                      const std::vector<SpectrumStep>& steps) {
  double most = 8 * links * 2 * double(lattice.geometry().local_volume());
  for (const SpectrumStep step : steps) most = std::max(most, spectrum_step_bytes(parameters, lattice, batches, step));
  return most;
}

SpectrumBatches batches_that_fit(const SpectrumParameters& parameters, const Lattice& lattice,
                                 const std::vector<SpectrumStep>& steps, double bytes) {
  const SpectrumBatches batches = BatchSearch(parameters, lattice, steps, bytes).result();
  const double needed = spectrum_bytes(parameters, lattice, batches, steps);
  if (needed <= bytes) return batches;
  const auto worst = std::max_element(steps.begin(), steps.end(), [&](SpectrumStep a, SpectrumStep b) {
    return spectrum_step_bytes(parameters, lattice, batches, a) < spectrum_step_bytes(parameters, lattice, batches, b);
  });
  throw InputError(too_little_memory(worst == steps.end() ? "links" : step_text(*worst), needed, bytes, ""));
}

std::string batches_text(const SpectrumParameters& p, const Lattice& lattice, const SpectrumBatches& batches,
                         const std::vector<SpectrumStep>& steps) {
  const auto has = [&](SpectrumStep step) { return std::count(steps.begin(), steps.end(), step) > 0; };
  std::vector<std::string> parts;
  if (has(SpectrumStep::solves) || has(SpectrumStep::three_points))
    parts.push_back("solves of " + columns_text(batches.columns));
  if (!steps.empty() && (p.all_quarks().size() > 1 || !batches.keeps_operators))
    parts.push_back(operators_text(batches.keeps_operators));
  if (has(SpectrumStep::correlators)) {
    const std::size_t n_momenta = p.momenta(lattice.extent()).size();
    if (n_momenta > 1)
      parts.push_back(batches.momenta == 0 ? "all momenta together" : sentence(batches.momenta, "momenta at a time"));
  }
  if ((has(SpectrumStep::correlators) || has(SpectrumStep::three_points)) && is_smeared_at_sink(p))
    parts.push_back(batches.keeps_smeared ? "quarks at sinks kept" : "quarks at sinks smeared for every correlator");
  if (has(SpectrumStep::three_points))
    parts.push_back(batches.keeps_moved ? "currents of a table together" : "currents one by one");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::vector<std::vector<Momentum>> momentum_groups(const std::vector<Momentum>& momenta, int at_once) {
  if (at_once <= 0) return {momenta};
  // Each with its opposite where that is there.
  std::vector<Momentum> ordered;
  const auto add = [&](const Momentum& p) {
    if (std::find(momenta.begin(), momenta.end(), p) != momenta.end() &&
        std::find(ordered.begin(), ordered.end(), p) == ordered.end())
      ordered.push_back(p);
  };
  std::vector<std::vector<Momentum>> groups;
  for (const Momentum& p : momenta) {
    const std::size_t before = ordered.size();
    add(p);
    add(opposite(p));
    const std::vector<Momentum> both(ordered.begin() + std::ptrdiff_t(before), ordered.end());
    if (both.empty()) continue;
    if (groups.empty() || groups.back().size() + both.size() > std::size_t(std::max(2, at_once))) groups.emplace_back();
    groups.back().insert(groups.back().end(), both.begin(), both.end());
  }
  return groups;
}

}  // namespace kov::app
