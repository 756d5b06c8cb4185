// SPDX-License-Identifier: MIT
#include "apps/analyze/analyze_results.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace kov::app {

namespace {

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string left(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}
std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}
/// Of an energy: empty where its errors know no history, "too few" configurations where these do not measure it.
std::string tau_int_text(const std::optional<Autocorrelation>& a) {
  if (!a) return "";
  return a->is_measured() ? value_text({a->tau_int, a->tau_int_error}) : "too few";
}

/// Columns of texts, those of numbers to the right, with a blank between them.
std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t n_names) {
  std::vector<std::size_t> width(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += (c == 0 ? "" : "  ") + (c < n_names ? left(row[c], width[c]) : padded(row[c], width[c]));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// Whether these are the energies of the same numbers, such as those of a meson at p and -p on the same configurations.
/// Fits find these to 1e-7 of an error.
bool are_copies(const Resampled& a, const Resampled& b) {
  const double most = 1e-5 * a.estimate(0).error;
  for (std::size_t k = 0; k < a.n_rows(); ++k)
    if (!(std::abs(a.row(k)[0] - b.row(k)[0]) <= most)) return false;
  return true;
}

/// A name without the momentum, for one channel at several.
std::string group_name(const CorrelatorSeries& s) {
  const std::string labels = s.labels_text();
  return s.channel + (labels.empty() ? "" : " " + labels);
}

/// A name for the legend of a picture, which has room for so much.
std::string legend_text(const std::string& name) {
  constexpr std::size_t most = 44;
  if (name.size() <= most) return plain(name);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // not within a character of UTF-8
  return plain(name.substr(0, end) + " ...");
}

/// The y range of what is well determined.
void fit_range(Plot& plot, double noisiest) {
  double low = INFINITY, high = -INFINITY;
  for (const PlotSeries& series : plot.series)
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      const double error = series.error.empty() ? 0 : series.error[i];
      if (!std::isfinite(series.y[i]) || !(error <= noisiest * std::abs(series.y[i]))) continue;
      low = std::min(low, series.y[i] - error);
      high = std::max(high, series.y[i] + error);
    }
  if (low > high) return;
  plot.y_min = low;
  plot.y_max = high;
}

void add_point(PlotSeries& series, double x, const Estimate& e) {
  series.x.push_back(x);
  series.y.push_back(e.mean);
  series.error.push_back(std::isfinite(e.error) ? e.error : 0);
}

}  // namespace

std::string value_text(const Estimate& e) {
  char text[64];
  if (!std::isfinite(e.mean)) return "-";
  if (!std::isfinite(e.error) || !(e.error > 1e-11 * std::abs(e.mean))) {
    std::snprintf(text, sizeof(text), "%.6g", e.mean);
    return text;
  }
  // Two digits of the error; rounding may make three of them, 0.0996 -> 100 -> 0.10.
  int decimals = std::clamp(1 - int(std::floor(std::log10(e.error))), 0, 12);
  if (std::lround(e.error * std::pow(10, decimals)) >= 100 && decimals > 0) --decimals;
  if (decimals > 0 && e.error < 0.995)
    std::snprintf(text, sizeof(text), "%.*f(%ld)", decimals, e.mean, std::lround(e.error * std::pow(10, decimals)));
  else
    std::snprintf(text, sizeof(text), "%.*f(%.*f)", decimals, e.mean, decimals, e.error);
  return text;
}

std::map<std::string, LabelValue> without_common_labels(std::vector<CorrelatorSeries>& series) {
  std::map<std::string, LabelValue> common = series.front().labels;
  for (const CorrelatorSeries& s : series)
    std::erase_if(common, [&](const auto& label) {
      const auto found = s.labels.find(label.first);
      return found == s.labels.end() || found->second != label.second;
    });
  for (CorrelatorSeries& s : series)
    for (const auto& [name, value] : common) s.labels.erase(name);
  return common;
}

