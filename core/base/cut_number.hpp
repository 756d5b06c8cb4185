// SPDX-License-Identifier: MIT
//
// Numbers at the beginning of texts.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kov {

/// Cuts off the whole number at the beginning of a text and returns it; nothing where there is none or it is negative.
inline std::optional<std::int64_t> cut_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return {};
  text.remove_prefix(std::size_t(end - text.data()));
  return value;
}

}  // namespace kov
