// SPDX-License-Identifier: MIT
//
// Means, errors and effective masses of correlators that were measured several times, by the jackknife.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"

#include <functional>
#include <vector>

namespace kov {

/// sample[i][t]: one row for each source or configuration.
using Samples = std::vector<std::vector<double>>;

/// A mean and its error.
struct Estimate {
  double mean;
  /// One standard deviation of the mean.
  double error;
};

/// What is wanted of a mean correlator: any function of it.
using Observable = std::function<std::vector<double>(const std::vector<double>&)>;

/// The observable of the mean of all samples, and its error from leaving out one sample after the other:
/// error^2 = (n - 1) / n sum_i (f_i - mean of f)^2.  Where f is NaN for any of these, so is the error.  Samples must be
/// independent: measure on separated configurations, or bin().  Throws InputError with fewer than two samples or rows
/// of unequal length.
std::vector<Estimate> jackknife(const Samples& samples, const Observable& f);

/// jackknife() of the mean itself: sigma / sqrt(n).
std::vector<Estimate> average(const Samples& samples);

/// Means of `size` neighbouring samples each, which removes correlations among them; an incomplete last bin is left
/// out. Throws InputError when no bin is complete.
Samples bin(const Samples& samples, int size);

/// The real parts of correlators of one channel.
Samples real_parts(const std::vector<Correlator>& correlators);

/// (c[t] + sign c[n - t]) / 2 for t = 0, ..., n / 2, n the number of times: sign = +1 for mesons of two equal gamma
/// matrices; c[0] stays as it is.
std::vector<double> fold(const std::vector<double>& c, int sign = 1);

/// log(c[t] / c[t + 1]) for t = 0, ..., c.size() - 2; NaN where the ratio is not positive.
std::vector<double> log_effective_mass(const std::vector<double>& c);

/// The m >= 0 that solves c[t] / c[t + 1] = cosh(m (n_times / 2 - t)) / cosh(m (n_times / 2 - t - 1)), for t = 0, ...,
/// c.size() - 2: the effective mass of a correlator that is symmetric about n_times / 2.  NaN where there is none.
std::vector<double> cosh_effective_mass(const std::vector<double>& c, int n_times);

/// The mean of f over t = first, ..., last, weighted with 1 / error(t)^2, and its jackknife error, which includes
/// the correlations between times.  Times whose error is NaN are left out.  Throws InputError when none is left or the
/// range is not within f.
Estimate plateau(const Samples& samples, const Observable& f, int first, int last);

}  // namespace kov
