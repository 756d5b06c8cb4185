// SPDX-License-Identifier: MIT
//
// Matrix elements of currents from series of three-point and two-point functions.
#include "apps/analyze/analyze_results.hpp"
#include "apps/analyze/ratio_analysis.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/site/random.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace kov::app {

namespace ratio_analysis_test {

constexpr Coord extent{8, 8, 8, 24};
constexpr int n_samples = 40;
using Labels = std::map<std::string, LabelValue>;

double energy_at(const Momentum& p) { return std::sqrt(0.16 + 0.35 * double(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])); }
double overlap_at(const Momentum& p) { return 1 + 0.2 * energy_at(p); }

/// A number of each configuration that multiplies all correlators, and noise of its own of each number.
CorrelatorSeries series_of(CorrelatorSeries head, const std::function<std::complex<double>(int t)>& value, double noise,
                           std::uint32_t stream) {
  head.n_times = std::size_t(extent[3]);
  for (int i = 0; i < n_samples; ++i) {
    head.samples.push_back(std::to_string(i));
    SiteRandom common(1, 0, std::uint64_t(i)), own(2, stream, std::uint64_t(i));
    const double factor = 1 + 0.2 * common.normal_pair().first;
    for (int t = 0; t < extent[3]; ++t)
      head.values.push_back(value(t) * factor * (1 + noise * own.normal_pair().first));
  }
  return head;
}

CorrelatorSeries two_point(const std::string& channel, const Momentum& p, const Labels& labels, double weight,
                           double noise, std::uint32_t stream) {
  const double e = energy_at(p), z = overlap_at(p);
  return series_of(
      {.kind = "baryon", .channel = channel, .momentum = p, .labels = labels},
      [=](int t) { return weight * z * z / (2 * e) * std::exp(-e * t); }, noise, stream);
}

CorrelatorSeries three_point(const std::string& hadron, const Momentum& q, const Momentum& sink, int t_sink,
                             Labels labels, std::complex<double> element, double noise, std::uint32_t stream) {
  const Momentum source{sink[0] + q[0], sink[1] + q[1], sink[2] + q[2]};
  labels["hadron"] = hadron;
  labels["quark"] = "q";
  labels["sink_time"] = std::int64_t(t_sink);
  labels["sink_momentum"] = to_string(sink);
  const double e = energy_at(source), e_sink = energy_at(sink), z = overlap_at(source) * overlap_at(sink);
  return series_of(
      {.kind = "three-point", .channel = "a0_g4", .momentum = q, .labels = labels},
      [=](int t) { return z * element / (4 * e * e_sink) * std::exp(-e_sink * (t_sink - t) - e * t); }, noise, stream);
}

TEST(Ratios, MatrixElementsAreThoseOfTheSpectrum) {
  const Labels labels{{"source_smearing", "wuppertal"}, {"sink_smearing", "wuppertal"}};
  const Momentum rest{0, 0, 0}, q{0, 0, 1}, sink{1, 0, 0}, twice{2, 0, 0};
  for (const double noise : {0.0, 0.005}) {
    std::vector<CorrelatorSeries> series;
    std::uint32_t stream = 0;
    for (const Momentum& p : {rest, Momentum{1, 0, 0}, Momentum{1, 1, 0}, twice})
      series.push_back(two_point("nucleon", p, labels, 1, noise, ++stream));
    const auto add = [&](const Momentum& transfer, const Momentum& p, std::complex<double> element) {
      for (const int t_sink : {9, 6, 8})
        series.push_back(three_point("nucleon", transfer, p, t_sink, labels, element, noise, ++stream));
    };
    add(rest, rest, 0.9);
    add(q, rest, {0, -1.4});  // p = 0 0 1, whose mean with 1 0 0 is measured
    add(q, sink, 0.5);        // p = 1 0 1
    add(sink, sink, 0.7);     // p = p' + q = 2 0 0, where p' - q is at rest
    AnalyzeParameters parameters;
    for (const char* method : {"jackknife", "bootstrap", "gamma"}) {
      parameters.errors.method = method;
      parameters.errors.replicas = 200;
      const std::vector<RatioResult> found = ratios_of(series, parameters, extent);
      ASSERT_EQ(found.size(), 4u);
      const double e0 = energy_at(rest), e1 = energy_at(q), e2 = energy_at({1, 0, 1}), e4 = energy_at(twice);
      const double expected[] = {0.9 / (2 * e0), -1.4 / (2 * std::sqrt(e0 * e1)), 0.5 / (2 * std::sqrt(e1 * e2)),
                                 0.7 / (2 * std::sqrt(e1 * e4))};
      for (std::size_t k = 0; k < 4; ++k) {
        const RatioResult& r = found[k];
        ASSERT_EQ(r.problem, "");
        EXPECT_EQ(r.imaginary, k == 1);
        EXPECT_FALSE(r.head.labels.contains("sink_time"));
        ASSERT_EQ(r.sinks.size(), 3u);
        for (std::size_t s = 0; s < 3; ++s) {
          const SinkTimeRatio& at = r.sinks[s];
          EXPECT_EQ(at.t_sink, s == 0 ? 6 : s == 1 ? 8 : 9);
          ASSERT_EQ(at.ratio.size(), std::size_t(at.t_sink) + 1);
          for (const Estimate& e : at.ratio) EXPECT_NEAR(e.mean, expected[k], 5 * e.error + 1e-12);
          EXPECT_NEAR(at.plateau.mean, expected[k], 4 * at.plateau.error + 1e-12) << method << " " << k;
          if (noise > 0) {
            EXPECT_LT(at.plateau.error, 0.02 * std::abs(expected[k]));
            EXPECT_GT(at.plateau.error, 0);
          }
        }
        EXPECT_NEAR(r.sum.mean, expected[k], 4 * r.sum.error + 1e-11);
        if (noise == 0) {
          EXPECT_LT(r.sum.error, 1e-11);
        }
      }
    }
  }
}

