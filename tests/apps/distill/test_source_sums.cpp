// SPDX-License-Identifier: MIT
//
// Sums over source times: what is contracted together, and what is left of the journal.
#include "apps/distill/source_sums.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace kov::app {
namespace test_source_sums {

namespace fs = std::filesystem;

class SourceSums : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = comm_.broadcast("test_source_sums." + std::to_string(getpid()));
    if (comm_.rank() == 0) fs::create_directory(folder_);
    comm_.barrier();
  }
  void TearDown() override {
    comm_.barrier();
    if (comm_.rank() == 0) fs::remove_all(folder_);
  }
  std::string place(const std::string& name) const { return (fs::path(folder_) / name).string(); }

  const Comm comm_ = Comm::world();
  std::string folder_;
};

TEST_F(SourceSums, GroupsAreContractedOnceAndTogetherAsFarAsRanksHaveWork) {
  const std::vector<std::size_t> sizes{3, 1, 2, 2, 1};
  const std::vector<int> times{1, 4, 6};
  const auto value = [](std::size_t group, std::size_t k, int time) {
    return std::complex<double>(100.0 * double(group) + double(k), 0.1 * time);
  };
  for (const std::size_t together : {1, 2, 5, 9}) {
    int calls = 0, advanced = 0;
    SourceContraction work{.sizes = sizes,
                           .contract =
                               [&](std::size_t first, std::size_t n, int time) {
                                 ++calls;
                                 EXPECT_LE(n, together);
                                 std::vector<std::complex<double>> numbers;
                                 for (std::size_t group = first; group < first + n; ++group)
                                   for (std::size_t k = 0; k < sizes[group]; ++k)
                                     numbers.push_back(value(group, k, time));
                                 return numbers;
                               },
                           .together = together,
                           .advance = [&](int n) { advanced += n; }};
    const DistillFile file{.name = "sums", .job = std::to_string(together)};
    const auto sums = sums_over_sources(comm_, place("journal"), file, times, work);
    ASSERT_EQ(sums.size(), sizes.size());
    for (std::size_t group = 0; group < sizes.size(); ++group) {
      ASSERT_EQ(sums[group].size(), sizes[group]);
      for (std::size_t k = 0; k < sizes[group]; ++k) {
        std::complex<double> expected = 0;
        for (const int t : times) expected += value(group, k, t);
        EXPECT_EQ(sums[group][k], expected) << group << " " << k;
      }
    }
    if (comm_.size() == 1 && together >= 5) {
      EXPECT_EQ(calls, 3) << "one for each time";
    }
    std::array<double, 1> all{double(calls)};
    comm_.sum(all);
    EXPECT_GE(all[0], 3 * double(std::min(comm_.size(), 3))) << "ranks have work";
    EXPECT_EQ(advanced, comm_.rank() == 0 ? 15 : 0);
    remove_parts(comm_, place("journal"), file, times);
    comm_.barrier();
    EXPECT_FALSE(fs::exists(place("journal")));
  }
}

/// The link is the user's: it stays, and so does the folder that it names, without our parts.
TEST_F(SourceSums, JournalInALinkedFolderLeavesTheLink) {
  if (comm_.rank() == 0) {
    fs::create_directory(place("elsewhere"));
    fs::create_directory_symlink("elsewhere", place("journal"));
  }
  comm_.barrier();
  const DistillFile file{.name = "sums", .job = "job"};
  const Journal journal(comm_, place("journal"), file.job);
  journal.add(file.part_key(2), {});
  remove_parts(comm_, place("journal"), file, {2});
  comm_.barrier();
  EXPECT_TRUE(fs::is_symlink(place("journal")));
  EXPECT_TRUE(fs::is_directory(place("elsewhere")));
  EXPECT_TRUE(fs::is_empty(place("elsewhere")));
}

}  // namespace test_source_sums
}  // namespace kov::app
