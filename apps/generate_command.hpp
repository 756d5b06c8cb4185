// SPDX-License-Identifier: MIT
//
// kovariant generate
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// Quenched gauge configurations by heatbath and overrelaxation.
Command generate_command();

}  // namespace kov::app
