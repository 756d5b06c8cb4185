// SPDX-License-Identifier: MIT
#include "apps/analyze/disconnected_series.hpp"

#include "apps/analyze/series_analysis.hpp"
#include "kov/contractions/hadrons/quark_loops.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace kov::app {

namespace {

using Labels = std::map<std::string, LabelValue>;

/// The loops of one channel at one momentum: a series for each hit.
struct HitSeries {
  std::string channel;
  Momentum momentum;
  Labels labels;
  std::vector<const CorrelatorSeries*> hits;
};

std::vector<HitSeries> loops_of(const std::vector<CorrelatorSeries>& series) {
  std::vector<HitSeries> all;
  std::map<std::string, std::size_t> place;
  for (const CorrelatorSeries& s : series) {
    if (s.kind != "loop") continue;
    CorrelatorSeries without{.labels = s.labels};
    without.labels.erase("hit");
    const std::string key = s.channel + '\n' + to_string(s.momentum) + '\n' + without.labels_text();
    const auto [found, fresh] = place.try_emplace(key, all.size());
    if (fresh) all.push_back({s.channel, s.momentum, without.labels, {}});
    HitSeries& loop = all[found->second];
    require(loop.hits.empty() || (loop.hits.front()->samples == s.samples && loop.hits.front()->n_times == s.n_times),
            "the loops", s.channel, "of different hits are not of the same configurations and times; analyse files",
            "that have all hits of their configurations");
    loop.hits.push_back(&s);
  }
  return all;
}

/// Names of the loops at sink and source.
using LoopPair = std::pair<std::string, std::string>;

std::vector<LoopPair> pairs_of(const std::vector<std::string>& wanted, const std::vector<HitSeries>& loops) {
  const auto is_loop = [&](const std::string& name) {
    return std::any_of(loops.begin(), loops.end(), [&](const HitSeries& loop) { return loop.channel == name; });
  };
  std::vector<LoopPair> pairs;
  const auto add = [&](const LoopPair& pair) {
    if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
  };
  for (const std::string& name : wanted) {
    bool any = false;
    for (const HitSeries& loop : loops)
      if (matches_any(loop.channel, {name})) {
        add({loop.channel, loop.channel});
        any = true;
      }
    for (std::size_t at = name.find('-'); !any && at != name.npos; at = name.find('-', at + 1)) {
      const LoopPair pair{name.substr(0, at), name.substr(at + 1)};
      if (!is_loop(pair.first) || !is_loop(pair.second)) continue;
      add(pair);
      any = true;
    }
    require(any, "disconnected.channels has", name + ", but no file has loops of that name",
            loops.empty() ? "or any other: measure them with loops.hits" : "(or data.channels leaves them out)");
  }
  return pairs;
}

std::vector<Correlator> hits_of(const HitSeries& loop, std::size_t sample) {
  std::vector<Correlator> hits;
  for (const CorrelatorSeries* s : loop.hits) {
    const auto first = s->values.begin() + std::ptrdiff_t(sample * s->n_times);
    hits.push_back({.kind = "loop", .channel = s->channel, .value = {first, first + std::ptrdiff_t(s->n_times)}});
    if (const auto hit = s->labels.find("hit"); hit != s->labels.end()) hits.back().labels.insert(*hit);
  }
  return hits;
}

/// Whether both are of one hit, and of the same: its noise is in both, so that no product of theirs counts.
bool are_of_one_hit(const HitSeries& sink, const HitSeries& source) {
  if (sink.hits.size() > 1 || source.hits.size() > 1) return false;
  const Labels &a = sink.hits.front()->labels, &b = source.hits.front()->labels;
  const auto of_sink = a.find("hit"), of_source = b.find("hit");
  return of_sink == a.end() || of_source == b.end() || of_sink->second == of_source->second;
}

/// Subtracts the vacuum's part of all samples.
void subtract_vacuum(CorrelatorSeries& s) {
  const double n = double(s.samples.size());
  std::complex<double> a = 0, b = 0, both = 0;
  for (const auto& v : s.vacuum) {
    const std::complex<double> x(v[0], v[1]), y(v[2], v[3]);
    a += x;
    b += y;
    both += x * y;
  }
  s.vacuum_mean = (a * b - both) / (n * (n - 1));
  for (auto& z : s.values) z -= s.vacuum_weight * s.vacuum_mean;
}

/// The product of loops at one momentum.
CorrelatorSeries product_of(const HitSeries& sink, const HitSeries& source, bool exact, const Coord& extent) {
  const CorrelatorSeries& first = *sink.hits.front();
  require(first.samples == source.hits.front()->samples && first.n_times == source.hits.front()->n_times, "the loops",
          sink.channel, "and", source.channel,
          "are not of the same configurations and times, but their product must be; analyse files that have both");
  require(exact || !are_of_one_hit(sink, source), "loops of", sink.channel, "and", source.channel,
          "are of one hit, whose noise would be correlated with itself: measure two hits or more or, where dilution",
          "leaves no noise, set disconnected.exact");
  require(first.samples.size() > 1, "disconnected correlators are less the vacuum's part, which takes two",
          "configurations or more, but there is one; leave disconnected.channels empty");
  CorrelatorSeries product{.kind = "disconnected",
                           .channel = sink.channel + "-" + source.channel,
                           .momentum = sink.momentum,
                           .labels = sink.labels,
                           .n_times = first.n_times,
                           .samples = first.samples};
  // L(-p) is L(p)^* times a sign of its operator.
  if (sink.channel == source.channel) product.imaginary = false;
  const double volume = double(extent[0]) * extent[1] * extent[2];
  for (std::size_t k = 0; k < first.samples.size(); ++k) {
    const std::vector<double> row = disconnected_product(hits_of(sink, k), hits_of(source, k), !exact);
    for (std::size_t t = 0; t < first.n_times; ++t)
      product.values.emplace_back(row[2 * t] / volume, row[2 * t + 1] / volume);
    const double* v = row.data() + 2 * first.n_times;
    product.vacuum.push_back({v[0], v[1], v[2], v[3]});
  }
  product.vacuum_weight = 1 / volume;
  if (is_at_rest(product.momentum, extent))
    subtract_vacuum(product);
  else
    product.vacuum.clear();
  return product;
}

/// The products of a pair at all momenta, averaged over equivalent ones where that is asked for.
std::vector<CorrelatorSeries> products_of(const LoopPair& pair, const std::vector<HitSeries>& loops,
                                          const AnalyzeParameters& parameters, const Coord& extent) {
  const bool averages =
      parameters.data.average_momenta && parameters.gevp.operators.empty() && pair.first == pair.second;
  std::vector<CorrelatorSeries> all;
  std::vector<int> members;
  for (const HitSeries& sink : loops) {
    if (sink.channel != pair.first) continue;
    const Momentum back{-sink.momentum[0], -sink.momentum[1], -sink.momentum[2]};
    const auto source = std::find_if(loops.begin(), loops.end(), [&](const HitSeries& loop) {
      return loop.channel == pair.second && loop.momentum == back && loop.labels == sink.labels;
    });
    if (source == loops.end()) continue;
    CorrelatorSeries product = product_of(sink, *source, parameters.disconnected.exact, extent);
    if (averages) product.momentum = representative(product.momentum, extent);
    const auto same = std::find_if(all.begin(), all.end(), [&](const CorrelatorSeries& s) {
      return s.momentum == product.momentum && s.labels == product.labels;
    });
    if (same == all.end()) {
      all.push_back(std::move(product));
      members.push_back(1);
      continue;
    }
    require(same->samples == product.samples, "the loops", pair.first,
            "at equivalent momenta are not of the same configurations; set data.average_momenta to false");
    for (std::size_t i = 0; i < same->values.size(); ++i) same->values[i] += product.values[i];
    ++members[std::size_t(same - all.begin())];
  }
  for (std::size_t k = 0; k < all.size(); ++k)
    for (auto& z : all[k].values) z /= members[k];
  require(!all.empty(), "loops of", pair.first, "and", pair.second,
          "have no momentum p and -p in common; measure both, or loops at rest");
  return all;
}

/// Whether a correlator is the connected part of what has this disconnected one.
bool is_connected_part(const CorrelatorSeries& s, const CorrelatorSeries& d) {
  if (s.kind == "loop" || s.kind == "three-point" || s.kind == "baryon" || s.kind == "disconnected") return false;
  if (s.channel.empty() || (s.channel != d.channel && s.channel != equal_operator(d.channel))) return false;
  if (s.momentum != d.momentum) return false;
  // Two quarks that differ have a label each, such as "source_type_1".
  for (const auto& [name, value] : s.labels) {
    if ((name.starts_with("source_smearing") || name.starts_with("sink_smearing")) && label_text(value) != "none")
      return false;
    if (name.starts_with("source_type") && label_text(value) != "point") return false;
  }
  return std::all_of(d.labels.begin(), d.labels.end(), [&](const auto& label) {
    const auto found = s.labels.find(label.first);
    if (found == s.labels.end()) return true;
    if (label.first != "quarks") return found->second == label.second;
    const std::string quark = label_text(label.second);
    return label_text(found->second) == quark + "-" + quark;
  });
}

/// C - flavours D.  Of a twisted mass, u and d have opposite ones: their loops are not the same.
CorrelatorSeries isoscalar(const CorrelatorSeries& c, const CorrelatorSeries& d, int flavours) {
  const auto mu = d.labels.find("mu");
  require(mu == d.labels.end() || label_text(mu->second) == "0", "disconnected.flavours asks for isoscalar mesons of",
          d.channel + ", but the loops have the twisted mass mu =", mu == d.labels.end() ? "" : label_text(mu->second),
          "of one flavour, and those of the other are not here; set disconnected.flavours to 0");
  require(c.samples == d.samples && c.n_times == d.n_times, "the connected and disconnected correlators of", d.channel,
          "are not of the same configurations and times, but their difference must be; analyse files that have both");
  CorrelatorSeries s = c;
  s.kind = "isoscalar";
  s.channel = d.channel + " isoscalar";
  s.imaginary = imaginary_is_larger(c);
  for (std::size_t i = 0; i < s.values.size(); ++i) s.values[i] -= double(flavours) * d.values[i];
  s.vacuum = d.vacuum;
  s.vacuum_mean = d.vacuum_mean;
  s.vacuum_weight = -double(flavours) * d.vacuum_weight;
  return s;
}

}  // namespace