TEST(Ratios, ComponentsOfABaryonAreAddedAndMesonsHaveTheirChannel) {
  std::vector<CorrelatorSeries> series{
      two_point("proton_up", {0, 0, 0}, {}, 0.4, 0, 1), two_point("proton_dn", {0, 0, 0}, {}, 0.6, 0, 2),
      two_point("pion-pion", {0, 0, 0}, {}, 1, 0, 3), three_point("proton", {0, 0, 0}, {0, 0, 0}, 8, {}, 1, 0, 4),
      three_point("pion", {0, 0, 0}, {0, 0, 0}, 8, {}, 1, 0, 5)};
  const auto found = ratios_of(series, AnalyzeParameters{}, extent);
  ASSERT_EQ(found.size(), 2u);
  for (const RatioResult& r : found) {
    ASSERT_EQ(r.problem, "");
    EXPECT_NEAR(r.sinks[0].plateau.mean, 1 / (2 * energy_at({0, 0, 0})), 1e-12);
    EXPECT_TRUE(std::isnan(r.sum.mean)) << "of one time of the sink";
  }
}

TEST(Ratios, WhatIsMissingIsSaid) {
  const Momentum rest{0, 0, 0}, q{0, 0, 1};
  const auto problem = [&](const std::vector<CorrelatorSeries>& series, AnalyzeParameters parameters = {}) {
    const auto found = ratios_of(series, parameters, extent);
    return found.empty() ? std::string("no ratio") : found.back().problem;
  };
  const CorrelatorSeries c3 = three_point("nucleon", rest, rest, 8, {}, 1, 0, 1),
                         moving = three_point("nucleon", q, rest, 8, {}, 1, 0, 1),
                         c2 = two_point("nucleon", rest, {}, 1, 0, 2);
  EXPECT_EQ(problem({c2}), "no ratio");
  EXPECT_EQ(problem({c3, c2}), "");
  EXPECT_NE(problem({c3}).find("no two-point function nucleon"), std::string::npos);
  EXPECT_NE(problem({c2, moving}).find("0 0 1"), std::string::npos);
  CorrelatorSeries other = c2;
  other.samples.back() = "another";
  EXPECT_NE(problem({other, c3}).find("different configurations"), std::string::npos);
  AnalyzeParameters binned;
  binned.errors.bin = n_samples;
  EXPECT_NE(problem({c3, c2}, binned).find("two samples"), std::string::npos);
  const Labels labels{{"source_smearing", "wuppertal"}, {"sink_smearing", "none"}};
  const std::vector<CorrelatorSeries> smeared{two_point("nucleon", rest, labels, 1, 0, 1),
                                              two_point("nucleon", {1, 0, 0}, labels, 1, 0, 2),
                                              three_point("nucleon", q, rest, 8, labels, 1, 0, 3)};
  EXPECT_NE(problem(smeared).find("different smearings"), std::string::npos);
  CorrelatorSeries nameless = c3;
  nameless.labels.erase("hadron");
  EXPECT_NE(problem({c2, nameless}).find("hadron"), std::string::npos);
  CorrelatorSeries text = c3;
  text.labels["sink_time"] = "8";
  EXPECT_EQ(problem({c2, text}), "") << "as mappings have it";
  AnalyzeParameters parameters;
  parameters.ratio.skip = -1;
  EXPECT_THROW(parameters.check(), InputError);
}

TEST(Ratios, WhatLeavesNoPlateauIsSaid) {
  const Momentum rest{0, 0, 0};
  CorrelatorSeries c2 = two_point("nucleon", rest, {}, 1, 0, 1);
  const std::vector<CorrelatorSeries> series{c2, three_point("nucleon", rest, rest, 4, {}, 1, 0, 2),
                                             three_point("nucleon", rest, rest, 9, {}, 1, 0, 3)};
  AnalyzeParameters parameters;
  for (const int skip : {3, 5, 1 << 30}) {
    parameters.ratio.skip = skip;
    const std::vector<RatioResult> found = ratios_of(series, parameters, extent);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].problem, "") << "there are ratios";
    const SinkTimeRatio &early = found[0].sinks[0], &late = found[0].sinks[1];
    EXPECT_NE(early.problem.find("ratio.skip is " + std::to_string(skip)), std::string::npos) << early.problem;
    EXPECT_NE(early.problem.find("at most 2"), std::string::npos) << early.problem;
    EXPECT_EQ(late.problem.empty(), skip == 3) << late.problem;
    EXPECT_EQ(std::isfinite(late.plateau.mean), skip == 3);
    EXPECT_NE(found[0].sum_problem, "") << "of one plateau";
    AnalysisResults all;
    all.ratios = found;
    EXPECT_NE(ratio_table(all, 0).find(early.problem), std::string::npos);
  }
  // A root of a negative number.
  parameters.ratio.skip = 1;
  CorrelatorSeries moving = two_point("nucleon", {0, 0, 1}, {}, 1, 0, 4);
  for (std::size_t i = 0; i < moving.samples.size(); ++i) moving.values[i * moving.n_times + 2] *= -1;
  const auto found =
      ratios_of({c2, moving, three_point("nucleon", {0, 0, 1}, rest, 9, {}, 1, 0, 3)}, parameters, extent);
  EXPECT_NE(found[0].sinks[0].problem.find("tau = 2"), std::string::npos) << found[0].sinks[0].problem;
}

}  // namespace ratio_analysis_test

}  // namespace kov::app