std::vector<DispersionResult> dispersions_of(const AnalysisResults& all) {
  std::vector<DispersionResult> found;
  if (all.extent[0] <= 0) return found;
  const std::array<int, 3> box{all.extent[0], all.extent[1], all.extent[2]};
  std::map<std::string, std::vector<std::size_t>> groups;
  std::vector<std::string> order;
  for (std::size_t k = 0; k < all.series.size(); ++k) {
    if (!all.results[k].problem.empty() || !(all.results[k].energy.error > 0)) continue;
    const CorrelatorSeries& s = all.series[k];
    std::string key = s.kind + '\n' + s.channel;
    for (const auto& [name, value] : s.labels) key += '\n' + name + '\n' + label_text(value);
    // Replicas of different configurations are not correlated.
    key += '\n' + std::to_string(all.results[k].n_samples);
    for (const std::string& sample : s.samples) key += '\n' + sample;
    auto& members = groups[key];
    if (members.empty()) order.push_back(key);
    members.push_back(k);
  }
  for (const std::string& key : order) {
    DispersionResult result;
    std::set<int> sizes;
    std::vector<EnergyAtMomentum> energies;
    for (const std::size_t k : groups[key]) {
      const Momentum& p = all.series[k].momentum;
      const Resampled& energy = *all.results[k].energy_replicas;
      if (std::any_of(energies.begin(), energies.end(), [&](const EnergyAtMomentum& other) {
            return norm2(other.n) == norm2(p) && are_copies(other.energy, energy);
          }))
        continue;
      sizes.insert(norm2(p));
      result.members.push_back(k);
      energies.push_back({p, energy});
    }
    if (sizes.size() < 2) continue;
    for (const DispersionForm form : {DispersionForm::continuum, DispersionForm::lattice}) try {
        result.fits.push_back(fit_dispersion(energies, box, form));
      } catch (const InputError&) {  // energies with errors at fewer than two momenta: there is no fit
      }
    if (result.fits.size() == 2) found.push_back(std::move(result));
  }
  return found;
}

std::string energy_table(const AnalysisResults& all, int most_rows) {
  std::vector<std::vector<std::string>> rows{{"correlator", "momentum", "labels", "form", "energy", "(stat)", "(range)",
                                              "tau_int", "best", "chi2/dof", "p", "covariance"}};
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < all.series.size(); ++k) order.push_back(k);
  if (most_rows > 0)
    std::stable_partition(order.begin(), order.end(), [&](std::size_t k) { return all.results[k].best.has_value(); });
  std::size_t shown = 0;
  for (const std::size_t k : order) {
    if (most_rows > 0 && shown == std::size_t(most_rows)) break;
    ++shown;
    const CorrelatorSeries& s = all.series[k];
    const SeriesResult& r = all.results[k];
    std::vector<std::string> row{s.channel, to_string(s.momentum), s.labels_text(),
                                 std::string(form_name(r.form)) + (r.imaginary ? ", Im" : "")};
    if (r.best) {
      const double p = r.best->covariance == FitCovariance::full ? r.best->finite_p_value : r.best->p_value;
      row.insert(
          row.end(),
          {value_text(r.energy), short_number(r.statistical), short_number(r.systematic),
           tau_int_text(r.autocorrelation),
           (r.best->n_states == 2 ? "2: " : "") + std::to_string(r.best->first) + "-" + std::to_string(r.best->last),
           short_number(r.best->chi2 / r.best->dof), short_number(p), covariance_name(r.best->covariance)});
    } else {
      row.insert(row.end(), {"-", "", "", "", "", "", "", r.problem});
    }
    rows.push_back(row);
  }
  std::string text = table_text(rows, 4);
  if (shown < all.series.size())
    text += sentence("and", all.series.size() - shown, "more, which the files have (output.rows)") + "\n";
  return text;
}

