// SPDX-License-Identifier: MIT
//
// Correlators collected into series, and what is found of them.
#include "apps/analyze/gevp_analysis.hpp"
#include "apps/analyze/series_analysis.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/site/gamma.hpp"
#include "tests/contractions/energies/synthetic.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov::app {

namespace {

/// One channel on n configurations, with noise that correlates in time.
CorrelatorArray array_of(const std::string& kind, const std::string& channel, const std::vector<double>& c, int n,
                         std::uint32_t stream, std::complex<double> phase = 1) {
  CorrelatorArray array{.head = {.kind = kind, .channel = channel}};
  array.momenta = {{0, 0, 0}};
  array.n_times = c.size();
  const Samples samples = test::noisy(c, n, 0.002, test::Noise(6, stream, 0.5));
  for (int i = 0; i < n; ++i) {
    array.configurations.push_back(std::to_string(i));
    array.sources.push_back({0, 0, 0, 0});
    for (const double v : samples[std::size_t(i)]) array.values.push_back(phase * v);
  }
  return array;
}

std::vector<CorrelatorSeries> collected(const std::vector<CorrelatorArray>& arrays) {
  SeriesCollector collector(true, {});
  for (const CorrelatorArray& array : arrays) collector.add(array, "file", {8, 8, 8, int(array.n_times)});
  return collector.take();
}

TEST(Series, FormsAreThoseOfTheCorrelators) {
  const auto series = collected({array_of("meson", "even", test::spectrum({0.4}, {1}, 24, 1, 24), 60, 1),
                                 array_of("meson", "odd", test::spectrum({0.5}, {1}, 24, -1, 24), 60, 2, {0, -1}),
                                 array_of("baryon", "n", test::spectrum({0.7}, {1}, 24), 60, 3)});
  const AnalyzeParameters parameters;
  const double energy[] = {0.4, 0.5, 0.7};
  const FitForm form[] = {FitForm::cosh, FitForm::sinh, FitForm::exponential};
  for (std::size_t k = 0; k < 3; ++k) {
    const SeriesResult r = analysed(series[k], parameters);
    ASSERT_EQ(r.problem, "") << k;
    EXPECT_EQ(r.form, form[k]);
    EXPECT_EQ(r.imaginary, k == 1);
    EXPECT_NEAR(r.energy.mean, energy[k], 5 * r.energy.error) << k;
    EXPECT_LT(r.energy.error, 0.01);
    EXPECT_NEAR(r.effective[3].mean, energy[k], 6 * r.effective[3].error + 1e-4);
  }
}

TEST(Series, BootstrapAndJackknifeAgree) {
  const auto series = collected({array_of("meson", "even", test::spectrum({0.4}, {1}, 24, 1, 24), 60, 1)});
  AnalyzeParameters parameters;
  const SeriesResult a = analysed(series[0], parameters);
  parameters.errors.method = "bootstrap";
  const SeriesResult b = analysed(series[0], parameters);
  EXPECT_NEAR(a.energy.mean, b.energy.mean, a.energy.error);
  EXPECT_NEAR(a.energy.error, b.energy.error, 0.3 * a.energy.error);
}

/// Noise that is a first-order process of the configurations: the energy has its autocorrelation time.
TEST(Series, TheGammaMethodFindsTheAutocorrelationOfAnEnergy) {
  constexpr int n = 2000;
  constexpr double a = 0.7, tau = 0.5 * (1 + a) / (1 - a);
  CorrelatorArray array = array_of("meson", "even", test::spectrum({0.4}, {1}, 24, 1, 24), n, 4);
  const std::vector<double> c = test::spectrum({0.4}, {1}, 24, 1, 24);
  for (std::size_t t = 0; t < 24; ++t) {
    double noise = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double fresh = array.values[24 * i + t].real() / c[t] - 1;
      noise = i == 0 ? fresh : a * noise + std::sqrt(1 - a * a) * fresh;
      array.values[24 * i + t] = c[t] * (1 + noise);
    }
  }
  const auto series = collected({array});
  AnalyzeParameters parameters;
  const SeriesResult without = analysed(series[0], parameters);
  parameters.errors.method = "gamma";
  const SeriesResult with = analysed(series[0], parameters);
  for (const SeriesResult& r : {without, with}) {
    ASSERT_TRUE(r.autocorrelation.has_value());
    EXPECT_NEAR(r.autocorrelation->tau_int, tau, 4 * r.autocorrelation->tau_int_error);
    EXPECT_LT(r.autocorrelation->tau_int_error, 0.25 * tau);
    EXPECT_TRUE(r.autocorrelation->long_enough);
  }
  EXPECT_EQ(with.energy.mean, without.energy.mean);
  EXPECT_NEAR(with.statistical / without.statistical, std::sqrt(2 * tau), 0.35);
  EXPECT_NEAR(with.effective[3].error / without.effective[3].error, std::sqrt(2 * tau), 0.5);
  EXPECT_NEAR(with.mean[3].error / without.mean[3].error, std::sqrt(2 * tau), 0.5);
  EXPECT_NEAR(with.energy.mean, 0.4, 4 * with.energy.error);
  parameters.errors.chains = {n - 10};
  EXPECT_NE(analysed(series[0], parameters).problem.find("errors.chains"), std::string::npos);
  parameters.errors.chains = {n / 4, 3 * n / 4};
  EXPECT_NEAR(analysed(series[0], parameters).statistical, with.statistical, 0.1 * with.statistical);
}

