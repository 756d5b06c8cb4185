// SPDX-License-Identifier: MIT
//
// Autocorrelation times and errors that take them into account: the Gamma method.
#pragma once

#include "kov/contractions/energies/resampling.hpp"

#include <functional>
#include <vector>

namespace kov {

/// What the Gamma method finds of a Monte Carlo history.
struct Autocorrelation {
  double mean;
  /// One standard deviation of the mean, autocorrelation included, and that of this error; in the units of the history.
  /// Unless is_measured(), that of measurements without autocorrelation.
  double error, error_of_error;
  /// 1/2 + sum_t rho(t), in units of the distance of measurements; 1/2 without autocorrelation.
  double tau_int, tau_int_error;
  /// The last t of that sum.
  int window;
  /// Whether the window was found and the history has 50 tau_int or more; else it is too short for its autocorrelation,
  /// and the error usually too small.
  bool long_enough;
  /// Gamma(t) / Gamma(0) for t = 0, ..., 2 window or as far as the history goes.
  std::vector<double> rho;

  /// Whether tau_int is positive: estimates from too few measurements may be 0 or less, which measures nothing.
  bool is_measured() const { return tau_int > 0; }
};

/// Settings of the Gamma method.
struct GammaMethod {
  /// The assumed ratio of the exponential and the integrated time.
  double s = 1.5;
  /// Lengths of consecutive independent chains that the history is made of; empty: one.
  std::vector<std::size_t> chains = {};
};

/// Wolff, "Monte Carlo errors with less errors", hep-lat/0306017: Gamma(t) of eq. (31), the window W of eqs. (50) to
/// (52), the bias removed by eq. (49); tau_int_error^2 = 4 / N (W + 1/2 - tau_int) tau_int^2, eq. (42), error_of_error
/// = error sqrt((W + 1/2) / N).  Throws InputError with fewer than four measurements in a chain, for chains that do not
/// add up, and for numbers that are not finite.
Autocorrelation autocorrelation(const std::vector<double>& history, const GammaMethod& method = {});

/// The same of a function of means: history[i] is a row of numbers, and fluctuations are projected on the gradient of f
/// at their means, which is taken numerically over one error of each.
Autocorrelation autocorrelation(const Samples& history, const std::function<double(const std::vector<double>&)>& f,
                                const GammaMethod& method = {});

/// The same of number i of a jackknife of a history, whatever it was computed from the means by (effective masses,
/// energies of fits): without sample k it is f_k, and -(n - 1) (f_k - their mean) is the fluctuation of sample k
/// projected on the gradient of f, up to terms that vanish like 1 / n.  Throws InputError for replicas of a bootstrap
/// or of bins.
Autocorrelation autocorrelation(const Resampled& jackknife, std::size_t i, const GammaMethod& method = {});

}  // namespace kov
