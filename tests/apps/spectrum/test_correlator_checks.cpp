// SPDX-License-Identifier: MIT
#include "apps/spectrum/correlator_checks.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov::app {

namespace {

constexpr Coord extent{4, 4, 4, 32};

/// A correlator that falls with this mass, in both directions or forward alone.
Correlator falling(const std::string& channel, double mass, double amplitude = 1) {
  Correlator c{.kind = "x", .channel = channel};
  c.labels = {{"configuration", "c"}, {"sink_smearing", "none"}};
  for (int t = 0; t < extent[3]; ++t)
    c.value.emplace_back(amplitude * std::exp(-mass * (channel == "nucleon" ? t : std::min(t, extent[3] - t))), 0);
  return c;
}

/// exp(-16 * 2.5) is 4e-18.
const std::vector<Correlator> heavy{falling("pion-pion", 2.5), falling("nucleon", 4)};

SpectrumParameters parameters(int first, int last) {
  SpectrumParameters p;
  p.analysis.pion = p.analysis.rho = p.analysis.nucleon = {first, last};
  return p;
}

}  // namespace

TEST(ResolutionWarnings, NameTheFirstTimeThatIsNotResolvedAndATolerance) {
  // 2 r sqrt(C(0) / C(t)) = 2e-9 exp(1.25 t) is a hundredth at t = 12.3, and 2e-9 exp(2 t) at 7.7.
  const auto warnings = resolution_warnings(heavy, parameters(2, 15), extent, 1e-9);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("of the pion, sink none,"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("at t = 13, where"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("ask for solver.tolerance 5e-12 or less"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[1].find("at t = 8, where"), std::string::npos) << warnings[1];
  EXPECT_NE(warnings[1].find("end analysis.nucleon before t = 8, because no tolerance"), std::string::npos)
      << warnings[1];
}

TEST(ResolutionWarnings, AskForAnotherPrecisionWhereSingleDoesNotReachTheTolerance) {
  for (const char* precision : {"single", "single-16", "mixed"}) {
    SpectrumParameters p = parameters(2, 15);
    p.solver.precision = precision;
    const auto warnings = resolution_warnings(heavy, p, extent, 1e-9);
    ASSERT_EQ(warnings.size(), 2u);
    const bool single = p.solver.precision != "mixed";
    EXPECT_EQ(warnings[0].find("with solver.precision mixed") != std::string::npos, single) << warnings[0];
  }
}

TEST(ResolutionWarnings, AreOfTheTimesThatEnterAMass) {
  EXPECT_EQ(resolution_warnings(heavy, parameters(2, 6), extent, 1e-9).size(), 0u);
  EXPECT_EQ(resolution_warnings(heavy, parameters(2, 7), extent, 1e-9).size(), 1u) << "a mass is that of two times";
  EXPECT_EQ(resolution_warnings(heavy, parameters(2, 15), extent, 1e-16).size(), 0u);
  EXPECT_EQ(resolution_warnings({falling("a0-a0", 9)}, parameters(2, 15), extent, 1e-9).size(), 0u);
}

TEST(UnderflowWarnings, NameTheFirstChannelAndTime) {
  SpectrumParameters p = parameters(2, 6);
  EXPECT_TRUE(underflow_warnings(heavy, p, extent).empty());
  for (const char* precision : {"single", "single-16"}) {
    p.solver.precision = precision;
    EXPECT_TRUE(underflow_warnings({falling("pion-pion", 2.5)}, p, extent).empty());
    const auto warnings =
        underflow_warnings({falling("pion-pion", 2.5, 1e-25), falling("nucleon", 4, 1e-35)}, p, extent);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("pion-pion, sink none (and 1 other at some time), is zero or below"), std::string::npos)
        << warnings[0];
    EXPECT_NE(warnings[0].find("at t = 11:"), std::string::npos) << warnings[0];
  }
  p.solver.precision = "double";
  EXPECT_TRUE(underflow_warnings({falling("pion-pion", 2.5, 1e-25)}, p, extent).empty());
  EXPECT_EQ(underflow_warnings({falling("rho_x-rho_x", 1, 0)}, p, extent).size(), 1u);
  EXPECT_TRUE(underflow_warnings({falling("pion-rho_x", 1, 0)}, p, extent).empty()) << "zero by a symmetry";
}

}  // namespace kov::app
