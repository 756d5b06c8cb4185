// SPDX-License-Identifier: MIT
#include "apps/spectrum/hadron_masses.hpp"

#include "apps/plot/axes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace kov::app {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string label(const Correlator& c, const std::string& name) {
  const auto found = c.labels.find(name);
  return found == c.labels.end() ? "" : label_text(found->second);
}

/// The label that defines a sample: the configuration or, with a single one, the source.
bool samples_are_sources(const std::vector<Correlator>& correlators) {
  return std::all_of(correlators.begin(), correlators.end(), [&](const Correlator& c) {
    return label(c, "configuration") == label(correlators.front(), "configuration");
  });
}

std::string sample_of(const Correlator& c, bool sources) {
  return sources ? to_string(c.source) : label(c, "configuration");
}

/// One row for each sample, averaged over whatever else the matching correlators differ in; in order of appearance.
Samples samples_of(const std::vector<Correlator>& correlators, const std::vector<std::string>& channels,
                   const std::string& sink) {
  const bool sources = samples_are_sources(correlators);
  Samples samples;
  std::map<std::string, std::size_t> row;
  std::vector<int> count;
  for (const Correlator& c : correlators) {
    if (c.momentum != Momentum{0, 0, 0} || label(c, "sink_smearing") != sink ||
        std::find(channels.begin(), channels.end(), c.channel) == channels.end())
      continue;
    const auto [at, fresh] = row.try_emplace(sample_of(c, sources), samples.size());
    if (fresh) {
      samples.emplace_back(c.value.size(), 0.0);
      count.push_back(0);
    }
    for (std::size_t t = 0; t < c.value.size(); ++t) samples[at->second][t] += c.value[t].real();
    ++count[at->second];
  }
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (double& v : samples[i]) v /= count[i];
  return samples;
}

HadronMass mass_of(const std::string& name, const Samples& samples, const Observable& effective,
                   const std::vector<int>& window) {
  HadronMass mass{.name = name, .effective = {}, .plateau = {nan, nan}, .first = window[0], .last = window[1]};
  if (samples.size() > 1) {
    mass.effective = jackknife(samples, effective);
  } else {
    for (const double m : effective(samples.front())) mass.effective.push_back({m, nan});
  }
  mass.last = std::min(mass.last, int(mass.effective.size()) - 1);
  mass.first = std::min(mass.first, mass.last);
  const auto good = [&](const Estimate& e) {
    return std::isfinite(e.mean) && (samples.size() == 1 || std::isfinite(e.error));
  };
  if (mass.first < 0 || std::none_of(mass.effective.begin() + mass.first, mass.effective.begin() + mass.last + 1, good))
    return mass;
  if (samples.size() > 1) {
    mass.plateau = plateau(samples, effective, mass.first, mass.last);
  } else {
    double sum = 0;
    int n = 0;
    for (int t = mass.first; t <= mass.last; ++t)
      if (std::isfinite(mass.effective[std::size_t(t)].mean)) {
        sum += mass.effective[std::size_t(t)].mean;
        ++n;
      }
    mass.plateau = {sum / n, nan};
  }
  return mass;
}

}  // namespace

const std::vector<std::string>& nucleon_names() {
  static const std::vector<std::string> names{"nucleon", "proton_unpol_cg5"};
  return names;
}

std::vector<std::string> hadron_channels(const std::string& hadron) {
  if (hadron == "pion") return {"pion-pion"};
  if (hadron == "rho") return {"rho_x-rho_x", "rho_y-rho_y", "rho_z-rho_z"};
  return nucleon_names();
}

int n_effective_masses(const std::string& hadron, int n_times) { return n_times / 2 - (hadron == "nucleon"); }

std::vector<HadronMass> hadron_masses(const std::vector<Correlator>& correlators, const std::string& sink,
                                      const SpectrumParameters::Analysis& analysis, int n_times) {
  std::vector<HadronMass> masses;
  for (const std::string name : {"pion", "rho", "nucleon"}) {
    const bool meson = name != "nucleon";
    Samples samples = samples_of(correlators, meson ? hadron_channels(name) : std::vector{nucleon_names()[0]}, sink);
    if (samples.empty() && !meson) samples = samples_of(correlators, {nucleon_names()[1]}, sink);
    if (samples.empty()) continue;
    if (!samples_are_sources(correlators) && analysis.bin > 1) samples = bin(samples, analysis.bin);
    const Observable effective = [meson, n_times](const std::vector<double>& c) {
      if (meson) return cosh_effective_mass(fold(c), n_times);
      return log_effective_mass({c.begin(), c.begin() + n_times / 2});
    };
    masses.push_back(mass_of(name, samples, effective, analysis.window(name)));
  }
  return masses;
}

ErrorSamples error_samples(const std::vector<Correlator>& correlators, const SpectrumParameters::Analysis& analysis) {
  const bool sources = samples_are_sources(correlators);
  std::vector<std::string> seen;
  for (const Correlator& c : correlators)
    if (std::find(seen.begin(), seen.end(), sample_of(c, sources)) == seen.end()) seen.push_back(sample_of(c, sources));
  const int n = int(seen.size());
  if (sources && n == 1) return {"one source on one configuration", 1, true};
  if (sources) return {std::to_string(n) + " sources on one configuration", n, true};
  const int left_out = n >= analysis.bin ? n % analysis.bin : 0;
  std::string text =
      (left_out > 0 ? std::to_string(n - left_out) + " of " : "") + std::to_string(n) + " configurations";
  if (analysis.bin > 1) text += " in bins of " + std::to_string(analysis.bin);
  return {text, n / analysis.bin, false, left_out};
}

