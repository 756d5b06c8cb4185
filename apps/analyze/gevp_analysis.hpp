// SPDX-License-Identifier: MIT
//
// Matrices of correlators among the series, and their GEVP.
#pragma once

#include "apps/analyze/series_analysis.hpp"

#include <optional>

namespace kov::app {

/// The GEVP of one matrix of correlators, and its checks.
struct GevpResult {
  /// Of the first element, whose momentum and labels are those of all: the channel is not meant.
  CorrelatorSeries head;
  std::size_t n_samples = 0;
  std::optional<CorrelatorMatrix> matrix;
  Gevp solution;
  GevpChecks checks;
  /// C_ii(t) / C_ii(t0(t)), number t n + i.
  std::vector<Estimate> diagonal;
};

/// The GEVP of gevp.operators at every momentum and set of labels that has all of their correlators, sink-source.  The
/// correlator that is measured for the matrix Gamma_j at the source is turned into <O_i O_j^+>: C_ij = - eta_j times
/// it, g4 Gamma_j^+ g4 = eta_j Gamma_j, where operators have the names of mesons.  Elements are folded by their own
/// symmetry in time.  Throws InputError where no momentum has them all, naming one that is missing, or with one sample.
std::vector<GevpResult> gevp_results(const std::vector<CorrelatorSeries>& series, const AnalyzeParameters& parameters);

/// -eta of the meson of this name, or +1 for other names.
int source_sign(const std::string& name);

}  // namespace kov::app
