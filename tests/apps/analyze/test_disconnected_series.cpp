// SPDX-License-Identifier: MIT
//
// Disconnected and isoscalar correlators from series of quark loops.
#include "apps/analyze/disconnected_series.hpp"
#include "apps/analyze/series_analysis.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/site/random.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace kov::app {

namespace disconnected_test {

using Number = std::complex<double>;

constexpr Coord extent{2, 3, 2, 6};
constexpr double volume = 12;

CorrelatorSeries series_of(const std::string& kind, const std::string& channel, const Momentum& p, int n_samples,
                           std::size_t n_times) {
  CorrelatorSeries s{.kind = kind, .channel = channel, .momentum = p, .labels = {{"kappa", 0.15}}, .n_times = n_times};
  for (int i = 0; i < n_samples; ++i) s.samples.push_back("conf." + std::to_string(i));
  s.values.resize(s.samples.size() * n_times);
  return s;
}

CorrelatorSeries noise_series(const std::string& kind, const std::string& channel, const Momentum& p, int hit,
                              std::uint32_t stream, int n_samples = 5) {
  CorrelatorSeries s = series_of(kind, channel, p, n_samples, extent[3]);
  SiteRandom random(7, stream, 0);
  for (Number& z : s.values) {
    const auto x = random.normal_pair();
    z = Number(2 + x.first, 1 + x.second);
  }
  if (kind == "loop") s.labels["hit"] = std::int64_t(hit);
  return s;
}

const CorrelatorSeries& named(const std::vector<CorrelatorSeries>& all, const std::string& kind, const Momentum& p) {
  for (const CorrelatorSeries& s : all)
    if (s.kind == kind && s.momentum == p) return s;
  throw InputError("no series of this kind");
}

/// 1 / (V T) sum over t0 and pairs of hits, configuration by configuration, less the loops of different ones.
Number naive(const std::vector<CorrelatorSeries>& sinks, const std::vector<CorrelatorSeries>& sources, std::size_t t,
             std::size_t without, bool exact, bool at_rest) {
  const std::size_t n_times = extent[3], n = sinks[0].samples.size();
  Number product = 0, vacuum = 0;
  double n_products = 0, n_vacuum = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == without || j == without) continue;
      for (std::size_t a = 0; a < sinks.size(); ++a)
        for (std::size_t b = 0; b < sources.size(); ++b)
          for (std::size_t t0 = 0; t0 < n_times; ++t0) {
            const Number sink = sinks[a].values[i * n_times + (t0 + t) % n_times];
            if (i == j && (exact || a != b)) {
              product += sink * sources[b].values[j * n_times + t0];
              ++n_products;
            }
            if (i != j)
              for (std::size_t t1 = 0; t1 < n_times; ++t1) {
                vacuum += sink * sources[b].values[j * n_times + t1];
                ++n_vacuum;
              }
          }
    }
  return (product / n_products - (at_rest ? vacuum / n_vacuum : 0)) / volume;
}

