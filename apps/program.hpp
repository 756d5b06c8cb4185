// SPDX-License-Identifier: MIT
//
// The program around the subcommands: parse, start MPI and Kokkos, run, turn exceptions into text and an exit code.
#pragma once

#include "apps/command_line.hpp"

namespace kov::app {

/// Returns the exit code.  A text about what went wrong is printed once, by rank 0; every rank returns the code.
int run_program(int argc, char** argv, const std::vector<Command>& commands);

}  // namespace kov::app
