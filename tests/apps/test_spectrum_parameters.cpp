// SPDX-License-Identifier: MIT
#include "apps/spectrum_parameters.hpp"
#include "kov/core/error.hpp"

#include <gtest/gtest.h>

namespace kov::app {

namespace {

/// The parameters after these --set.
SpectrumParameters with(const std::vector<std::string>& assignments) {
  SpectrumParameters p;
  Settings s = p.settings();
  for (const std::string& assignment : assignments) s.assign(assignment);
  p.complete(s);
  return p;
}

std::string error_with(const std::vector<std::string>& assignments) {
  try {
    with(assignments);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST(SpectrumParameters, MassAndKappaAreTwoNamesOfOneNumber) {
  EXPECT_DOUBLE_EQ(with({"action.mass=0"}).action.kappa, 0.125);
  EXPECT_DOUBLE_EQ(with({"action.kappa=0.1"}).action.mass, 1.0);
  EXPECT_NE(error_with({"action.kappa=0.125", "action.mass=0.1"}).find("give one of the two"), std::string::npos);
  // What is printed can be read again, and changed.
  for (const std::string assignment : {"action.kappa=0.1575", "action.mass=0.1"}) {
    SpectrumParameters p;
    Settings s = p.settings();
    s.assign(assignment);
    p.complete(s);
    SpectrumParameters q;
    Settings r = q.settings();
    r.read(s.toml(), "printed");
    q.complete(r);
    EXPECT_EQ(r.toml(), s.toml());
    r.assign("action.kappa=0.1");
    q.complete(r);
    EXPECT_DOUBLE_EQ(q.action.mass, 1.0);
  }
}

TEST(SpectrumParameters, ChannelsAreNamedAndNeverTwice) {
  EXPECT_EQ(with({}).meson_channels().size(), 16u);
  EXPECT_EQ(with({R"(correlators.mesons=["diagonal", "pion", "pion-pion_A4"])"}).meson_channels().size(), 17u);
  EXPECT_EQ(with({"correlators.mesons=all"}).meson_channels().size(), 256u);
  EXPECT_EQ(with({"correlators.mesons=pion"}).meson_channels(),
            (std::vector<MesonChannel>{{.sink = 15, .source = 15}}));
  EXPECT_EQ(with({"correlators.baryons=all"}).baryon_channels().size(), 17u);
  EXPECT_TRUE(with({"correlators.baryons=[]"}).baryon_channels().empty());
  EXPECT_NE(error_with({"correlators.mesons=pien"}).find("did you mean 'pion'?"), std::string::npos);
  EXPECT_NE(error_with({"correlators.baryons=nuclon"}).find("did you mean 'nucleon'?"), std::string::npos);
}

TEST(SpectrumParameters, OriginsAreSpreadOrGiven) {
  const Coord extent{8, 8, 8, 16};
  EXPECT_EQ(with({"source.count=1"}).origins(extent), (std::vector<Coord>{{0, 0, 0, 0}}));
  EXPECT_EQ(with({"source.count=2"}).origins(extent), (std::vector<Coord>{{0, 0, 0, 0}, {4, 4, 4, 8}}));
  EXPECT_EQ(with({"source.origins=[[1, 2, 3, 4]]"}).origins(extent), (std::vector<Coord>{{1, 2, 3, 4}}));
  SpectrumParameters p = with({"source.origins=[[0, 0, 8, 0]]"});
  EXPECT_THROW(p.check(p.settings(), extent), InputError);
}

TEST(SpectrumParameters, IdentityFollowsWhatResultsDependOn) {
  const auto identity = [](const std::vector<std::string>& assignments) {
    SpectrumParameters p;
    Settings s = p.settings();
    for (const std::string& assignment : assignments) s.assign(assignment);
    p.complete(s);
    return p.identity(s);
  };
  const std::string standard = identity({});
  EXPECT_EQ(identity({"output.prefix=other", "generate.configurations=9", "analysis.bin=2", "source.count=3"}),
            standard);
  EXPECT_NE(identity({"action.kappa=0.151"}), standard);
  EXPECT_NE(identity({"source.width=1"}), standard);
  EXPECT_NE(identity({"correlators.max_momentum2=1"}), standard);
  EXPECT_NE(identity({"solver.tolerance=1e-8"}), standard);
}

TEST(SpectrumParameters, OutOfRangeValuesNameTheirKey) {
  for (const auto& [assignment, part] :
       std::vector<std::pair<std::string, std::string>>{{"action.kappa=0", "--set action.kappa is 0"},
                                                        {"action.mass=-4.5", "--set action.mass is -4.5"},
                                                        {"source.count=0", "--set source.count is 0"},
                                                        {"source.iterations=-1", "source.iterations"},
                                                        {"links.steps=-1", "links.steps"},
                                                        {"sink.smearings=[]", "sink.smearings"},
                                                        {"sink.smearings=wupertal", "did you mean 'wuppertal'?"},
                                                        {"solver.tolerance=0", "solver.tolerance"},
                                                        {"analysis.pion=[5, 4]", "analysis.pion"},
                                                        {"gauge.ignore=checksum", "did you mean 'checksums'?"},
                                                        {"generate.configurations=0", "generate.configurations"},
                                                        {"output.prefix=\"\"", "output.prefix"}})
    EXPECT_NE(error_with({assignment}).find(part), std::string::npos) << assignment << ": " << error_with({assignment});
}

}  // namespace kov::app
