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

std::string two_pion_name(int isospin, const MomentumPair& pair) {
  return "pion_pion_I" + std::to_string(isospin) + "[" + to_string(pair.first) + ", " + to_string(pair.second) + "]";
}

MesonVertex vertex_of(const Momentum& p, const std::vector<Momentum>& momenta, const Gamma& gamma) {
  return {int(std::find(momenta.begin(), momenta.end(), p) - momenta.begin()), gamma};
}

/// Multiplies a meson's terms by a factor and appends them.
void add_terms(MultiMesonOperator& sum, const MultiMesonOperator& op, std::complex<double> factor) {
  for (MultiMesonTerm term : op.terms) {
    term.coefficient *= factor;
    sum.terms.push_back(std::move(term));
  }
}

/// The mesons of a name that mix with two pions; direction: along which a vector points, or each axis if it is zero.
std::vector<MultiMesonOperator> single_mesons(const std::string& name, const TwoPionGroup& group,
                                              const Momentum& direction, const std::vector<Momentum>& momenta) {
  if (group.isospin != (name == "a0" ? 0 : 1)) return {};
  const std::string ending = "_I" + std::to_string(group.isospin);
  if (group.isospin == 0) {
    MultiMesonOperator scalar = isoscalar_meson(vertex_of(group.total, momenta, Gamma{}));
    scalar.name = name + ending;
    return {scalar};
  }
  std::vector<MultiMesonOperator> axes;
  MultiMesonOperator along{name + ending, {}};
  for (int k = 0; k < 3; ++k) {
    const Gamma gamma = name == "rho" ? Gamma::direction(k) : Gamma::direction(k) * Gamma::direction(3);
    const MultiMesonOperator vector = isovector_meson(vertex_of(group.total, momenta, gamma));
    const std::complex<double> i{0, 1};
    axes.push_back({std::string("rho_") + "xyz"[k] + name.substr(3) + ending, {}});
    add_terms(axes.back(), vector, i);
    if (const int n = direction[std::size_t(k)]; n != 0)
      add_terms(along, vector, i * (n / std::sqrt(norm2(direction))));
  }
  return direction == Momentum{} ? axes : std::vector{along};
}

}  // namespace

MultiMesonOperator multi_meson(const TwoPionOperator& op, const std::vector<Momentum>& momenta) {
  MultiMesonOperator sum{op.name, {}};
  for (std::size_t k = 0; k < op.pairs.size(); ++k) {
    const auto& [p, q] = op.pairs[k];
    const Gamma g5 = Gamma::five();
    add_terms(sum, two_pions(op.isospin, vertex_of(p, momenta, g5), vertex_of(q, momenta, g5)), op.weights[k]);
  }
  return sum;
}

std::vector<TwoPionOperator> two_pion_operators(const Momentum& total, const std::vector<Momentum>& momenta,
                                                const Coord& extent, bool projected, int isospin, std::size_t row) {
  const Momentum standard = representative(total, extent);
  const bool is_odd = isospin == 1, is_p_wave = is_odd && projected && total == Momentum{};
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
    // Odd under the exchange of p and q: a sign where it is turned into its name exchanged, and none at all where it is
    // turned into both.
    bool as_named = turns.empty(), exchanged = p == q;
    for (const AxisPermutation& g : turns) {
      as_named = as_named || (g(p) == name.first && g(q) == name.second);
      exchanged = exchanged || (g(p) == name.second && g(q) == name.first);
    }
    double weight = 1;
    if (is_p_wave)
      weight = p[row];
    else if (is_odd)
      weight = double(as_named) - double(exchanged);
    if (weight == 0) continue;
    auto op = std::find_if(found.begin(), found.end(), [&](const auto& other) { return other.first == name; });
    if (op == found.end()) op = found.insert(op, {name, {two_pion_name(isospin, name), isospin}});
    op->second.pairs.emplace_back(p, q);
    op->second.weights.push_back(weight);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
  std::vector<TwoPionOperator> operators;
  for (auto& [name, op] : found) {
    double squares = 0;
    for (const double weight : op.weights) squares += weight * weight;
    for (double& weight : op.weights) weight /= std::sqrt(squares);
    operators.push_back(std::move(op));
  }
  return operators;
}

std::vector<TwoPionGroup> two_pion_groups(const DistillParameters& parameters, const Coord& extent) {
  const auto& chosen = parameters.correlators;
  const std::vector<Momentum> momenta = momenta_up_to(parameters.elementals.max_momentum);
  const bool projected = chosen.two_pion_irrep == "A1";
  std::vector<TwoPionGroup> groups;
  for (const int isospin : chosen.two_pion_isospin)
    for (const Momentum& total : chosen.two_pions) {
      const bool is_at_rest = total == Momentum{}, has_rows = projected && isospin == 1 && is_at_rest;
      for (std::size_t row = has_rows ? 0 : 2; row < 3; ++row) {
        if (extent[row] != extent[2]) continue;
        TwoPionGroup group{isospin, total, projected ? (has_rows ? "T1" : "A1") : ""};
        for (const TwoPionOperator& op : two_pion_operators(total, momenta, extent, projected, isospin, row))
          group.operators.push_back(multi_meson(op, momenta));
        Momentum direction{};
        if (has_rows)
          direction[row] = 1;
        else if (projected)
          direction = total;
        for (const std::string& name : chosen.two_pion_mesons)
          for (MultiMesonOperator& op : single_mesons(name, group, direction, momenta))
            group.operators.push_back(std::move(op));
        if (isospin == 0 && is_at_rest) group.operators.push_back({"vacuum", {{1, {}}}});
        groups.push_back(std::move(group));
      }
    }
  return groups;
}