std::string effective_mass_table(const AnalysisResults& all, std::vector<std::size_t> which) {
  std::erase_if(which, [&](std::size_t k) { return all.results[k].effective.empty(); });
  if (which.empty()) return "none of these has an effective mass\n";
  std::vector<std::vector<std::string>> rows{{"t"}};
  std::size_t n = 0;
  for (const std::size_t k : which) {
    rows[0].push_back(all.series[k].channel + " (" + to_string(all.series[k].momentum) + ")");
    n = std::max(n, all.results[k].effective.size());
  }
  for (std::size_t t = 0; t < n; ++t) {
    rows.push_back({std::to_string(t)});
    for (const std::size_t k : which)
      rows.back().push_back(t < all.results[k].effective.size() ? value_text(all.results[k].effective[t]) : "");
  }
  return table_text(rows, 0);
}

std::string dispersion_table(const AnalysisResults& all, int most_rows) {
  std::vector<std::vector<std::string>> rows{{"correlator", "momenta", "relation", "mass", "c^2", "chi2/dof", "p"}};
  for (std::size_t k = 0; k < all.dispersions.size(); ++k) {
    if (most_rows > 0 && rows.size() > std::size_t(most_rows)) break;
    const DispersionResult& d = all.dispersions[k];
    for (const Dispersion& fit : d.fits)
      rows.push_back({group_name(all.series[d.members.front()]), std::to_string(d.members.size()),
                      fit.form == DispersionForm::continuum ? "E^2 = m^2 + c^2 p^2" : "sinh^2(E/2), sin^2(p/2)",
                      value_text(fit.mass()), value_text(fit.c2()),
                      short_number(fit.dof > 0 ? fit.chi2 / fit.dof : NAN),
                      short_number(fit.correlated ? fit.finite_p_value : fit.p_value)});
  }
  std::string text = table_text(rows, 3);
  if (rows.size() - 1 < 2 * all.dispersions.size())
    text +=
        sentence("and", all.dispersions.size() - (rows.size() - 1) / 2, "more channels, which the files have") + "\n";
  return text;
}

std::string gevp_table(const GevpResult& gevp) {
  const int n = gevp.solution.n_states;
  std::vector<std::vector<std::string>> rows{{"t", "t0"}};
  for (int i = 0; i < n; ++i) rows[0].push_back("E_" + std::to_string(i));
  for (int i = 0; i < n; ++i) rows[0].push_back("lambda_" + std::to_string(i));
  rows[0].push_back("overlap");
  rows[0].push_back("least eigenvalue of C");
  for (std::size_t t = 0; t < gevp.solution.t0.size(); ++t) {
    rows.push_back({std::to_string(t), gevp.solution.t0[t] < 0 ? "-" : std::to_string(gevp.solution.t0[t])});
    for (int i = 0; i < n; ++i)
      rows.back().push_back(value_text(gevp.solution.energies.estimate(t * std::size_t(n) + std::size_t(i))));
    for (int i = 0; i < n; ++i)
      rows.back().push_back(value_text(gevp.solution.eigenvalues.estimate(t * std::size_t(n) + std::size_t(i))));
    rows.back().push_back(short_number(gevp.solution.overlap[t]));
    rows.back().push_back(value_text(gevp.checks.smallest_eigenvalue[t]));
  }
  return table_text(rows, 0);
}

std::string ratio_table(const AnalysisResults& all, int most_rows) {
  std::vector<std::vector<std::string>> rows{
      {"current", "transfer", "labels", "sink", "part", "matrix element", "chi2/dof", "p", ""}};
  std::size_t shown = 0;
  for (const RatioResult& r : all.ratios) {
    if (most_rows > 0 && rows.size() > std::size_t(most_rows)) break;
    ++shown;
    const auto add = [&](const std::string& sink, const Estimate& e, double chi2, int dof, double p,
                         const std::string& problem) {
      rows.push_back({r.head.channel, to_string(r.head.momentum), r.head.labels_text(), sink, r.imaginary ? "Im" : "Re",
                      value_text(e), short_number(dof > 0 ? chi2 / dof : NAN), short_number(dof > 0 ? p : NAN),
                      r.problem.empty() ? problem : r.problem});
    };
    for (const SinkTimeRatio& s : r.sinks)
      add(std::to_string(s.t_sink), s.plateau, s.chi2, s.dof, s.p_value, s.problem);
    if (r.sinks.size() > 1 && r.problem.empty()) add("sum", r.sum, r.sum_chi2, r.sum_dof, r.sum_p_value, r.sum_problem);
  }
  std::string text = table_text(rows, 5);
  if (shown < all.ratios.size())
    text += sentence("and", all.ratios.size() - shown, "more currents, which the files have (output.rows)") + "\n";
  return text;
}

