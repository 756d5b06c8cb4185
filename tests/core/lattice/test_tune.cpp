// SPDX-License-Identifier: MIT
//
// The tuner gives every candidate its turns, takes the fastest, on all ranks the same, and remembers it in a file that
// may be damaged or of another version.  Each test makes up the times.
#include "kov/core/base/version.hpp"
#include "kov/core/lattice/tune.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/support/tune_file.hpp"

#include <algorithm>
#include <stdexcept>
#include <sys/stat.h>

namespace kov::test {
namespace {

TuneKey key_of(const std::string& kernel) { return {.kernel = kernel, .choice = "form"}; }

class Tuning : public ::testing::Test {
 protected:
  static constexpr int turns = 12;
  static constexpr const char* device = "Test Device 7";

  Tuner::Clock clock() {
    return [this] { return now; };
  }
  /// One call, of which candidate c takes costs[c] seconds: the candidate that ran.
  int call(Tuner& tuner, const TuneKey& key, const std::vector<double>& costs) {
    int ran = -1;
    tuner.run_best(*tuner.choice(key, int(costs.size())), [&](int candidate) {
      ran = candidate;
      now += costs.at(std::size_t(candidate));
    });
    return ran;
  }
  /// All trials, which show the candidates in turns, and then the choice.
  int choose(Tuner& tuner, const TuneKey& key, const std::vector<double>& costs) {
    const int n = int(costs.size());
    for (int i = 0; i < turns * n; ++i) EXPECT_EQ(call(tuner, key, costs), i % n);
    return call(tuner, key, costs);
  }
  /// The line of a key in the file.
  static std::string line(const std::string& kernel, int choice, const std::string& where = device,
                          const std::string& which = version()) {
    return key_of(kernel).text() + " device=" + where + " version=" + which + '\t' + std::to_string(choice) + '\n';
  }

