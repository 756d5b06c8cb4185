// SPDX-License-Identifier: MIT
#include "apps/spectrum/unused_settings.hpp"
#include "tests/apps/spectrum/spectrum_settings.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace kov::app {

using spectrum_settings::error_on, spectrum_settings::error_with, spectrum_settings::with;

TEST(SpectrumParameters, MassAndKappaAreTwoNamesOfOneNumber) {
  EXPECT_DOUBLE_EQ(with({"action.mass=0"}).action.kappa, 0.125);
  EXPECT_DOUBLE_EQ(with({"action.kappa=0.1"}).action.mass, 1.0);
  EXPECT_NE(error_with({"action.kappa=0.125", "action.mass=0.1"}).find("give one of the two"), std::string::npos);
  // The printed parameters can be read again, and changed.
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

TEST(SpectrumParameters, ThreePointFunctionsThatDoNotExistAreRefused) {
  const auto refused = [](const std::vector<std::string>& assignments, const std::string& says) {
    std::vector<std::string> all;
    for (const std::string& a : assignments) all.push_back("three_point.0." + a);
    const std::string error = error_on({4, 4, 4, 8}, all);
    EXPECT_NE(error.find(says), std::string::npos) << assignments.front() << ": " << error;
    EXPECT_NE(error.find("three_point.0."), std::string::npos) << error;
  };
  EXPECT_EQ(error_on({4, 4, 4, 8}, {"three_point.0.hadron=proton"}), "no error");
  refused({"hadron=pien"}, "did you mean 'pion'?");
  refused({"hadron=lambda_naive_unpol_cg5"}, "equal quarks only");
  refused({"currents=a0_g5"}, "none of the mesons");
  refused({"currents=a0 D_u"}, "direction 'u'");
  refused({"currents=a0 D_x D_y D_z"}, "derivatives");
  refused({"currents=a0 path x"}, "steps");
  refused({"currents=a0 path"}, "'path'");
  refused({"currents=conserved_s"}, "conserved_t");
  refused({"currents=[]"}, "empty");
  refused({"times=[3, 3]"}, "twice");
  refused({"times=[0]"}, "1 or more");
  refused({"times=[8]"}, "0 to 7");
  refused({"momenta=[[0, 0, 1], [0, 0, 1]]"}, "twice");
  refused({"hadron=proton", "struck=s"}, "'u'");
  refused({"struck=antiquark"}, "exchange the names");
  refused({"quarks=strange"}, "gets its name from a table [[quark]]");
  refused({"hadron=proton", "quarks=[\"a\", \"b\"]"}, "flavours");
}

/// Two quarks, of which the second has improved links.
std::vector<std::string> two_actions(std::vector<std::string> assignments) {
  const std::vector<std::string> quarks{"quark.0.name=l", "quark.1.name=h", "quark.1.action=hamber-wu",
                                        "solver.preconditioner=none"};
  assignments.insert(assignments.begin(), quarks.begin(), quarks.end());
  return assignments;
}

TEST(SpectrumParameters, OnlyTheStruckQuarkNeedsAConservedCurrent) {
  for (const auto& [assignment, place] : std::vector<std::pair<std::string, std::size_t>>{
           {"three_point.0.quarks=[\"l\", \"h\"]", 0}, {"three_point.0.quarks=[\"h\", \"l\"]", 1}}) {
    const auto local = two_actions({assignment});
    const SpectrumParameters p = with(local);
    EXPECT_EQ(p.struck_quark(p.three_points[0]), place) << assignment;
    const std::string error = error_with(two_actions({assignment, "three_point.0.currents=conserved_t"}));
    if (place == 0)
      EXPECT_EQ(error, "no error") << assignment;
    else
      EXPECT_NE(error.find("three_point.0.currents has a conserved current"), std::string::npos) << error;
  }
  const auto of_q_p = [](const char* struck) {
    return error_with(
        two_actions({"three_point.0.hadron=nucleon", "three_point.0.quarks=[\"l\", \"h\"]",
                     std::string("three_point.0.struck=") + struck, "three_point.0.currents=conserved_x"}));
  };
  EXPECT_EQ(of_q_p("q"), "no error");
  EXPECT_NE(of_q_p("p").find("conserved"), std::string::npos);
  const auto of_flavours = [](const char* struck) {
    return error_with(
        two_actions({"three_point.0.hadron=proton", "correlators.flavours=[\"l\", \"h\", \"h\"]",
                     std::string("three_point.0.struck=") + struck, "three_point.0.currents=conserved_x"}));
  };
  EXPECT_EQ(of_flavours("u"), "no error");
  EXPECT_NE(of_flavours("d").find("conserved"), std::string::npos);
}

TEST(SpectrumParameters, TablesWithACommonCorrelatorAreRefused) {
  const auto error = [](const std::vector<std::string>& second) {
    std::vector<std::string> all{"three_point.0.currents=[\"a0_g4\", \"conserved_t\"]", "three_point.0.times=[3, 4]",
                                 "three_point.1.times=[4, 5]"};
    for (const std::string& a : second) all.push_back("three_point.1." + a);
    return error_with(all);
  };
  const std::string twice = error({});
  EXPECT_NE(twice.find("three_point.1.currents has 'a0_g4' with the momentum [0 0 0], time 4"), std::string::npos)
      << twice;
  EXPECT_NE(twice.find("three_point.0"), std::string::npos);
  for (const char* same :
       {"struck=quark", "currents=all", "currents=[\"pion\", \"conserved_t\"]", "currents=\"a0_g4  \"",
        "momenta=[[0, 0, 1], [0, 0, 0]]", "transfers=[[0, 0, 1], [0, 0, 0]]"})
    EXPECT_NE(error({same}).find("leave it out of one"), std::string::npos) << same << ": " << error({same});
  for (const char* other : {"hadron=rho_x", "hadron=nucleon", "currents=\"a0_g4 D_t\"", "currents=conserved_x",
                            "times=[5]", "momenta=[[0, 0, 1]]", "transfers=[[0, 0, 1]]"})
    EXPECT_EQ(error({other}), "no error") << other;
  const auto of_quarks = [](const char* quarks, const char* struck) {
    return error_with({"quark.0.name=l", "quark.1.name=h", "three_point.0.hadron=nucleon",
                       "three_point.1.hadron=nucleon", std::string("three_point.1.quarks=") + quarks,
                       std::string("three_point.1.struck=") + struck});
  };
  EXPECT_NE(of_quarks("[\"l\", \"l\"]", "q").find("leave it out of one"), std::string::npos) << "those are the first";
  EXPECT_EQ(of_quarks("[\"l\", \"h\"]", "q"), "no error");
  EXPECT_EQ(of_quarks("[\"l\", \"l\"]", "p"), "no error");
}

TEST(SpectrumParameters, LoopsThatDoNotExistAreRefused) {
  const auto refused = [](std::vector<std::string> assignments, const std::string& says) {
    assignments.push_back("loops.hits=2");
    const std::string error = error_on({4, 4, 4, 8}, assignments);
    EXPECT_NE(error.find(says), std::string::npos) << assignments.front() << ": " << error;
    EXPECT_NE(error.find("loops."), std::string::npos) << error;
  };
  EXPECT_EQ(error_on({4, 4, 4, 8}, {"loops.hits=2", "loops.hopping=4", "loops.dilution_time=8"}), "no error");
  EXPECT_NE(error_with({"loops.hits=-1"}).find("0 or more"), std::string::npos);
  refused({"loops.dilution_time=3"}, "does not divide");
  refused({"loops.dilution_space=8"}, "does not divide");
  refused({"loops.dilution_time=2", "loops.dilution_space=2", "loops.dilution_parity=true"}, "leave it out");
  refused({"loops.hopping=5"}, "0 to 4");
  refused({"loops.hopping=1", "action.c_sw=1"}, "clover");
  refused({"loops.modes=-1"}, "0 or more");
  refused({"loops.modes=2000"}, "too many");
  refused({"loops.modes=2000000000"}, "too many");
  // The basis of n modes has 2.25 n vectors, of at most 6 * 512.
  EXPECT_EQ(error_on({4, 4, 4, 8}, {"loops.hits=2", "loops.modes=1365"}), "no error");
  refused({"loops.modes=1366"}, "too many");
  EXPECT_NE(error_on({4, 4, 4, 8}, {"loops.hits=2000000000"}).find("loops.hits is 2000000000"), std::string::npos);
  const Coord large{256, 256, 256, 256};
  const auto with_parts = [&](const char* time, const char* space) {
    return error_on(large, {"loops.hits=2", std::string("loops.dilution_time=") + time,
                            std::string("loops.dilution_space=") + space});
  };
  EXPECT_NE(with_parts("256", "256").find("4294967296 parts"), std::string::npos) << with_parts("256", "256");
  EXPECT_EQ(with_parts("256", "16"), "no error");
  refused({"loops.mode_tolerance=0.0"}, "positive");
  refused({"loops.quarks=strange"}, "gets its name from a table [[quark]]");
  refused({"loops.momenta=[]"}, "empty");
  refused({"loops.momenta=[[0, 0, 0], [0, 0, 0]]"}, "twice");
}

TEST(SpectrumParameters, ModesTakeTheMemoryThatTheirSearchTakes) {
  for (const int n : {1, 16, 100, 1000}) {
    LoopChoice loops{.hits = 1, .modes = n};
    const EigenMemory memory = eigen_memory({.n = n});
    EXPECT_GE(loops.n_fields(), memory.fields);
    EXPECT_GE(memory.fields, memory.basis + memory.kept + 2 * n) << "basis, H v, result and residuals";
    loops.hits = 0;
    EXPECT_EQ(loops.n_fields(), 0);
  }
  EXPECT_EQ(eigen_memory({.n = 100}).fields, 225 + 125 + 200 + 4);
  EXPECT_EQ(eigen_memory({.n = 8, .basis = 40}).basis, 40);
}

/// A change of [loops] leaves finished sources as they are.
TEST(SpectrumParameters, LoopsHaveAnIdentityOfTheirOwn) {
  const auto identities = [](const std::vector<std::string>& assignments) {
    SpectrumParameters p;
    Settings s = p.settings();
    for (const std::string& assignment : assignments) s.assign(assignment);
    p.complete(s);
    return std::pair(p.identity(s), p.loop_identity(s));
  };
  const auto one = identities({"loops.hits=1"}), two = identities({"loops.hits=2"});
  EXPECT_EQ(one.first, two.first);
  EXPECT_NE(one.second, two.second);
  EXPECT_NE(identities({"three_point.0.times=[3]"}).first, identities({"three_point.0.times=[4]"}).first);
}

/// Names of configurations choose the noise, wherever the files are.
TEST(SpectrumParameters, NoiseOfLoopsIsThatOfTheConfigurationsName) {
  const SpectrumParameters p = with({"loops.hits=1"});
  const NamedQuark quark = p.all_quarks().front();
  const auto seed = [&](const std::string& name) { return p.loops.parameters(quark, name).noise.seed; };
  EXPECT_EQ(seed("a/conf.1"), seed("b/conf.1"));
  EXPECT_NE(seed("conf.1"), seed("conf.2"));
  EXPECT_DOUBLE_EQ(p.loops.parameters(quark, "").hopping.diagonal, 1 / (2 * quark.kappa));
}

TEST(SpectrumParameters, NothingIsMeasuredTwice) {
  for (const std::string assignment :
       {"source.origins=[[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]", "correlators.momenta=[[0, 0, 1], [0, 0, 1]]"}) {
    const std::string error = error_with({assignment});
    EXPECT_NE(error.find("twice"), std::string::npos) << error;
    EXPECT_NE(error.find(assignment.substr(0, assignment.find('='))), std::string::npos) << error;
  }
  // Momenta that differ by multiples of the extents are the same.
  const std::string same = "correlators.momenta=[[0, 0, 3], [0, 0, -5]]";
  EXPECT_NE(error_on({8, 8, 8, 16}, {same}).find("correlators.momenta has two momenta"), std::string::npos);
  EXPECT_EQ(error_on({8, 8, 16, 16}, {same}), "no error");
}

TEST(SpectrumParameters, MomentaThatAreOneOnTheLatticeAreMeasuredOnce) {
  const auto momenta = [](int max_momentum2, const Coord& extent) {
    return with({"correlators.max_momentum2=" + std::to_string(max_momentum2)}).momenta(extent);
  };
  EXPECT_EQ(momenta(4, {8, 8, 8, 16}), momenta_up_to(4));
  const auto small = momenta(4, {4, 8, 8, 16});
  EXPECT_EQ(small.size(), momenta_up_to(4).size() - 1);  // 2 0 0 is -2 0 0
  EXPECT_EQ(std::count(small.begin(), small.end(), Momentum{-2, 0, 0}), 1);
  EXPECT_EQ(std::count(small.begin(), small.end(), Momentum{2, 0, 0}), 0);
  EXPECT_EQ(momenta(1000, {4, 4, 4, 8}).size(), 64u);
  EXPECT_EQ(with({"correlators.momenta=[[2, 0, 0]]"}).momenta({4, 4, 4, 8}), (std::vector<Momentum>{{2, 0, 0}}));
}

TEST(SpectrumParameters, SettingsThatChangeNothingAreNamed) {
  const auto unused = [](const std::vector<std::string>& assignments) {
    SpectrumParameters p;
    Settings s = p.settings();
    for (const std::string& assignment : assignments) s.assign(assignment);
    p.complete(s);
    return unused_settings(p, s);
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(unused({}), Texts{});
  EXPECT_EQ(unused({"source.sigma=2"}), Texts{}) << "that is its default";
  EXPECT_EQ(unused({"source.sigma=3"}),
            Texts{"--set source.sigma changes nothing: it is only used by smearing gaussian or node"});
  EXPECT_EQ(unused({"source.sigma=3", "sink.smearings=node"}), Texts{}) << "it is the sink's too";
  EXPECT_EQ(unused({"source.sigma=3", "sink.sigma=1", "sink.smearings=node"}).size(), 1u);
  EXPECT_EQ(unused({"sink.width=1", "links.stout_rho=0.2", "links.smearing=none", "links.steps=3"}).size(), 3u);
  EXPECT_EQ(
      unused({"links.ape_weight=3", "links.steps=0"}),
      Texts{"--set links.ape_weight changes nothing: it is only used with links.smearing ape and links.steps of 1 "
            "or more"});
  EXPECT_EQ(unused({"links.smearing=stout", "links.stout_rho=0.2", "links.steps=0"}).size(), 2u);
  EXPECT_TRUE(unused({"links.steps=0"}).empty());
  EXPECT_EQ(unused({"source.width=2", "source.iterations=0"}),
            Texts{"--set source.width changes nothing: it is only used with source.iterations of 1 or more"});
  EXPECT_EQ(unused({"source.width=2", "source.iterations=0", "sink.smearings=wuppertal"}).size(), 1u);
  EXPECT_EQ(unused({"source.width=2", "source.iterations=0", "sink.smearings=wuppertal", "sink.iterations=5"}),
            Texts{});
  EXPECT_EQ(
      unused({"source.smearing=none", "source.width=2", "source.iterations=0", "sink.smearings=wuppertal"}).size(), 1u);
  EXPECT_EQ(unused({"sink.width=2", "sink.iterations=0", "sink.smearings=wuppertal"}),
            Texts{"--set sink.width changes nothing: it is only used with sink.iterations of 1 or more"});
  EXPECT_EQ(unused({"source.iterations=0"}), Texts{});
  EXPECT_EQ(unused({"correlators.baryons=[]", "analysis.nucleon=[2, 5]"}),
            Texts{"--set analysis.nucleon changes nothing: it is only used with the nucleon among "
                  "correlators.baryons"});
  EXPECT_EQ(unused({"correlators.mesons=['rho_x']", "analysis.pion=[2, 5]", "analysis.rho=[2, 5]"}).size(), 1u);
  const std::string loops = "loops.hits=1", no_mesons = "correlators.mesons=[]", no_baryons = "correlators.baryons=[]";
  EXPECT_EQ(unused({loops, no_mesons, no_baryons}), Texts{});
  EXPECT_EQ(
      unused({loops, no_mesons, no_baryons, "source.count=3"}),
      Texts{"--set source.count changes nothing: it is only used with correlators.mesons, correlators.baryons or a "
            "table [[three_point]]"});
  EXPECT_EQ(unused({loops, no_mesons, no_baryons, "source.width=4", "sink.smearings=node", "links.steps=7",
                    "correlators.momenta=[[0, 0, 1]]", "correlators.max_momentum2=2"})
                .size(),
            5u);
  EXPECT_EQ(unused({loops, "three_point.0.times=[3]", no_mesons, no_baryons, "source.count=3",
                    "correlators.momenta=[[0, 0, 1]]"}),
            Texts{"--set correlators.momenta changes nothing: it is only used with correlators.mesons or "
                  "correlators.baryons"});
  EXPECT_NE(error_with({no_mesons, no_baryons}).find("[[three_point]]"), std::string::npos);
  EXPECT_EQ(unused({"generate.seed=3", "gauge.files=a"}),
            Texts{"--set generate.seed changes nothing: it is only used without gauge.files"});
  EXPECT_EQ(unused({"source.count=3", "source.origins=[[0, 0, 0, 0]]", "correlators.max_momentum2=1",
                    "correlators.momenta=[[0, 0, 0]]"})
                .size(),
            2u);
}

TEST(SpectrumParameters, WindowsThatWereGivenMustFit) {
  const Coord extent{4, 4, 4, 8};
  for (const std::string given : {"analysis.pion=[4, 20]", "analysis.rho=[0, 4]", "analysis.nucleon=[1, 3]"}) {
    const std::string error = error_on(extent, {given});
    EXPECT_NE(error.find("--set " + given.substr(0, given.find('=')) + " is"), std::string::npos) << error;
    EXPECT_NE(error.find(given.find("nucleon") == given.npos ? "t = 0 to 3" : "t = 0 to 2"), std::string::npos)
        << error;
  }
  EXPECT_EQ(error_on(extent, {"analysis.pion=[1, 3]", "analysis.rho=[0, 3]", "analysis.nucleon=[2, 2]"}), "no error");
  // Windows by default are shortened, with a warning for the hadrons that are measured.
  EXPECT_EQ(error_on(extent, {}), "no error");
  const auto shortened = [&](const std::vector<std::string>& assignments, const Coord& on) {
    SpectrumParameters p;
    Settings s = p.settings();
    for (const std::string& assignment : assignments) s.assign(assignment);
    p.complete(s);
    return p.window_warnings(s, on).size();
  };
  EXPECT_EQ(shortened({}, extent), 3u);
  EXPECT_EQ(shortened({"analysis.pion=[1, 3]"}, extent), 2u);
  EXPECT_EQ(shortened({"correlators.mesons=pion", "correlators.baryons=[]"}, extent), 1u);
  EXPECT_EQ(shortened({"correlators.mesons=[]", "correlators.baryons=all"}, extent), 1u);
  EXPECT_EQ(shortened({}, {8, 8, 8, 16}), 0u);
}

TEST(SpectrumParameters, TwoTimesHaveNoMassOfTheNucleon) {
  SpectrumParameters p;
  Settings s = p.settings();
  p.complete(s);
  const auto warnings = p.window_warnings(s, {4, 4, 4, 2});
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_NE(warnings[2].find("there is no mass of the nucleon on this lattice"), std::string::npos) << warnings[2];
}

TEST(SpectrumParameters, SmearingsThatLeaveNothingAreRefused) {
  const std::string formula = "source.smearing=formula";
  EXPECT_NE(error_with({formula, "source.formula=0"}).find("is '0', which is 0 from p2 = 0 to 12"), std::string::npos);
  for (const char* text : {"1e-300*exp(-p2)", "1e200*exp(-p2)"}) {
    const std::string error = error_with({formula, std::string("source.formula=") + text});
    EXPECT_NE(error.find("multiply it by a number"), std::string::npos) << error;
  }
  EXPECT_EQ(error_with({formula, "source.formula=1e-6*exp(-p2)"}), "no error");
  EXPECT_NE(error_with({"sink.smearings=formula", "sink.formula=p2-p2"}).find("--set sink.formula is 'p2-p2'"),
            std::string::npos);
  EXPECT_NE(error_with({"source.smearing=theta", "source.p2_max=-100"}).find("source.p2_max is -100, so that theta"),
            std::string::npos);
  EXPECT_EQ(error_with({"source.smearing=theta", "source.p2_max=0.5"}), "no error");
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
  EXPECT_NE(identity({"action.c_sw=1"}), standard);
  EXPECT_NE(identity({"source.width=1"}), standard);
  EXPECT_NE(identity({"correlators.max_momentum2=1"}), standard);
  EXPECT_NE(identity({"solver.tolerance=1e-8"}), standard);
}

TEST(SpectrumParameters, SinksHaveTheNumbersOfTheSourceUnlessTheirOwnAreGiven) {
  const SpectrumParameters same = with({"source.width=1.5", "source.iterations=7", "source.p2_max=2"});
  EXPECT_EQ(same.sink.choice.width, 1.5);
  EXPECT_EQ(same.sink.choice.iterations, 7);
  EXPECT_EQ(same.sink.choice.p2_max, 2);
  const SpectrumParameters other = with({"source.smearing=node", "source.sigma=3", "source.node=4", "sink.sigma=1",
                                         R"(sink.smearings=["gaussian", "none"])"});
  EXPECT_EQ(other.source.choice.sigma, 3);
  EXPECT_EQ(other.sink.choice.sigma, 1);
  EXPECT_EQ(other.sink.choice.node, 4);
  EXPECT_EQ(other.sink.smearings.size(), 2u);
}

TEST(SmearingChoice, MakesTheSmearingOfItsName) {
  const SmearingChoice choice{.width = 2, .iterations = 9, .sigma = 1.5, .node = 2, .p2_max = 3, .edge = 0.5};
  EXPECT_EQ(choice.shape("none").index(), 0u);
  ASSERT_EQ(choice.shape("wuppertal").index(), 1u);
  EXPECT_EQ(std::get<WuppertalParameters>(choice.shape("wuppertal")).iterations, 9);
  const auto value = [&](const char* name, double p2) { return std::get<RealFunction>(choice.shape(name))(p2); };
  EXPECT_DOUBLE_EQ(value("gaussian", 1.1), gaussian_profile(1.5)(1.1));
  EXPECT_DOUBLE_EQ(value("node", 1.1), node_profile(1.5, 2.0)(1.1));
  EXPECT_DOUBLE_EQ(value("theta", 1.1), theta_profile(3, 0.5)(1.1));
  EXPECT_DOUBLE_EQ(choice.profile("wuppertal")(1.1), wuppertal_profile({.width = 2, .iterations = 9})(1.1));
  EXPECT_DOUBLE_EQ(SmearingChoice{.formula = "2 * p2 + 1"}.profile("formula")(1.5), 4);
  for (const std::string& name : SmearingChoice::names()) EXPECT_FALSE(choice.description(name).empty());
}

TEST(SpectrumParameters, OutOfRangeValuesNameTheirKey) {
  for (const auto& [assignment, part] :
       std::vector<std::pair<std::string, std::string>>{{"action.kappa=0", "--set action.kappa is 0"},
                                                        {"action.mass=-4.5", "--set action.mass is -4.5"},
                                                        {"action.c_sw=-1", "--set action.c_sw is -1"},
                                                        {"action.c_sw=17", "--set action.c_sw is 17"},
                                                        {"action.csw=1", "did you mean 'action.c_sw'?"},
                                                        {"source.count=0", "--set source.count is 0"},
                                                        {"source.iterations=-1", "source.iterations"},
                                                        {"links.steps=-1", "links.steps"},
                                                        {"sink.smearings=[]", "sink.smearings"},
                                                        {"sink.smearings=wupertal", "did you mean 'wuppertal'?"},
                                                        {R"(sink.smearings=["node", "node"])", "twice"},
                                                        {"source.smearing=gausian", "did you mean 'gaussian'?"},
                                                        {"source.sigma=0", "--set source.sigma is 0"},
                                                        {"source.edge=0", "source.edge"},
                                                        {"source.accuracy=0", "source.accuracy"},
                                                        {"source.smearing=formula", "source.formula is empty"},
                                                        {"sink.smearings=formula", "sink.formula is empty"},
                                                        {"sink.node=-1", "--set sink.node is -1"},
                                                        {"solver.tolerance=0", "solver.tolerance"},
                                                        {"analysis.pion=[5, 4]", "analysis.pion"},
                                                        {"gauge.ignore=checksum", "did you mean 'checksums'?"},
                                                        {"generate.configurations=0", "generate.configurations"},
                                                        {"generate.overrelaxation=-1", "generate.overrelaxation is -1"},
                                                        {"generate.beta=-1", "--set generate.beta is -1"},
                                                        {"solver.tolerance=1", "strictly between 0 and 1"},
                                                        {"solver.tolerance=1e-300", "is 1e-300, but double precision"},
                                                        {"generate.configurations=2000000000", "at most 1000000"},
                                                        {"solver.method=BiCGStab", "did you mean 'bicgstab'?"},
                                                        {"correlators.mesons=kaon", "one of 'a0', 'rho_x'"},
                                                        {"output.prefix=\"\"", "output.prefix"}})
    EXPECT_NE(error_with({assignment}).find(part), std::string::npos) << assignment << ": " << error_with({assignment});
}

}  // namespace kov::app