/// Two states: fits of one state from late times and of two from early ones, averaged.
TEST(Series, FitsOfOneAndTwoStatesAreAveraged) {
  const auto series = collected({array_of("meson", "even", test::spectrum({0.4, 1.1}, {1, 1}, 24, 1, 24), 200, 1)});
  AnalyzeParameters parameters;
  parameters.fit.points = 5;
  const SeriesResult one = analysed(series[0], parameters);
  parameters.fit.states = 0;
  parameters.check();
  const SeriesResult both = analysed(series[0], parameters);
  ASSERT_EQ(both.problem, "");
  EXPECT_NEAR(both.energy.mean, 0.4, 4 * both.energy.error);
  EXPECT_GT(both.n_fits, one.n_fits);
  EXPECT_EQ(both.best->n_states, 2) << "from early times, of which they use more";
  EXPECT_LT(both.best->first, one.best->first);
  EXPECT_LT(both.energy.error, 0.01);
}

TEST(Series, ThreePointFunctionsAndLoopsHaveNoEnergy) {
  for (const char* kind : {"three-point", "loop"}) {
    const std::vector<double> c = test::spectrum({0.4}, {1}, 24, 1, 24);
    for (const char* fold : {"automatic", "even", "none"})
      for (const int n : {1, 10}) {
        AnalyzeParameters parameters;
        parameters.data.fold = fold;
        const SeriesResult r = analysed(collected({array_of(kind, "pion", c, n, 1)})[0], parameters);
        EXPECT_NE(r.problem.find(n > 1 ? "no energy" : "two samples"), std::string::npos);
        EXPECT_TRUE(r.effective.empty());
        EXPECT_EQ(r.sign, 0);
        ASSERT_EQ(r.mean.size(), c.size());
        for (std::size_t t = 0; t < c.size(); ++t) {
          EXPECT_NEAR(r.mean[t].mean, c[t], 0.02 * c[t]) << t;
          EXPECT_EQ(r.mean[t].error > 0, n > 1) << t;
        }
      }
  }
}

TEST(Series, ChainsThatDoNotAddUpAreAProblemOfTheirSeries) {
  const std::vector<double> c = test::spectrum({0.4}, {1}, 24, 1, 24);
  const auto series = collected({array_of("meson", "whole", c, 40, 1), array_of("meson", "part", c, 39, 2)});
  for (const char* method : {"gamma", "jackknife"}) {
    AnalyzeParameters parameters;
    parameters.errors.method = method;
    parameters.errors.chains = {30, 10};
    EXPECT_EQ(analysed(series[0], parameters).problem, "");
    const SeriesResult part = analysed(series[1], parameters);
    EXPECT_EQ(part.problem, "errors.chains add up to 40, but there are 39 samples");
    EXPECT_NEAR(part.mean[1].mean, c[1], 0.1 * c[1]);
    EXPECT_TRUE(std::isnan(part.mean[1].error));
  }
}

/// The vector current in a pion is odd in the momentum along it.
TEST(Series, MomentaOfCurrentsAreNotAveraged) {
  for (const auto& [kind, n] : std::vector<std::pair<std::string, std::size_t>>{
           {"three-point", 2}, {"loop", 2}, {"conserved current", 2}, {"meson", 1}, {"baryon", 1}, {"correlator", 1}}) {
    CorrelatorArray a{.head = {.kind = kind, .channel = "rho_z"}, .momenta = {{0, 0, 1}, {0, 0, -1}}, .n_times = 1};
    a.configurations = {"x"};
    a.sources = {{0, 0, 0, 0}};
    a.values = {1, -1};
    const auto series = collected({a});
    ASSERT_EQ(series.size(), n) << kind;
    EXPECT_EQ(series[0].values[0].real(), n == 2 ? 1 : 0) << kind;
    EXPECT_EQ(series.back().values[0].real(), n == 2 ? -1 : 0) << kind;
  }
}

TEST(Series, NoiseAndFewSamplesSayWhyThereIsNoEnergy) {
  const std::vector<double> zero(24, 0.0);
  const AnalyzeParameters parameters;
  EXPECT_NE(analysed(collected({array_of("meson", "z", zero, 10, 1)})[0], parameters).problem, "");
  const auto one = collected({array_of("meson", "one", test::spectrum({0.4}, {1}, 24, 1, 24), 1, 1)});
  const SeriesResult r = analysed(one[0], parameters);
  EXPECT_NE(r.problem.find("two samples"), std::string::npos);
  EXPECT_NEAR(r.effective[2].mean, 0.4, 0.05);
  EXPECT_TRUE(std::isnan(r.effective[2].error));
}

