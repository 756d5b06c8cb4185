// SPDX-License-Identifier: MIT
#include "apps/analyze/gevp_analysis.hpp"

#include "kov/contractions/energies/effective_mass.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>

namespace kov::app {

namespace {

/// Rows [sample][t][i][j][re, im] of the matrix.
Samples matrix_rows(const std::vector<const CorrelatorSeries*>& elements, const std::vector<std::string>& operators,
                    const AnalyzeParameters::Data& data) {
  const std::size_t n = operators.size(), n_times = elements.front()->n_times;
  const std::size_t length = data.fold == "none" ? n_times : n_times / 2 + 1;
  Samples rows(elements.front()->samples.size(), std::vector<double>(2 * n * n * length));
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const CorrelatorSeries& series = *elements[e];
    const int sign = source_sign(operators[e % n]);
    // Both parts have the symmetry of the larger one.
    const PreparedSeries larger = prepared(series, data);
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (const int part : {0, 1}) {
        std::vector<double> c(n_times);
        for (std::size_t t = 0; t < n_times; ++t) {
          const std::complex<double> z = series.values[k * n_times + t];
          c[t] = sign * (part == 0 ? z.real() : z.imag());
        }
        if (larger.sign != 0) c = fold(c, larger.sign);
        for (std::size_t t = 0; t < length; ++t) rows[k][2 * (t * n * n + e) + std::size_t(part)] = c[t];
      }
  }
  return rows;
}

/// The series of every pair at the momentum and labels of one of them; empty where one is missing, which is named.
std::vector<const CorrelatorSeries*> elements_like(const CorrelatorSeries& first,
                                                   const std::vector<CorrelatorSeries>& series,
                                                   const std::vector<std::string>& operators, std::string& missing) {
  std::vector<const CorrelatorSeries*> elements;
  for (const std::string& sink : operators)
    for (const std::string& source : operators) {
      const std::string channel = sink + "-" + source;
      const auto found = std::find_if(series.begin(), series.end(), [&](const CorrelatorSeries& s) {
        return s.channel == channel && s.kind == first.kind && s.momentum == first.momentum && s.labels == first.labels;
      });
      if (found == series.end()) {
        missing = channel;
        return {};
      }
      require(
          found->samples == first.samples && found->n_times == first.n_times, "the correlators", channel, "and",
          first.channel,
          "are not of the same configurations and times, but a matrix of correlators must be; analyse files that have",
          "all of them");
      elements.push_back(&*found);
    }
  return elements;
}

}  // namespace

int source_sign(const std::string& name) {
  const std::optional<int> number = meson_number(name);
  if (!number) return 1;
  const Gamma gamma = Gamma::number(*number), g4 = Gamma::direction(3);
  return g4 * gamma.adjoint() * g4 == gamma ? -1 : 1;
}

std::vector<GevpResult> gevp_results(const std::vector<CorrelatorSeries>& series, const AnalyzeParameters& parameters) {
  const std::vector<std::string>& operators = parameters.gevp.operators;
  const std::string first_channel = operators.front() + "-" + operators.front();
  std::string missing = first_channel;
  std::vector<GevpResult> results;
  for (const CorrelatorSeries& first : series) {
    if (first.channel != first_channel) continue;
    const auto elements = elements_like(first, series, operators, missing);
    if (elements.empty()) continue;
    require(int(first.samples.size()) >= 2 * parameters.errors.bin, "a GEVP of", first.samples.size(),
            "samples has no errors; analyse more configurations, or leave gevp.operators empty");
    const Resampled values = resampled(matrix_rows(elements, operators, parameters.data), parameters.errors);
    CorrelatorMatrix matrix(int(operators.size()), values);
    Gevp solution = gevp(matrix, parameters.gevp_options());
    GevpChecks checks = check_gevp(matrix, solution);
    const int n = int(operators.size());
    const std::vector<int> t0 = solution.t0;
    const Resampled diagonal = values.map([&](const std::vector<double>& c) {
      std::vector<double> ratios;
      for (std::size_t t = 0; t < t0.size(); ++t)
        for (int i = 0; i < n; ++i) {
          const auto real = [&](int time) { return c[std::size_t(2 * ((time * n + i) * n + i))]; };
          ratios.push_back(t0[t] < 0 ? std::nan("") : real(int(t)) / real(t0[t]));
        }
      return ratios;
    });
    CorrelatorSeries head = first;
    head.values.clear();
    results.push_back({std::move(head), values.n_samples(), std::move(matrix), std::move(solution), std::move(checks),
                       diagonal.estimates()});
  }
  require(!results.empty(), "gevp.operators needs the correlator", missing,
          "at the momentum and with the labels of the others, but no file has it; measure all pairs, such as with",
          "correlators.mesons = ['all']");
  return results;
}

}  // namespace kov::app
