// SPDX-License-Identifier: MIT
//
// Memory in plans, and whether the fields fit into the pools of memory_pools().
#pragma once

#include "apps/files/memory_pools.hpp"
#include "apps/program/command_line.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <string>
#include <vector>

namespace kov::app {

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

}  // namespace kov::app
