// SPDX-License-Identifier: MIT
//
// Launchers are recognised by the environment of their processes, and nothing else is taken for one.
#include "kov/core/error.hpp"
#include "kov/core/launcher.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <optional>

namespace kov {
namespace {

/// The environment without any launcher; as it was at the end.
class Launchers : public ::testing::Test {
 protected:
  Launchers() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "MV2_COMM_WORLD_RANK",
                             "MV2_COMM_WORLD_SIZE",
                             "MVP_COMM_WORLD_RANK",
                             "MVP_COMM_WORLD_SIZE",
                             "PMI_RANK",
                             "PMI_SIZE",
                             "PMIX_RANK",
                             "MPI_LOCALNRANKS",
                             "PALS_RANKID",
                             "FLUX_TASK_RANK",
                             "FLUX_JOB_SIZE",
                             "SLURM_PROCID",
                             "SLURM_STEP_ID",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_STEP_TASKS_PER_NODE",
                             "SLURM_NTASKS",
                             "SLURM_JOB_ID",
                             "KOV_MPI"}) {
      const char* const value = std::getenv(name);
      before_[name] = value ? std::optional<std::string>(value) : std::nullopt;
      unsetenv(name);
    }
  }
  ~Launchers() override {
    for (const auto& [name, value] : before_) value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

  /// What is found in such an environment, which stays.
  static Launcher in(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    return Launcher::of_environment();
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(Launchers, WithoutOneAProcessIsAlone) {
  EXPECT_EQ(in({}).name, "");
  EXPECT_EQ(in({}).rank, 0);
  EXPECT_FALSE(wants_mpi());
}

TEST_F(Launchers, OpenMpi) {
  const Launcher found = in({{"OMPI_COMM_WORLD_RANK", "3"},
                             {"OMPI_COMM_WORLD_SIZE", "8"},
                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                             {"PMIX_RANK", "3"}});
  EXPECT_EQ(found.name, "Open MPI");
  EXPECT_EQ(found.rank, 3);
  EXPECT_EQ(found.size, 8);
  EXPECT_EQ(found.on_host, 4);
  EXPECT_TRUE(wants_mpi());
}

TEST_F(Launchers, MpichAndItsKin) {
  const Launcher found = in({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}});
  EXPECT_EQ(found.name, "MPICH");
  EXPECT_EQ(found.rank, 1);
  EXPECT_EQ(found.size, 2);
  EXPECT_EQ(found.on_host, 2);
  EXPECT_TRUE(wants_mpi());
}

TEST_F(Launchers, Mvapich) {
  EXPECT_EQ(in({{"MV2_COMM_WORLD_RANK", "5"}, {"MV2_COMM_WORLD_SIZE", "6"}}).rank, 5);
  EXPECT_TRUE(wants_mpi());
}

TEST_F(Launchers, PalsFluxAndPmix) {
  for (const char* rank : {"PALS_RANKID", "FLUX_TASK_RANK", "PMIX_RANK"}) {
    EXPECT_EQ(in({{rank, "7"}}).rank, 7) << rank;
    EXPECT_TRUE(wants_mpi()) << rank;
    unsetenv(rank);
  }
}

TEST_F(Launchers, TasksOfAStepOfSlurm) {
  const Launcher found = in({{"SLURM_JOB_ID", "77"},
                             {"SLURM_PROCID", "2"},
                             {"SLURM_STEP_ID", "0"},
                             {"SLURM_STEP_NUM_TASKS", "6"},
                             {"SLURM_STEP_TASKS_PER_NODE", "3(x2)"}});
  EXPECT_EQ(found.name, "Slurm");
  EXPECT_EQ(found.rank, 2);
  EXPECT_EQ(found.size, 6);
  EXPECT_EQ(found.on_host, 3);
  EXPECT_TRUE(wants_mpi());
}

TEST_F(Launchers, ABatchScriptOfSlurmIsNone) {
  in({{"SLURM_JOB_ID", "77"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "64"}});
  EXPECT_FALSE(wants_mpi());
  // Where the script is a step, it has a number that Slurm keeps for it.
  in({{"SLURM_STEP_ID", "4294967291"}});
  EXPECT_FALSE(wants_mpi());
}

TEST_F(Launchers, AShellOfAnAllocationOfSlurmIsNone) {
  in({{"SLURM_JOB_ID", "77"}, {"SLURM_NTASKS", "64"}});
  EXPECT_FALSE(wants_mpi());
  // As a step (salloc with interactive steps), and as `srun --pty bash`.
  in({{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "4294967290"}, {"SLURM_STEP_NUM_TASKS", "1"}});
  EXPECT_FALSE(wants_mpi());
  in({{"SLURM_STEP_ID", "0"}, {"PMIX_RANK", "0"}});
  EXPECT_FALSE(wants_mpi());
}

TEST_F(Launchers, MpirunInsideAnAllocationOfSlurmIsOne) {
  in({{"SLURM_JOB_ID", "77"}, {"SLURM_PROCID", "0"}, {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  EXPECT_EQ(Launcher::of_environment().rank, 1);
  EXPECT_TRUE(wants_mpi());
}

TEST_F(Launchers, TheUserHasTheLastWord) {
  in({{"KOV_MPI", "1"}});
  EXPECT_TRUE(wants_mpi());
  in({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"KOV_MPI", "0"}});
  EXPECT_FALSE(wants_mpi());
  in({{"KOV_MPI", ""}});
  EXPECT_TRUE(wants_mpi());
  in({{"KOV_MPI", "yes"}});
  EXPECT_THROW(wants_mpi(), InputError);
}

TEST_F(Launchers, TextThatIsNoRankIsNone) {
  EXPECT_EQ(in({{"PMI_RANK", "two"}}).name, "");
  EXPECT_EQ(in({{"PMI_RANK", "-1"}}).name, "");
}

}  // namespace
}  // namespace kov
