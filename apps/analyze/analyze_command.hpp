// SPDX-License-Identifier: MIT
//
// kovariant analyze
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// Energies from correlators in files: errors, effective masses, fits, dispersion relations, GEVP.
Command analyze_command();

}  // namespace kov::app
