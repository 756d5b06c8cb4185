// SPDX-License-Identifier: MIT
#include "apps/distill/two_mesons.hpp"

#include "apps/distill/displaced_mesons.hpp"
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

/// "_I2", "_I3o2": a slash would divide the name of a dataset.
std::string isospin_ending(int twice_isospin) {
  std::string text = "_I" + isospin_text(twice_isospin);
  std::replace(text.begin(), text.end(), '/', 'o');
  return text;
}
std::string two_meson_name(int twice_isospin, const MomentumPair& pair) {
  return (pair_of(twice_isospin) == MesonPair::pion_kaon ? "pion_kaon" : "pion_pion") + isospin_ending(twice_isospin) +
         "[" + to_string(pair.first) + ", " + to_string(pair.second) + "]";
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

MultiMesonOperator single_meson(int twice_isospin, const MesonVertex& vertex) {
  return twice_isospin == 0   ? isoscalar_meson(vertex)
         : twice_isospin == 2 ? isovector_meson(vertex)
                              : strange_meson(vertex);
}

/// The mesons of a name that mix with two; direction: along which a vector points, or each axis if it is zero.
std::vector<MultiMesonOperator> single_mesons(const std::string& name, const TwoMesonGroup& group,
                                              const Momentum& direction, const std::vector<Momentum>& momenta) {
  const bool is_scalar = name == "a0" || name == "K0star", has_g4 = name.ends_with("_g4");
  if (group.twice_isospin != (name.starts_with("K") ? 1 : is_scalar ? 0 : 2)) return {};
  if (is_scalar ? group.irrep == "T1" : group.irrep == "A1" && group.total == Momentum{}) return {};
  const std::string ending = isospin_ending(group.twice_isospin), plain = name.substr(0, name.size() - 3 * has_g4);
  if (is_scalar) {
    MultiMesonOperator scalar = single_meson(group.twice_isospin, vertex_of(group.total, momenta, Gamma{}));
    scalar.name = name + ending;
    return {scalar};
  }
  std::vector<MultiMesonOperator> axes;
  MultiMesonOperator along{name + ending, {}};
  for (int k = 0; k < 3; ++k) {
    const Gamma gamma = has_g4 ? Gamma::direction(k) * Gamma::direction(3) : Gamma::direction(k);
    const MultiMesonOperator vector = single_meson(group.twice_isospin, vertex_of(group.total, momenta, gamma));
    const std::complex<double> i{0, 1};
    axes.push_back({plain + "_" + "xyz"[k] + name.substr(plain.size()) + ending, {}});
    add_terms(axes.back(), vector, i);
    if (const int n = direction[std::size_t(k)]; n != 0)
      add_terms(along, vector, i * (n / std::sqrt(norm2(direction))));
  }
  return direction == Momentum{} ? axes : std::vector{along};
}

/// A displaced meson in the group's irrep; none without isospin or a part in the irrep.
std::vector<MultiMesonOperator> displaced_meson(const std::string& name, const TwoMesonGroup& group, std::size_t row,
                                                const std::vector<Momentum>& momenta, const Coord& extent,
                                                const std::vector<std::string>& displacements) {
  if (group.twice_isospin > 2) return {};
  const auto terms = projected_meson(meson_operator(name), group.total, group.irrep, row, extent);
  // With G parity +, as two pions have it, isospin 0 is even under charge conjugation and 1 odd.
  const int conjugation = conjugation_sign(terms);
  if (terms.empty() || (group.twice_isospin == 0 && conjugation < 0) || (group.twice_isospin == 2 && conjugation > 0))
    return {};
  const std::complex<double> phase = inversion_sign(terms) < 0 ? std::complex<double>(0, 1) : 1;
  MultiMesonOperator sum{name + isospin_ending(group.twice_isospin), {}};
  for (const DisplacedTerm& term : terms) {
    const std::string displacement = to_string(term.displacement);
    const auto at = std::find(displacements.begin(), displacements.end(), displacement);
    require(at != displacements.end(), "the meson", name, "with total momentum", to_string(group.total),
            "needs the displacement '" + displacement + "',",
            "which is not among elementals.displacements: add it there");
    MesonVertex vertex = vertex_of(group.total, momenta, Gamma::number(term.gamma));
    if (displacement != "1")
      vertex.elemental += int((1 + (at - displacements.begin())) * std::ptrdiff_t(momenta.size()));
    add_terms(sum, single_meson(group.twice_isospin, vertex), phase * term.coefficient);
  }
  return {sum};
}

/// Whether both are the same up to a factor; their terms are in the order of gamma matrices and displacements.
bool equal(const MultiMesonOperator& a, const MultiMesonOperator& b) {
  const auto same_meson = [](const QuarkBilinear& x, const QuarkBilinear& y) {
    return x.antiquark == y.antiquark && x.quark == y.quark && x.vertex == y.vertex;
  };
  if (a.terms.empty() || a.terms.size() != b.terms.size()) return false;
  const std::complex<double> factor = a.terms[0].coefficient / b.terms[0].coefficient;
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), [&](const auto& x, const auto& y) {
    return std::abs(x.coefficient - factor * y.coefficient) < 1e-12 * std::abs(x.coefficient) &&
           std::equal(x.mesons.begin(), x.mesons.end(), y.mesons.begin(), y.mesons.end(), same_meson);
  });
}

}  // namespace

