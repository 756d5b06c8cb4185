// SPDX-License-Identifier: MIT
//
// kovariant convert
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// A gauge configuration in another format or precision.
Command convert_command();

}  // namespace kov::app
