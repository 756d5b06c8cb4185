// SPDX-License-Identifier: MIT
#include "apps/analyze/series_analysis.hpp"

#include "kov/contractions/energies/effective_mass.hpp"
#include "kov/contractions/energies/vacuum.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kov::app {

namespace {

constexpr double no_energy = std::numeric_limits<double>::quiet_NaN();

/// Mean and error at every time, without replicas.
std::vector<Estimate> plain_average(const Samples& samples) {
  const double n = double(samples.size());
  std::vector<Estimate> all;
  for (std::size_t t = 0; t < samples.front().size(); ++t) {
    double sum = 0, squares = 0;
    for (const auto& row : samples) sum += row[t];
    for (const auto& row : samples) squares += (row[t] - sum / n) * (row[t] - sum / n);
    all.push_back({sum / n, samples.size() > 1 ? std::sqrt(squares / n / (n - 1)) : 0});
  }
  return all;
}

Samples part_of(const CorrelatorSeries& series, bool imaginary) {
  Samples samples(series.samples.size(), std::vector<double>(series.n_times));
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t t = 0; t < series.n_times; ++t) {
      const std::complex<double> z = series.values[i * series.n_times + t];
      samples[i][t] = imaginary ? z.imag() : z.real();
    }
  return samples;
}

Observable effective_mass_of(FitForm form, int n_times, const AnalyzeParameters::Output& output) {
  if (output.has_symmetric_masses()) return symmetric_effective_mass;
  if (form == FitForm::cosh) return [n_times](const std::vector<double>& c) { return cosh_effective_mass(c, n_times); };
  if (form == FitForm::sinh) return [n_times](const std::vector<double>& c) { return sinh_effective_mass(c, n_times); };
  return log_effective_mass;
}

/// The last time that a fit may have: before relative errors become large.
int last_time(const std::vector<Estimate>& mean, const AnalyzeParameters::FitChoice& choice) {
  const int end = int(mean.size()) - 1;
  if (choice.last > 0) return std::min(choice.last, end);
  int last = choice.first - 1;
  while (last < end) {
    const Estimate& e = mean[std::size_t(last + 1)];
    if (!(e.error <= choice.noise * std::abs(e.mean)) || e.mean == 0) break;
    ++last;
  }
  return last;
}

void fit_series(const Resampled& c, int n_times, const AnalyzeParameters& parameters, SeriesResult& result) {
  const auto& choice = parameters.fit;
  const int last = last_time(result.mean, choice), first_end = last - choice.points + 1;
  if (first_end < choice.first) {
    result.problem = sentence("fewer than", choice.points, "times from t =", choice.first, "on have a signal");
    return;
  }
  FitOptions options = parameters.fit_options(result.form, n_times, std::max(choice.states, 1));
  int first = choice.first;
  if (options.covariance == FitCovariance::full) first = std::max(first, last + 2 - int(c.n_samples()));
  if (first > first_end) {
    result.problem = sentence("the full covariance of", choice.points, "times from", c.n_samples(),
                              "samples is singular; set fit.covariance to another");
    return;
  }
  const int step = (first_end - first + choice.ranges) / choice.ranges;
  std::vector<Fit> fits = fit_ranges(c, first, first_end, last, options, std::max(step, 1));
  if (choice.states == 0 && first <= last - 4) {
    options.n_states = 2;
    for (Fit& fit : fit_ranges(c, first, std::min(first_end, last - 4), last, options, std::max(step, 1)))
      fits.push_back(std::move(fit));
  }
  const bool any = std::any_of(fits.begin(), fits.end(),
                               [](const Fit& fit) { return fit.good() && std::isfinite(fit.energy().error); });
  if (!any) {
    result.problem = fits.front().good() ? "fits of replicas do not converge" : fits.front().problem;
    return;
  }
  const ModelAverage average = model_average(fits);
  result.energy = average.estimate();
  result.statistical = average.statistical;
  result.systematic = average.systematic;
  result.energy_replicas = average.energy;
  if (parameters.errors.is_history() && c.n_replicas() >= 4) {
    result.autocorrelation = autocorrelation(average.energy, 0, parameters.errors.gamma_method());
    const double without = average.energy.estimate(0).error;
    if (parameters.errors.is_gamma() && without > 0) {
      result.statistical *= result.autocorrelation->error / without;
      result.energy.error = std::hypot(result.statistical, result.systematic);
    }
  }
  result.best = fits[average.best];
  result.weight = average.weights[average.best];
  result.n_fits = int(std::count_if(fits.begin(), fits.end(), [](const Fit& fit) { return fit.good(); }));
}

}  // namespace

Resampled resampled(const Samples& samples, const AnalyzeParameters::Errors& errors) {
  if (errors.method != "bootstrap") return Jackknife{errors.bin}(samples);
  return Bootstrap{errors.replicas, errors.seed, errors.bin}(samples);
}

Resampled resampled(const CorrelatorSeries& series, const PreparedSeries& data,
                    const AnalyzeParameters::Errors& errors) {
  if (data.vacuum_factor.empty()) return resampled(data.samples, errors);
  Samples rows = data.samples;
  for (std::size_t k = 0; k < rows.size(); ++k)
    rows[k].insert(rows[k].end(), series.vacuum[k].begin(), series.vacuum[k].end());
  const Resampled all = errors.method == "bootstrap"
                            ? with_vacuum(rows, Bootstrap{errors.replicas, errors.seed, errors.bin})
                            : with_vacuum(rows, Jackknife{errors.bin});
  const double mean = data.imaginary ? series.vacuum_mean.imag() : series.vacuum_mean.real();
  return all.map([&](const std::vector<double>& row) {
    const std::size_t n = data.vacuum_factor.size();
    std::vector<double> c(row.begin(), row.begin() + std::ptrdiff_t(n));
    for (std::size_t t = 0; t < n; ++t) c[t] -= data.vacuum_factor[t] * (row[n + (data.imaginary ? 1 : 0)] - mean);
    return c;
  });
}

