// SPDX-License-Identifier: MIT
//
// Launchers are recognised by the environment of their processes; similar environments are not mistaken for one.
#include "kov/core/base/error.hpp"
#include "kov/core/comm/launcher.hpp"
#include "tests/support/launcher_environment.hpp"

namespace kov {
namespace {

class Launchers : public test::LauncherEnvironment {
 protected:
  /// The launcher found after these variables are set; they stay set.
  static Launcher in(const Variables& variables) {
    set(variables);
    return Launcher::of_environment();
  }
  /// The launcher found in an environment of these variables alone.
  static Launcher only_in(const Variables& variables) {
    clear();
    return in(variables);
  }
};

TEST_F(Launchers, WithoutALauncherAProcessIsAlone) {
  EXPECT_EQ(in({}).name, "");
  EXPECT_EQ(in({}).rank, 0);
  EXPECT_EQ(in({}).size, 1);
  EXPECT_EQ(in({}).on_host, 1);
  EXPECT_FALSE(wants_mpi());
}

TEST_F(Launchers, NumbersBeyondIntAreNotRanks) {
  const std::string beyond = "2147483648";
  EXPECT_EQ(only_in({{"PMI_RANK", beyond}, {"PMI_SIZE", "2"}}).rank, 0);
  EXPECT_FALSE(only_in({{"PMI_RANK", "1"}, {"PMI_SIZE", beyond}}).size);
  EXPECT_EQ(
      only_in({{"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "2147483647"}, {"FLUX_JOB_NNODES", "2147483647"}}).on_host,
      1);
  EXPECT_FALSE(
      only_in(
          {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}, {"SLURM_STEP_TASKS_PER_NODE", beyond}})
          .on_host);
}

TEST_F(Launchers, AreKnownByTheirVariables) {
  const auto none = std::optional<int>();
  const struct {
    Variables variables;
    std::string name;
    std::optional<int> size, on_host;
  } cases[] = {
      {{{"OMPI_COMM_WORLD_RANK", "3"},
        {"OMPI_COMM_WORLD_SIZE", "8"},
        {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
        {"PMIX_RANK", "3"}},
       "Open MPI",
       8,
       4},
      {{{"MV2_COMM_WORLD_RANK", "3"}, {"MV2_COMM_WORLD_SIZE", "6"}, {"MV2_COMM_WORLD_LOCAL_SIZE", "2"}},
       "MVAPICH",
       6,
       2},
      {{{"MVP_COMM_WORLD_RANK", "3"}, {"MVP_COMM_WORLD_SIZE", "6"}, {"MVP_COMM_WORLD_LOCAL_SIZE", "2"}},
       "MVAPICH",
       6,
       2},
      {{{"PMI_RANK", "3"}, {"PMI_SIZE", "8"}, {"MPI_LOCALNRANKS", "2"}}, "MPICH", 8, 2},
      {{{"PMI_RANK", "3"}, {"PMI_SIZE", "8"}, {"PMI_LOCAL_SIZE", "2"}}, "MPICH", 8, 2},
      {{{"PMI_RANK", "3"}, {"PMI_SIZE", "8"}}, "MPICH", 8, none},
      {{{"PALS_RANKID", "3"}, {"PALS_LOCAL_RANKID", "1"}, {"PALS_LOCAL_SIZE", "2"}}, "PALS", none, 2},
      {{{"PALS_RANKID", "3"}, {"PALS_LOCAL_SIZE", "2"}, {"PMI_RANK", "3"}, {"PMI_SIZE", "8"}}, "MPICH", 8, 2},
      {{{"PALS_RANKID", "3"}}, "PALS", none, none},
      {{{"FLUX_TASK_RANK", "3"}, {"FLUX_TASK_LOCAL_ID", "1"}, {"FLUX_JOB_SIZE", "7"}, {"FLUX_JOB_NNODES", "2"}},
       "Flux",
       7,
       4},
      {{{"FLUX_TASK_RANK", "3"},
        {"FLUX_JOB_SIZE", "4"},
        {"FLUX_JOB_NNODES", "1"},
        {"PMI_RANK", "3"},
        {"PMI_SIZE", "4"}},
       "MPICH",
       4,
       4},
      {{{"FLUX_TASK_RANK", "3"}, {"FLUX_JOB_SIZE", "4"}}, "Flux", 4, none},
      {{{"PMIX_RANK", "3"}}, "PMIx", none, none},
  };
  for (const auto& c : cases) {
    const Launcher found = only_in(c.variables);
    const std::string of = c.name + " by " + c.variables.begin()->first;
    EXPECT_EQ(found.name, c.name);
    EXPECT_EQ(found.rank, 3) << of;
    EXPECT_EQ(found.size, c.size) << of;
    EXPECT_EQ(found.on_host, c.on_host) << of;
    EXPECT_TRUE(wants_mpi()) << of;
  }
}

TEST_F(Launchers, TasksOfASlurmStepAreRanks) {
  const Variables step{{"SLURM_JOB_ID", "77"},        {"SLURM_PROCID", "2"}, {"SLURM_STEP_ID", "0"},
                       {"SLURM_STEP_NUM_TASKS", "6"}, {"SLURM_NODEID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "3(x2)"}};
  const Launcher found = in(step);
  EXPECT_EQ(found.name, "Slurm");
  EXPECT_EQ(found.rank, 2);
  EXPECT_EQ(found.size, 6);
  EXPECT_EQ(found.on_host, 3);
  EXPECT_TRUE(wants_mpi());
  // Slurm's count of tasks also holds when it starts them for another MPI.
  EXPECT_EQ(in({{"PMI_RANK", "2"}, {"PMI_SIZE", "6"}}).on_host, 3);
  EXPECT_EQ(in({}).name, "MPICH");
  only_in(step);
  EXPECT_EQ(in({{"PMIX_RANK", "2"}}).on_host, 3);
}

TEST_F(Launchers, SlurmCountsTheTasksOfEachHost) {
  in({{"SLURM_PROCID", "2"},
      {"SLURM_STEP_ID", "0"},
      {"SLURM_STEP_NUM_TASKS", "16"},
      {"SLURM_STEP_TASKS_PER_NODE", "4(x2),5,3"}});
  EXPECT_EQ(in({}).on_host, 4);
  EXPECT_EQ(in({{"SLURM_NODEID", "1"}}).on_host, 4);
  EXPECT_EQ(in({{"SLURM_NODEID", "2"}}).on_host, 5);
  EXPECT_EQ(in({{"SLURM_NODEID", "3"}}).on_host, 3);
  EXPECT_EQ(in({{"SLURM_NODEID", "4"}}).on_host, std::nullopt);
  EXPECT_EQ(in({{"SLURM_NODEID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "many"}}).on_host, std::nullopt);
}

TEST_F(Launchers, AStepOfSlurmThatStartedDaemonsDoesNotCountProcesses) {
  const Variables daemons{{"SLURM_PROCID", "0"},
                          {"SLURM_STEP_ID", "0"},
                          {"SLURM_STEP_NUM_TASKS", "2"},
                          {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"}};
  in(daemons);
  EXPECT_EQ(in({{"PMI_RANK", "3"}, {"PMI_SIZE", "8"}}).on_host, std::nullopt);
  EXPECT_EQ(in({{"MPI_LOCALNRANKS", "4"}}).on_host, 4);
}

TEST_F(Launchers, PmixInsideAStepOfSlurmIsAnothersUnlessItsNamespaceIsSlurms) {
  const Variables shell{
      {"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"PMIX_RANK", "3"}};
  set(shell);  // srun --pty bash
  EXPECT_EQ(in({{"PMIX_NAMESPACE", "slurm.pmix.77.0"}}).name, "Slurm");
  EXPECT_FALSE(wants_mpi());
  EXPECT_EQ(in({{"PMIX_NAMESPACE", "prterun-host-4711@1"}}).name, "PMIx");
  EXPECT_EQ(in({}).rank, 3);
  EXPECT_TRUE(wants_mpi());
}

TEST_F(Launchers, OneProcessNeedsNoMpi) {
  for (const Variables& variables :
       {Variables{{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}},
        Variables{{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}, Variables{{"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "1"}},
        Variables{{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"PMIX_RANK", "0"}}}) {
    const Launcher found = only_in(variables);
    EXPECT_EQ(found.on_host, 1) << found.name;
    EXPECT_FALSE(wants_mpi()) << found.name;
  }
}

TEST_F(Launchers, ABatchScriptOfSlurmIsNotUnderALauncher) {
  in({{"SLURM_JOB_ID", "77"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "64"}});
  EXPECT_FALSE(wants_mpi());
  // A batch script that runs as a step has a step id that Slurm reserves for it.
  in({{"SLURM_STEP_ID", "4294967291"}});
  EXPECT_FALSE(wants_mpi());
}

TEST_F(Launchers, AShellOfASlurmAllocationIsNotUnderALauncher) {
  in({{"SLURM_JOB_ID", "77"}, {"SLURM_NTASKS", "64"}});
  EXPECT_FALSE(wants_mpi());
  // As a step (salloc with interactive steps), and as `srun --pty bash`.
  in({{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "4294967290"}, {"SLURM_STEP_NUM_TASKS", "1"}});
  EXPECT_FALSE(wants_mpi());
  in({{"SLURM_STEP_ID", "0"}, {"PMIX_RANK", "0"}});
  EXPECT_FALSE(wants_mpi());
}

TEST_F(Launchers, MpirunInsideASlurmAllocationIsALauncher) {
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

TEST_F(Launchers, TextThatIsNotANumberIsNotARank) {
  for (const char* text : {"two", "-1", "1x", ""}) EXPECT_EQ(in({{"PMI_RANK", text}}).name, "") << text;
}

}  // namespace
}  // namespace kov
