// SPDX-License-Identifier: MIT
//
// Jackknife and bootstrap on samples whose errors are known.
#include "kov/contractions/energies/correlator_samples.hpp"
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

static_assert(Resampling<Jackknife> && Resampling<Bootstrap>);

TEST(Bootstrap, ErrorOfTheMeanIsTheStandardOne) {
  const Samples samples = normal_samples(50, 2);
  const auto expected = average(samples), found = Bootstrap{.replicas = 4000}(samples).estimates();
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(found[t].mean, expected[t].mean);
    // An error from K replicas has the relative error 1 / sqrt(2 K).
    EXPECT_NEAR(found[t].error, expected[t].error, 4 * expected[t].error / std::sqrt(2 * 4000.0));
  }
}

TEST(Bootstrap, SeedDecides) {
  const Samples samples = normal_samples(20, 1);
  const auto draw = [&](std::uint64_t seed) {
    const Resampled r = Bootstrap{.replicas = 30, .seed = seed}(samples);
    std::vector<double> all;
    for (std::size_t k = 0; k < 30; ++k) all.push_back(r.replica(k)[0]);
    return all;
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(Bootstrap, ReplicasAreSharedByCorrelators) {
  Samples samples = normal_samples(20, 1);
  for (auto& row : samples) row.push_back(2 * row[0] + 1);
  const Resampled both = Bootstrap{.replicas = 50}(samples);
  Samples second;
  for (const auto& row : samples) second.push_back({row[1]});
  const Resampled alone = Bootstrap{.replicas = 50}(second);
  for (std::size_t k = 0; k < 50; ++k) {
    EXPECT_EQ(both.replica(k)[1], alone.replica(k)[0]);
    EXPECT_NEAR(both.replica(k)[1], 2 * both.replica(k)[0] + 1, 40 * test::eps<double>);
  }
}

TEST(Bootstrap, RefusesTooFewOrUnequalSamples) {
  EXPECT_THROW(Bootstrap{}({{1.0}}), InputError);
  EXPECT_THROW((Bootstrap{.replicas = 1}({{1.0}, {2.0}})), InputError);
  EXPECT_THROW(Bootstrap{}({{1.0}, {2.0, 3.0}}), InputError);
  EXPECT_THROW((Bootstrap{.replicas = 10, .seed = 1, .bin = 2}({{1.0}, {2.0}, {3.0}})), InputError);
}

/// A chain with autocorrelation: each of n independent rows `copies` times.
Samples repeated(int n, int copies) {
  Samples chain;
  for (const auto& row : normal_samples(n, 1))
    for (int i = 0; i < copies; ++i) chain.push_back(row);
  return chain;
}

TEST(Resampling, BlocksOfBothTakeAutocorrelationIntoAccount) {
  const double alone = average(normal_samples(200, 1))[0].error;
  EXPECT_NEAR((Jackknife{.bin = 5}(repeated(200, 5)).estimate(0).error), alone, 1e-12);
  EXPECT_NEAR((Bootstrap{.replicas = 2000, .seed = 3, .bin = 5}(repeated(200, 5)).estimate(0).error), alone,
              0.06 * alone);
  EXPECT_LT((Jackknife{}(repeated(200, 5)).estimate(0).error), 0.5 * alone);
  EXPECT_EQ((Jackknife{.bin = 5}(repeated(200, 5)).n_samples()), 200u);
}

template <class R>
void covariance_of_the_mean(const R& resampling, double tolerance) {
  // y = x + z with independent x and z of variance 1: covariance {{1, 1}, {1, 2}} / n.
  const int n = 2000;
  Samples samples = normal_samples(n, 2);
  for (auto& row : samples) row[1] += row[0];
  const Resampled r = resampling(samples);
  const auto cov = r.covariance({0, 1});
  const std::vector<double> expected{1, 1, 1, 2};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(cov[i] * n, expected[i], tolerance) << i;
  EXPECT_EQ(cov[1], cov[2]);
  EXPECT_NEAR(std::sqrt(cov[3]), r.estimate(1).error, 1e-12);
  EXPECT_EQ(r.covariance({1})[0], cov[3]);
  EXPECT_THROW(r.covariance({2}), InputError);
}
TEST(Resampling, CovarianceIsThatOfTheMean) {
  covariance_of_the_mean(Jackknife{}, 0.2);  // the relative error of a variance is sqrt(2 / n)
  covariance_of_the_mean(Bootstrap{.replicas = 2000}, 0.3);
}

TEST(Resampling, OneStandardDeviationCoversTwoThirds) {
  // 600 experiments of 40 samples each; the mean of x^2, a function of the mean, is 25 at the true mean 5.
  int jack = 0, boot = 0;
  for (int e = 0; e < 600; ++e) {
    Samples samples;
    for (int i = 0; i < 40; ++i) {
      SiteRandom random(11, std::uint32_t(e), std::uint64_t(i));
      samples.push_back({5 + random.normal_pair().first});
    }
    const Observable square = [](const std::vector<double>& c) { return std::vector<double>{c[0] * c[0]}; };
    const Estimate a = estimates(Jackknife{}, samples, square)[0];
    const Estimate b = estimates(Bootstrap{.replicas = 100, .seed = 5}, samples, square)[0];
    jack += std::abs(a.mean - 25) < a.error;
    boot += std::abs(b.mean - 25) < b.error;
  }
  // 0.683 of 600 is 410, give or take 11.4
  EXPECT_NEAR(jack, 410, 40);
  EXPECT_NEAR(boot, 410, 40);
}

TEST(Resampling, JoinsWhatBelongsTogether) {
  const Samples samples = normal_samples(6, 3);
  const Resampled all = Jackknife{}(samples);
  const Resampled back = side_by_side({all.select({2}), all.select({0, 1})});
  EXPECT_EQ(back.estimate(0).error, all.estimate(2).error);
  EXPECT_EQ(back.replica(5)[2], all.replica(5)[1]);
  EXPECT_THROW(side_by_side({}), InputError);
  EXPECT_THROW(side_by_side({all, Jackknife{}(normal_samples(7, 3))}), InputError);
  EXPECT_THROW(all.select({3}), InputError);
  EXPECT_THROW(all.estimate(3), InputError);
}

TEST(RealParts, AreInOrder) {
  Correlator c;
  c.value = {{1, 9}, {2, 9}};
  EXPECT_EQ(real_parts({c, c}), (Samples{{1, 2}, {1, 2}}));
}

}  // namespace
}  // namespace kov