bool imaginary_is_larger(const CorrelatorSeries& series) {
  double real = 0, imaginary = 0;
  for (std::size_t t = 0; t < series.n_times; ++t) {
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < series.samples.size(); ++i) sum += series.values[i * series.n_times + t];
    // In units of what is at this time, so that t = 0 does not decide alone.
    if (const double size = std::norm(sum); size > 0) {
      real += sum.real() * sum.real() / size;
      imaginary += sum.imag() * sum.imag() / size;
    }
  }
  return imaginary > real;
}

std::vector<Estimate> estimates_of(const Resampled& c, const AnalyzeParameters::Errors& errors) {
  std::vector<Estimate> all = c.estimates();
  if (!errors.is_gamma()) return all;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::isfinite(all[i].error)) all[i].error = autocorrelation(c, i, errors.gamma_method()).error;
  return all;
}

std::string chains_problem(std::size_t n, const AnalyzeParameters::Errors& errors) {
  if (errors.chains.empty()) return "";
  const std::int64_t sum = std::accumulate(errors.chains.begin(), errors.chains.end(), std::int64_t(0));
  return sum == std::int64_t(n)
             ? ""
             : sentence("errors.chains add up to", std::to_string(sum) + ",", "but there are", n, "samples");
}

PreparedSeries prepared(const CorrelatorSeries& series, const AnalyzeParameters::Data& data) {
  PreparedSeries result{
      .samples = {}, .imaginary = data.part == "imaginary", .sign = 0, .n_times = int(series.n_times)};
  if (data.part == "automatic") result.imaginary = series.imaginary ? *series.imaginary : imaginary_is_larger(series);
  result.samples = part_of(series, result.imaginary);
  if (!has_energy(series.kind)) return result;
  if (data.fold == "even") result.sign = 1;
  if (data.fold == "odd") result.sign = -1;
  if (data.fold == "automatic" && series.kind != "baryon") result.sign = reflection_sign(plain_average(result.samples));
  const auto to_half = [&](std::vector<double>& row) {
    if (result.sign != 0)
      row = fold(row, result.sign);
    else if (data.fold != "none")
      row.resize(series.n_times / 2 + series.n_times % 2);
  };
  for (auto& row : result.samples) to_half(row);
  if (!series.vacuum.empty()) {
    result.vacuum_factor.assign(series.n_times, series.vacuum_weight);
    to_half(result.vacuum_factor);
  }
  return result;
}

SeriesResult analysed(const CorrelatorSeries& series, const AnalyzeParameters& parameters) {
  const PreparedSeries data = prepared(series, parameters.data);
  SeriesResult result;
  result.sign = data.sign;
  result.imaginary = data.imaginary;
  result.energy = {no_energy, no_energy};
  result.statistical = result.systematic = no_energy;
  const std::string& form = parameters.fit.form;
  if (form == "cosh" || (form == "automatic" && data.sign == 1)) result.form = FitForm::cosh;
  if (form == "sinh" || (form == "automatic" && data.sign == -1)) result.form = FitForm::sinh;
  const Observable effective = effective_mass_of(result.form, data.n_times, parameters.output);
  const bool gamma = parameters.errors.is_gamma();
  const bool with_energy = has_energy(series.kind), vacuum = !data.vacuum_factor.empty(),
             few = int(data.samples.size()) < (gamma ? 4 : (vacuum ? 3 : 2) * parameters.errors.bin);
  const std::string chains = chains_problem(data.samples.size(), parameters.errors);
  if (few || !chains.empty()) {
    result.n_samples = data.samples.size();
    result.mean = plain_average(data.samples);
    std::vector<double> mean;
    for (Estimate& e : result.mean) {
      mean.push_back(e.mean);
      e.error = no_energy;
    }
    if (with_energy)
      for (const double m : effective(mean)) result.effective.push_back({m, no_energy});
    result.problem = !few    ? chains
                     : gamma ? "the Gamma method takes four samples"
                             : sentence("errors take", vacuum ? "three" : "two",
                                        parameters.errors.bin > 1 ? "bins of samples" : "samples");
    return result;
  }
  const Resampled c = resampled(series, data, parameters.errors);
  result.n_samples = c.n_samples();
  result.mean = estimates_of(c, parameters.errors);
  if (with_energy) {
    result.effective = estimates_of(c.map(effective), parameters.errors);
    fit_series(c, data.n_times, parameters, result);
  } else {
    result.problem = "a " + series.kind + (series.kind == "loop" ? "" : " function") + " has no energy";
  }
  return result;
}

const char* form_name(FitForm form) { return form == FitForm::cosh ? "cosh" : form == FitForm::sinh ? "sinh" : "exp"; }

const char* covariance_name(FitCovariance covariance) {
  switch (covariance) {
    case FitCovariance::full:
      return "full";
    case FitCovariance::shrinkage:
      return "shrinkage";
    case FitCovariance::svd:
      return "svd";
    case FitCovariance::diagonal:
      return "diagonal";
    default:
      return "automatic";
  }
}

std::string series_name(const CorrelatorSeries& series) {
  std::string text = series.channel + " p = (" + to_string(series.momentum) + ")";
  if (const std::string labels = series.labels_text(); !labels.empty()) text += " " + labels;
  return text;
}

}  // namespace kov::app
