// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>

namespace kov::app {

/// A line of a table, as printf would print it; up to 255 characters.
std::string format(const char* pattern, auto... values) {
  char line[256];
  std::snprintf(line, sizeof line, pattern, values...);
  return line;
}

}  // namespace kov::app
