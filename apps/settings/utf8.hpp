// SPDX-License-Identifier: MIT
//
// UTF-8 in texts that may contain any bytes, such as file names.
#pragma once

#include <string_view>

namespace kov::app {

/// A character and how many bytes it has: 0 where the bytes are no UTF-8.
struct Utf8Character {
  char32_t code = 0;
  std::size_t length = 0;
};

/// The character that begins at this place of the text, which must be within it.
Utf8Character utf8_character(std::string_view text, std::size_t at);

/// Whether the text is UTF-8 from its first byte to its last.
bool is_utf8(std::string_view text);

}  // namespace kov::app
