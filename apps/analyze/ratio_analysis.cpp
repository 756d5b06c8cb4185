// SPDX-License-Identifier: MIT
#include "apps/analyze/ratio_analysis.hpp"

#include "kov/contractions/hadrons/baryon_operator.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/base/host_threads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

namespace kov::app {

namespace {

constexpr Estimate no_ratio{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

/// Three-point functions that differ in the time of the sink alone.
struct RatioGroup {
  CorrelatorSeries head;
  std::map<int, const CorrelatorSeries*> sinks;
};

/// A label as the number that it is or, in files of other codes, says; nothing where there is none.
std::optional<int> integer_label(const std::map<std::string, LabelValue>& labels, const std::string& name) {
  const auto found = labels.find(name);
  if (found == labels.end()) return {};
  if (const auto* number = std::get_if<std::int64_t>(&found->second)) return int(*number);
  std::istringstream text(label_text(found->second));
  int number = 0;
  return text >> number && text.eof() ? std::optional(number) : std::nullopt;
}

/// The label sink_momentum, "0 0 1"; zero where there is none.
Momentum sink_momentum(const std::map<std::string, LabelValue>& labels) {
  Momentum p{0, 0, 0};
  if (const auto found = labels.find("sink_momentum"); found != labels.end()) {
    std::istringstream text(label_text(found->second));
    require(bool(text >> p[0] >> p[1] >> p[2]), "the label sink_momentum is", label_text(found->second),
            "but it must be three integers");
  }
  return p;
}

std::vector<RatioGroup> ratio_groups(const std::vector<CorrelatorSeries>& series) {
  std::vector<RatioGroup> groups;
  std::map<std::string, std::size_t> place;
  for (const CorrelatorSeries& s : series) {
    const std::optional<int> t_sink = integer_label(s.labels, "sink_time");
    if (s.kind != "three-point" || !t_sink) continue;
    CorrelatorSeries head{.kind = s.kind, .channel = s.channel, .momentum = s.momentum, .labels = s.labels};
    head.labels.erase("sink_time");
    const auto [found, fresh] =
        place.try_emplace(head.channel + '\n' + to_string(head.momentum) + '\n' + head.labels_text(), groups.size());
    if (fresh) groups.push_back({std::move(head), {}});
    groups[found->second].sinks.emplace(*t_sink, &s);
  }
  return groups;
}

/// The channels of two-point functions whose sum belongs to a hadron of three-point functions.
std::vector<std::string> channels_of(const std::string& hadron) {
  if (meson_number(hadron)) return {hadron + "-" + hadron};
  const std::vector<std::string>& baryons = baryon_names();
  if (std::find(baryons.begin(), baryons.end(), hadron) == baryons.end()) return {hadron};
  std::vector<std::string> names;
  for (const BaryonOperator& op : baryon_operators(hadron)) names.push_back(op.name);
  return names;
}

/// Two-point functions by channel, momentum and labels.
class TwoPointFunctions {
 public:
  TwoPointFunctions(const std::vector<CorrelatorSeries>& series, const Coord& extent) : box_(known_extent(extent)) {
    for (const CorrelatorSeries& s : series)
      if (has_energy(s.kind) && s.kind != "disconnected" && s.kind != "isoscalar")
        place_.emplace(key(s.channel, s.momentum, s.labels_text()), &s);
  }

  /// The sum over channels; problem says what is missing.
  std::optional<CorrelatorSeries> sum(const std::vector<std::string>& channels, const Momentum& p,
                                      const std::map<std::string, LabelValue>& labels, std::string& problem) const {
    std::optional<CorrelatorSeries> total;
    for (const std::string& channel : channels) {
      const CorrelatorSeries* found = find(channel, p, labels);
      if (found == nullptr) {
        problem = sentence("no two-point function", channel, "at", to_string(p), "with its labels");
        return {};
      }
      const CorrelatorSeries& s = *found;
      if (!total) {
        total = s;
        continue;
      }
      if (s.samples != total->samples || s.n_times != total->n_times) {
        problem = "two-point functions are of different configurations";
        return {};
      }
      for (std::size_t i = 0; i < s.values.size(); ++i) total->values[i] += s.values[i];
    }
    return total;
  }

  bool at_rest(const Momentum& p) const { return is_at_rest(p, box_); }

 private:
  const CorrelatorSeries* find(const std::string& channel, const Momentum& p,
                               std::map<std::string, LabelValue> labels) const {
    // Mesons of a pair of quarks are measured in one order; in the other one they are their complex conjugate.
    for (const bool exchanged : {false, true}) {
      if (exchanged) {
        const auto quarks = labels.find("quarks");
        if (channel.find('-') == channel.npos || quarks == labels.end()) break;
        const std::string pair = label_text(quarks->second);
        const std::size_t middle = pair.find('-');
        if (middle == pair.npos) break;
        quarks->second = pair.substr(middle + 1) + "-" + pair.substr(0, middle);
      }
      const std::string text = CorrelatorSeries{.labels = labels}.labels_text();
      for (const Momentum& momentum : {p, representative(p, box_)})
        if (const auto at = place_.find(key(channel, momentum, text)); at != place_.end()) return at->second;
    }
    return nullptr;
  }
  static std::string key(const std::string& channel, const Momentum& p, const std::string& labels) {
    return channel + '\n' + to_string(p) + '\n' + labels;
  }

  Coord box_;
  std::map<std::string, const CorrelatorSeries*> place_;
};

/// Whether most of C3 between source and sink is imaginary, relative to a real C2.
bool current_is_imaginary(const RatioGroup& group) {
  double real = 0, imaginary = 0;
  for (const auto& [t_sink, s] : group.sinks)
    for (std::size_t t = 1; t < std::size_t(t_sink); ++t) {
      std::complex<double> sum = 0;
      for (std::size_t i = 0; i < s->samples.size(); ++i) sum += s->values[i * s->n_times + t];
      if (const double size = std::norm(sum); size > 0) {
        real += sum.real() * sum.real() / size;
        imaginary += sum.imag() * sum.imag() / size;
      }
    }
  return imaginary > real;
}

/// What a group takes, and where it is in the rows of samples.
struct RatioRows {
  Samples rows;
  /// Where C3 of each sink begins, then C2 of sink and source, all with times 0, 1, ...
  std::vector<std::size_t> c3;
  std::size_t c2_sink = 0, c2_source = 0, n_times = 0;
  bool with_transfer = false;
};

/// Numbers of C3 are multiplied by factor before a part is taken.
RatioRows ratio_rows(const RatioGroup& group, std::complex<double> factor, bool imaginary, const CorrelatorSeries& sink,
                     bool sink_imaginary, const CorrelatorSeries* source) {
  RatioRows result;
  result.rows.resize(sink.samples.size());
  result.n_times = std::size_t(group.sinks.rbegin()->first) + 1;
  result.with_transfer = source != nullptr;
  const auto append = [&](const CorrelatorSeries& s, std::size_t n_times, std::complex<double> by, bool imag) {
    for (std::size_t i = 0; i < result.rows.size(); ++i)
      for (std::size_t t = 0; t < n_times; ++t) {
        const std::complex<double> z = by * s.values[i * s.n_times + t];
        result.rows[i].push_back(imag ? z.imag() : z.real());
      }
  };
  for (const auto& [t_sink, s] : group.sinks) {
    result.c3.push_back(result.rows.front().size());
    append(*s, std::size_t(t_sink) + 1, factor, imaginary);
  }
  result.c2_sink = result.rows.front().size();
  append(sink, result.n_times, 1, sink_imaginary);
  result.c2_source = result.rows.front().size();
  if (source != nullptr) append(*source, result.n_times, 1, sink_imaginary);
  return result;
}

Resampled ratio_at(const Resampled& all, const RatioRows& rows, std::size_t k, int t_sink) {
  return all.map([&](const std::vector<double>& row) {
    const std::span<const double> numbers(row);
    const std::size_t n = std::size_t(t_sink) + 1;
    return three_point_ratio(numbers.subspan(rows.c3[k], n), numbers.subspan(rows.c2_sink, n),
                             rows.with_transfer ? numbers.subspan(rows.c2_source, n) : std::span<const double>{},
                             t_sink);
  });
}

/// Why there is no ratio with these; empty where there is.
std::string mismatch(const RatioGroup& group, const CorrelatorSeries& c2, const AnalyzeParameters& parameters) {
  for (const auto& [t_sink, s] : group.sinks) {
    if (t_sink < 1 || std::size_t(t_sink) >= s->n_times) return sentence("sink_time is", t_sink);
    if (s->samples != c2.samples || s->n_times != c2.n_times)
      return "two-point and three-point functions are of different configurations";
  }
  if (int(c2.samples.size()) < 2 * parameters.errors.bin) return "errors take two samples or bins";
  if (parameters.errors.is_gamma() && c2.samples.size() < 4) return "the Gamma method takes four samples";
  return chains_problem(c2.samples.size(), parameters.errors);
}

/// Whether source and sink have the same smearing, as far as labels say.
bool is_symmetric(const std::map<std::string, LabelValue>& labels) {
  const auto source = labels.find("source_smearing"), sink = labels.find("sink_smearing");
  return source == labels.end() || sink == labels.end() || source->second == sink->second;
}

/// Why a ratio has no plateau; empty where it has one.
std::string plateau_problem(const SinkTimeRatio& sink, std::int64_t skip) {
  if (2 * skip > sink.t_sink)
    return sentence("ratio.skip is", std::to_string(skip) + ",",
                    "which leaves no time between source and sink: at most", sink.t_sink / 2, "does");
  for (std::int64_t tau = skip; tau <= sink.t_sink - skip; ++tau)
    if (!std::isfinite(sink.ratio[std::size_t(tau)].error))
      return sentence("at tau =", tau, "the ratio is NaN or infinite, as where two-point functions change their sign");
  return "";
}

void fit_ratios(const std::vector<Resampled>& ratios, const AnalyzeParameters& parameters, RatioResult& result) {
  const int skip = parameters.ratio.skip;
  std::vector<Resampled> summed;
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    SinkTimeRatio& sink = result.sinks[k];
    sink.ratio = estimates_of(ratios[k], parameters.errors);
    sink.problem = plateau_problem(sink, skip);
    if (!sink.problem.empty()) continue;
    const LinearFit fit = ratio_plateau(ratios[k], skip);
    sink.plateau = estimates_of(fit.parameters, parameters.errors)[0];
    sink.chi2 = fit.chi2;
    sink.dof = fit.dof;
    sink.p_value = fit.p();
    summed.push_back(ratios[k]);
  }
  if (summed.size() < 2) {
    if (ratios.size() > 1) result.sum_problem = "the sum takes two times of the sink that have a plateau";
    return;
  }
  const LinearFit line = summed_ratios(summed, skip);
  result.sum = estimates_of(line.parameters, parameters.errors)[1];
  result.sum_chi2 = line.chi2;
  result.sum_dof = line.dof;
  result.sum_p_value = line.p();
}

RatioResult ratio_of(const RatioGroup& group, const TwoPointFunctions& two_point, const AnalyzeParameters& parameters) {
  RatioResult result{.head = group.head, .sum = no_ratio};
  for (const auto& [t_sink, s] : group.sinks) result.sinks.push_back({.t_sink = t_sink, .plateau = no_ratio});
  std::map<std::string, LabelValue> labels = group.head.labels;
  const auto hadron = labels.find("hadron");
  if (hadron == labels.end()) {
    result.problem = "no label hadron";
    return result;
  }
  const std::vector<std::string> channels = channels_of(label_text(hadron->second));
  const Momentum q = group.head.momentum, p_sink = sink_momentum(labels),
                 p_source{p_sink[0] + q[0], p_sink[1] + q[1], p_sink[2] + q[2]};
  for (const char* name : {"hadron", "quark", "sink_momentum"}) labels.erase(name);
  const bool transfer = !two_point.at_rest(q);
  std::optional<CorrelatorSeries> sink, source;
  if (!(sink = two_point.sum(channels, p_sink, labels, result.problem))) return result;
  if (transfer && !(source = two_point.sum(channels, p_source, labels, result.problem))) return result;
  result.problem = mismatch(group, *sink, parameters);
  if (result.problem.empty() && transfer && (sink->samples != source->samples || sink->n_times != source->n_times))
    result.problem = "two-point functions are of different configurations";
  if (result.problem.empty() && transfer && !is_symmetric(labels))
    result.problem = "source and sink have different smearings";
  if (!result.problem.empty()) return result;
  const bool sink_imaginary = imaginary_is_larger(*sink), c3_imaginary = current_is_imaginary(group);
  result.imaginary =
      parameters.data.part == "automatic" ? c3_imaginary != sink_imaginary : parameters.data.part == "imaginary";
  const std::complex<double> factor = sink_imaginary ? std::complex<double>(0, -1) : 1;
  const RatioRows rows =
      ratio_rows(group, factor, result.imaginary, *sink, sink_imaginary, transfer ? &*source : nullptr);
  const Resampled all = resampled(rows.rows, parameters.errors);
  result.n_samples = all.n_samples();
  std::vector<Resampled> ratios;
  for (std::size_t k = 0; k < result.sinks.size(); ++k)
    ratios.push_back(ratio_at(all, rows, k, result.sinks[k].t_sink));
  fit_ratios(ratios, parameters, result);
  return result;
}

}  // namespace

std::vector<RatioResult> ratios_of(const std::vector<CorrelatorSeries>& series, const AnalyzeParameters& parameters,
                                   const Coord& extent) {
  const std::vector<RatioGroup> groups = ratio_groups(series);
  if (groups.empty()) return {};
  const TwoPointFunctions two_point(series, extent);
  std::vector<RatioResult> results(groups.size());
  on_host_threads("ratios", std::int64_t(groups.size()), [&](std::int64_t i, int) {
    results[std::size_t(i)] = ratio_of(groups[std::size_t(i)], two_point, parameters);
  });
  return results;
}

}  // namespace kov::app
