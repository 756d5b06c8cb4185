// SPDX-License-Identifier: MIT
//
// What `kovariant analyze` finds of a single correlator: effective masses, and an energy from fits.
#pragma once

#include "apps/analyze/analyze_parameters.hpp"
#include "apps/analyze/correlator_series.hpp"

#include <optional>

namespace kov::app {

/// The replicas of a mean as the settings say.
Resampled resampled(const Samples& samples, const AnalyzeParameters::Errors& errors);

/// One part of a series as rows of samples, folded where it has a symmetry.
struct PreparedSeries {
  Samples samples;
  bool imaginary = false;
  /// +1 or -1 of folded correlators, which have times up to T / 2; 0 of others, of which the first half is kept, or all
  /// times where there is no energy (see has_energy()).
  int sign = 0;
  /// Of the lattice.
  int n_times = 0;
  /// Where a vacuum is subtracted (see CorrelatorSeries): what a change of its part of <a><b> subtracts at each time.
  std::vector<double> vacuum_factor = {};
};
/// The numbers of replicas with their errors, with autocorrelation where that is asked for.
std::vector<Estimate> estimates_of(const Resampled& c, const AnalyzeParameters::Errors& errors);

/// Why the chains are not those of this many samples; empty where they are.
std::string chains_problem(std::size_t n, const AnalyzeParameters::Errors& errors);

/// Whether the imaginary part of most times is larger than the real part.
bool imaginary_is_larger(const CorrelatorSeries& series);

/// The part of a series that the settings ask for or, by themselves, the larger one, folded likewise.
PreparedSeries prepared(const CorrelatorSeries& series, const AnalyzeParameters::Data& data);

/// The replicas of a prepared series, each with its own vacuum subtracted.
Resampled resampled(const CorrelatorSeries& series, const PreparedSeries& data,
                    const AnalyzeParameters::Errors& errors);

/// What the analysis finds of one series; energies and masses in units of 1 / a.
struct SeriesResult {
  int sign = 0;
  bool imaginary = false;
  std::size_t n_samples = 0;
  FitForm form = FitForm::exponential;
  /// Of the prepared series at t = 0, 1, ...; errors are NaN with a single sample.
  std::vector<Estimate> mean;
  /// Of t and t + 1, symmetric ones of t; empty where there is no energy.
  std::vector<Estimate> effective;
  /// The average over ranges; NaN where there is no fit.
  Estimate energy{};
  double statistical = 0, systematic = 0;
  /// Of the energy's history, where the replicas have one.
  std::optional<Autocorrelation> autocorrelation;
  /// Its replicas, one number.
  std::optional<Resampled> energy_replicas;
  /// The fit with the largest weight.
  std::optional<Fit> best;
  double weight = 0;
  int n_fits = 0;
  /// Why there is no energy; empty where there is.
  std::string problem;
};
/// Mean, effective masses, and the energy by fits averaged over ranges.  Where something is missing, problem says so.
SeriesResult analysed(const CorrelatorSeries& series, const AnalyzeParameters& parameters);

/// "cosh", "sinh" or "exp".
const char* form_name(FitForm form);
const char* covariance_name(FitCovariance covariance);

/// "pion-pion p = (1 0 0) sink_smearing = none".
std::string series_name(const CorrelatorSeries& series);

}  // namespace kov::app
