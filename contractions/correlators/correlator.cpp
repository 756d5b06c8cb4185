// SPDX-License-Identifier: MIT
#include "kov/contractions/correlators/correlator.hpp"

#include "kov/contractions/correlators/correlator_format.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kov {

std::string label_text(const LabelValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  return exact_text(std::get<double>(value));
}

namespace {

/// What correlators of one average have in common.
struct AverageKey {
  std::string kind, channel;
  Momentum momentum;
  Coord source;
  std::map<std::string, LabelValue> labels;
};

struct AverageOrder {
  bool operator()(const AverageKey& a, const AverageKey& b) const {
    const auto others = [](const AverageKey& key) { return std::tie(key.kind, key.channel, key.momentum, key.source); };
    if (others(a) != others(b)) return others(a) < others(b);
    return std::lexicographical_compare(
        a.labels.begin(), a.labels.end(), b.labels.begin(), b.labels.end(), [](const auto& i, const auto& j) {
          const int names = i.first.compare(j.first);
          return names != 0 ? names < 0 : detail::compare_labels(i.second, j.second) < 0;
        });
  }
};

}  // namespace

std::vector<Correlator> with_label(std::vector<Correlator> correlators, const std::string& name,
                                   const LabelValue& value) {
  for (Correlator& c : correlators) c.labels[name] = value;
  return correlators;
}

std::vector<Correlator> average_equivalent_momenta(const std::vector<Correlator>& correlators, const Coord& extent) {
  std::vector<Correlator> averages;
  std::vector<int> members;
  std::map<AverageKey, std::size_t, AverageOrder> place;
  for (const Correlator& c : correlators) {
    const Momentum p = representative(c.momentum, extent);
    const auto [found, fresh] =
        place.try_emplace(AverageKey{c.kind, c.channel, p, c.source, c.labels}, averages.size());
    if (fresh) {
      averages.push_back(c);
      averages.back().momentum = p;
      members.push_back(1);
      continue;
    }
    Correlator& sum = averages[found->second];
    require(sum.value.size() == c.value.size(), "correlators of", c.channel, "at momenta equivalent to", to_string(p),
            "have", sum.value.size(), "and", c.value.size(),
            "times, so they have no average; label those of different lattices");
    for (std::size_t t = 0; t < c.value.size(); ++t) sum.value[t] += c.value[t];
    ++members[found->second];
  }
  for (std::size_t i = 0; i < averages.size(); ++i)
    for (auto& z : averages[i].value) z /= double(members[i]);
  return averages;
}

const std::vector<std::string>& correlator_conventions() {
  static const std::vector<std::string> lines{
      "lattice: coordinates (x, y, z, t), periodic; momenta p = 2 pi n / L; t counted from the source",
      "gamma: DeGrand-Rossi basis, gamma_5 = diag(1, 1, -1, -1); Gamma(n) = g1^b0 g2^b1 g3^b2 g4^b3, n = b0 + 2 b1 + 4 "
      "b2 + 8 b3",
      "propagator: S = M^-1 without a factor kappa, M = (4 + m) - 1/2 sum_mu [(1 - g_mu) U_mu(x) + (1 + g_mu) U_mu(x - "
      "mu)^+]",
      "meson: C(p, t) = sum_x e^{+i p.(x - x_source)} Tr[(g5 S2 g5)^+ Gamma_sink S1 Gamma_source]; channel names are "
      "sink-source",
      "baryon: C(p, t) = sum_x e^{+i p.(x - x_source)} tr T [direct A + exchange B], colour factor eps eps with sign "
      "+1; times "
      "beyond the end of the lattice times the boundary phase of three quarks",
  };
  return lines;
}

}  // namespace kov
