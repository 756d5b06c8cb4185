// SPDX-License-Identifier: MIT
#include "apps/distill/two_pions.hpp"

#include "apps/distill/distilled_slices.hpp"
#include "apps/distill/source_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace kov::app {

namespace {

using MomentumPair = std::pair<Momentum, Momentum>;

/// By n^2, then with the larger components first.
bool comes_before(const Momentum& p, const Momentum& q) { return norm2(p) != norm2(q) ? norm2(p) < norm2(q) : p > q; }
int pair_norm2(const MomentumPair& pair) { return norm2(pair.first) + norm2(pair.second); }
bool comes_before(const MomentumPair& a, const MomentumPair& b) {
  if (pair_norm2(a) != pair_norm2(b)) return pair_norm2(a) < pair_norm2(b);
  return a.first != b.first ? comes_before(a.first, b.first) : comes_before(a.second, b.second);
}
MomentumPair ordered_pair(const Momentum& p, const Momentum& q) {
  return comes_before(q, p) ? MomentumPair{q, p} : MomentumPair{p, q};
}

/// A rotation or reflection of the lattice: component i of the result is sign[i] times component axis[i].
struct AxisPermutation {
  std::array<int, 3> axis, sign;
  Momentum operator()(const Momentum& p) const {
    Momentum turned{};
    for (std::size_t i = 0; i < 3; ++i) turned[i] = sign[i] * p[std::size_t(axis[i])];
    return turned;
  }
};

/// All 48 of them on a cube, fewer where extents differ.
std::vector<AxisPermutation> axis_permutations(const Coord& extent) {
  std::vector<AxisPermutation> all;
  std::array<int, 3> axis{0, 1, 2};
  do {
    bool fits = true;
    for (std::size_t i = 0; i < 3; ++i) fits = fits && extent[i] == extent[std::size_t(axis[i])];
    for (int signs = 0; fits && signs < 8; ++signs)
      all.push_back({axis, {signs & 1 ? -1 : 1, signs & 2 ? -1 : 1, signs & 4 ? -1 : 1}});
  } while (std::next_permutation(axis.begin(), axis.end()));
  return all;
}

std::string two_pion_name(const MomentumPair& pair) {
  return "pion_pion_I2[" + to_string(pair.first) + ", " + to_string(pair.second) + "]";
}

}  // namespace

MultiMesonOperator multi_meson(const TwoPionOperator& op, const std::vector<Momentum>& momenta) {
  MultiMesonOperator sum{op.name, {}};
  const auto vertex = [&](const Momentum& p) {
    return MesonVertex{int(std::find(momenta.begin(), momenta.end(), p) - momenta.begin()), Gamma::five()};
  };
  for (const auto& [p, q] : op.pairs)
    for (MultiMesonTerm& term : two_pions(2, vertex(p), vertex(q)).terms) {
      term.coefficient /= std::sqrt(double(op.pairs.size()));
      sum.terms.push_back(std::move(term));
    }
  return sum;
}

