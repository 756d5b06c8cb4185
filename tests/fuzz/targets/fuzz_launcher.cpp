// SPDX-License-Identifier: MIT
//
// What launchers say in the environment: lines VARIABLE=value of the variables that are looked at.
#include "kov/core/comm/launcher.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace kov::fuzz {

namespace {

constexpr const char* variables[] = {"OMPI_COMM_WORLD_RANK",
                                     "OMPI_COMM_WORLD_SIZE",
                                     "OMPI_COMM_WORLD_LOCAL_SIZE",
                                     "MV2_COMM_WORLD_RANK",
                                     "MV2_COMM_WORLD_SIZE",
                                     "MV2_COMM_WORLD_LOCAL_SIZE",
                                     "MVP_COMM_WORLD_RANK",
                                     "MVP_COMM_WORLD_SIZE",
                                     "MVP_COMM_WORLD_LOCAL_SIZE",
                                     "PMI_RANK",
                                     "PMI_SIZE",
                                     "MPI_LOCALNRANKS",
                                     "PMI_LOCAL_SIZE",
                                     "PALS_RANKID",
                                     "PALS_LOCAL_SIZE",
                                     "FLUX_TASK_RANK",
                                     "FLUX_JOB_SIZE",
                                     "FLUX_JOB_NNODES",
                                     "PMIX_RANK",
                                     "PMIX_NAMESPACE",
                                     "SLURM_STEP_ID",
                                     "SLURM_PROCID",
                                     "SLURM_STEP_NUM_TASKS",
                                     "SLURM_NTASKS",
                                     "SLURM_NODEID",
                                     "SLURM_STEP_TASKS_PER_NODE",
                                     "KOV_MPI"};

}  // namespace

std::vector<std::string> seeds() {
  return {"OMPI_COMM_WORLD_RANK=1\nOMPI_COMM_WORLD_SIZE=4\nOMPI_COMM_WORLD_LOCAL_SIZE=2",
          "PMI_RANK=0\nPMI_SIZE=8",
          "SLURM_STEP_ID=0\nSLURM_PROCID=3\nSLURM_STEP_NUM_TASKS=11\nSLURM_NODEID=2\nSLURM_STEP_TASKS_PER_NODE=4(x2),3",
          "PMIX_RANK=0\nKOV_MPI=1",
          "FLUX_TASK_RANK=1\nFLUX_JOB_SIZE=4\nFLUX_JOB_NNODES=2",
          "MVP_COMM_WORLD_RANK=1\nMVP_COMM_WORLD_SIZE=4\nMVP_COMM_WORLD_LOCAL_SIZE=2",
          "PALS_RANKID=1\nPALS_LOCAL_SIZE=2\nPMIX_NAMESPACE=slurm.1"};
}

void read(const std::string& input) {
  for (const char* variable : variables) ::unsetenv(variable);
  std::istringstream lines(input);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t sign = line.find('=');
    const std::string name = line.substr(0, sign);
    if (sign != line.npos && std::find(std::begin(variables), std::end(variables), name) != std::end(variables))
      ::setenv(name.c_str(), line.c_str() + sign + 1, 1);
  }
  const Launcher launcher = Launcher::of_environment();
  if (launcher.rank < 0 || launcher.size.value_or(1) < 1 || launcher.on_host.value_or(1) < 1)
    throw std::logic_error("numbers that cannot be");
  wants_mpi();
}

}  // namespace kov::fuzz
