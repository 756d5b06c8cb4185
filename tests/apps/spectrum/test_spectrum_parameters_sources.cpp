// SPDX-License-Identifier: MIT
//
// Sources of a spectrum, and what each quark has of its own.
#include "tests/apps/spectrum/spectrum_settings.hpp"

#include <gtest/gtest.h>

namespace kov::app {

using spectrum_settings::error_on, spectrum_settings::error_with, spectrum_settings::with;

TEST(SpectrumSources, OriginsAreSpreadOrGiven) {
  const Coord extent{8, 8, 8, 16};
  EXPECT_EQ(with({"source.count=1"}).origins(extent, "conf.1"), (std::vector<Coord>{{0, 0, 0, 0}}));
  EXPECT_EQ(with({"source.count=2"}).origins(extent, "conf.1"), (std::vector<Coord>{{0, 0, 0, 0}, {4, 4, 4, 8}}));
  EXPECT_EQ(with({"source.origins=[[1, 2, 3, 4]]"}).origins(extent, "conf.1"), (std::vector<Coord>{{1, 2, 3, 4}}));
  EXPECT_NE(error_on(extent, {"source.origins=[[0, 0, 8, 0]]"}).find("outside the lattice"), std::string::npos);
  EXPECT_EQ(with({"source.count=32"}).origins(extent, "conf.1").size(), 32u);
  EXPECT_EQ(error_on(extent, {"source.count=32"}), "no error");
  for (const char* count : {"33", "2000000000"}) {
    const std::string error = error_on(extent, {std::string("source.count=") + count});
    EXPECT_NE(error.find(std::string("source.count is ") + count), std::string::npos) << error;
    EXPECT_NE(error.find("at most 32 places"), std::string::npos) << error;
  }
  const std::string wall = "source.type=wall";
  EXPECT_EQ(with({wall}).origins(extent, "conf.1"), (std::vector<Coord>{{0, 0, 0, 0}, {0, 0, 0, 8}}));
  EXPECT_NE(error_on(extent, {wall, "source.origins=[[1, 0, 0, 0]]"}).find("[0, 0, 0, t]"), std::string::npos);
  const auto drawn = [&](const std::string& configuration, const std::string& seed = "source.seed=1") {
    return with({"source.random=true", seed}).origins(extent, configuration);
  };
  EXPECT_EQ(drawn("a/conf.1"), drawn("b/conf.1"));
  EXPECT_NE(drawn("conf.1"), drawn("conf.2"));
  EXPECT_NE(drawn("conf.1"), drawn("conf.1", "source.seed=2"));
}

TEST(SpectrumSources, ThreeQuarksFromOneNoiseAreRefused) {
  const auto refused = [](const std::vector<std::string>& assignments, const std::string& says) {
    const std::string error = error_with(assignments);
    EXPECT_NE(error.find("source.noise is z2"), std::string::npos) << error;
    EXPECT_NE(error.find(says), std::string::npos) << error;
  };
  refused({"source.type=noise"}, "correlators.baryons has nucleon");
  refused({"source.type=grid"}, "correlators.baryons has nucleon");
  const std::vector<std::string> mesons{"source.type=noise", "correlators.baryons=[]"};
  EXPECT_EQ(error_with(mesons), "no error");
  EXPECT_EQ(error_with({"source.type=grid", "source.noise=none"}), "no error");
  refused({"source.type=noise", "correlators.baryons=[]", "three_point.0.hadron=proton"}, "three_point.0.hadron");
  EXPECT_EQ(error_with({"source.type=noise", "correlators.baryons=[]", "three_point.0.hadron=pion"}), "no error");
}

TEST(SpectrumSources, QuarksHaveTheSolverAndBoostOfTheJobOrTheirOwn) {
  const SpectrumParameters p =
      with({"solver.method=cg", "solver.tolerance=1e-8", "source.boost=[1, 0, 0]", "quark.0.name=a", "quark.1.name=b",
            "quark.1.tolerance=1e-6", "quark.1.method=gcr", "quark.1.boost=[0, 0, 2]"});
  EXPECT_EQ(p.quarks[0].solver.description(), p.solver.description());
  EXPECT_EQ(p.quarks[0].boost, (std::array<double, 3>{1, 0, 0}));
  EXPECT_EQ(p.quarks[1].solver.method, "gcr");
  EXPECT_EQ(p.quarks[1].solver.tolerance, 1e-6);
  EXPECT_EQ(p.quarks[1].solver.precision, p.solver.precision);
  EXPECT_EQ(p.quarks[1].boost, (std::array<double, 3>{0, 0, 2}));
  const SpectrumParameters alone = with({"solver.method=cg", "source.boost=[1, 0, 0]"});
  EXPECT_EQ(alone.all_quarks().front().solver.method, "cg");
  EXPECT_EQ(alone.all_quarks().front().boost, (std::array<double, 3>{1, 0, 0}));
  for (const auto& [assignment, says] :
       std::vector<std::pair<std::string, std::string>>{{"quark.0.tolerance=2", "quark.0.tolerance is 2"},
                                                        {"quark.0.precision=single", "that of all quarks"},
                                                        {"quark.0.boost=[1e10, 0, 0]", "quark.0.boost"},
                                                        {"quark.0.tolerence=1", "quark.0.tolerance"}}) {
    const std::string error = error_with({"quark.0.tolerance=1e-5", assignment});
    EXPECT_NE(error.find(says), std::string::npos) << error;
  }
  // A quark of its own preconditioner has an action that the job's does not fit.
  EXPECT_NE(error_with({"quark.0.action=hamber-wu"}).find("no even-odd"), std::string::npos);
  EXPECT_EQ(error_with({"quark.0.action=hamber-wu", "quark.0.preconditioner=none"}), "no error");
  EXPECT_EQ(error_with({"quark.0.action=naik"}), "no error");
  EXPECT_NE(error_with({"quark.0.action=naik", "solver.precision=reliable-16"}).find("16 bits"), std::string::npos);
  EXPECT_NE(error_with({"action.action=hamber-wu"}).find("no even-odd"), std::string::npos);
}

}  // namespace kov::app