std::vector<TwoPionOperator> two_pion_operators(const Momentum& total, const std::vector<Momentum>& momenta,
                                                const Coord& extent, bool projected) {
  const Momentum standard = representative(total, extent);
  std::vector<AxisPermutation> turns;
  for (const AxisPermutation& g : axis_permutations(extent))
    if (projected && g(total) == standard) turns.push_back(g);
  std::vector<std::pair<MomentumPair, TwoPionOperator>> found;  // with what they are named by
  for (const Momentum& p : momenta) {
    const Momentum q{total[0] - p[0], total[1] - p[1], total[2] - p[2]};
    if (comes_before(q, p) || std::find(momenta.begin(), momenta.end(), q) == momenta.end()) continue;
    MomentumPair name{p, q};
    for (std::size_t k = 0; k < turns.size(); ++k)
      if (const MomentumPair turned = ordered_pair(turns[k](p), turns[k](q)); k == 0 || comes_before(turned, name))
        name = turned;
    auto op = std::find_if(found.begin(), found.end(), [&](const auto& other) { return other.first == name; });
    if (op == found.end()) op = found.insert(op, {name, {two_pion_name(name), {}}});
    op->second.pairs.emplace_back(p, q);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
  std::vector<TwoPionOperator> operators;
  for (auto& [name, op] : found) operators.push_back(std::move(op));
  return operators;
}

std::vector<TwoPionOperator> two_pion_operators(const DistillParameters& parameters, const Momentum& total,
                                                const Coord& extent) {
  return two_pion_operators(total, momenta_up_to(parameters.elementals.max_momentum), extent,
                            parameters.correlators.two_pion_irrep == "A1");
}

TwoPionCorrelators::TwoPionCorrelators(const DistillParameters& parameters, const DistillPlan& plan)
    : parameters_(parameters), plan_(plan) {
  const std::vector<Momentum> momenta = momenta_up_to(parameters.elementals.max_momentum);
  for (const Momentum& total : parameters.correlators.two_pions) {
    groups_.push_back({total, {}});
    for (const TwoPionOperator& op : two_pion_operators(parameters, total, plan.gauges.extent))
      groups_.back().operators.push_back(multi_meson(op, momenta));
  }
}

std::vector<Correlator> TwoPionCorrelators::contract(const Comm& comm, const DistillFiles& files,
                                                     std::map<std::string, LabelValue> labels,
                                                     const std::function<void(int n)>& advance) {
  if (parameters_.correlators.two_pion_irrep == "A1") labels["irrep"] = "A1";
  // The elementals without displacement, which the parameters were checked to have.
  const auto& displacements = parameters_.elementals.displacements;
  const auto local = std::find(displacements.begin(), displacements.end(), "1") - displacements.begin();
  std::vector<int> numbers(momenta_up_to(parameters_.elementals.max_momentum).size());
  std::iota(numbers.begin(), numbers.end(), int(local) * int(numbers.size()));

  const auto n_times = std::size_t(plan_.gauges.extent[3]);
  std::optional<DistilledSlices> slices;
  comm.agree([&] { slices.emplace(files.elementals, files, plan_); });
  const DistilledQuarks<double> quarks = slices->quarks(parameters_.eigenvectors.n, int(n_times), numbers);
  SourceContraction work{.contract =
                             [&](std::size_t group, std::size_t, int time) {
                               Group& of = groups_[group];
                               if (!of.contraction) of.contraction = multi_meson_contraction(of.operators, quarks);
                               return of.contraction(quarks, {time}, {});
                             },
                         .advance = advance};
  for (const Group& group : groups_) work.sizes.push_back(n_times * group.operators.size() * group.operators.size());
  const auto sums = sums_over_sources(comm, parameters_.output.journal, files.two_pions, plan_.source_times, work);

  std::vector<Correlator> correlators;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const std::vector<MultiMesonOperator>& of = groups_[group].operators;
    for (std::size_t e = 0; e < of.size() * of.size(); ++e) {
      Correlator c{.kind = "meson",
                   .channel = of[e / of.size()].name + "-" + of[e % of.size()].name,
                   .momentum = groups_[group].total,
                   .source = {0, 0, 0, plan_.source_times.front()},
                   .labels = labels};
      for (std::size_t t = 0; t < n_times; ++t)
        c.value.push_back(sums[group][t * of.size() * of.size() + e] / double(plan_.source_times.size()));
      correlators.push_back(std::move(c));
    }
  }
  return correlators;
}

double two_pion_bytes(const DistillParameters& parameters, const Coord& extent) {
  if (parameters.correlators.two_pions.empty()) return 0;
  const double n_times = extent[3];
  const double n_sources = double(parameters.source_times(extent[3]).size());
  double numbers = 0, one_sink = 0;
  for (const Momentum& total : parameters.correlators.two_pions) {
    const double n_operators = double(two_pion_operators(parameters, total, extent).size());
    numbers += n_times * n_operators * n_operators;
    one_sink = std::max(one_sink, two_pion_sink_bytes(parameters, total, extent));
  }
  return 16 * numbers * (n_sources + 4) + std::max(double(MultiMesonOptions{}.workspace_bytes), one_sink);
}

double two_pion_sink_bytes(const DistillParameters& parameters, const Momentum& total, const Coord& extent) {
  double mesons = 0;
  for (const TwoPionOperator& op : two_pion_operators(parameters, total, extent)) mesons += 2 * double(op.pairs.size());
  // In matrices of 4 N_v rows: of each meson its elemental times a perambulator at both ends, and of boxes the products
  // of two of these that the plan has at a time, which are fewer than mesons; elementals, a sixteenth each, on the host
  // too; the perambulators and what is read of them.
  const double n = parameters.eigenvectors.n;
  return 16 * 16 * n * n * (mesons * (3 + 2.0 / 16) + 8);
}

}  // namespace kov::app
