// SPDX-License-Identifier: MIT
//
// Products of vacuum expectation values: those of different samples, and unbiased.
#include "kov/contractions/energies/vacuum.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/site/random.hpp"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>

namespace kov {

namespace vacuum_test {

using Number = std::complex<double>;

/// Rows of one number and of a, b with means of 3 + i and 1 - 2 i, which correlate.
Samples rows(int n, std::uint64_t seed) {
  SiteRandom random(seed, 0, 0);
  Samples samples;
  for (int i = 0; i < n; ++i) {
    const auto x = random.normal_pair(), y = random.normal_pair();
    samples.push_back({y.second, 3 + x.first, 1 + x.second, 1 + x.first + y.first, -2 + x.second});
  }
  return samples;
}

Number a(const std::vector<double>& row) { return {row[1], row[2]}; }
Number b(const std::vector<double>& row) { return {row[3], row[4]}; }

/// The mean of a_i b_j over i != j, but for one row.
Number of_pairs(const Samples& samples, std::size_t without) {
  Number sum = 0;
  double n = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t j = 0; j < samples.size(); ++j)
      if (i != j && i != without && j != without) {
        sum += a(samples[i]) * b(samples[j]);
        ++n;
      }
  return sum / n;
}

TEST(Vacuum, IsTheMeanOverPairsOfDifferentSamplesOrBins) {
  for (const int size : {1, 3}) {
    const Samples all = rows(13, 1), bins = bin(all, size);
    const Resampled result = with_vacuum(all, Jackknife{size}), means = Jackknife{size}(all);
    ASSERT_EQ(result.width(), 3u);
    ASSERT_EQ(result.n_replicas(), bins.size());
    double centre = 0;
    for (std::size_t k = 0; k < result.n_rows(); ++k) {
      const Number expected = of_pairs(bins, k == 0 ? bins.size() : k - 1);
      EXPECT_NEAR(std::abs(Number(result.row(k)[1], result.row(k)[2]) - expected), 0, 1e-13) << k;
      EXPECT_EQ(result.row(k)[0], means.row(k)[0]);
      if (k > 0) centre += result.row(k)[1] / double(bins.size());
    }
    EXPECT_NEAR(centre, result.mean()[1], 1e-13) << "replicas are centred at the mean";
  }
}

/// Over all 81 ensembles of four configurations that a population of three can give.
TEST(Vacuum, IsUnbiased) {
  const Samples population = rows(3, 2);
  Number mean_a = 0, mean_b = 0, found = 0, product_of_means = 0;
  for (const auto& row : population) {
    mean_a += a(row) / 3.0;
    mean_b += b(row) / 3.0;
  }
  for (int draw = 0; draw < 81; ++draw) {
    Samples ensemble;
    for (int rest = draw, i = 0; i < 4; ++i, rest /= 3) ensemble.push_back(population[std::size_t(rest % 3)]);
    const Resampled result = with_vacuum(ensemble, Jackknife{}), means = Jackknife{}(ensemble);
    found += Number(result.mean()[1], result.mean()[2]) / 81.0;
    product_of_means += Number(means.mean()[1], means.mean()[2]) * Number(means.mean()[3], means.mean()[4]) / 81.0;
  }
  EXPECT_NEAR(std::abs(found - mean_a * mean_b), 0, 1e-13);
  EXPECT_GT(std::abs(product_of_means - mean_a * mean_b), 0.05);
}

/// Of five samples, whose covariance is far above the error of the replicas' mean; and a vacuum of 1000, of which a
/// product of loops has as much, leaves nothing in their difference.
TEST(Vacuum, ReplicasOfTheBootstrapAreCentredAtTheMean) {
  constexpr int n = 5, replicas = 4000;
  Samples samples;
  SiteRandom random(4, 0, 0);
  for (int i = 0; i < n; ++i) {
    const double x = random.normal_pair().first;
    samples.push_back({0, 0.2 + x, 0.1, 0.3 + x, x - 0.1});
  }
  const auto centre = [&](const Resampled& result, std::size_t i) {
    double sum = 0;
    for (std::size_t k = 1; k < result.n_rows(); ++k) sum += result.row(k)[i] / replicas;
    return sum;
  };
  const Resampled result = with_vacuum(samples, Bootstrap{replicas});
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_NEAR(centre(result, i), result.mean()[i], 5 * result.estimate(i).error / std::sqrt(replicas)) << i;
  Number mean_a = 0, mean_b = 0, both = 0;
  for (const auto& row : samples) {
    mean_a += a(row) / double(n);
    mean_b += b(row) / double(n);
    both += a(row) * b(row) / double(n);
  }
  const Number excess = (both - mean_a * mean_b) / double(n - 1);
  EXPECT_GT(excess.real(), 15 * result.estimate(1).error / std::sqrt(replicas)) << "which a shift would show";
  EXPECT_GT(excess.imag(), 15 * result.estimate(2).error / std::sqrt(replicas));
  for (auto& row : samples) {
    row[1] += 1000;
    row[0] = (a(row) * b(row)).real();
  }
  const Resampled far = with_vacuum(samples, Bootstrap{200});
  for (auto& row : samples) {
    row[1] -= 1000;
    row[0] = (a(row) * b(row)).real();
  }
  const Resampled near = with_vacuum(samples, Bootstrap{200});
  for (std::size_t k = 0; k < far.n_rows(); ++k)
    EXPECT_NEAR(far.row(k)[0] - far.row(k)[1], near.row(k)[0] - near.row(k)[1], 1e-9) << k;
}

TEST(Vacuum, OfTheBootstrapHasTheErrorOfTheJackknife) {
  const Samples samples = rows(200, 3);
  const auto jack = with_vacuum(samples, Jackknife{}).estimates(),
             boot = with_vacuum(samples, Bootstrap{400}).estimates();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(boot[i].mean, jack[i].mean, 1e-12);
    EXPECT_NEAR(boot[i].error / jack[i].error, 1, 0.2) << i;
  }
}

TEST(Vacuum, TakesThreeSamplesAndFourNumbers) {
  EXPECT_THROW(with_vacuum(rows(2, 1), Jackknife{}), InputError);
  EXPECT_THROW(with_vacuum(rows(8, 1), Jackknife{3}), InputError);
  EXPECT_NO_THROW(with_vacuum(rows(2, 1), Bootstrap{10}));
  EXPECT_THROW(with_vacuum({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, Jackknife{}), InputError);
}

}  // namespace vacuum_test

}  // namespace kov