void add_disconnected(std::vector<CorrelatorSeries>& series, const AnalyzeParameters& parameters, const Coord& extent) {
  const AnalyzeParameters::DisconnectedChoice& choice = parameters.disconnected;
  if (choice.channels.empty()) return;
  require(extent[0] > 0, "disconnected correlators are divided by the volume, which no file says; set data.extent");
  const std::vector<HitSeries> loops = loops_of(series);
  std::vector<CorrelatorSeries> found;
  for (const LoopPair& pair : pairs_of(choice.channels, loops)) {
    bool any = choice.flavours == 0;
    for (CorrelatorSeries& d : products_of(pair, loops, parameters, extent)) {
      if (choice.flavours > 0)
        for (const CorrelatorSeries& c : series)
          if (is_connected_part(c, d)) {
            found.push_back(isoscalar(c, d, choice.flavours));
            any = true;
          }
      d.channel += " disconnected";
      found.push_back(std::move(d));
    }
    require(
        any, "disconnected.flavours asks for isoscalar mesons, but", pair.first + "-" + pair.second,
        "has no connected correlator of point source and sink with the momenta and labels of its loops; measure it,",
        "or set disconnected.flavours to 0");
  }
  std::move(found.begin(), found.end(), std::back_inserter(series));
}

}  // namespace kov::app
