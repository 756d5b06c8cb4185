// SPDX-License-Identifier: MIT
//
// The halo part of `kovariant bench`: exchanges beside a ping-pong of MPI, overlap beside none, and an exchange
// beside work that needs none of it.
#pragma once

#include "apps/program/command_line.hpp"
#include "kov/core/lattice/geometry.hpp"

namespace kov::app {

/// Three tables.  Bytes that a rank sends and receives in an exchange of spinors over its time, beside the same of a
/// ping-pong of messages of that length between pairs of ranks, in turns; the Laplacian with overlap as tuned, and
/// forced, beside the blocking one; and interior kernels alone, an exchange alone and both together: %sum is the time
/// of both over the sum of the two, 100 where nothing is hidden.  On one rank halos are forced and messages go to the
/// rank itself, which the title says.  seconds: for each measurement.  Collective.
void bench_halo(const Session& session, const Coord& extent, double seconds);

/// The kernels behind these tables, once, on one rank.
void run_halo_kernels(const Comm& comm, const Coord& extent);

}  // namespace kov::app
