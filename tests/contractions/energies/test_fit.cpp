// SPDX-License-Identifier: MIT
//
// Fits of correlators whose energies are known, with noise whose covariance is known.
#include "kov/contractions/energies/fit.hpp"
#include "kov/core/base/error.hpp"
#include "tests/contractions/energies/synthetic.hpp"
#include "tests/support/precision.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace kov {
namespace {

const test::Noise correlated_noise(3, 1, 0.7);

TEST(Fit, FindsTheEnergyOfOneStateExactly) {
  for (const FitForm form : {FitForm::exponential, FitForm::cosh, FitForm::sinh})
    for (const double energy : {0.05, 0.4, 2.0})
      for (const FitCovariance covariance :
           {FitCovariance::full, FitCovariance::shrinkage, FitCovariance::svd, FitCovariance::diagonal}) {
        const int sign = form == FitForm::exponential ? 0 : form == FitForm::cosh ? 1 : -1;
        const auto truth = test::spectrum({energy}, {-2.5}, 12, sign, 24);
        // One noise factor for all times of a sample would do nothing to the energy; this one does.
        Resampled c = Jackknife{}(test::noisy(truth, 40, 1e-3, correlated_noise));
        std::copy(truth.begin(), truth.end(), c.row(0).begin());
        const Fit fit = fit_correlator(c, 2, 9, {.form = form, .n_times = 24, .covariance = covariance});
        ASSERT_TRUE(fit.good()) << fit.problem;
        EXPECT_NEAR(fit.energy().mean, energy, 2e3 * test::eps<double> * (1 + energy)) << sign << " " << energy;
        EXPECT_NEAR(fit.amplitude().mean, -2.5, 1e-10);
        EXPECT_LT(fit.chi2, 1e-18);
        EXPECT_EQ(fit.dof, 6);
        EXPECT_GT(fit.energy().error, 0);
      }
}

TEST(Fit, FindsTheEnergiesOfTwoStatesExactly) {
  for (const FitForm form : {FitForm::exponential, FitForm::cosh}) {
    const int sign = form == FitForm::cosh;
    const auto truth = test::spectrum({0.35, 0.9}, {1.0, 1.7}, 16, sign, 32);
    Resampled c = Jackknife{}(test::noisy(truth, 60, 1e-6, correlated_noise));
    std::copy(truth.begin(), truth.end(), c.row(0).begin());
    const Fit fit = fit_correlator(c, 1, 14, {.n_states = 2, .form = form, .n_times = 32});
    ASSERT_TRUE(fit.good()) << fit.problem;
    EXPECT_NEAR(fit.energy(0).mean, 0.35, 1e-9);
    EXPECT_NEAR(fit.energy(1).mean, 0.9, 1e-9);
    EXPECT_NEAR(fit.amplitude(0).mean, 1.0, 1e-8);
    EXPECT_NEAR(fit.amplitude(1).mean, 1.7, 1e-8);
    EXPECT_TRUE(std::isfinite(fit.energy(1).error));
  }
}

TEST(Fit, TakesTheEnergyThatIsNotNegativeOfTheTwoThatACoshHas) {
  // Steps of the method lead to both.
  constexpr int n_energies = 150, last = 11;
  for (const FitForm form : {FitForm::cosh, FitForm::sinh})
    for (const int n_states : {1, 2}) {
      const int sign = form == FitForm::cosh ? 1 : -1;
      int n_fits = 0;
      for (int k = 0; k < n_energies; ++k) {
        const double energy = 0.02 + 0.02 * k;
        Samples samples;
        for (int i = 0; i < 8; ++i) {
          const double off = 2e-3 * (i * 3 % 7);
          samples.push_back(test::spectrum({energy + off, energy + 0.7 + off}, {1.0, n_states - 1.0}, 13, sign, 24));
        }
        const Resampled c = Jackknife{}(samples);
        for (const Fit& fit : fit_ranges(c, 1, 6, last, {.n_states = n_states, .form = form, .n_times = 24})) {
          if (!fit.good()) continue;
          ++n_fits;
          const auto about = [&] {
            return testing::Message() << sign << ", " << n_states << " states, " << energy << ", from " << fit.first;
          };
          for (std::size_t row = 0; row < fit.parameters.n_rows(); ++row) {
            const auto p = fit.parameters.row(row);
            if (row > 0 && std::isnan(p[0])) continue;  // a replica without a minimum
            EXPECT_GE(p[0], 0) << about();
            std::vector<double> energies{p[0]}, amplitudes{p[1]};
            if (n_states == 2) {
              EXPECT_GE(p[2], p[0]) << about();
              energies.push_back(p[2]);
              amplitudes.push_back(p[3]);
            }
            const auto found = test::spectrum(energies, amplitudes, last + 1, sign, 24);
            for (int t = fit.first; t <= last; ++t)
              EXPECT_NEAR(found[std::size_t(t)], c.row(row)[std::size_t(t)], 0.2 * c.row(row)[std::size_t(t)])
                  << about() << ", t = " << t;
          }
          if (n_states == 1 && energy > 0.1) {
            EXPECT_NEAR(fit.energy().mean, energy + 6e-3, 6e-3) << about();
          }
        }
      }
      EXPECT_GT(n_fits, 3 * n_energies) << sign << " " << n_states;
    }
}

/// chi^2 and energies of many experiments, n samples each.
struct Experiments {
  double mean_chi2 = 0, mean_p = 0, mean_finite_p = 0;
  int covered = 0, covered_by_curvature = 0, n = 0, good = 0;
};
template <class R>
Experiments experiments(const R& resampling, int n_samples, int n, const FitOptions& options) {
  Experiments result;
  const auto truth = test::spectrum({0.4}, {1.0}, 12);
  for (int k = 0; k < n; ++k) {
    const Resampled c = resampling(test::noisy(truth, n_samples, 0.05, test::Noise(9, std::uint32_t(k), 0.7)));
    const Fit fit = fit_correlator(c, 1, 8, options);
    ++result.n;
    if (!fit.good()) continue;
    ++result.good;
    result.mean_chi2 += fit.chi2 / n;
    result.mean_p += fit.p_value / n;
    result.mean_finite_p += fit.finite_p_value / n;
    result.covered += std::abs(fit.energy().mean - 0.4) < fit.energy().error;
    result.covered_by_curvature += std::abs(fit.energy().mean - 0.4) < fit.curvature_errors[0];
  }
  return result;
}

TEST(Fit, ManySamplesGiveChi2ItsDistribution) {
  const Experiments e = experiments(Jackknife{}, 400, 300, {.covariance = FitCovariance::full});
  EXPECT_EQ(e.good, e.n);
  // 8 times and 2 parameters; the spread of chi^2 is sqrt(12), of the mean of 300 0.2.  400 samples add a few percent.
  EXPECT_NEAR(e.mean_chi2, 6, 0.8);
  EXPECT_NEAR(e.mean_finite_p, 0.5, 4 * std::sqrt(1 / 12.0 / 300));
  EXPECT_NEAR(e.covered, 0.683 * 300, 4 * std::sqrt(300 * 0.683 * 0.317));
  EXPECT_NEAR(e.covered_by_curvature, 0.683 * 300, 4 * std::sqrt(300 * 0.683 * 0.317));
}

TEST(Fit, FewSamplesGiveChi2ThatOfHotelling) {
  const Experiments e = experiments(Jackknife{}, 20, 400, {.covariance = FitCovariance::full});
  EXPECT_NEAR(e.mean_finite_p, 0.5, 4 * std::sqrt(1 / 12.0 / 400));
  EXPECT_LT(e.mean_p, 0.4) << "for a known covariance these fits would look too bad";
}

TEST(Fit, ErrorsOfTheBootstrapCoverTheTruth) {
  const Experiments e = experiments(Bootstrap{.replicas = 60, .seed = 2}, 200, 200, {});
  EXPECT_EQ(e.good, e.n);
  EXPECT_NEAR(e.covered, 0.683 * 200, 4.5 * std::sqrt(200 * 0.683 * 0.317));
}

TEST(Fit, RegularisedCovariancesCoverTheTruthWithFewSamples) {
  for (const FitCovariance covariance : {FitCovariance::shrinkage, FitCovariance::svd, FitCovariance::diagonal}) {
    const Experiments e = experiments(Jackknife{}, 12, 300, {.covariance = covariance, .svd_cut = 0.1});
    EXPECT_EQ(e.good, e.n);
    EXPECT_GT(e.covered, 0.5 * 300) << int(covariance);
    EXPECT_LT(e.covered, 0.8 * 300) << int(covariance);
  }
}

TEST(Fit, AutomaticCovarianceShrinksWhereSamplesAreFew) {
  const auto truth = test::spectrum({0.4}, {1.0}, 12);
  EXPECT_EQ(fit_correlator(Jackknife{}(test::noisy(truth, 100, 0.01, correlated_noise)), 1, 8).covariance,
            FitCovariance::full);
  EXPECT_EQ(fit_correlator(Jackknife{}(test::noisy(truth, 8, 0.01, correlated_noise)), 1, 8).covariance,
            FitCovariance::shrinkage);
}

TEST(Fit, ShrunkToNothingIsDiagonal) {
  const Resampled c = Jackknife{}(test::noisy(test::spectrum({0.4}, {1.0}, 12), 30, 0.01, correlated_noise));
  const Fit all = fit_correlator(c, 1, 8, {.covariance = FitCovariance::shrinkage, .shrinkage = 1}),
            none = fit_correlator(c, 1, 8, {.covariance = FitCovariance::shrinkage, .shrinkage = 0}),
            diagonal = fit_correlator(c, 1, 8, {.covariance = FitCovariance::diagonal}),
            full = fit_correlator(c, 1, 8, {.covariance = FitCovariance::full}),
            svd = fit_correlator(c, 1, 8, {.covariance = FitCovariance::svd, .svd_cut = 1e-12});
  EXPECT_NEAR(all.chi2, diagonal.chi2, 1e-9 * diagonal.chi2);
  EXPECT_NEAR(none.chi2, full.chi2, 1e-9 * full.chi2);
  EXPECT_NEAR(svd.chi2, full.chi2, 1e-7 * full.chi2);
  EXPECT_GT(std::abs(full.chi2 - diagonal.chi2), 0.01 * full.chi2);
}

TEST(Fit, RangesShareOneCovariance) {
  const Resampled c = Jackknife{}(test::noisy(test::spectrum({0.4, 1.2}, {1.0, 1.0}, 16), 80, 0.01, correlated_noise));
  const auto fits = fit_ranges(c, 1, 6, 14);
  ASSERT_EQ(fits.size(), 6u);
  for (const Fit& fit : fits) {
    const Fit alone = fit_correlator(c, fit.first, 14);
    EXPECT_EQ(fit.chi2, alone.chi2) << fit.first;
    EXPECT_EQ(fit.energy().mean, alone.energy().mean);
  }
}

TEST(ModelAverage, PrefersRangesWithoutExcitedStates) {
  const Resampled c =
      Jackknife{}(test::noisy(test::spectrum({0.4, 1.2}, {1.0, 2.0}, 16), 200, 0.002, correlated_noise));
  const auto fits = fit_ranges(c, 0, 10, 15);
  const ModelAverage average = model_average(fits);
  EXPECT_NEAR(std::accumulate(average.weights.begin(), average.weights.end(), 0.0), 1, 1e-14);
  EXPECT_LT(average.weights[0], 1e-6) << "from t = 0 on the excited state is in the way";
  EXPECT_GE(average.best, 3u);
  EXPECT_NEAR(average.estimate().mean, 0.4, 4 * average.estimate().error);
  // The definition, written out.
  double total = 0, mean = 0, variance = 0, square = 0;
  std::vector<double> weight;
  for (std::size_t m = 0; m < fits.size(); ++m) {
    weight.push_back(std::exp(-0.5 * (fits[m].chi2 + 2 * 2 + 2 * double(m))));
    total += weight.back();
  }
  for (std::size_t m = 0; m < fits.size(); ++m) {
    mean += weight[m] / total * fits[m].energy().mean;
    square += weight[m] / total * fits[m].energy().mean * fits[m].energy().mean;
    variance += weight[m] / total * fits[m].energy().error * fits[m].energy().error;
  }
  EXPECT_NEAR(average.estimate().mean, mean, 1e-12);
  EXPECT_NEAR(average.estimate().error, std::sqrt(variance + square - mean * mean), 1e-6 * average.estimate().error);
  EXPECT_NEAR(average.energy.mean()[0], mean, 1e-12);
}

TEST(Fit, WhatCannotBeFittedSaysWhy) {
  const auto problem = [](const std::vector<double>& c, const FitOptions& options = {}) {
    Resampled r = Jackknife{}(test::noisy(std::vector<double>(c.size(), 1.0), 40, 0.01, correlated_noise));
    for (std::size_t k = 0; k < r.n_rows(); ++k)
      for (std::size_t t = 0; t < c.size(); ++t) r.row(k)[t] *= c[t];
    const Fit fit = fit_correlator(r, 0, int(c.size()) - 1, options);
    if (!fit.good()) {
      EXPECT_TRUE(std::isnan(fit.energy().mean) && std::isnan(fit.chi2) && std::isnan(fit.p_value));
    }
    return fit.problem;
  };
  EXPECT_NE(problem({1, -1, 1, -1, 1, -1}), "") << "the sign changes at every step";
  EXPECT_NE(problem({1, 0.5, NAN, 0.1, 0.05, 0.02}), "");
  EXPECT_NE(problem({1, 0.5, 0, 0.1, 0.05, 0.02}), "") << "a time without an error";
  EXPECT_NE(problem({0, 0, 0, 0, 0, 0}), "");
  EXPECT_EQ(problem({-1, -0.5, -0.25, -0.12, -0.06, -0.03}), "");
  const Samples same(10, {1, 0.5, 0.25, 0.125});
  EXPECT_NE(fit_correlator(Jackknife{}(same), 0, 3).problem, "") << "no fluctuation, no weights";
  // All times fluctuate by one factor: the covariance has one eigenvalue that is not zero.
  Samples factor;
  for (int i = 0; i < 20; ++i)
    factor.push_back({1 + 0.01 * i, 0.5 + 0.005 * i, 0.25 + 0.0025 * i, 0.125 + 0.00125 * i});
  EXPECT_NE(fit_correlator(Jackknife{}(factor), 0, 3, {.covariance = FitCovariance::full}).problem, "");
  EXPECT_EQ(fit_correlator(Jackknife{}(factor), 0, 3, {.covariance = FitCovariance::diagonal}).problem, "");
}

TEST(Fit, RefusesRangesAndOptionsWithoutSense) {
  const Resampled c = Jackknife{}(test::noisy(test::spectrum({0.4}, {1.0}, 12), 6, 0.01, correlated_noise));
  EXPECT_THROW(fit_correlator(c, -1, 5), InputError);
  EXPECT_THROW(fit_correlator(c, 5, 12), InputError);
  EXPECT_THROW(fit_correlator(c, 6, 5), InputError);
  EXPECT_THROW(fit_correlator(c, 4, 5), InputError) << "as many parameters as times";
  EXPECT_THROW(fit_correlator(c, 2, 5, {.n_states = 2}), InputError);
  EXPECT_THROW(fit_correlator(c, 2, 9, {.n_states = 3}), InputError);
  EXPECT_THROW(fit_correlator(c, 2, 9, {.form = FitForm::cosh}), InputError);
  EXPECT_THROW(fit_correlator(c, 2, 9, {.covariance = FitCovariance::full}), InputError) << "8 times from 6 samples";
  EXPECT_THROW(fit_correlator(c, 2, 9, {.shrinkage = 1.5}), InputError);
  EXPECT_THROW(fit_correlator(c, 2, 9, {.svd_cut = 0}), InputError);
  EXPECT_THROW(fit_ranges(c, 5, 2, 9), InputError);
  EXPECT_THROW(fit_ranges(c, 2, 8, 9), InputError);
  EXPECT_THROW(model_average({}), InputError);
  Fit none = fit_correlator(c, 2, 9);
  none.problem = "none";
  EXPECT_THROW(model_average({none}), InputError);
}

}  // namespace
}  // namespace kov
