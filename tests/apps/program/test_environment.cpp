// SPDX-License-Identifier: MIT
//
// What OpenMP is told under launchers, which reveal more or less about their processes.
#include "apps/program/environment.hpp"
#include "tests/support/launcher_environment.hpp"

namespace kov::app {
namespace {

class MissingEnvironment : public test::LauncherEnvironment {
 protected:
  /// The value that a variable gets in an environment with these variables; "unset" if none.
  static std::string wanted(const std::string& name, const Variables& variables) {
    clear();
    set(variables);
    for (const auto& [missing, value] : missing_environment())
      if (missing == name) return value;
    return "unset";
  }
};

TEST_F(MissingEnvironment, BindsTheThreadsOfOneProcess) {
  EXPECT_EQ(wanted("OMP_PROC_BIND", {}), "true");
  EXPECT_EQ(wanted("OMP_PLACES", {}), "cores");
  EXPECT_EQ(wanted("OMP_NUM_THREADS", {}), "unset");
  EXPECT_EQ(wanted("OMP_PROC_BIND", {{"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "4"}, {"FLUX_JOB_NNODES", "4"}}),
            "true");
}

TEST_F(MissingEnvironment, BindsNoneOfSeveralAndSharesTheProcessorsOut) {
  for (const char* local_size : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PALS_LOCAL_SIZE"}) {
    const Variables variables{{std::string(local_size).starts_with("OMPI") ? "OMPI_COMM_WORLD_RANK" : "PMI_RANK", "1"},
                              {local_size, "4096"}};
    EXPECT_EQ(wanted("OMP_PROC_BIND", variables), "false") << local_size;
    EXPECT_EQ(wanted("OMP_PLACES", variables), "unset") << local_size;
    // If the test itself was started with bound threads, so were these.
    EXPECT_TRUE(wanted("OMP_NUM_THREADS", variables) == "1" || wanted("OMP_NUM_THREADS", variables) == "unset");
  }
}

TEST_F(MissingEnvironment, LeavesBindingToALauncherThatDoesNotSayHowManyThereAre) {
  for (const char* rank : {"PALS_RANKID", "PMIX_RANK", "FLUX_TASK_RANK", "PMI_RANK"}) {
    EXPECT_EQ(wanted("OMP_PROC_BIND", {{rank, "1"}}), "false") << rank;
    EXPECT_EQ(wanted("OMP_PLACES", {{rank, "1"}}), "unset") << rank;
    EXPECT_EQ(wanted("OMP_NUM_THREADS", {{rank, "1"}}), "unset") << rank;
  }
}

TEST(WantedThreads, AreNeverMoreThanKokkosTakes) {
  const auto none = std::optional<int>();
  EXPECT_EQ(wanted_threads(512, 512, 1), none);
  EXPECT_EQ(wanted_threads(513, 513, 1), 512);
  EXPECT_EQ(wanted_threads(2048, 2048, 2), 512);
  EXPECT_EQ(wanted_threads(1024, 2048, 2), 512);  // bound
  EXPECT_EQ(wanted_threads(2048, 2048, none), 512);
  EXPECT_EQ(wanted_threads(2048, 2048, 8), 256);
  EXPECT_EQ(wanted_threads(64, 128, 2), none);
  EXPECT_EQ(wanted_threads(4, 4, 9), 1);
}

TEST_F(MissingEnvironment, LeavesWhatIsSet) {
  EXPECT_EQ(wanted("OMP_PROC_BIND", {{"OMP_PROC_BIND", "close"}}), "unset");
  EXPECT_EQ(wanted("GOMP_SPINCOUNT", {{"OMP_WAIT_POLICY", "active"}}), "unset");
  EXPECT_EQ(wanted("GOMP_SPINCOUNT", {}), "10000");
}

}  // namespace
}  // namespace kov::app
