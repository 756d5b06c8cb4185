// SPDX-License-Identifier: MIT
//
// What toml++ must not be given.
#pragma once

#include <string_view>

namespace kov::app {

/// The line, counted from 1, of the first character beyond ASCII that is neither in a string nor in a comment, or that
/// is the first one after a backslash at the end of a line in a string; 0 when there is none.  TOML 1.0 has no place
/// for the former, and toml++ up to 3.4 does what is undefined in C++ with both (its issues 190 and 295).
int line_beyond_ascii(std::string_view text);

}  // namespace kov::app