TEST(Series, EquivalentMomentaSourcesAndFilesAreAveraged) {
  CorrelatorArray a{.head = {.kind = "meson", .channel = "c"}, .momenta = {{1, 0, 0}, {0, -1, 0}}, .n_times = 1};
  a.configurations = {"x", "x", "y"};
  a.sources = {{0, 0, 0, 0}, {0, 0, 0, 4}, {0, 0, 0, 0}};
  a.values = {1, 2, 3, 4, 5, 6};
  CorrelatorArray b{.head = a.head, .momenta = {{0, 0, 1}}, .n_times = 1};
  b.configurations = {"y"};
  b.sources = {{0, 0, 0, 0}};
  b.values = {13};
  const auto series = collected({a, b});
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].samples, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(series[0].values[0].real(), 2.5);
  EXPECT_EQ(series[0].values[1].real(), 8);
  EXPECT_THROW(collected({a, a}), InputError) << "counts twice";
  b.n_times = 2;
  b.values = {1, 2};
  EXPECT_THROW(collected({a, b}), InputError);
  EXPECT_THROW(SeriesCollector(true, {}).take(), InputError);
}

TEST(Series, SourcesAreSamplesOfASingleConfiguration) {
  CorrelatorArray a{.head = {.kind = "meson", .channel = "c"}, .momenta = {{0, 0, 0}}, .n_times = 1};
  a.configurations = {"x", "x"};
  a.sources = {{0, 0, 0, 0}, {0, 0, 0, 4}};
  a.values = {1, 2};
  EXPECT_EQ(collected({a})[0].samples.size(), 2u);
}

TEST(GevpOfSeries, SignsMakeTheMatrixPositive) {
  // eta of g4 Gamma^+ g4 = eta Gamma, by the matrices themselves.
  for (int n = 0; n < 16; ++n) {
    const Gamma g = Gamma::number(n), four = Gamma::direction(3);
    const bool same = four * g.adjoint() * four == g;
    EXPECT_EQ(source_sign(meson_names()[std::size_t(n)]), same ? -1 : 1) << n;
  }
  EXPECT_EQ(source_sign("something"), 1);
  EXPECT_EQ(source_sign("pion"), 1);
}

TEST(GevpOfSeries, FindsTheEnergiesOfAPeriodicMatrix) {
  // Two operators, two states, of which pion_A4 is odd under time reflection relative to pion.
  const double z[2][2] = {{1, 0.6}, {0.5, -1}}, energy[2] = {0.5, 1.3};
  const std::vector<std::string> names{"pion", "pion_A4"};
  std::vector<CorrelatorArray> arrays;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      const int mirror = i == j ? 1 : -1;
      std::vector<double> c =
          test::spectrum({energy[0], energy[1]}, {z[0][i] * z[0][j], z[1][i] * z[1][j]}, 48, mirror, 48);
      for (double& v : c) v *= source_sign(names[j]);
      arrays.push_back(array_of("meson", names[i] + "-" + names[j], c, 40, 9));
    }
  const auto series = collected(arrays);
  AnalyzeParameters parameters;
  parameters.gevp.operators = names;
  const auto found = gevp_results(series, parameters);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].checks.positive() && found[0].checks.interlacing()) << found[0].checks.text();
  for (std::size_t t = 1; t < 4; ++t)
    for (std::size_t n = 0; n < 2; ++n) {
      const Estimate e = found[0].solution.energies.estimate(t * 2 + n);
      EXPECT_NEAR(e.mean, energy[n], 5 * e.error + 1e-3) << t << " " << n;
    }
  parameters.gevp.operators = {"pion", "a0"};
  EXPECT_THROW(gevp_results(series, parameters), InputError);
}

TEST(AnalyzeParameters, MistakesAreNamed) {
  AnalyzeParameters p;
  p.check();
  p.fit.points = 2;
  EXPECT_THROW(p.check(), InputError);
  p = {};
  p.fit.states = 3;
  EXPECT_THROW(p.check(), InputError);
  p = {};
  p.gevp.operators = {"pion"};
  EXPECT_THROW(p.check(), InputError);
  p = {};
  p.errors.bin = 0;
  EXPECT_THROW(p.check(), InputError);
  p = {};
  p.errors.method = "gamma";
  p.check();
  p.errors.bin = 2;
  EXPECT_THROW(p.check(), InputError);
  p = {};
  p.errors.s = 0;
  EXPECT_THROW(p.check(), InputError);
  p = {};
  p.errors.chains = {10, 2};
  EXPECT_THROW(p.check(), InputError);
  p.errors.chains = {10, 20};
  p.check();
  p.errors.method = "bootstrap";
  EXPECT_THROW(p.check(), InputError);
}

}  // namespace

}  // namespace kov::app
