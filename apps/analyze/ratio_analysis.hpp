// SPDX-License-Identifier: MIT
//
// Matrix elements of currents among the series: ratios of three-point and two-point functions.
#pragma once

#include "apps/analyze/series_analysis.hpp"
#include "kov/contractions/energies/ratio.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// The ratio at one time of the sink.
struct SinkTimeRatio {
  int t_sink = 0;
  /// R(tau), tau = 0, ..., t_sink.
  std::vector<Estimate> ratio = {};
  /// NaN where there is none.
  Estimate plateau{};
  double chi2 = 0, p_value = 0;
  int dof = 0;
  /// Why there is no plateau; empty where there is, and where there is no ratio.
  std::string problem = {};
};

/// One current in one hadron at one momentum of the sink and one transfer, at all times of the sink.
struct RatioResult {
  /// Kind "three-point", the current for a channel, and the momentum of the current; no values, and no label sink_time.
  CorrelatorSeries head;
  /// Which part of C3 / C2 is given: the larger one, or what data.part says.
  bool imaginary = false;
  std::size_t n_samples = 0;
  /// In growing order of their times.
  std::vector<SinkTimeRatio> sinks = {};
  /// Of the summation method; NaN where there is none.
  Estimate sum{};
  double sum_chi2 = 0, sum_p_value = 0;
  int sum_dof = 0;
  /// Why there is no sum although there are several times of the sink.
  std::string sum_problem = {};
  /// Why there is no ratio; empty where there is.
  std::string problem = {};
};

/// R(tau) of three_point_ratio() for all three-point functions among the series (labels hadron, sink_time and
/// sink_momentum), with plateaux and the summation method from tau = ratio.skip to sink_time - ratio.skip.  The
/// two-point functions are those of the hadron with the same labels: with the momentum of the sink p', and of the
/// source p' + q for a transfer q; of a baryon that is summed over its components the sum of theirs; of a meson Gamma
/// the channel Gamma-Gamma.  Means over equivalent momenta do.  extent: of the lattice; zeros where it is not known.
std::vector<RatioResult> ratios_of(const std::vector<CorrelatorSeries>& series, const AnalyzeParameters& parameters,
                                   const Coord& extent);

}  // namespace kov::app