std::vector<std::size_t> pictured(const AnalysisResults& all, const std::vector<std::string>& patterns) {
  std::vector<std::size_t> which;
  constexpr std::size_t most = 6;
  if (!patterns.empty()) {
    for (std::size_t k = 0; k < all.series.size() && which.size() < most; ++k)
      if (matches_any(all.series[k].channel, patterns)) which.push_back(k);
    return which;
  }
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < all.series.size(); ++k) order.push_back(k);
  const auto rank = [&](std::size_t k) {
    const SeriesResult& r = all.results[k];
    const double relative = r.problem.empty() ? r.energy.error / std::abs(r.energy.mean) : INFINITY;
    return std::pair(norm2(all.series[k].momentum), std::isfinite(relative) ? relative : INFINITY);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  std::set<std::string> channels;
  for (const std::size_t k : order)
    if (which.size() < most && channels.insert(all.series[k].channel).second) which.push_back(k);
  return which;
}

Plot effective_mass_plot(const AnalysisResults& all, const std::vector<std::size_t>& which, double first,
                         const std::string& caption) {
  Plot plot{.title = "Effective masses", .x_label = "$t / a$", .y_label = "$a m_{eff}$", .series = {}};
  plot.caption = caption;
  plot.integer_x = plot.with_zero = true;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const SeriesResult& r = all.results[which[i]];
    if (r.effective.empty()) continue;
    PlotSeries series{.name = legend_text(series_name(all.series[which[i]])), .x = {}, .y = {}, .error = {}};
    for (std::size_t t = 0; t < r.effective.size(); ++t)
      add_point(series, double(t) + first + 0.06 * (double(i) - 0.5 * double(which.size() - 1)), r.effective[t]);
    plot.series.push_back(series);
    if (r.best && std::isfinite(r.energy.error))
      plot.bands.push_back(
          {double(r.best->first), double(r.best->last), r.energy.mean, r.energy.error, plot.series.size() - 1});
  }
  fit_range(plot, 0.5);
  return plot;
}

Plot correlator_plot(const AnalysisResults& all, const std::vector<std::size_t>& which, const std::string& caption) {
  Plot plot{.title = "Correlators $|C(t)|$", .x_label = "$t / a$", .y_label = "$|C(t)|$", .series = {}};
  plot.caption = caption;
  plot.integer_x = plot.log_y = true;
  for (const std::size_t k : which) {
    PlotSeries series{.name = legend_text(series_name(all.series[k])), .x = {}, .y = {}, .error = {}};
    for (std::size_t t = 0; t < all.results[k].mean.size(); ++t) {
      const Estimate& e = all.results[k].mean[t];
      // A logarithm has no bar that reaches below zero, and no point there.
      if (e.mean != 0 && !(e.error >= std::abs(e.mean))) add_point(series, double(t), {std::abs(e.mean), e.error});
    }
    if (!series.x.empty()) plot.series.push_back(series);
  }
  return plot;
}

Plot dispersion_plot(const AnalysisResults& all, const std::vector<std::size_t>& which, const std::string& caption) {
  Plot plot{
      .title = "Energies against momenta", .x_label = "$|n|^2$, $p = 2 π n / L$", .y_label = "$a E(p)$", .series = {}};
  plot.caption = caption;
  plot.integer_x = true;
  const std::array<int, 3> box{all.extent[0], all.extent[1], all.extent[2]};
  for (const std::size_t i : which) {
    const DispersionResult& d = all.dispersions[i];
    PlotSeries points{.name = legend_text(group_name(all.series[d.members.front()])), .x = {}, .y = {}, .error = {}};
    std::map<int, Momentum> momenta;
    for (const std::size_t k : d.members) {
      add_point(points, norm2(all.series[k].momentum), all.results[k].energy);
      momenta.emplace(norm2(all.series[k].momentum), all.series[k].momentum);
    }
    plot.series.push_back(points);
    PlotSeries line{.name = "lattice relation", .x = {}, .y = {}, .error = {}, .style = PlotSeries::Style::line};
    for (const auto& [size, n] : momenta) {
      line.x.push_back(size);
      line.y.push_back(d.fits.back().energy(n, box));
    }
    plot.series.push_back(line);
  }
  return plot;
}

