// SPDX-License-Identifier: MIT
//
// Correlators folded about the middle in time, and effective masses of all kinds.  c[t] is a correlator at the distance
// t in time from the source, in lattice units; masses are a m, in units of the inverse lattice spacing in time.
#pragma once

#include "kov/contractions/energies/resampling.hpp"

#include <vector>

namespace kov {

/// (c[t] + sign c[n - t]) / 2 for t = 0, ..., n / 2, n the number of times: sign = +1 for mesons of two equal gamma
/// matrices; c[0] stays as it is.
std::vector<double> fold(const std::vector<double>& c, int sign = 1);

/// Whether a correlator is even (+1) or odd (-1) under t -> n - t: the sign of r = sum_t w c[t] c[n - t] / sum_t w
/// (c[t]^2 + c[n - t]^2) / 2 over 0 < t < n / 2, w = 1 / (error(t)^2 + error(n - t)^2); 0 where |r| < 0.8, as for
/// baryons, and where nothing is finite.
int reflection_sign(const std::vector<Estimate>& c);

/// log(c[t] / c[t + 1]) for t = 0, ..., c.size() - 2; NaN where the ratio is not positive.
std::vector<double> log_effective_mass(const std::vector<double>& c);

/// The m >= 0 that solves c[t] / c[t + 1] = cosh(m (n_times / 2 - t)) / cosh(m (n_times / 2 - t - 1)), for t = 0, ...,
/// c.size() - 2: the effective mass of a correlator that is symmetric about n_times / 2.  NaN where there is none.
std::vector<double> cosh_effective_mass(const std::vector<double>& c, int n_times);

/// The same with sinh in place of cosh: of a correlator that is antisymmetric about n_times / 2.
std::vector<double> sinh_effective_mass(const std::vector<double>& c, int n_times);

/// arcosh((c[t - 1] + c[t + 1]) / (2 c[t])) for t = 0, ..., c.size() - 1: of an exponential, and of both cosh and sinh
/// about any time.  NaN where the argument is below 1, and at both ends.
std::vector<double> symmetric_effective_mass(const std::vector<double>& c);

/// The mean of numbers first, ..., last, weighted with 1 / error^2.  Those whose error is NaN are left out.  Throws
/// InputError when none is left or the range is not within.  Its error includes the correlations between times.
Resampled plateau(const Resampled& values, int first, int last);

/// The plateau() of f and its jackknife error.
Estimate plateau(const Samples& samples, const Observable& f, int first, int last);

}  // namespace kov
