// SPDX-License-Identifier: MIT
//
// Memory in plans, whether the fields fit into the pools of memory_pools(), and the section [memory] of a job.
#pragma once

#include "apps/files/memory_pools.hpp"
#include "apps/program/command_line.hpp"
#include "apps/settings/settings.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// "12 MiB", rounded up: less than a MiB more than there are.
std::string mebibytes_text(double bytes);

/// "memory          12 MiB\n" of all processes together, as plans say it.
std::string memory_row(double bytes_per_site, const Lattice& lattice);

/// A sentence when the fields of all processes that share a pool do not fit into it; empty when they fit.  The same on
/// every rank.  Collective.
std::string memory_warning(const Comm& comm, double bytes_of_process,
                           const std::vector<MemoryPool>& pools = memory_pools());

/// The bytes that every rank has at least when the processes that share a pool have equal parts of it.  Collective.
double memory_of_rank(const Comm& comm, const std::vector<MemoryPool>& pools = memory_pools());

/// Logs that sentence as a warning.  Collective.
void warn_beyond_memory(const Session& session, double bytes_per_site, const Lattice& lattice);

/// The settings [memory].
struct MemoryChoice {
  /// GiB of a process; 0: its part of what there is.
  double limit = 0;

  /// Binds the members to their keys.
  void add_to(Settings& settings);
  /// Throws InputError, which names the key.
  void check(const Settings& settings) const;
  /// Bytes that a process may take.  Collective.
  double bytes_of_process(const Comm& comm) const;
};

/// "solves need 12 MiB in each process with the smallest batches, but there are 3 MiB: ...".  what: "solves"; remedy:
/// of this job alone, before those of all jobs; may be empty.
std::string too_little_memory(const std::string& what, double needed, double bytes, const std::string& remedy);

}  // namespace kov::app
