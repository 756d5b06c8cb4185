// SPDX-License-Identifier: MIT
//
// What plans say about memory, and whether their fields fit into that of memory_pools().
#pragma once

#include "apps/files/memory_pools.hpp"
#include "apps/program/command_line.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// "memory          12 MiB\n" of all processes together, as plans say it.
std::string memory_row(double bytes_per_site, const Lattice& lattice);

/// Says so when the fields of a process do not fit into a pool that they come from, with those of the other processes
/// that share it; empty where they do.  The same on every rank.  Collective.
std::string memory_warning(const Comm& comm, double bytes_of_process,
                           const std::vector<MemoryPool>& pools = memory_pools());

/// Warns of that.  Collective.
void warn_beyond_memory(const Session& session, double bytes_per_site, const Lattice& lattice);

}  // namespace kov::app
