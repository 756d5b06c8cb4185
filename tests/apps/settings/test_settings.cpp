// SPDX-License-Identifier: MIT
#include "apps/settings/settings.hpp"
#include "kov/core/base/error.hpp"

#include <deque>
#include <gtest/gtest.h>

namespace kov::app {

namespace {

struct Parameters {
  bool dry = false;
  int n = 4;
  std::uint64_t seed = 7;
  double kappa = 0.15;
  std::string method = "bicgstab";
  Coord extent{8, 8, 8, 16};
  std::vector<int> times{0, 8};
  std::vector<std::string> files;
  std::vector<std::array<int, 3>> momenta{{0, 0, 0}};

  Settings settings() {
    Settings s;
    s.add("dry", &dry, "a switch");
    s.add("lattice.extent", &extent, "x y z t");
    s.add("action.kappa", &kappa, "hopping parameter");
    s.add("solver.method", &method, "which one", {"bicgstab", "cg"});
    s.add("source.n", &n, "how many");
    s.add("source.seed", &seed, "a seed");
    s.add("source.times", &times, "time slices");
    s.add("gauge.files", &files, "configurations");
    s.add("meson.momenta", &momenta, "momenta");
    return s;
  }
};

/// The text of the InputError that f throws.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << text

TEST(Settings, CharactersBeyondAsciiAreForTextsAndComments) {
  const auto read = [](const std::string& text) {
    Parameters p;
    Settings s = p.settings();
    s.read(text, "job.toml");
    return p;
  };
  EXPECT_EQ(read("gauge.files = [\"\u00e9.lime\"]  # \u00a7").files, std::vector<std::string>{"\u00e9.lime"});
  EXPECT_EQ(read("\ufeffsource.n = 2").n, 2);
  EXPECT_EQ(read("gauge.files = ['''\u00a7\"\u00a7''', \"\"\"\u00a7\"\"\"\"]").files,
            (std::vector<std::string>{"\u00a7\"\u00a7", "\u00a7\""}));
  // These make toml++ 3.3 run into undefined behaviour.
  for (const std::string text : {"dry = true\n\u00e9 = 1", "dry = true\nsource.n\u00a7 = 1", "dry = \n\u00a1",
                                 "gauge.files = [\n\u00e9]", "gauge.files = [\"\"\"\\\n\u00a7\"\"\"]",
                                 "gauge.files = [\"a\\\"\",\n\u00e9]", "gauge.files = ['a\\',\n\u00e9]"}) {
    const std::string error = error_of([&] { read(text); });
    EXPECT_NE(error.find("job.toml, line 2: a character beyond ASCII"), error.npos) << text << error;
  }
  Parameters p;
  Settings s = p.settings();
  s.assign("gauge.files=\u00e9.lime");
  EXPECT_EQ(p.files, std::vector<std::string>{"\u00e9.lime"});
}

}  // namespace

TEST(Settings, FileSetsEveryType) {
  Parameters p;
  Settings s = p.settings();
  s.read(R"(
dry = true
[lattice]
extent = [4, 6, 8, 10]
[action]
kappa = 1
[solver]
method = "cg"
[source]
n = -3
seed = 18
times = []
[gauge]
files = ["a", "b c"]
[meson]
momenta = [[0, 0, 1], [1, 1, 0]]
)",
         "run.toml");
  EXPECT_TRUE(p.dry);
  EXPECT_EQ(p.extent, (Coord{4, 6, 8, 10}));
  EXPECT_EQ(p.kappa, 1.0);
  EXPECT_EQ(p.method, "cg");
  EXPECT_EQ(p.n, -3);
  EXPECT_EQ(p.seed, 18u);
  EXPECT_TRUE(p.times.empty());
  EXPECT_EQ(p.files, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(p.momenta, (std::vector<std::array<int, 3>>{{0, 0, 1}, {1, 1, 0}}));
  EXPECT_TRUE(s.given("action.kappa"));
  EXPECT_EQ(s.origin("action.kappa"), "run.toml, line 6: action.kappa");
}

TEST(Settings, WhatIsPrintedReadsBackTheSame) {
  Parameters p;
  p.kappa = 0.1 + 0.2;
  p.files = {"quote \" backslash \\ end", "grüße"};
  p.momenta = {{0, 0, -1}};
  const std::string text = p.settings().toml();
  Parameters q;
  q.times = {1};
  q.settings().read(text, "printed");
  EXPECT_EQ(q.kappa, p.kappa);
  EXPECT_EQ(q.files, p.files);
  EXPECT_EQ(q.momenta, p.momenta);
  EXPECT_EQ(q.times, p.times);
  EXPECT_EQ(q.settings().toml(), text);
}

TEST(Settings, AssignmentsMayLeaveOutQuotesAndBrackets) {
  Parameters p;
  Settings s = p.settings();
  s.assign("solver.method=cg");
  s.assign("action.kappa = 1.5e-1");
  s.assign("gauge.files=conf.1000");
  s.assign("source.times=[1, 2]");
  EXPECT_EQ(p.method, "cg");
  EXPECT_EQ(p.kappa, 0.15);
  EXPECT_EQ(p.files, (std::vector<std::string>{"conf.1000"}));
  EXPECT_EQ(p.times, (std::vector<int>{1, 2}));
  s.assign(R"(gauge.files=["x", "y"])");
  EXPECT_EQ(p.files.size(), 2u);
  s.assign(R"(gauge.files="z")");
  EXPECT_EQ(p.files, (std::vector<std::string>{"z"}));
}

TEST(Settings, TextsOfAnyCharactersReadBackTheSame) {
  const std::vector<std::string> texts{"'''\"\"\"", "\\x", "\\", "\u0085\u2028\U0001f600", "'", ""};
  Parameters p;
  p.files = texts;
  Parameters q;
  q.settings().read(p.settings().toml(), "printed");
  EXPECT_EQ(q.files, texts);
}

TEST(Settings, ControlCharactersAreRefused) {
  Parameters p;
  Settings s = p.settings();
  for (const std::string text : {"a\\u0000b", "\\u001b[2J", "a\\nb", "a\\tb", "\\u007f"}) {
    EXPECT_SAYS(error_of([&] { s.read("gauge.files = ['x', \"" + text + "\"]", "run.toml"); }),
                "run.toml, line 1: gauge.files is '");
    EXPECT_SAYS(error_of([&] { s.assign("gauge.files=[\"" + text + "\"]"); }), "which has control characters");
    EXPECT_SAYS(error_of([&] { s.assign("gauge.files=\"" + text + "\""); }), "which has control characters");
  }
  EXPECT_SAYS(error_of([&] { s.assign("gauge.files=a\x1b"); }), "a\\u001B");
  EXPECT_SAYS(error_of([&] { s.read("\"a\\u0000b\" = 1", "f"); }), "f, line 1: a\\u0000b is not a known key");
  EXPECT_TRUE(p.files.empty());
}

TEST(Settings, AKeyIsGivenOnce) {
  Parameters p;
  Settings s = p.settings();
  EXPECT_SAYS(error_of([&] { s.read("\"action.kappa\" = 0.12\n[action]\nkappa = 0.13\n", "run.toml"); }),
              "action.kappa is given twice, also in line");
  // An assignment may change what a file says, and what an earlier one said, but that is told.
  s.read("action.kappa = 0.12", "run.toml");
  s.assign("action.kappa=0.13");
  s.assign("action.kappa=0.130");
  EXPECT_TRUE(s.warnings().empty());
  s.assign("action.kappa=0.14");
  ASSERT_EQ(s.warnings().size(), 1u);
  EXPECT_SAYS(s.warnings()[0], "--set action.kappa is given twice, as 0.13 and as 0.14");
  EXPECT_EQ(p.kappa, 0.14);
}

TEST(Settings, LongValuesAreShortened) {
  Parameters p;
  Settings s = p.settings();
  const std::string text(100000, 'x');
  for (const std::string& assignment : {"solver.method=" + text, "action.kappa=" + text, text, text + "=1",
                                        "gauge.files=[" + text, "source.times=[\"" + text + "\"]"})
    EXPECT_LT(error_of([&] { s.assign(assignment); }).size(), 500u);
}

// toml++ would write them as if they were Latin-1.
TEST(Settings, TextsThatAreNotUtf8AreRefused) {
  Parameters p;
  Settings s = p.settings();
  for (const char* name : {"caf\xe9.lime", "[\"caf\xe9.lime\"]", "\"caf\xe9.lime\""})
    EXPECT_SAYS(error_of([&] { s.assign(std::string("gauge.files=") + name); }), "UTF-8");
  EXPECT_SAYS(error_of([&] { s.assign("gauge.files=caf\xe9.lime"); }), "rename the file, or name a link to it");
  EXPECT_TRUE(p.files.empty());
  s.assign("gauge.files=caf\u00e9.lime");
  EXPECT_EQ(p.files, std::vector<std::string>{"caf\u00e9.lime"});
}

TEST(Settings, ListsAndQuotesThatTomlRefusesAreNotTakenForNames) {
  Parameters p;
  Settings s = p.settings();
  for (const char* value : {"[\"a\", b]", "[\"a\"", "\"a", "'a", "['a' 'b']"})
    EXPECT_SAYS(error_of([&] { s.assign(std::string("gauge.files=") + value); }),
                "--set gauge.files is not valid TOML");
  EXPECT_SAYS(error_of([&] { s.assign("solver.method='cg"); }), "--set solver.method is not valid TOML");
  EXPECT_TRUE(p.files.empty());
  s.assign("gauge.files=a[1]");
  EXPECT_EQ(p.files, std::vector<std::string>{"a[1]"});
}

TEST(Settings, NoLineOfAnAssignmentIsDropped) {
  Parameters p;
  Settings s = p.settings();
  EXPECT_SAYS(error_of([&] { s.assign("action.kappa=0.1\nseed=2"); }), "--set action.kappa has more than one value");
  EXPECT_SAYS(error_of([&] { s.assign("gauge.files='a'\n[b]"); }), "--set gauge.files has more than one value");
  EXPECT_SAYS(error_of([&] { s.assign("solver.method='cg'\nb='a'"); }), "--set solver.method has more than one value");
  EXPECT_EQ(p.kappa, 0.15);
  s.assign("source.times=[1,\n2]");
  EXPECT_EQ(p.times, (std::vector<int>{1, 2}));
}

TEST(Settings, UnknownKeysNameTheNearestKnownOne) {
  Parameters p;
  Settings s = p.settings();
  const std::string text = error_of([&] { s.read("[action]\n\nkapa = 0.1\n", "run.toml"); });
  EXPECT_SAYS(text, "run.toml, line 3: action.kapa is not a known key; did you mean 'action.kappa'?");
  EXPECT_SAYS(error_of([&] { s.read("[latice]\nextent = [2, 2, 2, 2]", "f"); }), "did you mean 'lattice.extent'?");
  EXPECT_SAYS(error_of([&] { s.assign("source.sed=1"); }),
              "--set source.sed is not a known key; did you mean 'source.seed'?");
  EXPECT_SAYS(error_of([&] { s.assign("kappa=0.1"); }), "did you mean 'action.kappa'?");
  EXPECT_SAYS(error_of([&] { s.read("[aktion]", "f"); }), "did you mean 'action'?");
  EXPECT_SAYS(error_of([&] { s.read("[aktion]\nfrobnicate = 1", "f"); }), "did you mean 'action'?");
  EXPECT_SAYS(error_of([&] { s.read("[nothing]", "f"); }), "nothing is not a known section");
  EXPECT_SAYS(error_of([&] { s.read("solver = 3", "f"); }), "solver is a section");
}

TEST(Settings, ListsOfTablesHaveTheSameKeysInEach) {
  struct Quark {
    std::string name = "light";
    double kappa = 0.15;
    std::array<double, 3> boost{0, 0, 0};
  };
  std::deque<Quark> quarks;
  const auto settings = [&quarks] {
    quarks.clear();
    Settings s;
    s.add_tables("quark", [&quarks](Settings& t, const std::string& section) {
      Quark& quark = quarks.emplace_back();
      t.add(section + ".name", &quark.name, "a name");
      t.add(section + ".kappa", &quark.kappa, "hopping parameter");
      t.add(section + ".boost", &quark.boost, "a momentum");
    });
    return s;
  };
  Settings s = settings();
  s.read("[[quark]]\nkappa = 0.1\n[[quark]]\nname = \"charm\"\nboost = [1, 0, 0.5]\n", "run.toml");
  ASSERT_EQ(quarks.size(), 2u);
  EXPECT_EQ(s.n_tables("quark"), 2);
  EXPECT_EQ(quarks[0].kappa, 0.1);
  EXPECT_EQ(quarks[1].name, "charm");
  EXPECT_EQ(quarks[1].boost, (std::array<double, 3>{1, 0, 0.5}));
  EXPECT_EQ(s.origin("quark.0.kappa"), "run.toml, line 2: quark.0.kappa");
  EXPECT_FALSE(s.given("quark.1.kappa"));
  s.assign("quark.1.kappa=0.12");
  s.assign("quark.2.kappa=0.13");
  ASSERT_EQ(quarks.size(), 3u);
  EXPECT_EQ(quarks[2].kappa, 0.13);
  EXPECT_SAYS(error_of([&] { s.assign("quark.5.kappa=0.13"); }),
              "--set quark.5.kappa is of table 5 of the list [[quark]], which has no table 3: give a key of quark.3 "
              "before it, such as quark.3.kappa");
  EXPECT_SAYS(error_of([&] { s.assign("quark.100.kappa=0.13"); }), "beyond 100");
  EXPECT_SAYS(error_of([&] { s.assign("quark.99999999999.kappa=0.13"); }), "beyond 100");
  EXPECT_SAYS(error_of([&] { s.assign("quark.5.kapa=0.13"); }), "such as quark.3.kappa");
  EXPECT_SAYS(error_of([&] { s.assign("quark.5.xyz=0.13"); }), "before it, such as quark.3.name");
  EXPECT_SAYS(error_of([&] { s.assign("quark.5=0.13"); }), "before it, such as quark.3.name");
  EXPECT_SAYS(error_of([&] { s.assign("quark.0.kapa=0.13"); }), "did you mean 'quark.0.kappa'?");
  const std::string printed = s.toml();
  Settings again = settings();
  again.read(printed, "printed");
  EXPECT_EQ(again.toml(), printed);
  EXPECT_EQ(quarks.size(), 3u);
  EXPECT_SAYS(error_of([&] { settings().read("[quark]\nkappa = 0.1", "f"); }), "write [[quark]]");
  EXPECT_SAYS(error_of([&] { settings().read("quark = [1]", "f"); }), "write [[quark]]");
  EXPECT_SAYS(error_of([&] { settings().read("[[quark]]\nkapa = 1", "f"); }), "did you mean 'quark.0.kappa'?");
  std::string many;
  for (int k = 0; k < 101; ++k) many += "[[quark]]\n";
  EXPECT_SAYS(error_of([&] { settings().read(many, "f"); }), "at most 100");
}

/// Whether tables are there or not.
TEST(Settings, KeysOfTablesWithoutANumberSuggestKeysThatThereAre) {
  double kappa = 0, mass = 0;
  for (const std::string tables : {"", "[[quark]]\nkappa = 0.1\n"}) {
    const auto error = [&](const std::string& assignment) {
      Settings s;
      s.add_tables("quark", [&](Settings& t, const std::string& section) {
        t.add(section + ".kappa", &kappa, "hopping parameter");
        t.add(section + ".mass", &mass, "bare mass");
      });
      s.read(tables, "run.toml");
      return error_of([&] { s.assign(assignment); });
    };
    EXPECT_EQ(error("quark.kappa=1"),
              "--set quark.kappa is of the list [[quark]], whose tables have numbers from 0 on: write quark.0.kappa");
    EXPECT_EQ(error("quark.kapa=1"),
              "--set quark.kapa is of the list [[quark]], whose tables have numbers from 0 on; did you mean "
              "'quark.0.kappa'?");
    EXPECT_SAYS(error("quark.light.mass=1"), "; did you mean 'quark.0.mass'?");
    EXPECT_SAYS(error("quark.xyz=1"), "from 0 on: its keys are like quark.0.kappa");
  }
}

TEST(Settings, WrongTypesNameFileLineAndWhatIsWanted) {
  Parameters p;
  Settings s = p.settings();
  const auto wrong = [&](const std::string& toml) { return error_of([&] { s.read(toml, "run.toml"); }); };
  EXPECT_SAYS(wrong("[source]\nn = 1.5"),
              "run.toml, line 2: source.n must be an integer between -2^31 and 2^31, but is the number 1.5");
  EXPECT_SAYS(wrong("[source]\nn = 4294967296"), "must be an integer");
  EXPECT_SAYS(wrong("[source]\nseed = -1"), "an integer of 0 or more");
  EXPECT_SAYS(wrong("[action]\nkappa = \"big\""), "must be a finite number, but is the string");
  EXPECT_SAYS(wrong("[action]\nkappa = nan"), "must be a finite number");
  EXPECT_SAYS(wrong("[lattice]\nextent = [4, 4, 4]"), "a list of four integers");
  EXPECT_SAYS(wrong("[meson]\nmomenta = [0, 0, 1]"), "a list of lists of three integers");
  EXPECT_SAYS(wrong("[solver]\nmethod = \"bicgstb\""), "did you mean 'bicgstab'?");
  EXPECT_SAYS(wrong("[action\nkappa = 1"), "run.toml, line 1");
  EXPECT_SAYS(wrong("[action]\nkappa = 1\nkappa = 2"), "not valid TOML");
  EXPECT_SAYS(error_of([&] { s.assign("action.kappa=x"); }), "--set action.kappa must be a finite number");
  EXPECT_SAYS(error_of([&] { s.assign("action.kappa"); }), "wants KEY=VALUE");
  EXPECT_EQ(p.n, 4);  // a refused value changes nothing
  EXPECT_EQ(p.kappa, 0.15);
}

}  // namespace kov::app
