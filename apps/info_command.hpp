// SPDX-License-Identifier: MIT
//
// kovariant info
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// What a gauge configuration is: header, checksums, plaquette.
Command info_command();

}  // namespace kov::app
