// SPDX-License-Identifier: MIT
//
// Warnings about plans that need more memory than there is.  Limits come from system files, which are made up here, and
// what shares one is summed up.
#include "apps/files/memory_plan.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kov::app {
namespace {

namespace fs = std::filesystem;
using Kind = MemoryPool::Kind;

class ControlGroups : public ::testing::Test {
 protected:
  ControlGroups() : root_(fs::temp_directory_path() / ("kovariant-groups-" + std::to_string(::getpid()))) {}
  ~ControlGroups() override { fs::remove_all(root_); }

  void file(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text << "\n";
  }
  /// The limits that are found, the process's own group first.
  std::vector<double> limits() const {
    std::vector<double> bytes;
    for (const MemoryPool& pool : control_group_pools(root_)) {
      EXPECT_EQ(pool.kind, Kind::control_group);
      bytes.push_back(pool.bytes);
    }
    return bytes;
  }
  std::uint64_t innermost() const { return control_group_pools(root_).at(0).identity; }

 private:
  fs::path root_;
};

TEST_F(ControlGroups, OfVersionTwoAreFoundUpToTheOuterMost) {
  file("proc/self/cgroup", "0::/system.slice/slurmstepd.scope/job_77/step_0/user/task_3");
  const std::string scope = "sys/fs/cgroup/system.slice/slurmstepd.scope/";
  file(scope + "memory.max", "max");
  file(scope + "job_77/memory.max", "8000");
  file(scope + "job_77/step_0/memory.max", "4000");
  file(scope + "job_77/step_0/user/task_3/memory.max", "max");
  EXPECT_EQ(limits(), (std::vector<double>{4000, 8000}));
}

TEST_F(ControlGroups, OfVersionOneAreThoseOfTheMemoryController) {
  file("proc/self/cgroup",
       "9:name=systemd:/x\n5:cpu,cpuacct:/slurm/uid_7/job_77\n4:hugetlb,memory:/slurm/uid_7/job_77/step_0\n0::/x");
  const std::string memory = "sys/fs/cgroup/memory/";
  file(memory + "memory.limit_in_bytes", "9223372036854771712");
  file(memory + "slurm/uid_7/job_77/memory.limit_in_bytes", "5000");
  file(memory + "slurm/uid_7/job_77/step_0/memory.limit_in_bytes", "3000");
  EXPECT_EQ(limits(), (std::vector<double>{3000, 5000, 9223372036854771712.0}));
}

TEST_F(ControlGroups, OfAContainerAreSeenFromInside) {
  file("sys/fs/cgroup/memory.max", "6000");
  for (const char* group : {"0::/", "0::/../../docker/beef", "0::/docker/beef"}) {
    file("proc/self/cgroup", group);
    EXPECT_EQ(limits(), std::vector<double>{6000}) << group;
  }
}

TEST_F(ControlGroups, WithoutLimitsOrFilesGiveNoPools) {
  EXPECT_EQ(limits(), std::vector<double>{});
  file("proc/self/cgroup", "0::/job");
  EXPECT_EQ(limits(), std::vector<double>{});
  file("sys/fs/cgroup/job/memory.max", "max");
  EXPECT_EQ(limits(), std::vector<double>{});
}

TEST_F(ControlGroups, HaveAnIdentityOfTheirOwn) {
  file("sys/fs/cgroup/one/memory.max", "100");
  file("sys/fs/cgroup/two/memory.max", "100");
  file("proc/self/cgroup", "0::/one");
  const std::uint64_t one = innermost();
  EXPECT_EQ(one, innermost());
  file("proc/self/cgroup", "0::/two");
  EXPECT_NE(one, innermost());
}

TEST(MemoryWarning, CountsWhatSharesAPool) {
  const Comm comm = Comm::world();
  const double ranks = comm.size(), mine = 3e9;
  const std::uint64_t shared = 1, own = 100 + std::uint64_t(comm.rank());
  const auto warning = [&](Kind kind, std::uint64_t identity, double bytes) {
    return memory_warning(comm, mine, {{kind, identity, bytes}});
  };
  for (const Kind kind : {Kind::host, Kind::gpu, Kind::control_group}) {
    EXPECT_EQ(warning(kind, own, mine), "");
    EXPECT_EQ(warning(kind, shared, ranks * mine), "");
    const std::string text = warning(kind, shared, ranks * mine - 1e9);
    EXPECT_NE(text.find(sentence("take about", 3 * ranks, "GB")), text.npos) << text;
    EXPECT_NE(text.find(sentence("more than its memory of", 3 * ranks - 1, "GB")), text.npos) << text;
  }
  EXPECT_NE(warning(Kind::gpu, shared, 1e9).find("on each GPU"), std::string::npos);
}

TEST(MemoryWarning, NamesThePoolThatLacksMost) {
  const Comm comm = Comm::world();
  const std::uint64_t own = 100 + std::uint64_t(comm.rank());
  const std::string text = memory_warning(
      comm, 9e9,
      {{Kind::control_group, own, 4e9}, {Kind::control_group, own + 1000, 2e9}, {Kind::host, own + 2000, 8e9}});
  EXPECT_NE(text.find("in a control group"), text.npos) << text;
  EXPECT_NE(text.find("memory of 2 GB"), text.npos) << text;
}

TEST(MemoryOfRank, IsAPartOfWhatIsShared) {
  const Comm comm = Comm::world();
  const double ranks = comm.size();
  const std::uint64_t shared = 1, own = 100 + std::uint64_t(comm.rank());
  for (const Kind kind : {Kind::host, Kind::gpu, Kind::control_group}) {
    EXPECT_EQ(memory_of_rank(comm, {{kind, own, 3e9}}), 3e9);
    EXPECT_EQ(memory_of_rank(comm, {{kind, shared, 3e9}}), 3e9 / ranks);
  }
  EXPECT_EQ(memory_of_rank(comm, {{Kind::control_group, own, 3e9}, {Kind::host, shared, 12e9}}),
            std::min(3e9, 12e9 / ranks));
}

TEST(MemoryText, IsRoundedUpAndNoFurther) {
  constexpr double MiB = 1 << 20;
  EXPECT_EQ(mebibytes_text(9.7 * MiB), "10 MiB");
  EXPECT_EQ(mebibytes_text(10 * MiB), "10 MiB");
  EXPECT_EQ(mebibytes_text(10 * MiB + 1), "11 MiB");
  EXPECT_EQ(mebibytes_text(12345678 * MiB), "12345678 MiB");
}

TEST(MemoryOfRank, IsThatOfTheRankWithTheLeast) {
  const Comm comm = Comm::world();
  const std::uint64_t own = 100 + std::uint64_t(comm.rank());
  EXPECT_EQ(memory_of_rank(comm, {{Kind::gpu, own, 8e9 - 1e9 * comm.rank()}}), 9e9 - 1e9 * comm.size());
}

TEST(MemoryPools, AreThisMachines) {
  const std::vector<MemoryPool> pools = memory_pools();
  ASSERT_FALSE(pools.empty());
  EXPECT_NE(pools.back().kind, Kind::control_group);
  for (const MemoryPool& pool : pools) EXPECT_GT(pool.bytes, 1e6);
  if (pools.back().kind == Kind::gpu) return;  // each rank may have its own
  const Comm comm = Comm::world();
  const std::int64_t mine = std::int64_t(pools.back().identity >> 1);
  std::vector<std::int64_t> largest{mine};
  comm.max(largest);
  EXPECT_EQ(largest[0], mine) << "ranks of one host have different hosts";
}

}  // namespace
}  // namespace kov::app
