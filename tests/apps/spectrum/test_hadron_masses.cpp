// SPDX-License-Identifier: MIT
#include "apps/spectrum/hadron_masses.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov::app {

namespace {

/// Correlators of n configurations and two sources with exact masses, amplitudes that differ from one to the next.
std::vector<Correlator> exact(int n_configurations, int n_times, double pion, double rho, double nucleon) {
  std::vector<Correlator> all;
  const auto add = [&](const std::string& channel, const std::string& configuration, int source, auto value) {
    Correlator c{.kind = "x", .channel = channel, .source = {0, 0, 0, source}};
    c.labels = {{"configuration", configuration}, {"sink_smearing", "none"}};
    for (int t = 0; t < n_times; ++t) c.value.emplace_back(value(t), 0.3);
    all.push_back(c);
    c.labels["sink_smearing"] = "wuppertal";  // not asked for
    for (auto& z : c.value) z = 77;
    all.push_back(c);
  };
  for (int k = 0; k < n_configurations; ++k)
    for (int source = 0; source < 2; ++source) {
      const double amplitude = 1 + 0.1 * k + 0.03 * source;
      const std::string name = std::string("c").append(std::to_string(k));
      const auto cosh_of = [&](double m) {
        return [=](int t) { return amplitude * std::cosh(m * (n_times / 2 - t)); };
      };
      add("pion-pion", name, source, cosh_of(pion));
      for (const char* channel : {"rho_x-rho_x", "rho_y-rho_y", "rho_z-rho_z"})
        add(channel, name, source, cosh_of(rho));
      add("nucleon", name, source, [=](int t) { return amplitude * std::exp(-nucleon * t); });
    }
  return all;
}

}  // namespace

TEST(HadronMasses, ExactExponentialsGiveExactMasses) {
  SpectrumParameters::Analysis analysis;
  for (const int n : {1, 4}) {  // one configuration: the sources are the samples
    const auto masses = hadron_masses(exact(n, 16, 0.5, 0.7, 1.1), "none", analysis, 16);
    ASSERT_EQ(masses.size(), 3u);
    const double expected[3] = {0.5, 0.7, 1.1};
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(masses[std::size_t(k)].plateau.mean, expected[k], 1e-10) << masses[std::size_t(k)].name;
      EXPECT_NEAR(masses[std::size_t(k)].plateau.error, 0, 1e-10);
    }
  }
}

TEST(HadronMasses, TheNucleonIsFoundAmongAllBaryons) {
  auto correlators = exact(4, 16, 0.5, 0.7, 1.1);
  const auto want = hadron_masses(correlators, "none", {}, 16);
  for (auto& c : correlators)
    if (c.channel == "nucleon") c.channel = "proton_unpol_cg5";
  const auto found = hadron_masses(correlators, "none", {}, 16);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[2].name, "nucleon");
  EXPECT_EQ(found[2].plateau.mean, want[2].plateau.mean);
}

TEST(HadronMasses, OneSampleHasMassesWithoutErrors) {
  auto correlators = exact(1, 16, 0.5, 0.7, 1.1);
  std::erase_if(correlators, [](const Correlator& c) { return c.source[3] == 1; });
  const auto masses = hadron_masses(correlators, "none", {}, 16);
  ASSERT_EQ(masses.size(), 3u);
  EXPECT_NEAR(masses[0].plateau.mean, 0.5, 1e-10);
  EXPECT_TRUE(std::isnan(masses[0].plateau.error));
  EXPECT_EQ(error_samples(correlators, {}).heading(),
            "no errors, which take two samples: one source on one configuration");
  EXPECT_NE(error_samples(correlators, {}).warning(), "");
}

