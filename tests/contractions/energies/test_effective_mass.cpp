// SPDX-License-Identifier: MIT
//
// Effective masses of correlators whose masses are known.
#include "kov/contractions/energies/effective_mass.hpp"
#include "kov/core/base/error.hpp"
#include "tests/support/precision.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov {
namespace {

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

TEST(EffectiveMass, SinhOfAnAntiperiodicCorrelator) {
  for (const int n_times : {8, 48, 15})
    for (const double mass : {0.05, 0.3, 1.1, 4.0}) {
      std::vector<double> c;
      for (int t = 0; t < n_times; ++t) c.push_back(std::exp(-mass * t) - std::exp(-mass * (n_times - t)));
      const auto m = sinh_effective_mass(c, n_times);
      for (int t = 0; t + 1 < n_times; ++t) {
        const double u = std::max(std::abs(0.5 * n_times - t), std::abs(0.5 * n_times - t - 1));
        if (u <= 1) {
          EXPECT_TRUE(std::isnan(m[std::size_t(t)])) << "one of the times is the zero, or both mirror each other";
          continue;
        }
        const double slope = u / std::tanh(mass * u) - (u - 1) / std::tanh(mass * (u - 1));
        EXPECT_NEAR(m[std::size_t(t)], mass, 32 * test::eps<double> * (1 + mass + 1 / slope) / std::min(1.0, mass))
            << "T = " << n_times << ", t = " << t;
      }
    }
  EXPECT_TRUE(std::isnan(sinh_effective_mass({1, 1, 1, 1, 1, 1, 1, 1}, 8)[0])) << "falls less than any sinh";
}

TEST(EffectiveMass, SymmetricOneKnowsExpCoshAndSinh) {
  for (const double sign : {0.0, 1.0, -1.0}) {
    std::vector<double> c;
    for (int t = 0; t < 16; ++t) c.push_back(std::exp(-0.4 * t) + sign * std::exp(-0.4 * (16 - t)));
    const auto m = symmetric_effective_mass(c);
    ASSERT_EQ(m.size(), c.size());
    EXPECT_TRUE(std::isnan(m.front()) && std::isnan(m.back()));
    for (std::size_t t = 1; t + 1 < c.size(); ++t)
      if (c[t] != 0) {
        EXPECT_NEAR(m[t], 0.4, 1e-13) << sign << " " << t;
      }
  }
  EXPECT_TRUE(std::isnan(symmetric_effective_mass({1, 2, 1})[1])) << "an arcosh below 1";
}

TEST(EffectiveMass, ReflectionSignIsThatOfTheCorrelator) {
  for (const int sign : {1, -1}) {
    std::vector<Estimate> c;
    for (int t = 0; t < 16; ++t) c.push_back({std::exp(-0.4 * t) + sign * std::exp(-0.4 * (16 - t)), 0.01});
    EXPECT_EQ(reflection_sign(c), sign);
    for (Estimate& e : c) e.error = 0;
    EXPECT_EQ(reflection_sign(c), sign) << "without errors";
  }
  std::vector<Estimate> baryon;
  for (int t = 0; t < 16; ++t) baryon.push_back({std::exp(-0.4 * t) - std::exp(-0.9 * (16 - t)), 0.001});
  EXPECT_EQ(reflection_sign(baryon), 0);
  EXPECT_EQ(reflection_sign({}), 0);
  EXPECT_EQ(reflection_sign({{1, 0}, {NAN, NAN}, {1, 0}}), 0);
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

}  // namespace
}  // namespace kov