TEST(Disconnected, CorrelatorsAreThoseOfANaiveSum) {
  const Momentum rest{0, 0, 0}, p{1, 0, 0}, back{-1, 0, 0};
  std::map<std::pair<std::string, Momentum>, std::vector<CorrelatorSeries>> loops;
  std::vector<CorrelatorSeries> all;
  std::uint32_t stream = 0;
  for (const char* channel : {"pion", "a0"})
    for (const Momentum& momentum : {rest, p, back})
      for (int hit = 0; hit < 3; ++hit) {
        all.push_back(noise_series("loop", channel, momentum, hit, ++stream));
        loops[{channel, momentum}].push_back(all.back());
      }
  std::reverse(all.begin(), all.begin() + 3);  // files need not have hits in one order
  const CorrelatorSeries connected = noise_series("meson", "pion-a0", rest, 0, ++stream);
  all.push_back(connected);
  for (const bool exact : {false, true}) {
    AnalyzeParameters parameters;
    parameters.data.average_momenta = false;
    parameters.data.fold = "none";
    parameters.data.part = "real";
    parameters.disconnected = {{"pion-a0"}, 3, exact};
    std::vector<CorrelatorSeries> found = all;
    add_disconnected(found, parameters, extent);
    ASSERT_EQ(found.size(), all.size() + 4) << "three momenta, and an isoscalar one at rest";
    for (const char* kind : {"disconnected", "isoscalar"})
      for (const Momentum& momentum : {rest, p, back}) {
        const bool isoscalar = kind == std::string("isoscalar");
        if (isoscalar && momentum != rest) continue;
        const CorrelatorSeries& s = named(found, kind, momentum);
        EXPECT_EQ(s.channel, std::string("pion-a0 ") + kind);
        EXPECT_FALSE(s.labels.contains("hit"));
        const SeriesResult result = analysed(s, parameters);
        const Momentum source{-momentum[0], -momentum[1], -momentum[2]};
        const auto expected = [&](std::size_t t, std::size_t without) {
          const Number d = naive(loops[{"pion", momentum}], loops[{"a0", source}], t, without, exact, momentum == rest);
          if (!isoscalar) return d.real();
          double sum = 0;
          for (std::size_t i = 0; i < 5; ++i)
            if (i != without) sum += connected.values[i * 6 + t].real();
          return sum / (without < 5 ? 4 : 5) - 3 * d.real();
        };
        ASSERT_EQ(result.mean.size(), 6u);
        for (std::size_t t = 0; t < 6; ++t) {
          double replicas[5], centre = 0, squares = 0;
          for (std::size_t k = 0; k < 5; ++k) centre += (replicas[k] = expected(t, k)) / 5;
          for (const double f : replicas) squares += (f - centre) * (f - centre);
          EXPECT_NEAR(result.mean[t].mean, expected(t, 5), 1e-13) << kind << " " << t;
          EXPECT_NEAR(result.mean[t].error, std::sqrt(0.8 * squares), 1e-13) << kind << " " << t;
        }
      }
  }
}

/// Loops of a particle of energy E in time above a vacuum of 10, with noise that is the same at all times of a hit.
std::vector<CorrelatorSeries> particle_loops(double energy, int n_samples, std::size_t n_times, double noise) {
  std::vector<CorrelatorSeries> hits;
  for (int hit = 0; hit < 2; ++hit) {
    hits.push_back(series_of("loop", "pion", {0, 0, 0}, n_samples, n_times));
    hits.back().labels["hit"] = std::int64_t(hit);
  }
  for (int i = 0; i < n_samples; ++i) {
    SiteRandom random(11, 0, std::uint64_t(i));
    std::vector<double> loop(n_times, 10.0);
    for (std::size_t k = 0; k < n_times; ++k) {
      const auto amplitude = random.normal_pair();
      const auto angle = [&](std::size_t t) { return 2 * std::numbers::pi * double(k * t) / double(n_times); };
      double power = 0;
      for (std::size_t t = 0; t < n_times; ++t)
        power += (std::exp(-energy * double(t)) + std::exp(-energy * double(n_times - t))) * std::cos(angle(t));
      for (std::size_t t = 0; t < n_times; ++t)
        loop[t] += std::sqrt(power / double(n_times)) *
                   (amplitude.first * std::cos(angle(t)) + amplitude.second * std::sin(angle(t)));
    }
    for (CorrelatorSeries& s : hits) {
      const double common = noise * random.normal_pair().first;
      for (std::size_t t = 0; t < n_times; ++t) s.values[std::size_t(i) * n_times + t] = loop[t] + common;
    }
  }
  return hits;
}

