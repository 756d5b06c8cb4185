// SPDX-License-Identifier: MIT
//
// The tuner takes the faster candidate, on all ranks the same, and remembers it in a file that may be damaged.
#include "kov/core/tune.hpp"
#include "tests/core/io/io_support.hpp"

#include <chrono>
#include <optional>
#include <thread>

namespace kov::test {
namespace {

/// Sets KOVARIANT_TUNE for the life of this object; no value: unset.
class TuneFile {
 public:
  explicit TuneFile(const std::optional<std::filesystem::path>& path) {
    if (const char* before = std::getenv("KOVARIANT_TUNE")) before_ = before;
    path ? setenv("KOVARIANT_TUNE", path->c_str(), 1) : unsetenv("KOVARIANT_TUNE");
  }
  ~TuneFile() { before_ ? setenv("KOVARIANT_TUNE", before_->c_str(), 1) : unsetenv("KOVARIANT_TUNE"); }

 private:
  std::optional<std::string> before_;
};

class Tuning : public ::testing::Test {
 protected:
  /// Chooses among candidates of which `fast` takes no time and the others do; counts the calls.
  int choose(Tuner& tuner, const std::string& key, int n, int fast) {
    return tuner.choose(key, n, [&](int candidate) {
      ++calls;
      if (candidate != fast) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    });
  }
  const Comm comm = Comm::world();
  const Folder folder{comm};
  const std::filesystem::path file = folder / "tune.txt";
  const std::string first_line = "# kovariant tuner: key, tab, choice\n";
  int calls = 0;
};

TEST_F(Tuning, ChoosesTheFasterAndDoesNotAskAgain) {
  const TuneFile none(std::nullopt);
  Tuner tuner(comm);
  for (int fast = 0; fast < 3; ++fast) EXPECT_EQ(choose(tuner, "kernel " + std::to_string(fast), 3, fast), fast);
  EXPECT_GE(calls, 9);
  calls = 0;
  EXPECT_EQ(choose(tuner, "kernel 1", 3, 2), 1);
  EXPECT_EQ(calls, 0);
}

TEST_F(Tuning, RanksWithDifferentTimesChooseTheSame) {
  const TuneFile none(std::nullopt);
  Tuner tuner(comm);
  const int mine = choose(tuner, "kernel", 2, comm.rank() % 2);
  const auto all = comm.all_gather(std::as_bytes(std::span(&mine, 1)));
  for (const auto& one : all) EXPECT_EQ(one, all[0]);
}

TEST_F(Tuning, RemembersInTheFile) {
  const TuneFile here(file);
  {
    Tuner tuner(comm);
    choose(tuner, "laplacian 8 8 8 16 double", 2, 1);
    choose(tuner, "hop", 2, 0);
  }
  comm.barrier();
  EXPECT_EQ(bytes_of(file), first_line + "hop\t0\nlaplacian 8 8 8 16 double\t1\n");
  EXPECT_EQ(folder.files(), 1u) << "something temporary was left";
  calls = 0;
  Tuner tuner(comm);
  EXPECT_EQ(choose(tuner, "laplacian 8 8 8 16 double", 2, 0), 1);
  EXPECT_EQ(calls, 0);
}

TEST_F(Tuning, OfSeveralLatticesEndsUpInTheSameFile) {
  const TuneFile here(file);
  {
    Tuner first(comm), second(comm);
    choose(first, "first", 2, 1);
    choose(second, "second", 2, 1);
  }
  comm.barrier();
  EXPECT_EQ(bytes_of(file), first_line + "first\t1\nsecond\t1\n");
}

TEST_F(Tuning, LeavesAFileThatIsNoneOfItsOwnAlone) {
  const std::string theirs = "BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE\n\t1\n";
  write_bytes(comm, file, theirs);
  const TuneFile here(file);
  {
    Tuner tuner(comm);
    choose(tuner, "kernel", 2, 1);
  }
  comm.barrier();
  EXPECT_EQ(bytes_of(file), theirs);
}

TEST_F(Tuning, LeavesNoFileWhereNothingWasLearnt) {
  const TuneFile here(file);
  { Tuner tuner(comm); }
  comm.barrier();
  EXPECT_EQ(folder.files(), 0u);
}

TEST_F(Tuning, IgnoresWhatIsDamagedInTheFileAndKeepsTheRest) {
  const std::string zeros(100, '\0');
  for (const std::string& damage :
       {std::string("no tab at all"), std::string("key\tnot a number"), std::string("\t"), std::string("good\t7"),
        std::string("good\t-1"), zeros, std::string("a\t1\tb"), std::string("good\t99999999999999999999")}) {
    SCOPED_TRACE(damage);
    write_bytes(comm, file, damage + "\nkept\t1\n" + damage);
    const TuneFile here(file);
    Tuner tuner(comm);
    calls = 0;
    EXPECT_EQ(choose(tuner, "kept", 2, 0), 1);
    EXPECT_EQ(calls, 0) << "a good line was not understood";
    EXPECT_EQ(choose(tuner, "good", 2, 0), 0) << "a choice that does not exist was taken";
    EXPECT_GT(calls, 0);
  }
}

TEST_F(Tuning, WorksWhereTheFileCannotBeReadOrWritten) {
  for (const auto& path : {folder.path(), folder / "none" / "tune.txt", std::filesystem::path("")}) {
    const TuneFile here(path);
    Tuner tuner(comm);
    EXPECT_EQ(choose(tuner, "kernel", 2, 1), 1);
  }
  comm.barrier();
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace
}  // namespace kov::test
