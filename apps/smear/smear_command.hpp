// SPDX-License-Identifier: MIT
//
// kovariant smear
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// The shape of a smeared source.
Command smear_command();

}  // namespace kov::app
