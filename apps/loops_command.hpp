// SPDX-License-Identifier: MIT
//
// kovariant loops
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// Wilson loops, the static potential and Polyakov loops.
Command loops_command();

}  // namespace kov::app
