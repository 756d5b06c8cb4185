// SPDX-License-Identifier: MIT
//
// Whether the fields of a plan fit into memory.
#pragma once

#include "apps/command_line.hpp"
#include "kov/core/lattice.hpp"

#include <string>

namespace kov::app {

/// "memory          12 MiB\n" of all processes together, as plans say it.
std::string memory_row(double bytes_per_site, const Lattice& lattice);

/// Says so when the fields of a process do not fit where they are to be, with those of the others there; empty where
/// they do.  Collective.
std::string memory_doubt(const Comm& comm, double bytes_of_process);

/// Warns of that.  Collective.
void warn_beyond_memory(const Session& session, double bytes_per_site, const Lattice& lattice);

}  // namespace kov::app
