// SPDX-License-Identifier: MIT
//
// Works around toml++: input that it must not be given, and strings that it would not write correctly.
#pragma once

#include <string>
#include <string_view>

namespace kov::app {

/// The line, counted from 1, of the first character beyond ASCII that is neither in a string nor in a comment, or that
/// is the first one after a backslash at the end of a line in a string; 0 when there is none.  TOML 1.0 has no place
/// for the former, and toml++ up to 3.4 does what is undefined in C++ with both (its issues 190 and 295).
int line_beyond_ascii(std::string_view text);

/// UTF-8 as a string of TOML in one line: as it is between single quotes where that can be, else between double ones.
std::string toml_quoted(const std::string& text);

}  // namespace kov::app
