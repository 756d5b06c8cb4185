// SPDX-License-Identifier: MIT
#include "apps/program/environment.hpp"

#include "kov/core/comm/launcher.hpp"
#include "kov/core/runtime/runtime.hpp"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <thread>
#include <unistd.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

namespace kov::app {

namespace {

/// Processors that this process may run on.  An OpenMP that binds threads has put this one on its first place already,
/// and knows the others.
cpu_set_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
#if defined(_OPENMP)
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(std::size_t(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    for (const int id : ids) CPU_SET(std::size_t(id), &set);
  }
  if (CPU_COUNT(&set) > 0) return set;
#endif
  sched_getaffinity(0, sizeof(set), &set);
  return set;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> missing_environment() {
  std::vector<std::pair<std::string, std::string>> missing;
  const auto want = [&missing](const char* name, const std::string& value) {
    if (!std::getenv(name)) missing.emplace_back(name, value);
  };
  if (!std::getenv("OMP_WAIT_POLICY")) want("GOMP_SPINCOUNT", "10000");
  const cpu_set_t set = usable_processors();
  const int hardware = int(std::thread::hardware_concurrency()), usable = CPU_COUNT(&set),
            processors = usable > 0 ? usable : hardware;
  const std::optional<int> processes = Launcher::of_environment().on_host;
  want("OMP_PROC_BIND", processes == 1 ? "true" : "false");
  if (processes == 1) want("OMP_PLACES", "cores");
  if (const auto threads = wanted_threads(processors, hardware, processes))
    want("OMP_NUM_THREADS", std::to_string(*threads));
  return missing;
}

std::optional<int> wanted_threads(int processors, int hardware, const std::optional<int>& processes) {
  // A launcher that bound its processes has shared the processors out already.
  const bool shares = processes && *processes > 1 && processors >= hardware;
  const int threads = shares ? std::max(1, processors / *processes) : processors;
  if (!shares && threads <= Runtime::most_threads) return {};
  return std::min(threads, Runtime::most_threads);
}

void restart_with_environment(char** argv) {
  const auto missing = missing_environment();
  if (missing.empty()) return;
  for (const auto& [name, value] : missing) setenv(name.c_str(), value.c_str(), 1);
  // The new program inherits the processors: all, not the one this thread is bound to.
  const cpu_set_t all = usable_processors();
  if (CPU_COUNT(&all) > 0) sched_setaffinity(0, sizeof(all), &all);
  execv("/proc/self/exe", argv);
  // Where there is no /proc we go on as we are: slower, not wrong.
}

}  // namespace kov::app
