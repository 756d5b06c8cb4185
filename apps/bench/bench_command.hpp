// SPDX-License-Identifier: MIT
//
// kovariant bench: how close every kernel runs to this machine's measured roof.
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// The speed of every kernel beside the measured bandwidth and arithmetic of this machine.
Command bench_command();

}  // namespace kov::app