TEST(Disconnected, EnergyOfAParticleAboveTheVacuum) {
  constexpr Coord box{1, 1, 1, 16};
  const std::vector<CorrelatorSeries> loops = particle_loops(0.5, 2000, 16, 0.7);
  AnalyzeParameters parameters;
  parameters.disconnected.channels = {"pi*"};
  parameters.fit.noise = 0.5;
  for (const char* method : {"jackknife", "bootstrap", "gamma"}) {
    parameters.errors.method = method;
    parameters.errors.replicas = 100;
    std::vector<CorrelatorSeries> series = loops;
    add_disconnected(series, parameters, box);
    const SeriesResult r = analysed(series.back(), parameters);
    ASSERT_EQ(r.problem, "") << method;
    EXPECT_EQ(r.form, FitForm::cosh);
    EXPECT_NEAR(r.energy.mean, 0.5, 4 * r.energy.error) << method;
    EXPECT_LT(r.energy.error, 0.1) << method;
    EXPECT_NEAR(r.mean[0].mean, 1, 4 * r.mean[0].error) << method;
    EXPECT_NEAR(r.mean[8].mean, 2 * std::exp(-4.0), 4 * r.mean[8].error) << method << ": nothing of the vacuum's 100";
    EXPECT_LT(r.mean[8].error, 0.1) << method;
  }
  // With itself a hit's noise of variance 0.49 is in half of the pairs.
  parameters.errors.method = "jackknife";
  parameters.disconnected.exact = true;
  std::vector<CorrelatorSeries> series = loops;
  add_disconnected(series, parameters, box);
  const SeriesResult r = analysed(series.back(), parameters);
  EXPECT_NEAR(r.mean[8].mean, 2 * std::exp(-4.0) + 0.245, 4 * r.mean[8].error);
}

TEST(Disconnected, LoopsOfOneHitEachHaveAProductWhereTheirHitsDiffer) {
  const Momentum rest{0, 0, 0};
  AnalyzeParameters parameters;
  parameters.data.fold = "none";
  parameters.data.part = "real";
  parameters.disconnected.channels = {"pion-a0"};
  std::vector<CorrelatorSeries> all{noise_series("loop", "pion", rest, 0, 1), noise_series("loop", "a0", rest, 1, 2)};
  const std::vector<CorrelatorSeries> pion{all[0]}, a0{all[1]};
  std::vector<CorrelatorSeries> found = all;
  add_disconnected(found, parameters, extent);
  ASSERT_EQ(found.size(), 3u);
  const SeriesResult result = analysed(found.back(), parameters);
  for (std::size_t t = 0; t < 6; ++t)
    EXPECT_NEAR(result.mean[t].mean, naive(pion, a0, t, 5, true, true).real(), 1e-13) << t;
  const auto expect_refused = [&] {
    found = all;
    EXPECT_THROW(add_disconnected(found, parameters, extent), InputError);
  };
  all[1].labels["hit"] = std::int64_t(0);
  expect_refused();
  for (CorrelatorSeries& s : all) s.labels.erase("hit");
  expect_refused();
}

TEST(Disconnected, EquivalentMomentaAreAveraged) {
  AnalyzeParameters parameters;
  parameters.disconnected.channels = {"pion"};
  std::vector<CorrelatorSeries> all;
  std::uint32_t stream = 0;
  for (const Momentum& p : {Momentum{0, 0, 1}, Momentum{0, 0, -1}, Momentum{0, 1, 0}})
    for (int hit = 0; hit < 2; ++hit) all.push_back(noise_series("loop", "pion", p, hit, ++stream));
  auto averaged = all, single = all;
  add_disconnected(averaged, parameters, {4, 4, 4, 6});
  parameters.data.average_momenta = false;
  add_disconnected(single, parameters, {4, 4, 4, 6});
  ASSERT_EQ(averaged.size(), all.size() + 1) << "the opposite of 0 1 0 is not there";
  ASSERT_EQ(single.size(), all.size() + 2);
  EXPECT_EQ(averaged.back().momentum, (Momentum{1, 0, 0}));
  EXPECT_TRUE(averaged.back().vacuum.empty()) << "there is none but at rest";
  for (std::size_t i = 0; i < averaged.back().values.size(); ++i) {
    const Number mean = 0.5 * (single[all.size()].values[i] + single[all.size() + 1].values[i]);
    EXPECT_NEAR(std::abs(averaged.back().values[i] - mean), 0, 1e-14);
  }
}

