// SPDX-License-Identifier: MIT
//
// Tables, files and pictures of `kovariant analyze`.
#pragma once

#include "apps/analyze/gevp_analysis.hpp"
#include "apps/analyze/ratio_analysis.hpp"
#include "apps/analyze/series_analysis.hpp"
#include "apps/plot/plot.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kov::app {

/// Energies of one channel at several momenta.
struct DispersionResult {
  /// Indices of series: of several at momenta of one length that have the same numbers, the first.
  std::vector<std::size_t> members;
  /// Continuum, then lattice.
  std::vector<Dispersion> fits;
};

/// Everything that `kovariant analyze` finds.
struct AnalysisResults {
  /// Labels that all correlators share; the series do not have them.
  std::map<std::string, LabelValue> common_labels;
  std::vector<CorrelatorSeries> series;
  /// One for each of these.
  std::vector<SeriesResult> results;
  std::vector<DispersionResult> dispersions;
  std::vector<GevpResult> gevps;
  std::vector<RatioResult> ratios;
  /// The lattice in space; zeros where it is not known.
  Coord extent{0, 0, 0, 0};
};

/// Takes the labels that all series share out of them.
std::map<std::string, LabelValue> without_common_labels(std::vector<CorrelatorSeries>& series);

/// Channels with good energies at two momenta or more; none where the extents are not known.
std::vector<DispersionResult> dispersions_of(const AnalysisResults& all);

/// A table of energies.  most_rows = 0: a row for each series, in their order; else at most this many, of those with an
/// energy first, and the others counted below.
std::string energy_table(const AnalysisResults& all, int most_rows);
/// Effective masses of some series.
std::string effective_mass_table(const AnalysisResults& all, std::vector<std::size_t> which);
std::string dispersion_table(const AnalysisResults& all, int most_rows);
std::string gevp_table(const GevpResult& gevp);
/// A row for each time of the sink, and one for their sum.  most_rows = 0: all.
std::string ratio_table(const AnalysisResults& all, int most_rows);

/// Those that pictures show: by output.pictures or, without, six of different channels with the smallest relative
/// errors at the smallest momentum.
std::vector<std::size_t> pictured(const AnalysisResults& all, const std::vector<std::string>& patterns);

/// Effective masses, log |C(t)|, and energies over momenta, of these series.  first: the time of the first effective
/// mass, 1 / 2 where that is of t = 0 and t = 1.
Plot effective_mass_plot(const AnalysisResults& all, const std::vector<std::size_t>& which, double first,
                         const std::string& caption);
Plot correlator_plot(const AnalysisResults& all, const std::vector<std::size_t>& which, const std::string& caption);
Plot dispersion_plot(const AnalysisResults& all, const std::vector<std::size_t>& which, const std::string& caption);
/// R(tau) of one current for every time of the sink, with the band of the summation method.
Plot ratio_plot(const RatioResult& ratio, const std::string& caption);
/// Energies of the states, and their eigenvalues beside the diagonal of the matrix.
Plot gevp_energy_plot(const GevpResult& gevp, const std::vector<std::string>& operators, const std::string& caption);
Plot gevp_eigenvalue_plot(const GevpResult& gevp, const std::vector<std::string>& operators,
                          const std::string& caption);

/// All numbers: docs/analysis.md has the layout.  parameters: keys and values of the settings.
void write_analysis(
    const std::string& path, const AnalysisResults& all, const std::vector<std::string>& operators,
    const std::vector<std::pair<std::string, std::variant<std::string, std::int64_t, double>>>& parameters,
    const std::vector<std::string>& files);

/// "0.6531(42)": the error in units of the last digit, two digits of it; "-" for no number.
std::string value_text(const Estimate& estimate);

}  // namespace kov::app
