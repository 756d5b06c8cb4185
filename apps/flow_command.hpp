// SPDX-License-Identifier: MIT
//
// kovariant flow
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// Gradient flow: energies, charge, t0 and w0.
Command flow_command();

}  // namespace kov::app