TEST(HadronMasses, ShortLatticesShortenTheWindowAndNoiseGivesADash) {
  auto correlators = exact(3, 8, 0.5, 0.7, 1.1);
  for (auto& c : correlators)
    if (c.channel == "nucleon")
      for (std::size_t t = 0; t < c.value.size(); ++t) c.value[t] = t % 2 ? -1 : 1;
  const auto masses = hadron_masses(correlators, "none", {}, 8);
  ASSERT_EQ(masses.size(), 3u);
  EXPECT_LT(masses[0].last, 4);
  EXPECT_NEAR(masses[0].plateau.mean, 0.5, 1e-10);
  EXPECT_TRUE(std::isnan(masses[2].plateau.mean));
  EXPECT_EQ(with_error(masses[2].plateau), "-");
  const std::string table = mass_table(masses);
  EXPECT_NE(table.find("nucleon"), std::string::npos);
  EXPECT_NE(mass_plot(masses, "c").drawing().svg().find("</svg>"), std::string::npos);
}

TEST(MassPlot, ALongErrorBarStretchesTheAxisNeitherWay) {
  const auto labels = [](std::vector<Estimate> effective) {
    const HadronMass mass{
        .name = "pion", .effective = std::move(effective), .plateau = {NAN, NAN}, .first = 0, .last = 0};
    std::vector<std::string> found;
    for (const DrawnItem& item : mass_plot({mass}, "").drawing().items)
      if (const auto* text = std::get_if<DrawnText>(&item); text && text->anchor == DrawnText::Anchor::end)
        found.push_back(characters(text->line));
    return found;
  };
  const auto quiet = labels({{0.8, 0.02}, {0.7, 0.03}});
  ASSERT_FALSE(quiet.empty());
  EXPECT_EQ(labels({{0.8, 0.02}, {0.7, 0.03}, {0.6, 40}}), quiet);
  EXPECT_EQ(labels({{0.8, 0.02}, {0.7, 0.03}, {-30, 40}, {50, 90}}), quiet);
  // If all error bars are long, the shortest one is shown whole.
  const auto noisy = labels({{0.5, 0.4}, {0.6, 40}});
  ASSERT_GT(noisy.size(), 1u);
  EXPECT_EQ(noisy.front(), "0.0");
  EXPECT_EQ(noisy[1], "0.2");
  EXPECT_LE(noisy.size(), 7u);
}

TEST(WithError, PrintsTwoDigitsOfTheError) {
  EXPECT_EQ(with_error({0.65314, 0.0042}), "0.6531(42)");
  EXPECT_EQ(with_error({0.65314, 0.00996}), "0.653(10)");
  EXPECT_EQ(with_error({0.65314, 0.0999}), "0.65(10)");
  EXPECT_EQ(with_error({12.34, 1.26}), "12.3(1.3)");
  EXPECT_EQ(with_error({123.4, 25}), "123(25)");
  EXPECT_EQ(with_error({0.5, NAN}), "0.5000");
  EXPECT_EQ(with_error({NAN, 0.1}), "-");
  EXPECT_EQ(with_error({0.5, 0}), "0.500000(0)");
}

TEST(HadronMasses, SayWhatTheirErrorsAreOver) {
  const auto samples = [](int n, int bin) {
    SpectrumParameters::Analysis analysis;
    analysis.bin = bin;
    return error_samples(exact(n, 16, 0.5, 0.7, 1.1), analysis);
  };
  EXPECT_EQ(samples(4, 1).heading(), "errors: jackknife over 4 configurations");
  EXPECT_EQ(samples(4, 1).warning(), "");
  EXPECT_EQ(samples(4, 2).heading(), "errors: jackknife over 4 configurations in bins of 2");
  EXPECT_EQ(samples(4, 2).warning(), "");
  EXPECT_EQ(samples(1, 1).heading(), "errors: jackknife over 2 sources on one configuration");
  EXPECT_NE(samples(1, 1).warning(), "");
  EXPECT_EQ(samples(5, 2).heading(), "errors: jackknife over 4 of 5 configurations in bins of 2");
  EXPECT_EQ(samples(5, 2).warning().find("the last configuration fills no bin"), 0u) << samples(5, 2).warning();
  EXPECT_EQ(samples(8, 3).warning().find("the last 2 configurations fill no bin"), 0u) << samples(8, 3).warning();
  EXPECT_EQ(samples(3, 2).n, 1) << "one bin";
  EXPECT_NE(samples(3, 2).warning(), "");
}

}  // namespace kov::app
