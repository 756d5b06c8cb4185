// SPDX-License-Identifier: MIT
//
// The numbers of an analysis in HDF5.
#include "apps/analyze/analyze_results.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/hdf5.hpp"

#include <algorithm>
#include <cmath>

namespace kov::app {

namespace {

using Column = std::vector<double>;

/// Means and errors of lists, filled up with NaN to the longest.
void write_estimates(Hdf5File& file, const std::string& name, const std::vector<const std::vector<Estimate>*>& lists) {
  std::size_t longest = 1;
  for (const auto* list : lists) longest = std::max(longest, list->size());
  Column mean(lists.size() * longest, std::nan("")), error = mean;
  for (std::size_t k = 0; k < lists.size(); ++k)
    for (std::size_t t = 0; t < lists[k]->size(); ++t) {
      mean[k * longest + t] = (*lists[k])[t].mean;
      error[k * longest + t] = (*lists[k])[t].error;
    }
  file.write<double>(name + "/mean", mean, {lists.size(), longest});
  file.write<double>(name + "/error", error, {lists.size(), longest});
}

template <class Number, class List, class F>
void write_column(Hdf5File& file, const std::string& name, const List& list, const F& f) {
  std::vector<Number> column;
  for (const auto& entry : list) column.push_back(Number(f(entry)));
  file.write<Number>(name, column, {column.size()});
}

void write_series(Hdf5File& file, const AnalysisResults& all) {
  std::vector<std::string> kinds, channels, labels, problems;
  std::vector<std::int64_t> momenta;
  for (std::size_t k = 0; k < all.series.size(); ++k) {
    kinds.push_back(all.series[k].kind);
    channels.push_back(all.series[k].channel);
    labels.push_back(all.series[k].labels_text());
    momenta.insert(momenta.end(), all.series[k].momentum.begin(), all.series[k].momentum.end());
    problems.push_back(all.results[k].problem);
  }
  file.write_texts("/correlator/kind", kinds);
  file.write_texts("/correlator/channel", channels);
  file.write_texts("/correlator/labels", labels);
  file.write<std::int64_t>("/correlator/momentum", momenta, {all.series.size(), 3});
  file.set_attribute("/correlator", "common_labels", CorrelatorSeries{.labels = all.common_labels}.labels_text());
  const auto& r = all.results;
  write_column<std::int64_t>(file, "/correlator/samples", r, [](const SeriesResult& s) { return s.n_samples; });
  write_column<std::int64_t>(file, "/correlator/fold", r, [](const SeriesResult& s) { return s.sign; });
  write_column<std::int64_t>(file, "/correlator/imaginary", r, [](const SeriesResult& s) { return s.imaginary; });
  std::vector<const std::vector<Estimate>*> means, effective;
  for (const SeriesResult& s : r) {
    means.push_back(&s.mean);
    effective.push_back(&s.effective);
  }
  write_estimates(file, "/correlator/value", means);
  write_estimates(file, "/correlator/effective_mass", effective);
  file.write_texts("/energy/problem", problems);
  std::vector<std::string> forms, covariances;
  for (const SeriesResult& s : r) {
    forms.push_back(form_name(s.form));
    covariances.push_back(s.best ? covariance_name(s.best->covariance) : "");
  }
  file.write_texts("/energy/form", forms);
  file.write_texts("/energy/covariance", covariances);
  const auto reals = [&](const char* name, const auto& f) { write_column<double>(file, name, r, f); };
  reals("/energy/mean", [](const SeriesResult& s) { return s.energy.mean; });
  reals("/energy/error", [](const SeriesResult& s) { return s.energy.error; });
  reals("/energy/statistical", [](const SeriesResult& s) { return s.statistical; });
  reals("/energy/systematic", [](const SeriesResult& s) { return s.systematic; });
  reals("/energy/weight", [](const SeriesResult& s) { return s.weight; });
  const auto history = [&](const char* name, const auto& f) {
    reals(name, [&](const SeriesResult& s) {
      return s.autocorrelation && s.autocorrelation->is_measured() ? double(f(*s.autocorrelation)) : std::nan("");
    });
  };
  history("/energy/tau_int", [](const Autocorrelation& a) { return a.tau_int; });
  history("/energy/tau_int_error", [](const Autocorrelation& a) { return a.tau_int_error; });
  history("/energy/error_of_error", [](const Autocorrelation& a) { return a.error_of_error; });
  history("/energy/window", [](const Autocorrelation& a) { return a.window; });
  reals("/energy/long_enough", [](const SeriesResult& s) {
    return s.autocorrelation ? double(s.autocorrelation->long_enough) : std::nan("");
  });
  const auto best = [&](const char* name, const auto& f) {
    reals(name, [&](const SeriesResult& s) { return s.best ? double(f(*s.best)) : std::nan(""); });
  };
  best("/energy/first", [](const Fit& f) { return f.first; });
  best("/energy/states", [](const Fit& f) { return f.n_states; });
  best("/energy/last", [](const Fit& f) { return f.last; });
  best("/energy/chi2", [](const Fit& f) { return f.chi2; });
  best("/energy/dof", [](const Fit& f) { return f.dof; });
  best("/energy/p_value", [](const Fit& f) { return f.p_value; });
  best("/energy/finite_p_value", [](const Fit& f) { return f.finite_p_value; });
  best("/energy/amplitude", [](const Fit& f) { return f.amplitude().mean; });
  best("/energy/amplitude_error", [](const Fit& f) { return f.amplitude().error; });
}

void write_dispersions(Hdf5File& file, const AnalysisResults& all) {
  std::vector<std::string> channels, labels;
  Column numbers;
  for (const DispersionResult& d : all.dispersions) {
    channels.push_back(all.series[d.members.front()].channel);
    labels.push_back(all.series[d.members.front()].labels_text());
    for (const Dispersion& fit : d.fits)
      numbers.insert(numbers.end(), {fit.mass().mean, fit.mass().error, fit.c2().mean, fit.c2().error, fit.chi2,
                                     double(fit.dof), fit.correlated ? fit.finite_p_value : fit.p_value});
  }
  if (channels.empty()) return;
  file.write_texts("/dispersion/channel", channels);
  file.write_texts("/dispersion/labels", labels);
  file.write<double>("/dispersion/fit", numbers, {channels.size(), 2, 7});
  file.set_attribute("/dispersion/fit", "columns",
                     std::vector<std::string>{"mass", "mass_error", "c2", "c2_error", "chi2", "dof", "p_value"});
  file.set_attribute("/dispersion/fit", "relations", std::vector<std::string>{"continuum", "lattice"});
}

void write_gevp(Hdf5File& file, const std::string& group, const GevpResult& g,
                const std::vector<std::string>& operators) {
  file.create_group(group);
  file.set_attribute(group, "operators", operators);
  file.set_attribute(group, "momentum", std::vector<std::int64_t>(g.head.momentum.begin(), g.head.momentum.end()));
  file.set_attribute(group, "labels", g.head.labels_text());
  file.set_attribute(group, "samples", std::int64_t(g.n_samples));
  file.set_attribute(group, "checks", g.checks.text());
  file.set_attribute(group, "interlacing_violation", g.checks.interlacing_violation);
  const std::uint64_t n = std::uint64_t(g.solution.n_states), n_times = g.solution.t0.size();
  const std::vector<std::int64_t> t0(g.solution.t0.begin(), g.solution.t0.end());
  file.write<std::int64_t>(group + "/t0", t0, {n_times});
  const auto estimates = [&](const std::string& name, const std::vector<Estimate>& list,
                             const std::vector<std::uint64_t>& extent) {
    Column mean, error;
    for (const Estimate& e : list) {
      mean.push_back(e.mean);
      error.push_back(e.error);
    }
    file.write<double>(group + "/" + name, mean, extent);
    file.write<double>(group + "/" + name + "_error", error, extent);
  };
  estimates("energy", g.solution.energies.estimates(), {n_times, n});
  estimates("eigenvalue", g.solution.eigenvalues.estimates(), {n_times, n});
  estimates("diagonal", g.diagonal, {n_times, n});
  estimates("smallest_eigenvalue", g.checks.smallest_eigenvalue, {n_times});
  file.write<double>(group + "/overlap", g.solution.overlap, {n_times});
}

void write_ratio(Hdf5File& file, const std::string& group, const RatioResult& r) {
  file.create_group(group);
  file.set_attribute(group, "current", r.head.channel);
  file.set_attribute(group, "transfer", std::vector<std::int64_t>(r.head.momentum.begin(), r.head.momentum.end()));
  file.set_attribute(group, "labels", r.head.labels_text());
  file.set_attribute(group, "imaginary", std::int64_t(r.imaginary));
  file.set_attribute(group, "samples", std::int64_t(r.n_samples));
  file.set_attribute(group, "problem", r.problem);
  file.set_attribute(group, "sum", r.sum.mean);
  file.set_attribute(group, "sum_error", r.sum.error);
  file.set_attribute(group, "sum_chi2", r.sum_chi2);
  file.set_attribute(group, "sum_dof", std::int64_t(r.sum_dof));
  file.set_attribute(group, "sum_problem", r.sum_problem);
  std::vector<const std::vector<Estimate>*> ratios;
  for (const SinkTimeRatio& s : r.sinks) ratios.push_back(&s.ratio);
  write_estimates(file, group + "/ratio", ratios);
  write_column<std::int64_t>(file, group + "/sink_time", r.sinks, [](const SinkTimeRatio& s) { return s.t_sink; });
  const auto reals = [&](const char* name, const auto& f) { write_column<double>(file, group + name, r.sinks, f); };
  reals("/plateau", [](const SinkTimeRatio& s) { return s.plateau.mean; });
  reals("/plateau_error", [](const SinkTimeRatio& s) { return s.plateau.error; });
  reals("/chi2", [](const SinkTimeRatio& s) { return s.chi2; });
  reals("/dof", [](const SinkTimeRatio& s) { return double(s.dof); });
  std::vector<std::string> problems;
  for (const SinkTimeRatio& s : r.sinks) problems.push_back(s.problem);
  file.write_texts(group + "/problem", problems);
}

}  // namespace

void write_analysis(
    const std::string& path, const AnalysisResults& all, const std::vector<std::string>& operators,
    const std::vector<std::pair<std::string, std::variant<std::string, std::int64_t, double>>>& parameters,
    const std::vector<std::string>& files) {
  Hdf5File file = Hdf5File::create(path);
  file.set_attribute("/", "format", "kovariant analysis");
  file.set_attribute("/", "format_version", std::int64_t(1));
  file.set_attribute("/", "version", std::string(version()));
  file.set_attribute("/", "revision", std::string(git_revision()));
  file.set_attribute("/", "build", std::string(build_description()));
  file.set_attribute("/", "extent", std::vector<std::int64_t>(all.extent.begin(), all.extent.end()));
  file.set_attribute("/", "files", files);
  file.create_group("/parameters");
  for (const auto& [key, value] : parameters)
    std::visit([&, name = key](const auto& v) { file.set_attribute("/parameters", name, v); }, value);
  write_series(file, all);
  write_dispersions(file, all);
  for (std::size_t k = 0; k < all.gevps.size(); ++k)
    write_gevp(file, "/gevp/" + std::to_string(k), all.gevps[k], operators);
  for (std::size_t k = 0; k < all.ratios.size(); ++k) write_ratio(file, "/ratio/" + std::to_string(k), all.ratios[k]);
  file.commit();
}

}  // namespace kov::app
