// SPDX-License-Identifier: MIT
//
// kovariant distill: eigenvectors of the Laplacian, elementals and perambulators in files.
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// The subcommand `kovariant distill`.
Command distill_command();

}  // namespace kov::app