std::string ErrorSamples::heading() const {
  return n > 1 ? "errors: jackknife over " + text : "no errors, which take two samples: " + text;
}

std::string ErrorSamples::warning() const {
  if (n < 2)
    return "there are no errors: they take two configurations or bins of them, or two sources on one configuration";
  if (sources) return "the errors are over sources on one configuration: how much configurations differ is not in them";
  if (left_out > 0)
    return (left_out == 1 ? std::string("the last configuration fills")
                          : "the last " + std::to_string(left_out) + " configurations fill") +
           " no bin and " + (left_out == 1 ? "does" : "do") +
           " not enter the masses: an analysis.bin that divides the number of configurations takes all";
  return "";
}

std::string with_error(const Estimate& estimate) {
  char text[64];
  if (!std::isfinite(estimate.mean)) return "-";
  if (!std::isfinite(estimate.error)) {
    std::snprintf(text, sizeof(text), "%.4f", estimate.mean);
    return text;
  }
  if (estimate.error == 0) {
    std::snprintf(text, sizeof(text), "%.6f(0)", estimate.mean);
    return text;
  }
  // Two digits of the error; rounding may make three of them, 0.0996 -> 100 -> 0.10.
  int decimals = std::max(0, 1 - int(std::floor(std::log10(estimate.error))));
  if (std::lround(estimate.error * std::pow(10, decimals)) >= 100 && decimals > 0) --decimals;
  if (decimals > 12) decimals = 12;
  const long last = std::lround(estimate.error * std::pow(10, decimals));
  if (decimals > 0 && estimate.error < 0.995)
    std::snprintf(text, sizeof(text), "%.*f(%ld)", decimals, estimate.mean, last);
  else
    std::snprintf(text, sizeof(text), "%.*f(%.*f)", decimals, estimate.mean, decimals, estimate.error);
  return text;
}

std::string mass_table(const std::vector<HadronMass>& masses) {
  const auto cell = [](const std::string& text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
  };
  constexpr std::size_t narrow = 6, wide = 16;
  std::string text = cell("t", narrow);
  std::size_t rows = 0;
  for (const HadronMass& mass : masses) {
    text += cell(mass.name, wide);
    rows = std::max(rows, mass.effective.size());
  }
  text += "\n";
  for (std::size_t t = 0; t < rows; ++t) {
    text += cell(std::to_string(t), narrow);
    for (const HadronMass& mass : masses)
      text += cell(t < mass.effective.size() ? with_error(mass.effective[t]) : "", wide);
    text += "\n";
  }
  text += cell("mass", narrow);
  for (const HadronMass& mass : masses) text += cell(with_error(mass.plateau), wide);
  text += "\n" + cell("from", narrow);
  for (const HadronMass& mass : masses)
    text += cell(mass.last < 0 ? "no times" : "t = " + std::to_string(mass.first) + " to " + std::to_string(mass.last),
                 wide);
  return text + "\n";
}

Plot mass_plot(const std::vector<HadronMass>& masses, const std::string& caption) {
  Plot plot{.title = "Effective masses", .x_label = "$t / a$", .y_label = "$a m_{eff}$", .series = {}};
  plot.caption = caption;
  plot.integer_x = plot.with_zero = true;
  Range sure, best;  // of masses whose errors are small, and of the one whose error is least
  double least_error = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < masses.size(); ++k) {
    const HadronMass& mass = masses[k];
    PlotSeries series{.name = mass.name, .x = {}, .y = {}, .error = {}, .style = PlotSeries::Style::points};
    for (std::size_t t = 0; t < mass.effective.size(); ++t) {
      const Estimate& e = mass.effective[t];
      const double error = std::isfinite(e.error) ? e.error : 0;
      // A point between t and t + 1; hadrons a little apart, so that their bars do not overlap.
      series.x.push_back(double(t) + 0.5 + 0.06 * (double(k) - 0.5 * double(masses.size() - 1)));
      series.y.push_back(e.mean);
      series.error.push_back(error);
      if (!std::isfinite(e.mean)) continue;
      const Range bar{e.mean - error, e.mean + error};
      if (error < 0.5 * std::abs(e.mean)) {
        sure.include(bar.begin);
        sure.include(bar.end);
      }
      if (error < least_error) best = bar;
      least_error = std::min(least_error, error);
    }
    plot.series.push_back(series);
    if (std::isfinite(mass.plateau.mean))
      plot.bands.push_back({double(mass.first), double(mass.last) + 1, mass.plateau.mean,
                            std::isfinite(mass.plateau.error) ? mass.plateau.error : 0, k});
  }
  const Range& shown = sure.empty() ? best : sure;
  if (!shown.empty()) {
    plot.y_min = shown.begin;
    plot.y_max = shown.end;
  }
  return plot;
}

}  // namespace kov::app
