// SPDX-License-Identifier: MIT
//
// The Gamma method on processes whose autocorrelation is known.
#include "kov/contractions/energies/autocorrelation.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/site/random.hpp"
#include "tests/support/precision.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace kov {
namespace {

/// x_i = a x_{i-1} + sqrt(1 - a^2) z_i with variance 1: tau_int = (1 + a) / (2 (1 - a)).
std::vector<double> first_order_process(double a, int n, std::uint32_t stream) {
  SiteRandom random(17, stream, 0);
  std::vector<double> x{random.normal_pair().first};
  for (int i = 1; i < n; ++i) x.push_back(a * x.back() + std::sqrt(1 - a * a) * random.normal_pair().first);
  return x;
}

TEST(GammaMethod, KnowsTheTimeOfAFirstOrderProcess) {
  for (const double a : {0.0, 0.5, 0.9}) {
    const double tau = 0.5 * (1 + a) / (1 - a);
    const auto found = autocorrelation(first_order_process(a, 40000, 1));
    EXPECT_TRUE(found.long_enough);
    EXPECT_NEAR(found.tau_int, tau, 4 * found.tau_int_error + 1e-2) << a;
    EXPECT_LT(found.tau_int_error, 0.1 * tau);
    EXPECT_NEAR(found.error, std::sqrt(2 * tau / 40000), 4 * found.error_of_error) << a;
    EXPECT_NEAR(found.rho[1], a, 0.03);
  }
}

TEST(GammaMethod, ErrorsAreThoseOfTheEstimates) {
  // 300 histories of the same process: spread of means and of times beside their errors.
  double mean2 = 0, tau_sum = 0, tau2 = 0, variance = 0, tau_error = 0, errors2 = 0, error_of_error = 0;
  constexpr int n = 300;
  for (int k = 0; k < n; ++k) {
    const auto found = autocorrelation(first_order_process(0.6, 2000, std::uint32_t(k)));
    mean2 += found.mean * found.mean / n;
    variance += found.error * found.error / n;
    tau_sum += found.tau_int / n;
    tau2 += found.tau_int * found.tau_int / n;
    tau_error += found.tau_int_error / n;
    errors2 += found.error / n;
    error_of_error += found.error_of_error / n;
  }
  EXPECT_NEAR(tau_sum, 2, 0.1);
  EXPECT_NEAR(variance, mean2, 0.35 * mean2) << "the relative error of a variance from 300 is sqrt(2 / 300)";
  EXPECT_NEAR(tau_error, std::sqrt(tau2 - tau_sum * tau_sum), 0.4 * tau_error);
  EXPECT_NEAR(error_of_error, std::sqrt(variance - errors2 * errors2), 0.4 * error_of_error);
}

TEST(GammaMethod, AFunctionHasTheErrorOfItsLinearForm) {
  const auto x = first_order_process(0.5, 20000, 2);
  Samples history;
  for (const double v : x) history.push_back({5 + v, 1});
  const auto value = autocorrelation(x);
  const auto square = autocorrelation(history, [](const std::vector<double>& m) { return m[0] * m[0] * m[1]; });
  EXPECT_NEAR(square.error, 2 * (5 + value.mean) * value.error, 1e-6 * square.error);
  EXPECT_NEAR(square.tau_int, value.tau_int, 1e-6);
  EXPECT_NEAR(square.mean, (5 + value.mean) * (5 + value.mean), 1e-10);
}

/// log of a ratio of two correlated processes, by the gradient and from jackknife replicas.
TEST(GammaMethod, AJackknifeHasTheHistoryOfWhatIsComputedFromIt) {
  const auto x = first_order_process(0.7, 4000, 6), y = first_order_process(0.2, 4000, 7);
  Samples history;
  for (std::size_t i = 0; i < x.size(); ++i) history.push_back({5 + x[i], 3 + 0.5 * x[i] + 0.2 * y[i]});
  const auto mass = [](const std::vector<double>& m) { return std::log(m[0] / m[1]); };
  const auto by_gradient = autocorrelation(history, mass);
  const Resampled c = Jackknife{}(history).map([&](const std::vector<double>& m) {
    return std::vector{m[0], mass(m)};
  });
  const auto by_jackknife = autocorrelation(c, 1);
  EXPECT_NEAR(by_jackknife.mean, by_gradient.mean, 1e-12);
  EXPECT_NEAR(by_jackknife.error, by_gradient.error, 1e-3 * by_gradient.error);
  EXPECT_NEAR(by_jackknife.tau_int, by_gradient.tau_int, 1e-3);
  // Of independent processes that are added, times are averaged with the variances.
  const double of_x = std::pow(1.0 / 5 - 0.5 / 3, 2), of_y = std::pow(0.2 / 3, 2);
  const double tau = (of_x * 0.5 * 1.7 / 0.3 + of_y * 0.5 * 1.2 / 0.8) / (of_x + of_y);
  EXPECT_NEAR(by_jackknife.tau_int, tau, 4 * by_jackknife.tau_int_error);
  EXPECT_NEAR(autocorrelation(c, 0).tau_int, autocorrelation(x).tau_int, 1e-9) << "of a mean it is exact";
  EXPECT_NEAR(autocorrelation(c, 0).tau_int, 0.5 * 1.7 / 0.3, 4 * autocorrelation(c, 0).tau_int_error);
  EXPECT_NEAR(autocorrelation(c, 0, {.s = 1.5, .chains = {1000, 3000}}).tau_int, 0.5 * 1.7 / 0.3, 0.7);
  EXPECT_THROW(autocorrelation(c, 2), InputError);
  EXPECT_THROW(autocorrelation(Jackknife{.bin = 10}(history), 0, {.s = 1.5, .chains = {4000}}), InputError);
  EXPECT_THROW(autocorrelation(Bootstrap{.replicas = 4000}(history), 0), InputError);
  EXPECT_THROW(autocorrelation(c.map([](const std::vector<double>&) { return std::vector<double>{NAN}; }), 0),
               InputError);
}

TEST(GammaMethod, IndependentChainsAreNotCorrelatedAcrossTheirEnds) {
  // Two chains about one mean, long compared with their autocorrelation, as one history and as two.
  auto x = first_order_process(0.8, 10000, 3);
  const auto y = first_order_process(0.8, 10000, 4);
  x.insert(x.end(), y.begin(), y.end());
  const auto two = autocorrelation(x, GammaMethod{.s = 1.5, .chains = {10000, 10000}});
  EXPECT_NEAR(two.tau_int, 4.5, 4 * two.tau_int_error);
  EXPECT_NEAR(two.tau_int, autocorrelation(x).tau_int, 0.02) << "there is one end among 20000 measurements";
}

TEST(GammaMethod, ChainsThatAreShortHaveNoPairsAcrossTheirEnds) {
  // Chains of eight independent numbers, each followed by its mirror image: as one history the last number of a chain
  // and the first of the next are the same.
  SiteRandom random(17, 8, 0);
  std::vector<double> x;
  for (int k = 0; k < 500; ++k) {
    std::vector<double> chain;
    for (int i = 0; i < 8; ++i) chain.push_back(random.normal_pair().first);
    x.insert(x.end(), chain.begin(), chain.end());
    x.insert(x.end(), chain.rbegin(), chain.rend());
  }
  const double n = double(x.size()), mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double gamma[2] = {0, 0}, across = 0;  // Gamma(0), Gamma(1) within chains, and the pairs across their ends
  for (std::size_t i = 0; i < x.size(); ++i) {
    gamma[0] += (x[i] - mean) * (x[i] - mean) / n;
    if (i + 1 < x.size()) (i % 8 == 7 ? across : gamma[1]) += (x[i] - mean) * (x[i + 1] - mean);
  }
  const double within = gamma[1] / (7 * 1000), as_one = (gamma[1] + across) / (n - 1);
  ASSERT_GT(as_one / gamma[0] - within / gamma[0], 0.03);
  const auto found = autocorrelation(x, GammaMethod{.s = 1.5, .chains = std::vector<std::size_t>(1000, 8)}),
             one = autocorrelation(x);
  // Gamma(1) and Gamma(0) have the same correction for the mean, which is small.
  EXPECT_NEAR(found.rho[1], within / gamma[0], 0.01);
  EXPECT_NEAR(one.rho[1], as_one / gamma[0], 0.01);
}

TEST(GammaMethod, WindowGrowsWithS) {
  const auto x = first_order_process(0.8, 20000, 5);
  EXPECT_GT(autocorrelation(x, {.s = 3, .chains = {}}).window, autocorrelation(x, {.s = 1, .chains = {}}).window);
}

TEST(GammaMethod, AConstantHasNoError) {
  const auto found = autocorrelation(std::vector<double>(100, 3.25));
  EXPECT_EQ(found.mean, 3.25);
  EXPECT_EQ(found.error, 0);
  EXPECT_EQ(found.tau_int, 0.5);
}

TEST(GammaMethod, AHistoryShorterThanItsMemorySaysSo) {
  std::vector<double> slope(40);
  std::iota(slope.begin(), slope.end(), 0.0);
  EXPECT_FALSE(autocorrelation(slope).long_enough);
}

TEST(GammaMethod, AHistoryWithANegativeTimeSaysThatItMeasuresNone) {
  const auto alternating = autocorrelation(std::vector<double>{1, -1, 1, -1, 1, -1, 1, -1});
  EXPECT_LE(alternating.tau_int, 0);
  EXPECT_FALSE(alternating.is_measured());
  EXPECT_FALSE(alternating.long_enough);
  // Nearly that of eight measurements 1 and -1 without autocorrelation.
  EXPECT_GT(alternating.error, 0.2);
  EXPECT_LT(alternating.error, 1 / std::sqrt(8));
  EXPECT_TRUE(autocorrelation(first_order_process(0.5, 1000, 1)).is_measured());
}

TEST(GammaMethod, RefusesWhatHasNoAutocorrelation) {
  EXPECT_THROW(autocorrelation(std::vector<double>{1, 2, 3}), InputError);
  EXPECT_THROW(autocorrelation(std::vector<double>{}), InputError);
  EXPECT_THROW(autocorrelation(std::vector<double>{1, 2, NAN, 4, 5}), InputError);
  EXPECT_THROW(autocorrelation(std::vector<double>(10, 1.0), GammaMethod{.s = 1.5, .chains = {4, 4}}), InputError);
  EXPECT_THROW(autocorrelation(std::vector<double>(10, 1.0), GammaMethod{.s = 0, .chains = {}}), InputError);
  const auto first = [](const std::vector<double>& m) { return m[0]; };
  EXPECT_THROW(autocorrelation(Samples{{1}, {2}, {3, 4}, {5}}, first), InputError);
  EXPECT_THROW(autocorrelation(Samples{{1}, {2}, {INFINITY}, {5}}, first), InputError);
  EXPECT_THROW(autocorrelation(Samples{{1}, {2}, {3}, {5}}, [](const std::vector<double>&) { return NAN; }),
               InputError);
}

}  // namespace
}  // namespace kov
