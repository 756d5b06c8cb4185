// SPDX-License-Identifier: MIT
#include "apps/launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace kov::app {

namespace {

/// The first of these variables that holds a number, else otherwise.
int number_from(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* text = std::getenv(name); text && *text >= '0' && *text <= '9') return std::atoi(text);
  return otherwise;
}

/// Processors that this process may run on.
int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : int(std::thread::hardware_concurrency());
}

}  // namespace

// Open MPI, then Hydra (MPICH, Intel), then MVAPICH.
int processes_on_node() {
  return std::max(1, number_from({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"}, 1));
}

int announced_rank() {
  return number_from({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"}, 0);
}

std::vector<std::pair<std::string, std::string>> missing_environment() {
  std::vector<std::pair<std::string, std::string>> missing;
  const auto want = [&missing](const char* name, const std::string& value) {
    if (!std::getenv(name)) missing.emplace_back(name, value);
  };
  if (!std::getenv("OMP_WAIT_POLICY")) want("GOMP_SPINCOUNT", "10000");
  const int processes = processes_on_node(), processors = usable_processors();
  if (processes == 1) {
    want("OMP_PROC_BIND", "true");
    want("OMP_PLACES", "cores");
  } else {
    want("OMP_PROC_BIND", "false");
    // A launcher that bound its processes has shared the processors out already.
    if (processors >= int(std::thread::hardware_concurrency()))
      want("OMP_NUM_THREADS", std::to_string(std::max(1, processors / processes)));
  }
  return missing;
}

void restart_with_environment(char** argv) {
  const auto missing = missing_environment();
  if (missing.empty()) return;
  for (const auto& [name, value] : missing) setenv(name.c_str(), value.c_str(), 1);
  execv("/proc/self/exe", argv);
  // Where there is no /proc we go on as we are: slower, not wrong.
}

}  // namespace kov::app
