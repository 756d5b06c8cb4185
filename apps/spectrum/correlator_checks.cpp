// SPDX-License-Identifier: MIT
#include "apps/spectrum/correlator_checks.hpp"

#include "apps/settings/format.hpp"
#include "apps/spectrum/hadron_masses.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace kov::app {

namespace {

/// Relative errors of correlators beyond this are warned about.
constexpr double largest_error = 0.01;

std::string sink_of(const Correlator& c) {
  const auto found = c.labels.find("sink_smearing");
  return found == c.labels.end() ? "" : label_text(found->second);
}

/// The mean of |C(t)| over the samples of a hadron at momentum zero, of a meson over both directions in time; empty
/// where it was not measured.
std::vector<double> mean_size(const std::vector<Correlator>& correlators, const std::string& hadron,
                              const std::string& sink) {
  const std::vector<std::string> channels = hadron_channels(hadron);
  std::vector<double> sum;
  int n = 0;
  for (const Correlator& c : correlators) {
    if (c.momentum != Momentum{0, 0, 0} || sink_of(c) != sink ||
        std::count(channels.begin(), channels.end(), c.channel) == 0)
      continue;
    sum.resize(c.value.size());
    for (std::size_t t = 0; t < c.value.size(); ++t) sum[t] += std::abs(c.value[t]);
    ++n;
  }
  for (double& v : sum) v /= n;
  if (hadron == "nucleon") return sum;
  const std::vector<double> forward = sum;
  for (std::size_t t = 1; t < sum.size(); ++t) sum[t] = 0.5 * (forward[t] + forward[sum.size() - t]);
  return sum;
}

/// A hadron's correlator at the times that enter its mass.
struct Tail {
  std::string hadron, sink;
  std::vector<double> size;
  int first, last;
  double largest = 0;

  double error(int t, double residual) const { return 2 * residual * std::sqrt(largest / size[std::size_t(t)]); }
};

std::string resolution_warning(const Tail& tail, const SolverChoice& solver, double residual) {
  int first = -1;
  double worst = 0;
  for (int t = tail.first; t <= tail.last; ++t) {
    const double error = tail.error(t, residual);
    if (!(error > largest_error)) continue;
    if (first < 0) first = t;
    worst = std::max(worst, error);
  }
  if (first < 0) return "";
  // With a little room: the residual ends below the tolerance by chance.
  const double wanted = 0.5 * solver.tolerance * largest_error / worst;
  const bool out_of_reach = wanted < least_tolerance_in_double;
  const std::string shorten = sentence("end analysis." + tail.hadron, "before t =", first);
  const std::string remedy =
      out_of_reach ? shorten + ", because no tolerance in double precision resolves it"
                   : sentence("ask for solver.tolerance", format("%.0e", wanted),
                              solver.is_single() && wanted < least_tolerance_in_single ? "with solver.precision mixed,"
                                                                                       : "or less,",
                              "or", shorten);
  return sentence("the correlator of the", tail.hadron + ", sink", tail.sink + ",", "is",
                  format("%.1e", tail.size[std::size_t(first)] / tail.largest),
                  "of its largest value at t =", std::to_string(first) + ", where solves with the residual",
                  format("%.1e", residual), "may leave an error of more than a hundredth:", remedy);
}

}  // namespace

std::vector<std::string> resolution_warnings(const std::vector<Correlator>& correlators,
                                             const SpectrumParameters& parameters, const Coord& extent,
                                             double residual) {
  std::vector<std::string> warnings;
  for (const std::string& sink : parameters.sink.smearings)
    for (const std::string hadron : {"pion", "rho", "nucleon"}) {
      const int n = n_effective_masses(hadron, extent[3]);
      Tail tail{.hadron = hadron, .sink = sink, .size = mean_size(correlators, hadron, sink), .first = 0, .last = 0};
      if (tail.size.empty() || n < 1) continue;
      const std::vector<int>& window = parameters.analysis.window(hadron);
      const int last_mass = std::min(window[1], n - 1);
      tail.first = std::min(window[0], last_mass);
      tail.last = last_mass + 1;  // a mass is that of two times
      tail.largest = *std::max_element(tail.size.begin(), tail.size.end());
      if (const std::string warning = resolution_warning(tail, parameters.solver, residual); !warning.empty())
        warnings.push_back(warning);
    }
  return warnings;
}

std::vector<std::string> underflow_warnings(const std::vector<Correlator>& correlators,
                                            const SpectrumParameters& parameters, const Coord& extent) {
  const bool single = parameters.solver.is_single();
  const double least = single ? double(std::numeric_limits<float>::min()) : std::numeric_limits<double>::min();
  // Sums over space of what is below the normal numbers at every site.
  const double limit = least * extent[0] * extent[1] * extent[2];
  std::map<std::string, std::vector<double>> largest;  // by channel and sink: over samples and momenta, at each time
  std::vector<std::string> order;
  for (const Correlator& c : correlators) {
    const std::size_t dash = c.channel.find('-');  // others may vanish by a symmetry
    if (dash != std::string::npos && c.channel.substr(0, dash) != c.channel.substr(dash + 1)) continue;
    const std::string name = c.channel + ", sink " + sink_of(c);
    auto [found, is_new] = largest.try_emplace(name, c.value.size());
    if (is_new) order.push_back(name);
    for (std::size_t t = 0; t < c.value.size(); ++t)
      found->second[t] = std::max(found->second[t], std::abs(c.value[t]));
  }
  std::vector<std::string> small;
  std::size_t first = 0;
  for (const std::string& name : order) {
    const std::vector<double>& values = largest[name];
    const auto found = std::find_if(values.begin(), values.end(), [&](double v) { return v < limit; });
    if (found == values.end()) continue;
    if (small.empty()) first = std::size_t(found - values.begin());
    small.push_back(name);
  }
  if (small.empty()) return {};
  const std::size_t n_others = small.size() - 1;
  const std::string others =
      n_others > 0 ? sentence(" (and", n_others, n_others == 1 ? "other at some time)" : "others at some time)") : "";
  return {sentence("the correlator " + small.front() + others + ",", "is zero or below the normal numbers of",
                   single ? "single" : "double", "precision at t =", std::to_string(first) + ":",
                   "what is there is rounded away;",
                   single ? "take solver.precision mixed, or a source that is larger"
                          : "take a source that is larger, such as source.formula times a number")};
}

}  // namespace kov::app
