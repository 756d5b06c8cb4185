// SPDX-License-Identifier: MIT
//
// The solver part of `kovariant bench`: what an iteration costs beside the operators in it.
#pragma once

#include "apps/program/command_line.hpp"
#include "kov/core/lattice/lattice.hpp"

namespace kov::app {

/// A table: the median time of an iteration of every solver, and of the operators that it applies, in turns.  seconds:
/// for each solver.
template <class T>
void bench_solvers(const Session& session, const Lattice& lattice, double seconds);

}  // namespace kov::app
