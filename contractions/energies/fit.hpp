// SPDX-License-Identifier: MIT
//
// Correlated least-squares fits of one or two states to correlators, and averages over the ranges of such fits.  Times
// are in lattice units, energies a E in units of the inverse lattice spacing in time; amplitudes have the units and the
// normalisation of the correlator.
#pragma once

#include "kov/contractions/energies/resampling.hpp"

#include <string>
#include <vector>

namespace kov {

/// What a state of energy E adds to a correlator: e^{-E t}; on a lattice of T times e^{-E t} + e^{-E (T - t)}, or with
/// a minus sign.
enum class FitForm { exponential, cosh, sinh };

/// What is done to the covariance of the times before it is inverted.
enum class FitCovariance {
  /// Nothing.
  full,
  /// Correlations times 1 - lambda: of a small ensemble the estimate that is best in the mean square (Ledoit and Wolf;
  /// Schaefer and Strimmer, Stat. Appl. Genet. Mol. Biol. 4, 32 (2005)).
  shrinkage,
  /// Eigenvalues of the correlation matrix below svd_cut times the largest are raised to that.
  svd,
  /// Variances alone; chi^2 then has no known distribution.
  diagonal,
  /// full where there are more than twice as many samples as times in the fit, else shrinkage.
  automatic
};

/// What is fitted to a correlator, and with which covariance.
struct FitOptions {
  /// 1 or 2.
  int n_states = 1;
  FitForm form = FitForm::exponential;
  /// T, of cosh and sinh.
  int n_times = 0;
  FitCovariance covariance = FitCovariance::automatic;
  /// lambda from 0 to 1; negative: sum_{i != j} (1 - r_ij^2)^2 / (n - 1) / sum_{i != j} r_ij^2 of the correlations r of
  /// n samples, the optimum for normal numbers, but from 1 / (n - 1) to 1.
  double shrinkage = -1;
  double svd_cut = 1e-3;
};

/// A fit of C(t) = sum_n A_n (e^{-E_n t} +- ...) over t = first, ..., last.
struct Fit {
  /// The range of times, and the number of exponentials.
  int first, last, n_states;
  /// E_0, A_0, E_1, A_1, energies in growing order; NaN where the fit of a replica did not converge.
  Resampled parameters;
  /// One standard deviation of each from the curvature of chi^2: what the covariance of the data implies.
  std::vector<double> curvature_errors;
  double chi2;
  int dof;
  /// chi2_p_value(), and hotelling_p_value() of the number of samples.  The latter is right for the full covariance;
  /// for others both say how good a fit looks.
  double p_value, finite_p_value;
  /// What was done to the covariance; never automatic.
  FitCovariance covariance;
  /// Empty, or why there is no fit: the numbers above are NaN then.
  std::string problem = {};

  /// Whether there is a fit.
  bool good() const { return problem.empty(); }
  /// E_n and A_n with the errors of the replicas.
  Estimate energy(int n = 0) const { return parameters.estimate(2 * std::size_t(n)); }
  Estimate amplitude(int n = 0) const { return parameters.estimate(2 * std::size_t(n) + 1); }
};

/// Fits a correlator whose number t is C(t).  Minimises chi^2 = (C - f)^T V^-1 (C - f) by Levenberg and Marquardt's
/// method, V the covariance of the means; the same V and start for every replica.  A correlator that no fit of this
/// form describes (numbers that are not finite, no decay to begin with) gives a Fit with a problem.  Throws InputError
/// for a range outside of the correlator or with no more times than parameters, for the full covariance of no more
/// samples than times, which is singular, and for options out of range.
Fit fit_correlator(const Resampled& c, int first, int last, const FitOptions& options = {});

/// fit_correlator() from first = first_begin, first_begin + step, ..., up to first_end, to `last`; the covariance is
/// computed once.
std::vector<Fit> fit_ranges(const Resampled& c, int first_begin, int first_end, int last,
                            const FitOptions& options = {}, int step = 1);

/// An average over fits of one correlator.
struct ModelAverage {
  /// sum_M w_M E_M of E_0, with its replicas: the weights are those of the means.
  Resampled energy;
  /// sqrt(sum_M w_M sigma_M^2), and the spread of the fits, sqrt(sum_M w_M E_M^2 - (sum_M w_M E_M)^2).
  double statistical, systematic;
  /// Of each fit; they add to 1.
  std::vector<double> weights;
  /// The index of the fit with the largest weight.
  std::size_t best;

  /// Mean, and sqrt(statistical^2 + systematic^2).
  Estimate estimate() const;
};

/// Averages with the weights exp(-(chi^2 + 2 k + 2 n_cut) / 2) of Jay and Neil, arXiv:2008.01069:
/// k parameters, n_cut times that other fits of the list have and this one has not.  Fits with a problem have weight
/// 0.  Throws InputError when no fit is left.
ModelAverage model_average(const std::vector<Fit>& fits);

}  // namespace kov
