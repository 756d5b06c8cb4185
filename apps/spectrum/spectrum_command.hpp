// SPDX-License-Identifier: MIT
//
// kovariant spectrum
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// Hadron correlators and effective masses.
Command spectrum_command();

}  // namespace kov::app