TEST(Disconnected, ConnectedPartsHaveTheQuarksOfTheLoopsAndPointSources) {
  AnalyzeParameters parameters;
  parameters.disconnected = {{"pion"}, 2, false};
  std::vector<CorrelatorSeries> all;
  for (int hit = 0; hit < 2; ++hit) all.push_back(noise_series("loop", "pion", {0, 0, 0}, hit, std::uint32_t(hit)));
  for (CorrelatorSeries& s : all) s.labels["quarks"] = "light";
  all.push_back(noise_series("meson", "pion-pion", {0, 0, 0}, 0, 5));
  CorrelatorSeries& c = all.back();
  c.labels["quarks"] = "light-light";
  c.labels["sink_smearing"] = "none";
  const auto n_isoscalar = [&] {
    std::vector<CorrelatorSeries> found = all;
    add_disconnected(found, parameters, extent);
    return std::count_if(found.begin(), found.end(), [](const CorrelatorSeries& s) { return s.kind == "isoscalar"; });
  };
  EXPECT_EQ(n_isoscalar(), 1);
  const auto none_with = [&](const char* label, const LabelValue& value) {
    const auto kept = c.labels;
    c.labels[label] = value;
    EXPECT_THROW(n_isoscalar(), InputError) << label;
    c.labels = kept;
  };
  none_with("quarks", "light-strange");
  none_with("sink_smearing", "wuppertal");
  none_with("source_smearing", "wuppertal");
  none_with("kappa", 0.16);
  for (const char* type : {"wall", "momentum", "grid", "noise", "unknown"}) none_with("source_type", type);
  none_with("source_type_2", "wall");
  none_with("source_smearing_1", "wuppertal");
  c.labels["source_type"] = "point";
  EXPECT_EQ(n_isoscalar(), 1);
  c.samples.back() = "another";
  EXPECT_THROW(n_isoscalar(), InputError);
}

TEST(Disconnected, WhatCannotBeIsRefused) {
  const auto refused = [](const std::vector<std::string>& channels, int n_hits, int n_samples, const Coord& box,
                          const std::string& says) {
    AnalyzeParameters parameters;
    parameters.disconnected.channels = channels;
    std::vector<CorrelatorSeries> all;
    for (int hit = 0; hit < n_hits; ++hit)
      all.push_back(noise_series("loop", "pion", {0, 0, 0}, hit, std::uint32_t(hit), n_samples));
    try {
      add_disconnected(all, parameters, box);
      ADD_FAILURE() << says;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  refused({"pion"}, 1, 5, extent, "one hit");
  refused({"pion"}, 2, 1, extent, "two configurations");
  refused({"pion"}, 2, 5, {0, 0, 0, 0}, "data.extent");
  refused({"pion-a0"}, 2, 5, extent, "pion-a0");
  refused({"pion"}, 0, 5, extent, "loops.hits");
  AnalyzeParameters parameters;
  parameters.disconnected.flavours = 2;
  EXPECT_THROW(parameters.check(), InputError);
  parameters.disconnected.channels = {"pion"};
  parameters.check();
  parameters.disconnected.flavours = -1;
  EXPECT_THROW(parameters.check(), InputError);
  // Two configurations have a mean, but no error.
  std::vector<CorrelatorSeries> two;
  for (int hit = 0; hit < 2; ++hit) two.push_back(noise_series("loop", "pion", {0, 0, 0}, hit, std::uint32_t(hit), 2));
  parameters.disconnected.flavours = 0;
  add_disconnected(two, parameters, extent);
  const SeriesResult r = analysed(two.back(), parameters);
  EXPECT_NE(r.problem.find("three samples"), std::string::npos) << r.problem;
  EXPECT_TRUE(std::isfinite(r.mean[0].mean));
}

}  // namespace disconnected_test

}  // namespace kov::app