  const TuneFile none{std::nullopt};
  const Comm comm = Comm::world();
  const Folder folder{comm};
  const std::filesystem::path file = folder / "tune.txt";
  const std::string first_line = "# kovariant tuner: key, tab, choice\n";
  double now = 0;
};

TEST_F(Tuning, GivesEachItsTurnsAndKeepsToTheFastest) {
  Tuner tuner(comm, device, clock());
  for (int fast = 0; fast < 3; ++fast) {
    std::vector<double> costs{3, 2, 4};
    costs[std::size_t(fast)] = 1;
    const TuneKey key = key_of("kernel " + std::to_string(fast));
    EXPECT_EQ(choose(tuner, key, costs), fast);
    // The choice stays, however long it takes later.
    for (int i = 0; i < 5; ++i) EXPECT_EQ(call(tuner, key, {5.0 - i, 5, 5}), fast);
  }
}

TEST_F(Tuning, RemembersAnAnswerForEachKeyAndFindsItOnce) {
  Tuner tuner(comm, device, clock());
  struct Shape {
    int rows, columns;
    auto operator<=>(const Shape&) const = default;
  };
  int n_found = 0;
  const auto area = [&](const Shape& shape) {
    return tuner.remember<int>(shape, [&] {
      ++n_found;
      return shape.rows * shape.columns;
    });
  };
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(area({2, 3}), 6);
    EXPECT_EQ(area({3, 5}), 15);
  }
  EXPECT_EQ(n_found, 2);
  EXPECT_EQ(tuner.remember<double>(Shape{2, 3}, [] { return 0.5; }), 0.5) << "another answer about the same";
  const auto fail = [&]() -> int { throw std::runtime_error("not found"); };
  EXPECT_THROW(tuner.remember<int>(Shape{7, 7}, fail), std::runtime_error);
  EXPECT_EQ(area({7, 7}), 49) << "a failure is not remembered";
}

TEST_F(Tuning, LeavesTheFirstRoundAsideAndTakesTheBestOfTheOthers) {
  Tuner tuner(comm, device, clock());
  const TuneKey key = key_of("kernel");
  for (int round = 0; round < turns; ++round)
    for (int c = 0; c < 2; ++c) {
      // Candidate 0 is slow except in its first call; candidate 1 is delayed in every call except one.
      const std::vector<double> costs{round == 0 ? 0.1 : 2.0, round == 7 ? 1.0 : 50.0};
      EXPECT_EQ(call(tuner, key, costs), c);
    }
  EXPECT_EQ(call(tuner, key, {1, 1}), 1);
}

TEST_F(Tuning, KeepsTheDefaultWhereLittleIsToGain) {
  Tuner tuner(comm, device, clock());
  EXPECT_EQ(choose(tuner, key_of("noise"), {1.02, 1.01, 1.0}), 0);
  EXPECT_EQ(choose(tuner, key_of("gain"), {1.04, 1.01, 1.0}), 2);
  EXPECT_EQ(choose(tuner, key_of("others"), {2, 1.01, 1.0}), 2);
}

TEST_F(Tuning, RanksWithDifferentTimesChooseWhatIsBestForTheSlowest) {
  Tuner tuner(comm, device, clock());
  // Rank 0 alone would choose candidate 0.
  const std::vector<double> costs = comm.rank() == 0 ? std::vector<double>{1, 2} : std::vector<double>{5, 3};
  EXPECT_EQ(choose(tuner, key_of("kernel"), costs), comm.size() == 1 ? 0 : 1);
}

TEST_F(Tuning, TakesTurnsForEachKeyByItself) {
  Tuner tuner(comm, device, clock());
  const TuneKey a = key_of("a"), b = key_of("b");
  for (int i = 0; i < 2 * turns; ++i) {
    EXPECT_EQ(call(tuner, a, {1, 2}), i % 2);
    EXPECT_EQ(call(tuner, b, {2, 1}), i % 2);
  }
  EXPECT_EQ(call(tuner, a, {1, 2}), 0);
  EXPECT_EQ(call(tuner, b, {2, 1}), 1);
}

TEST_F(Tuning, WaitsOnlyForWhatItTimes) {
  Tuner tuner(comm, device, clock());
  const auto choice = tuner.choice(key_of("kernel"), 2);
  int runs = 0, fences = 0;
  for (int i = 0; i < 2 * turns + 5; ++i) {
    EXPECT_EQ(choice->is_made(), i > 2 * turns) << i;
    tuner.run_best(
        *choice,
        [&](int candidate) {
          ++runs;
          now += candidate == 0 ? 1 : 0.5;  // a launch that returns at once
        },
        [&] {
          ++fences;
          now += fences % 2 == 1 ? 1 : 2;  // and takes so long in truth
        });
  }
  EXPECT_EQ(runs, 2 * turns + 5);
  EXPECT_EQ(fences, 2 * turns);
  EXPECT_EQ(choice->candidate(), 0);
  EXPECT_EQ(tuner.choice(key_of("kernel"), 2), choice);
}

TEST_F(Tuning, GoesOnAfterAnExceptionOfOneRank) {
  for (const int failing : {3, 2 * turns - 1}) {
    Tuner tuner(comm, device, clock());
    const TuneKey key = key_of("kernel");
    for (int i = 0; i < 2 * turns; ++i) {
      const auto run = [&](int candidate) {
        EXPECT_EQ(candidate, i % 2) << "ranks are at different candidates";
        now += candidate == 0 ? 2 : 1;
        if (i == failing && comm.rank() == 0) throw std::runtime_error("lost");
      };
      if (i == failing && comm.rank() == 0)
        EXPECT_THROW(tuner.run_best(*tuner.choice(key, 2), run), std::runtime_error);
      else
        EXPECT_NO_THROW(tuner.run_best(*tuner.choice(key, 2), run));
    }
    EXPECT_EQ(call(tuner, key, {2, 1}), 1);
    EXPECT_THROW(tuner.run_best(*tuner.choice(key, 2), [](int) { throw std::runtime_error("later"); }),
                 std::runtime_error);
    EXPECT_EQ(call(tuner, key, {2, 1}), 1);
  }
}

TEST_F(Tuning, NeverChoosesWhatAlwaysThrows) {
  Tuner tuner(comm, device, clock());
  for (int i = 0; i < 2 * turns; ++i) {
    const auto run = [&](int candidate) {
      now += 1;
      if (candidate == 0) throw std::runtime_error("never");
    };
    if (i % 2 == 0)
      EXPECT_THROW(tuner.run_best(*tuner.choice(key_of("kernel"), 2), run), std::runtime_error);
    else
      tuner.run_best(*tuner.choice(key_of("kernel"), 2), run);
  }
  EXPECT_EQ(call(tuner, key_of("kernel"), {0, 9}), 1);
}

TEST_F(Tuning, MeasuresSecondsByItself) {
  const double start = Tuner::steady_seconds();
  double end = start;
  while (end - start < 1e-3) end = Tuner::steady_seconds();
  EXPECT_LT(end - start, 60);
}

TEST(TuneKeys, DifferInEveryEntry) {
  const TuneKey key{"kernel", "choice", {{"extent", "1 2 3 4"}, {"lanes", "8"}}};
  std::vector<TuneKey> others(6, key);
  others[0].kernel += "2";
  others[1].choice += "2";
  others[2].entries[0].second += " 5";
  others[3].entries[1].first += "2";
  others[4].entries.pop_back();
  others[5] = {};
  others.push_back(key);
  for (std::size_t i = 0; i < others.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(others[i], others[j]) << i << ' ' << j;
      EXPECT_NE(others[i].text(), others[j].text());
    }
  EXPECT_EQ(key.text(), "kernel=kernel choice=choice extent=1 2 3 4 lanes=8");
}

TEST(TuneKeys, TakeNumbersAndTexts) {
  TuneKey key{.kernel = "hop"};
  EXPECT_EQ(key.add("lanes", 8).add("bytes", sizeof(float)).add("forced", true).add("sites", "even").text(),
            "kernel=hop choice= lanes=8 bytes=4 forced=1 sites=even");
}

TEST_F(Tuning, RemembersInTheFile) {
  const TuneFile here(file);
  {
    Tuner tuner(comm, device, clock());
    choose(tuner, key_of("laplacian"), {2, 1});
    choose(tuner, key_of("hop"), {1, 2});
  }
  comm.barrier();
  EXPECT_EQ(bytes_of(file), first_line + line("hop", 0) + line("laplacian", 1));
  EXPECT_EQ(folder.files(), 1u) << "something temporary was left";
  Tuner tuner(comm, device, clock());
  EXPECT_EQ(call(tuner, key_of("laplacian"), {1, 2}), 1);
  EXPECT_EQ(call(tuner, key_of("laplacian"), {1, 2}), 1);
}

TEST_F(Tuning, OfSeveralLatticesEndsUpInTheSameFile) {
  const TuneFile here(file);
  {
    Tuner first(comm, device, clock()), second(comm, device, clock());
    choose(first, key_of("first"), {2, 1});
    choose(second, key_of("second"), {2, 1});
  }
  comm.barrier();
  EXPECT_EQ(bytes_of(file), first_line + line("first", 1) + line("second", 1));
}

TEST_F(Tuning, OfAnotherDeviceOrVersionIsMeasuredAgainAndLeftInTheFile) {
  // Lines of an old layout, of another version, of another device, and lines that no version wrote.
  const std::string old = "covariant_laplacian overlap 4 4 4 8 on 1 1 1 2 0 1 8 12\t1\n",
                    theirs = line("kernel", 1, device, "0.0.1") + line("kernel", 1, "Other Device"),
                    unknown = "no tab at all\nzzz\tnot a number\n";
  write_bytes(comm, file, first_line + old + theirs + unknown);
  const TuneFile here(file);
  {
    Tuner tuner(comm, device, clock());
    EXPECT_EQ(choose(tuner, key_of("kernel"), {1, 2}), 0);
  }
  comm.barrier();
  std::vector<std::string> lines;
  std::istringstream in(bytes_of(file));
  for (std::string one; std::getline(in, one);) lines.push_back(one + '\n');
  std::istringstream all(first_line + old + theirs + unknown + line("kernel", 0));
  std::size_t n = 0;
  for (std::string one; std::getline(all, one); ++n)
    EXPECT_EQ(std::count(lines.begin(), lines.end(), one + '\n'), 1) << one;
  EXPECT_EQ(lines.size(), n);
  EXPECT_EQ(lines.at(0), first_line);
}

TEST_F(Tuning, KeepsALineToOneKeyWhateverTheNames) {
  const TuneFile here(file);
  {
    Tuner tuner(comm, "two\nlines\tand a tab", clock());
    choose(tuner, key_of("a\tb\nc"), {2, 1});
  }
  comm.barrier();
  EXPECT_EQ(bytes_of(file), first_line + line("a b c", 1, "two lines and a tab"));
}

TEST_F(Tuning, TakesTheDeviceOfRank0) {
  const TuneFile here(file);
  {
    Tuner tuner(comm, comm.rank() == 0 ? device : "another", clock());
    choose(tuner, key_of("kernel"), {2, 1});
  }
  comm.barrier();
  EXPECT_EQ(bytes_of(file), first_line + line("kernel", 1));
  Tuner tuner(comm, comm.rank() == 0 ? device : "another", clock());
  EXPECT_EQ(call(tuner, key_of("kernel"), {1, 2}), 1);
}

TEST_F(Tuning, LeavesAForeignFileAlone) {
  const std::string theirs = "BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE\n\t1\n";
  write_bytes(comm, file, theirs);
  const TuneFile here(file);
  {
    Tuner tuner(comm, device, clock());
    choose(tuner, key_of("kernel"), {2, 1});
  }
  comm.barrier();
  EXPECT_EQ(bytes_of(file), theirs);
}

TEST_F(Tuning, LeavesNoFileWhereNothingWasLearnt) {
  const TuneFile here(file);
  {
    Tuner tuner(comm, device, clock());
    call(tuner, key_of("kernel"), {2, 1});
  }
  comm.barrier();
  EXPECT_EQ(folder.files(), 0u);
}

TEST_F(Tuning, IgnoresWhatIsDamagedInTheFileAndKeepsTheRest) {
  const std::string good = line("good", 1).substr(0, line("good", 1).rfind('\t'));
  for (const std::string& damage :
       {std::string("no tab at all"), std::string("key\tnot a number"), std::string("\t"), good + "\t7", good + "\t-1",
        good + "\t", good, std::string(100, '\0'), std::string("a\t1\tb"), good + "\t99999999999999999999"}) {
    SCOPED_TRACE(damage);
    write_bytes(comm, file, damage + "\n" + line("kept", 1) + damage);
    const TuneFile here(file);
    Tuner tuner(comm, device, clock());
    EXPECT_EQ(call(tuner, key_of("kept"), {1, 2}), 1) << "a good line was not understood";
    EXPECT_EQ(choose(tuner, key_of("good"), {1, 2}), 0) << "a choice that does not exist was taken";
  }
}

TEST_F(Tuning, SaysWhatOfTheFileIsNotUsed) {
  const auto warnings = [&](const std::string& text) {
    write_bytes(comm, file, text);
    const TuneFile here(file);
    return Tuner(comm, device, clock()).warnings();
  };
  EXPECT_TRUE(warnings(first_line + line("kernel", 1) + line("kernel", 0, "Other Device")).empty());
  const auto damaged = warnings(first_line + line("kernel", 1) + "no tab\nkey\t-1\n");
  ASSERT_EQ(damaged.size(), 1u);
  EXPECT_NE(damaged[0].find("has 2 lines that are no choice"), std::string::npos) << damaged[0];
  const auto foreign = warnings("BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE\n");
  ASSERT_EQ(foreign.size(), 1u);
  EXPECT_NE(foreign[0].find("does not begin as a file of the tuner"), std::string::npos) << foreign[0];
  const auto of_path = [&](const std::filesystem::path& path) {
    const TuneFile here(path);
    const auto found = Tuner(comm, device, clock()).warnings();
    return found.size() == 1 ? found[0] : "";
  };
  const std::filesystem::path pipe = file.string() + ".pipe";
  if (comm.rank() == 0) {
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  }
  comm.barrier();
  for (const auto& path : {pipe, std::filesystem::path(file).parent_path()})
    EXPECT_NE(of_path(path).find("does not begin as a file of the tuner"), std::string::npos) << path;
  EXPECT_NE(of_path(file.string() + ".no/file").find("in a folder that does not exist"), std::string::npos);
  EXPECT_FALSE(Tuner(comm, device, clock()).has_file());
  EXPECT_TRUE(Tuner(comm, device, clock()).warnings().empty());
}

TEST_F(Tuning, OfAllRanksHasTheFileThatRank0Names) {
  const TuneFile here(comm.rank() == 0 ? std::optional(file) : std::nullopt);
  EXPECT_TRUE(Tuner(comm, device, clock()).has_file());
}

TEST_F(Tuning, ReportsChoicesBetweenNames) {
  Tuner tuner(comm, device, clock());
  const TuneKey key{.kernel = "hop",
                    .choice = "launch default 4-turns",
                    .entries = {{"extent", "8 8 8 16"}, {"legs", ""}, {"sites", "even"}}};
  call(tuner, key, {2, 1});
  EXPECT_TRUE(tuner.report().empty());
  for (int i = 1; i < 2 * turns; ++i) call(tuner, key, {2, 1});
  choose(tuner, key_of("without names"), {2, 1});
  call(tuner, key, {2, 1});
  EXPECT_EQ(tuner.report(), std::vector<std::string>{"hop, extent 8 8 8 16, sites even: launch 4-turns"});
}

TEST_F(Tuning, WorksWhereTheFileCannotBeReadOrWritten) {
  for (const auto& path : {folder.path(), folder / "none" / "tune.txt", std::filesystem::path("")}) {
    const TuneFile here(path);
    Tuner tuner(comm, device, clock());
    EXPECT_EQ(choose(tuner, key_of("kernel"), {2, 1}), 1);
  }
  comm.barrier();
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace
}  // namespace kov::test
