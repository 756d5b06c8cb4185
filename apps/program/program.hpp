// SPDX-License-Identifier: MIT
//
// The program around the subcommands: parse, start MPI and Kokkos, run, turn exceptions into text and an exit code.
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// Returns the exit code, on every rank the same.  What went wrong is printed once, whichever rank had it.
/// parts: a line for --version, which optional parts the program has.
int run_program(int argc, char** argv, const std::vector<Command>& commands, const std::string& parts);

}  // namespace kov::app
