// SPDX-License-Identifier: MIT
#include "apps/settings/shown.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cstdio>

namespace kov::app {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Whether a character of UTF-8 may begin here.
bool is_begin(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    char code[8];
    std::snprintf(code, sizeof(code), "\\u%04X", unsigned(static_cast<unsigned char>(c)));
    out += is_control(c) ? code : std::string(1, c);
  }
  return out;
}

}  // namespace

bool has_control_character(std::string_view text) { return std::any_of(text.begin(), text.end(), is_control); }

std::string shown(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return escaped(text);
  std::size_t first = longest / 2, last = text.size() - longest / 4;
  while (first > 0 && !is_begin(text[first])) --first;
  while (last < text.size() && !is_begin(text[last])) ++last;
  return escaped(text.substr(0, first)) + " [... " + std::to_string(last - first) + " bytes ...] " +
         escaped(text.substr(last));
}

void require_no_control_character(const std::string& name, std::string_view text) {
  require(!has_control_character(text), name, "is '" + shown(text) + "',",
          "which has control characters: names and texts must have none, because they would end or hide parts of names",
          "and messages; leave them out");
}

}  // namespace kov::app