std::string isospin_text(int twice_isospin) {
  return twice_isospin % 2 == 0 ? std::to_string(twice_isospin / 2) : std::to_string(twice_isospin) + "/2";
}

MultiMesonOperator multi_meson(const TwoMesonOperator& op, const std::vector<Momentum>& momenta) {
  MultiMesonOperator sum{op.name, {}};
  for (std::size_t k = 0; k < op.pairs.size(); ++k) {
    const auto& [p, q] = op.pairs[k];
    const MesonVertex first = vertex_of(p, momenta, Gamma::five()), second = vertex_of(q, momenta, Gamma::five());
    add_terms(sum,
              pair_of(op.twice_isospin) == MesonPair::pion_kaon ? pion_kaon(op.twice_isospin, first, second)
                                                                : two_pions(op.twice_isospin / 2, first, second),
              op.weights[k]);
  }
  return sum;
}

std::vector<TwoMesonOperator> two_meson_operators(const Momentum& total, const std::vector<Momentum>& momenta,
                                                  const Coord& extent, const std::string& irrep, int twice_isospin,
                                                  std::size_t row) {
  const Momentum standard = representative(total, extent);
  const bool has_kaon = pair_of(twice_isospin) == MesonPair::pion_kaon, is_odd = twice_isospin == 2;
  std::vector<AxisPermutation> turns;
  for (const AxisPermutation& g : axis_permutations(extent))
    if (!irrep.empty() && g(total) == standard) turns.push_back(g);
  std::vector<std::pair<MomentumPair, TwoMesonOperator>> found;  // with what they are named by
  for (const Momentum& p : momenta) {
    const Momentum q{total[0] - p[0], total[1] - p[1], total[2] - p[2]};
    if ((!has_kaon && comes_before(q, p)) || std::find(momenta.begin(), momenta.end(), q) == momenta.end()) continue;
    MomentumPair name{p, q};
    for (std::size_t k = 0; k < turns.size(); ++k) {
      const Momentum a = turns[k](p), b = turns[k](q);
      const MomentumPair turned = has_kaon ? MomentumPair{a, b} : ordered_pair(a, b);
      if (k == 0 || comes_before(turned, name)) name = turned;
    }
    // Odd under the exchange of p and q: a sign where it is turned into its name exchanged, and none at all where it is
    // turned into both.
    bool as_named = turns.empty(), exchanged = p == q;
    for (const AxisPermutation& g : turns) {
      as_named = as_named || (g(p) == name.first && g(q) == name.second);
      exchanged = exchanged || (g(p) == name.second && g(q) == name.first);
    }
    double weight = 1;
    if (irrep == "T1")
      weight = p[row];
    else if (is_odd)
      weight = double(as_named) - double(exchanged);
    if (weight == 0) continue;
    auto op = std::find_if(found.begin(), found.end(), [&](const auto& other) { return other.first == name; });
    if (op == found.end()) op = found.insert(op, {name, {two_meson_name(twice_isospin, name), twice_isospin}});
    op->second.pairs.emplace_back(p, q);
    op->second.weights.push_back(weight);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
  std::vector<TwoMesonOperator> operators;
  for (auto& [name, op] : found) {
    double squares = 0;
    for (const double weight : op.weights) squares += weight * weight;
    for (double& weight : op.weights) weight /= std::sqrt(squares);
    operators.push_back(std::move(op));
  }
  return operators;
}

std::vector<TwoMesonGroup> two_meson_groups(const DistillParameters& parameters, const Coord& extent, MesonPair pair) {
  const auto& chosen = parameters.correlators;
  const std::vector<Momentum> momenta = momenta_up_to(parameters.elementals.max_momentum);
  const std::vector<std::string>& displacements = parameters.elementals.displacements;
  const bool projected = chosen.two_pion_irrep == "A1", has_kaon = pair == MesonPair::pion_kaon;
  std::vector<TwoMesonGroup> groups;
  const auto add = [&](int twice_isospin, const Momentum& total, const std::string& irrep, std::size_t row) {
    TwoMesonGroup group{twice_isospin, total, irrep};
    for (const TwoMesonOperator& op : two_meson_operators(total, momenta, extent, irrep, twice_isospin, row))
      group.operators.push_back(multi_meson(op, momenta));
    if (has_kaon && irrep == "T1" && group.operators.empty()) return;
    Momentum direction{};
    if (irrep == "T1")
      direction[row] = 1;
    else if (projected)
      direction = total;
    for (const std::string& name : parameters.single_mesons(pair))
      for (MultiMesonOperator& op : is_displaced(name)
                                        ? displaced_meson(name, group, row, momenta, extent, displacements)
                                        : single_mesons(name, group, direction, momenta))
        group.operators.push_back(std::move(op));
    if (twice_isospin == 0 && total == Momentum{}) group.operators.push_back({"vacuum", {{1, {}}}});
    groups.push_back(std::move(group));
  };
  for (const int twice_isospin : parameters.twice_isospins(pair))
    for (const Momentum& total : chosen.two_pions) {
      const bool is_at_rest = total == Momentum{}, has_t1 = projected && is_at_rest && (has_kaon || twice_isospin == 2);
      if (has_kaon || !has_t1) add(twice_isospin, total, projected ? "A1" : "", 2);
      for (std::size_t row = 0; has_t1 && row < 3; ++row)
        if (extent[row] == extent[2]) add(twice_isospin, total, "T1", row);
    }
  return groups;
}

std::vector<std::string> equal_operator_warnings(const DistillParameters& parameters, const Coord& extent) {
  std::vector<std::string> warnings;
  for (const MesonPair pair : meson_pairs)
    for (const TwoMesonGroup& group : two_meson_groups(parameters, extent, pair))
      for (auto op = group.operators.begin(); op != group.operators.end(); ++op) {
        const auto twin =
            std::find_if(group.operators.begin(), op, [&](const auto& other) { return equal(*op, other); });
        if (twin == op) continue;
        const std::string warning =
            sentence(op->name, "with total momentum", to_string(group.total), "is", twin->name,
                     "up to a factor: a GEVP with both has no solution, so leave one of them out of it");
        // Rows of T1 have the same.
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
      }
  return warnings;
}

TwoMesonCorrelators::TwoMesonCorrelators(const DistillParameters& parameters, const DistillPlan& plan, MesonPair pair)
    : parameters_(parameters),
      plan_(plan),
      pair_(pair),
      groups_(two_meson_groups(parameters, plan.gauges.extent, pair)),
      contractions_(groups_.size()) {}

std::vector<Correlator> TwoMesonCorrelators::contract(const Comm& comm, const DistillFiles& files,
                                                      std::map<std::string, LabelValue> labels,
                                                      const std::function<void(int n)>& advance) {
  // The elementals without displacement, which the parameters were checked to have, and then all.
  const auto& displacements = parameters_.elementals.displacements;
  const auto local = std::find(displacements.begin(), displacements.end(), "1") - displacements.begin();
  const std::size_t n_momenta = momenta_up_to(parameters_.elementals.max_momentum).size();
  std::vector<int> numbers(n_momenta * (1 + displacements.size()));
  std::iota(numbers.begin(), numbers.begin() + std::ptrdiff_t(n_momenta), int(local) * int(n_momenta));
  std::iota(numbers.begin() + std::ptrdiff_t(n_momenta), numbers.end(), 0);

  const std::map<std::string, std::size_t> flavours = parameters_.flavours_of(pair_);
  if (!parameters_.quarks.empty()) labels["quarks"] = parameters_.quarks.flavour_label(flavours);

  const auto n_times = std::size_t(plan_.gauges.extent[3]);
  std::optional<DistilledSlices> slices;
  comm.agree([&] { slices.emplace(files.elementals, files, plan_); });
  const DistilledQuarks<double> quarks = slices->quarks(parameters_.eigenvectors.n, int(n_times), numbers, flavours);
  SourceContraction work{.contract =
                             [&](std::size_t group, std::size_t, int time) {
                               auto& contraction = contractions_[group];
                               if (!contraction)
                                 contraction =
                                     multi_meson_contraction(groups_[group].operators, quarks,
                                                             {.workspace_bytes = plan_.batches.two_meson_bytes});
                               return contraction(quarks, {time}, {});
                             },
                         .advance = advance};
  for (const TwoMesonGroup& group : groups_)
    work.sizes.push_back(n_times * group.operators.size() * group.operators.size());
  const auto sums = sums_over_sources(comm, parameters_.output.journal, files.of(pair_), plan_.source_times, work);

  std::vector<Correlator> correlators;
  for (std::size_t first = 0, rows = 1; first < groups_.size(); first += rows) {
    const TwoMesonGroup& group = groups_[first];
    const std::vector<MultiMesonOperator>& of = group.operators;
    rows = std::size_t(std::count_if(groups_.begin(), groups_.end(), [&](const TwoMesonGroup& other) {
      return other.twice_isospin == group.twice_isospin && other.total == group.total && other.irrep == group.irrep;
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

double two_meson_bytes(const DistillParameters& parameters, const Coord& extent, MesonPair pair,
                       std::size_t workspace_bytes) {
  const double n_times = extent[3];
  const double n_sources = double(parameters.source_times(extent[3]).size());
  double numbers = 0, one_sink = 0;
  const std::vector<TwoMesonGroup> groups = two_meson_groups(parameters, extent, pair);
  if (groups.empty()) return 0;
  for (const TwoMesonGroup& group : groups) {
    const double n_operators = double(group.operators.size());
    numbers += n_times * n_operators * n_operators;
    one_sink = std::max(one_sink, two_meson_sink_bytes(parameters, group));
  }
  return 16 * numbers * (n_sources + 4) + std::clamp(double(workspace_bytes), one_sink, n_times * one_sink);
}

double two_meson_sink_bytes(const DistillParameters& parameters, const TwoMesonGroup& group) {
  // A vertex of pion and kaon has matrices of its own for either.
  std::vector<std::pair<MesonVertex, bool>> vertices;
  for (const MultiMesonOperator& op : group.operators)
    for (const MultiMesonTerm& term : op.terms)
      for (const QuarkBilinear& meson : term.mesons)
        if (const std::pair vertex(meson.vertex, meson.antiquark == "s");
            std::find(vertices.begin(), vertices.end(), vertex) == vertices.end())
          vertices.push_back(vertex);
  // In matrices of 4 N_v rows: of each meson its elemental times a perambulator at both ends, those that stay on a
  // slice too where quarks annihilate, and of boxes the products of two of these that the plan has at a time;
  // elementals, a sixteenth each, on the host too; the perambulators and what is read of them.
  const bool annihilates = group.twice_isospin < 3;
  const double n = parameters.eigenvectors.n, products = annihilates ? 6 : 3, tau = annihilates ? 14 : 8;
  return 16 * 16 * n * n * (double(vertices.size()) * (products + 2.0 / 16) + tau);
}

}  // namespace kov::app