TwoPionCorrelators::TwoPionCorrelators(const DistillParameters& parameters, const DistillPlan& plan)
    : parameters_(parameters),
      plan_(plan),
      groups_(two_pion_groups(parameters, plan.gauges.extent)),
      contractions_(groups_.size()) {}

std::vector<Correlator> TwoPionCorrelators::contract(const Comm& comm, const DistillFiles& files,
                                                     std::map<std::string, LabelValue> labels,
                                                     const std::function<void(int n)>& advance) {
  // The elementals without displacement, which the parameters were checked to have.
  const auto& displacements = parameters_.elementals.displacements;
  const auto local = std::find(displacements.begin(), displacements.end(), "1") - displacements.begin();
  std::vector<int> numbers(momenta_up_to(parameters_.elementals.max_momentum).size());
  std::iota(numbers.begin(), numbers.end(), int(local) * int(numbers.size()));

  if (!parameters_.quarks.empty())
    labels["quarks"] = parameters_.quarks.flavour_label(parameters_.flavours_of_two_pions());

  const auto n_times = std::size_t(plan_.gauges.extent[3]);
  std::optional<DistilledSlices> slices;
  comm.agree([&] { slices.emplace(files.elementals, files, plan_); });
  const DistilledQuarks<double> quarks =
      slices->quarks(parameters_.eigenvectors.n, int(n_times), numbers, parameters_.flavours_of_two_pions());
  SourceContraction work{.contract =
                             [&](std::size_t group, std::size_t, int time) {
                               auto& contraction = contractions_[group];
                               if (!contraction)
                                 contraction = multi_meson_contraction(groups_[group].operators, quarks);
                               return contraction(quarks, {time}, {});
                             },
                         .advance = advance};
  for (const TwoPionGroup& group : groups_)
    work.sizes.push_back(n_times * group.operators.size() * group.operators.size());
  const auto sums = sums_over_sources(comm, parameters_.output.journal, files.two_pions, plan_.source_times, work);

  std::vector<Correlator> correlators;
  for (std::size_t first = 0, rows = 1; first < groups_.size(); first += rows) {
    const TwoPionGroup& group = groups_[first];
    const std::vector<MultiMesonOperator>& of = group.operators;
    rows = std::size_t(std::count_if(groups_.begin(), groups_.end(), [&](const TwoPionGroup& other) {
      return other.isospin == group.isospin && other.total == group.total;
    }));
    if (!group.irrep.empty()) labels["irrep"] = group.irrep;
    for (std::size_t e = 0; e < of.size() * of.size(); ++e) {
      Correlator c{.kind = "meson",
                   .channel = of[e / of.size()].name + "-" + of[e % of.size()].name,
                   .momentum = group.total,
                   .source = {0, 0, 0, plan_.source_times.front()},
                   .labels = labels};
      for (std::size_t t = 0; t < n_times; ++t) {
        std::complex<double> sum = 0;
        for (std::size_t row = first; row < first + rows; ++row) sum += sums[row][t * of.size() * of.size() + e];
        c.value.push_back(sum / double(plan_.source_times.size() * rows));
      }
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
  for (const TwoPionGroup& group : two_pion_groups(parameters, extent)) {
    const double n_operators = double(group.operators.size());
    numbers += n_times * n_operators * n_operators;
    one_sink = std::max(one_sink, two_pion_sink_bytes(parameters, group));
  }
  return 16 * numbers * (n_sources + 4) + std::max(double(MultiMesonOptions{}.workspace_bytes), one_sink);
}

double two_pion_sink_bytes(const DistillParameters& parameters, const TwoPionGroup& group) {
  std::vector<MesonVertex> vertices;
  for (const MultiMesonOperator& op : group.operators)
    for (const MultiMesonTerm& term : op.terms)
      for (const QuarkBilinear& meson : term.mesons)
        if (std::find(vertices.begin(), vertices.end(), meson.vertex) == vertices.end())
          vertices.push_back(meson.vertex);
  // In matrices of 4 N_v rows: of each meson its elemental times a perambulator at both ends, those that stay on a
  // slice too where quarks annihilate, and of boxes the products of two of these that the plan has at a time;
  // elementals, a sixteenth each, on the host too; the perambulators and what is read of them.
  const double n = parameters.eigenvectors.n, products = group.isospin == 2 ? 3 : 6, tau = group.isospin == 2 ? 8 : 14;
  return 16 * 16 * n * n * (double(vertices.size()) * (products + 2.0 / 16) + tau);
}

}  // namespace kov::app
