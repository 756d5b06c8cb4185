// SPDX-License-Identifier: MIT
//
// The jackknife and effective masses, on correlators whose masses are known.
#include "kov/contractions/correlators/statistics.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/site/random.hpp"
#include "tests/support/precision.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov {
namespace {

/// n rows of `width` independent normal numbers around 5.
Samples normal_samples(int n, int width) {
  Samples samples;
  for (int i = 0; i < n; ++i) {
    SiteRandom random(1, 2, std::uint64_t(i));
    samples.emplace_back();
    for (int t = 0; t < width; ++t) samples.back().push_back(5 + random.normal_pair().first);
  }
  return samples;
}

TEST(Jackknife, ErrorOfTheMeanIsTheStandardOne) {
  const Samples samples = normal_samples(17, 3);
  const auto estimate = average(samples);
  for (std::size_t t = 0; t < 3; ++t) {
    double sum = 0, squares = 0;
    for (const auto& row : samples) sum += row[t];
    for (const auto& row : samples) squares += (row[t] - sum / 17) * (row[t] - sum / 17);
    EXPECT_NEAR(estimate[t].mean, sum / 17, 40 * test::eps<double>);
    EXPECT_NEAR(estimate[t].error, std::sqrt(squares / 17 / 16), 400 * test::eps<double>);
  }
}

TEST(Jackknife, ErrorOfAFunctionIsThatOfItsLinearForm) {
  const Samples samples = normal_samples(4000, 1);
  const auto value = average(samples)[0];
  const auto square =
      jackknife(samples, [](const std::vector<double>& c) { return std::vector<double>{c[0] * c[0]}; })[0];
  EXPECT_NEAR(value.error, 1 / std::sqrt(4000.0), 0.05 / std::sqrt(4000.0)) << "the samples have variance 1";
  EXPECT_NEAR(square.error, 2 * value.mean * value.error, 1e-3 * square.error);
}

TEST(Jackknife, IdenticalSamplesHaveNoError) {
  const Samples samples(6, {1.25, -0.5});
  EXPECT_EQ(average(samples)[0].error, 0);
  EXPECT_EQ(average(samples)[1].mean, -0.5);
}

TEST(Jackknife, NoValueHasNoError) {
  const auto e = jackknife(normal_samples(5, 2), [](const std::vector<double>& c) {
    return std::vector<double>{c[0], std::log(-c[1])};
  });
  EXPECT_FALSE(std::isnan(e[0].error));
  EXPECT_TRUE(std::isnan(e[1].mean));
  EXPECT_TRUE(std::isnan(e[1].error));
}

TEST(Jackknife, BinsAreMeans) {
  const Samples samples{{1, 2}, {3, 4}, {5, 6}, {7, 9}, {100, 100}};
  EXPECT_EQ(bin(samples, 2), (Samples{{2, 3}, {6, 7.5}}));
  EXPECT_EQ(bin(samples, 1), samples);
}

TEST(Jackknife, RefusesTooFewOrUnequalSamples) {
  EXPECT_THROW(average({}), InputError);
  EXPECT_THROW(average({{1, 2}}), InputError);
  EXPECT_THROW(average({{1, 2}, {1}}), InputError);
  EXPECT_THROW(bin({{1}, {2}}, 3), InputError);
  EXPECT_THROW(bin({{1}, {2}}, 0), InputError);
  int calls = 0;
  EXPECT_THROW(
      jackknife({{1}, {2}}, [&](const std::vector<double>&) { return std::vector<double>(std::size_t(++calls)); }),
      InputError);
}

TEST(EffectiveMass, LogOfAnExponential) {
  std::vector<double> c;
  for (int t = 0; t < 12; ++t) c.push_back(3 * std::exp(-0.7 * t));
  for (const double m : log_effective_mass(c)) EXPECT_NEAR(m, 0.7, 8 * test::eps<double>);
  EXPECT_EQ(log_effective_mass(c).size(), 11u);
}

TEST(EffectiveMass, CoshOfAPeriodicCorrelator) {
  for (const int n_times : {8, 16, 48, 96, 15})
    for (const double mass : {0.05, 0.3, 1.1, 4.0}) {
      std::vector<double> c;
      for (int t = 0; t < n_times; ++t) c.push_back(std::exp(-mass * t) + std::exp(-mass * (n_times - t)));
      const auto m = cosh_effective_mass(c, n_times);
      ASSERT_EQ(m.size(), std::size_t(n_times - 1));
      for (int t = 0; t + 1 < n_times; ++t) {
        if (n_times % 2 == 1 && t == n_times / 2) {
          EXPECT_TRUE(std::isnan(m[std::size_t(t)])) << "both times are the same distance from the middle";
          continue;
        }
        // Rounding of the ratio, divided by the slope of its logarithm.
        const double u = std::max(std::abs(0.5 * n_times - t), std::abs(0.5 * n_times - t - 1));
        const double slope = u * std::tanh(mass * u) - (u - 1) * std::tanh(mass * (u - 1));
        EXPECT_NEAR(m[std::size_t(t)], mass, 16 * test::eps<double> * (1 + mass + 1 / slope))
            << "T = " << n_times << ", t = " << t;
      }
    }
}

TEST(EffectiveMass, NoSolutionIsNaN) {
  const auto log_mass = log_effective_mass({1, -1, -2, 0, 5});
  for (const std::size_t t : {0, 2, 3}) EXPECT_TRUE(std::isnan(log_mass[t])) << t;
  EXPECT_NEAR(log_mass[1], -std::log(2), 4 * test::eps<double>);
  const auto cosh_mass = cosh_effective_mass({1, 2, -1, 0, 5, 1, 1, 1}, 8);
  for (const std::size_t t : {0, 1, 2, 3, 4}) EXPECT_TRUE(std::isnan(cosh_mass[t])) << t;
  EXPECT_EQ(cosh_mass[6], 0);
}

TEST(EffectiveMass, FoldAveragesMirrorTimes) {
  EXPECT_EQ(fold({10, 4, 3, 2}), (std::vector<double>{10, 3, 3}));
  EXPECT_EQ(fold({10, 4, 3, 2}, -1), (std::vector<double>{10, 1, 0}));
  EXPECT_EQ(fold({10, 5, 4, 3, 2}), (std::vector<double>{10, 3.5, 3.5}));
  EXPECT_THROW(fold({1, 2}, 0), InputError);
}

TEST(Plateau, WeighsTimesByTheirErrors) {
  // Time 1 fluctuates ten times as much as time 0: its weight is a hundredth.
  const Samples samples{{0.9, 1}, {1.1, 3}, {0.9, 3}, {1.1, 1}};
  const Estimate e = plateau(
      samples, [](const std::vector<double>& c) { return c; }, 0, 1);
  EXPECT_NEAR(e.mean, (100 * 1.0 + 2.0) / 101, 1e-13);
  EXPECT_NEAR(e.error, std::sqrt(100 * 100 * 0.01 / 3 + 1.0 / 3) / 101, 1e-13);
}

TEST(Plateau, LeavesOutTimesWithoutAValue) {
  const Samples samples{{0.9, 1}, {1.1, 3}, {0.9, 3}, {1.1, 1}};
  const Observable f = [](const std::vector<double>& c) { return std::vector<double>{std::log(-c[0]), c[1]}; };
  EXPECT_NEAR(plateau(samples, f, 0, 1).mean, 2, 1e-14);
  EXPECT_THROW(plateau(samples, f, 0, 0), InputError);
  EXPECT_THROW(plateau(samples, f, 0, 2), InputError);
  EXPECT_THROW(plateau(samples, f, 1, 0), InputError);
}

TEST(RealParts, AreInOrder) {
  Correlator c;
  c.value = {{1, 9}, {2, 9}};
  EXPECT_EQ(real_parts({c, c}), (Samples{{1, 2}, {1, 2}}));
}

}  // namespace
}  // namespace kov
