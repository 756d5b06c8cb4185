// SPDX-License-Identifier: MIT
//
// Launcher: what mpirun, srun and similar programs tell their processes in the environment, readable before MPI starts.
#pragma once

#include <optional>
#include <string>

namespace kov {

/// This process among those that a launcher started together.
struct Launcher {
  /// "Open MPI", "Slurm", ...; empty when no launcher started this process.
  std::string name = {};
  /// 0 where the launcher does not say.
  int rank = 0;
  /// All processes, and those on this host, with this one; empty where the launcher does not say.
  std::optional<int> size = 1, on_host = 1;

  /// Read from the environment.  The shell of a Slurm allocation and a batch script are not launchers: a program
  /// started there is a single process.
  static Launcher of_environment();
};

/// Whether Runtime starts MPI: under a launcher, unless that says that it started one process, which has no use for MPI
/// and saves the half second to two that its start takes.  KOV_MPI=1 in the environment starts it always, KOV_MPI=0
/// never.  Throws InputError when KOV_MPI is anything else.
bool wants_mpi();

namespace detail {
/// Whether a launcher started this process and others, or does not say how many.
bool is_launched_with_others();
}  // namespace detail

}  // namespace kov