Plot ratio_plot(const RatioResult& ratio, const std::string& caption) {
  Plot plot{.title = "Ratio of three-point and two-point functions",
            .x_label = "$(τ - t_{sink} / 2) / a$",
            .y_label = "$R(τ)$",
            .series = {}};
  plot.caption = caption;
  double longest = 0;
  for (const SinkTimeRatio& s : ratio.sinks) {
    PlotSeries series{.name = "$t_{sink} = " + std::to_string(s.t_sink) + "$", .x = {}, .y = {}, .error = {}};
    for (std::size_t tau = 0; tau < s.ratio.size(); ++tau)
      add_point(series, double(tau) - 0.5 * s.t_sink, s.ratio[tau]);
    longest = std::max(longest, 0.5 * s.t_sink);
    plot.series.push_back(series);
  }
  if (std::isfinite(ratio.sum.mean) && std::isfinite(ratio.sum.error)) {
    plot.series.push_back({.name = "summation method", .x = {}, .y = {}, .error = {}});
    plot.bands.push_back({-longest, longest, ratio.sum.mean, ratio.sum.error, plot.series.size() - 1});
  }
  fit_range(plot, 0.5);
  return plot;
}

Plot gevp_energy_plot(const GevpResult& gevp, const std::vector<std::string>& operators, const std::string& caption) {
  Plot plot{.title = "Energies of the GEVP", .x_label = "$t / a$", .y_label = "$a E_n(t)$", .series = {}};
  plot.caption = caption;
  plot.integer_x = plot.with_zero = true;
  const auto n = operators.size();
  for (std::size_t i = 0; i < n; ++i) {
    PlotSeries series{.name = "$E_" + std::to_string(i) + "$", .x = {}, .y = {}, .error = {}};
    for (std::size_t t = 0; t + 1 < gevp.solution.t0.size(); ++t)
      add_point(series, double(t) + 0.5 + 0.06 * (double(i) - 0.5 * double(n - 1)),
                gevp.solution.energies.estimate(t * n + i));
    plot.series.push_back(series);
  }
  fit_range(plot, 0.5);
  return plot;
}

Plot gevp_eigenvalue_plot(const GevpResult& gevp, const std::vector<std::string>& operators,
                          const std::string& caption) {
  Plot plot{.title = "Eigenvalues $λ_n(t, t_0)$", .x_label = "$t / a$", .y_label = "$λ$", .series = {}};
  plot.caption = caption;
  plot.integer_x = plot.log_y = true;
  const auto n = operators.size();
  const auto add = [&](const std::string& name, const auto& estimate, std::size_t i, PlotSeries::Style style) {
    PlotSeries series{.name = name, .x = {}, .y = {}, .error = {}, .style = style};
    for (std::size_t t = 0; t < gevp.solution.t0.size(); ++t)
      if (const Estimate e = estimate(t * n + i); e.mean > 0 && !(e.error >= e.mean)) add_point(series, double(t), e);
    if (style == PlotSeries::Style::line) series.error.clear();
    if (!series.x.empty()) plot.series.push_back(series);
  };
  for (std::size_t i = 0; i < n; ++i)
    add(
        "$λ_" + std::to_string(i) + "$", [&](std::size_t k) { return gevp.solution.eigenvalues.estimate(k); }, i,
        PlotSeries::Style::points);
  for (std::size_t i = 0; i < n; ++i)
    add(
        plain(operators[i]) + " alone", [&](std::size_t k) { return gevp.diagonal[k]; }, i, PlotSeries::Style::line);
  return plot;
}

}  // namespace kov::app
