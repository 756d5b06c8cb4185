// SPDX-License-Identifier: MIT
//
// Linear fits, and ratios of three-point and two-point functions of known matrix elements.
#include "kov/contractions/energies/ratio.hpp"
#include "kov/core/base/error.hpp"
#include "tests/contractions/energies/synthetic.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov {

namespace ratio_test {

/// |Z_n|^2 / (2 E_n) e^{-E_n t}, summed.
double two_point(const std::vector<double>& z, const std::vector<double>& energy, double t) {
  double sum = 0;
  for (std::size_t n = 0; n < z.size(); ++n) sum += z[n] * z[n] / (2 * energy[n]) * std::exp(-energy[n] * t);
  return sum;
}
std::vector<double> two_points(const std::vector<double>& z, const std::vector<double>& energy, int n_times) {
  std::vector<double> c;
  for (int t = 0; t < n_times; ++t) c.push_back(two_point(z, energy, t));
  return c;
}

TEST(Ratio, OfOneStateIsItsMatrixElementAtAnyTransfer) {
  constexpr double e_source = 0.6, e_sink = 0.45, z_source = 1.7, z_sink = 0.8, element = 1.3;
  constexpr int t_sink = 9;
  const std::vector<double> source = two_points({z_source}, {e_source}, 12), sink = two_points({z_sink}, {e_sink}, 12);
  std::vector<double> c3, same;
  for (int tau = 0; tau <= t_sink; ++tau) {
    c3.push_back(z_sink * element * z_source / (4 * e_sink * e_source) *
                 std::exp(-e_sink * (t_sink - tau) - e_source * tau));
    same.push_back(z_sink * element * z_sink / (4 * e_sink * e_sink) * std::exp(-e_sink * t_sink));
  }
  for (const double r : three_point_ratio(c3, sink, source, t_sink))
    EXPECT_NEAR(r, element / (2 * std::sqrt(e_sink * e_source)), 1e-13);
  const std::vector<double> simple = three_point_ratio(same, sink, {}, t_sink);
  ASSERT_EQ(simple.size(), 10u);
  for (const double r : simple) EXPECT_NEAR(r, element / (2 * e_sink), 1e-13);
  EXPECT_EQ(simple, three_point_ratio(same, sink, sink, t_sink)) << "the root is 1";
  EXPECT_THROW(three_point_ratio(same, sink, {}, 10), InputError);
  EXPECT_THROW(three_point_ratio(same, {sink.data(), 9}, {}, t_sink), InputError);
  EXPECT_THROW(three_point_ratio(same, sink, {source.data(), 9}, t_sink), InputError);
  const std::vector<double> one{1, 1}, mixed{-1, 1};
  EXPECT_TRUE(std::isnan(three_point_ratio(one, one, mixed, 1)[0])) << "the root of a negative number";
}

/// Samples in which everything is multiplied by one number: the ratio has no error.
TEST(Ratio, PlateauxAndSumsOfExactRatiosAreExact) {
  std::vector<Resampled> ratios;
  for (const int t_sink : {6, 8, 11}) {
    Samples samples;
    for (int i = 0; i < 12; ++i) {
      const double factor = 1 + 0.1 * i;
      std::vector<double> row;
      for (int tau = 0; tau <= t_sink; ++tau) row.push_back(factor * 0.7 * std::exp(-0.5 * t_sink));
      row.push_back(factor * std::exp(-0.5 * t_sink));
      samples.push_back(row);
    }
    ratios.push_back(Jackknife{}(samples).map([&](const std::vector<double>& row) {
      std::vector<double> ratio;
      for (int tau = 0; tau <= t_sink; ++tau) ratio.push_back(row[std::size_t(tau)] / row.back());
      return ratio;
    }));
    EXPECT_NEAR(ratio_plateau(ratios.back(), 2).parameters.mean()[0], 0.7, 1e-14);
  }
  for (const int skip : {0, 1, 3}) {
    const LinearFit line = summed_ratios(ratios, skip);
    EXPECT_NEAR(line.parameters.mean()[1], 0.7, 1e-13);
    EXPECT_NEAR(line.parameters.mean()[0], 0.7 * (1 - 2 * skip), 1e-12);
    EXPECT_NEAR(line.parameters.estimate(1).error, 0, 1e-13);
    EXPECT_EQ(line.dof, 1);
  }
  EXPECT_THROW(summed_ratios({ratios[0]}, 1), InputError);
  EXPECT_THROW(summed_ratios(ratios, 4), InputError);
  EXPECT_THROW(ratio_plateau(ratios[0], -1), InputError);
}

/// Two states: the plateau is off by e^{-Delta T / 2}, the sum by e^{-Delta T}.
TEST(Ratio, SumsHaveLessOfExcitedStates) {
  constexpr double delta = 0.5, element = 1;
  std::vector<Resampled> ratios;
  for (const int t_sink : {16, 20, 24}) {
    std::vector<double> r;
    for (int tau = 0; tau <= t_sink; ++tau)
      r.push_back(element + 0.3 * (std::exp(-delta * tau) + std::exp(-delta * (t_sink - tau))));
    Resampled ratio(r.size(), 4, 0.75, 4);
    for (std::size_t k = 0; k < 5; ++k) std::copy(r.begin(), r.end(), ratio.row(k).begin());
    ratios.push_back(ratio);
  }
  const double plateau = std::abs(ratio_plateau(ratios[2], 8).parameters.mean()[0] - element),
               sum = std::abs(summed_ratios(ratios, 2).parameters.mean()[1] - element);
  EXPECT_GT(plateau, 1e-3);
  EXPECT_LT(sum, 0.1 * plateau);
}

TEST(LinearFits, FindTheLineOfNoisyNumbersAndItsChi2) {
  const std::vector<double> x{0, 1, 2, 3, 4, 5}, ones(6, 1.0);
  std::vector<double> y;
  for (const double v : x) y.push_back(2 + 0.5 * v);
  for (const double rho : {0.0, 0.8}) {
    const Resampled numbers = Jackknife{}(test::noisy(y, 200, 0.1, test::Noise(3, 1, rho)));
    for (const double needed : {1.0, 1000.0}) {
      const LinearFit fit = linear_fit(numbers, {ones, x}, needed);
      EXPECT_EQ(fit.correlated, needed == 1);
      for (std::size_t i = 0; i < 2; ++i) {
        const Estimate e = fit.parameters.estimate(i);
        EXPECT_NEAR(e.mean, i == 0 ? 2 : 0.5, 4 * e.error);
        EXPECT_GT(e.error, 0);
      }
      EXPECT_EQ(fit.dof, 4);
      if (fit.correlated) {
        EXPECT_GT(fit.p(), 1e-3);
      }
    }
    // Number i with the weight of its error alone: the mean.
    const LinearFit mean = linear_fit(numbers.select({1, 2}), {{1, 1}}, 1000);
    const Estimate a = numbers.estimate(1), b = numbers.estimate(2);
    const double wa = 1 / (a.error * a.error), wb = 1 / (b.error * b.error);
    EXPECT_NEAR(mean.parameters.mean()[0], (wa * a.mean + wb * b.mean) / (wa + wb), 1e-12);
    EXPECT_NEAR(mean.chi2, (a.mean - b.mean) * (a.mean - b.mean) / (1 / wa + 1 / wb), 1e-9);
  }
  const Resampled two = Jackknife{}({{1, 2}, {1.1, 2}, {0.9, 2.1}});
  EXPECT_THROW(linear_fit(two, {}), InputError);
  EXPECT_THROW(linear_fit(two, {{1}}), InputError);
  EXPECT_THROW(linear_fit(two, {{1, 1}, {1, 2}, {1, 3}}), InputError);
  EXPECT_THROW(linear_fit(Jackknife{}({{NAN}, {1}, {2}}), {{1}}), InputError);
}

}  // namespace ratio_test

}  // namespace kov
