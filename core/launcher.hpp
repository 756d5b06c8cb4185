// SPDX-License-Identifier: MIT
//
// Launcher: what mpirun, srun and their kin say in the environment of the processes they start, known before MPI is.
#pragma once

#include <string>

namespace kov {

/// This process among those that a launcher started together.
struct Launcher {
  /// "Open MPI", "Slurm", ...; empty when no launcher started this process.
  std::string name = {};
  /// 0 and 1 where the launcher does not say.
  int rank = 0, size = 1;
  /// Processes on this host, 1 where the launcher does not say.
  int on_host = 1;

  /// As the environment says.  The shell of a Slurm allocation, a batch script, and a step of one task are no launcher:
  /// a program started there is one process.
  static Launcher of_environment();
};

/// Whether Runtime starts MPI: under a launcher, as a single process has no use for it and saves the half second to two
/// that it takes.  KOV_MPI=1 in the environment starts it always, KOV_MPI=0 never.  Throws InputError when KOV_MPI is
/// anything else.
bool wants_mpi();

}  // namespace kov
