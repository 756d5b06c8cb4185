// SPDX-License-Identifier: MIT
//
// What users typed, as messages show it.
#pragma once

#include <string>
#include <string_view>

namespace kov::app {

/// Whether a text has a NUL, an escape, a line end or another of ASCII's control characters.
bool has_control_character(std::string_view text);

/// The text with its control characters as TOML writes them (\u001B) and, where it has more bytes than `longest`, with
/// its two ends alone: "exp(-2 * p2) * (p2 - 1) [... 5000 bytes ...] + 1)".  UTF-8 is not cut within a character.
std::string shown(std::string_view text, std::size_t longest = 100);

/// Throws InputError when a text that names files or is recorded in them has a control character; name: what the user
/// calls the text.
void require_no_control_character(const std::string& name, std::string_view text);

}  // namespace kov::app
