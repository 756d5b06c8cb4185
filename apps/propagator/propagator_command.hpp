// SPDX-License-Identifier: MIT
//
// kovariant propagator: quark propagators in files.
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// The subcommand `kovariant propagator`.
Command propagator_command();

}  // namespace kov::app
