// SPDX-License-Identifier: MIT
//
// kovariant gaugefix
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// Links in Coulomb, Landau or temporal gauge.
Command gaugefix_command();

}  // namespace kov::app
