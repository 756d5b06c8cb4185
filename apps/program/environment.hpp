// SPDX-License-Identifier: MIT
//
// What must be settled before libraries start: OpenMP reads its environment when the program is loaded.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kov::app {

/// Environment variables that kovariant should run with and that are not set yet.
///
/// One process on a host: OMP_PROC_BIND=true and OMP_PLACES=cores, because unbound threads are 60-100x slow on a busy
/// machine.  Several: no binding, or all would fight over the first cores, and the processors that this process may use
/// are shared out over OMP_NUM_THREADS.  Where the launcher does not say how many there are: no binding, and as many
/// threads as the launcher gave processors.  Always: GOMP_SPINCOUNT=10000, so that a thread of GCC's OpenMP that waits
/// for one which is not running gives its processor away sooner.
std::vector<std::pair<std::string, std::string>> missing_environment();

/// What OMP_NUM_THREADS is to be where it is not set; nothing where OpenMP finds it by itself.  Never more than
/// Runtime::most_threads.  processors: that this process may use; hardware: that the host has; processes: of the job on
/// this host, where that is known.
std::optional<int> wanted_threads(int processors, int hardware, const std::optional<int>& processes);

/// Sets missing_environment() and, when something was missing, starts this program once more in its place.
void restart_with_environment(char** argv);

}  // namespace kov::app
