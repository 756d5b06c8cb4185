// SPDX-License-Identifier: MIT
//
// Pion, rho and nucleon from measured correlators: effective masses, plateaux, a table and a picture.
#pragma once

#include "apps/plot/plot.hpp"
#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/contractions/energies/effective_mass.hpp"

namespace kov::app {

/// The effective masses of a hadron at rest, in units of 1 / a, and their average.
struct HadronMass {
  std::string name;
  /// Of t and t + 1 at t = 0, 1, ...; the error is NaN where there is none.
  std::vector<Estimate> effective;
  /// Over times first to last; the mean is NaN when no time has an effective mass.
  Estimate plateau;
  int first, last;
};

/// Baryon channels that are the nucleon: the same numbers; any of them will do.
const std::vector<std::string>& nucleon_names();

/// Channels whose mean is the correlator of a hadron: "pion", "rho" or "nucleon".
std::vector<std::string> hadron_channels(const std::string& hadron);

/// How many effective masses a hadron ("pion", "rho" or "nucleon") has on a lattice with this many times: mesons are
/// folded.
int n_effective_masses(const std::string& hadron, int n_times);

/// The hadrons among these that the correlators hold at momentum zero, for the sink smearing named.
///
/// A sample is a configuration (label "configuration"), averaged over its sources; with a single configuration, a
/// source. Mesons are folded about the middle in time, the rho is averaged over its directions; nucleons are taken
/// forward in time. Without two samples errors are NaN.
std::vector<HadronMass> hadron_masses(const std::vector<Correlator>& correlators, const std::string& sink,
                                      const SpectrumParameters::Analysis& analysis, int n_times);

/// The samples behind the errors of hadron_masses().
struct ErrorSamples {
  /// "6 configurations", "4 of 5 configurations in bins of 2", "2 sources on one configuration".
  std::string text;
  int n;
  bool sources;
  /// Configurations at the end that fill no bin.
  int left_out = 0;

  /// For the head of a table: "errors: jackknife over 6 configurations", or that there are none.
  std::string heading() const;
  /// Where errors are over sources, or there are none, or configurations are left out; empty otherwise.
  std::string warning() const;
};
/// The samples that hadron_masses() takes of these correlators.
ErrorSamples error_samples(const std::vector<Correlator>& correlators, const SpectrumParameters::Analysis& analysis);

/// "0.6531(42)": the error in units of the last digit, two digits of it; "-" for no number.
std::string with_error(const Estimate& estimate);

/// Rows of time, columns of hadrons, and the plateaux below.
std::string mass_table(const std::vector<HadronMass>& masses);

/// Effective masses over time with the plateaux as bands.
Plot mass_plot(const std::vector<HadronMass>& masses, const std::string& caption);

}  // namespace kov::app
