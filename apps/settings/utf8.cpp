// SPDX-License-Identifier: MIT
#include "apps/settings/utf8.hpp"

namespace kov::app {

Utf8Character utf8_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) -> char32_t {
    return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0;
  };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
  if (length == 0) return {};
  char32_t code = first & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(k) & 0x3f);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // fewer bytes do for what is less
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code >= least[length] && code <= 0x10ffff && !surrogate ? Utf8Character{code, length} : Utf8Character{};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_character(text, at).length;
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace kov::app
