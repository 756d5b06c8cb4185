// SPDX-License-Identifier: MIT
//
// A hash of texts that is the same in every process: for comparing, not for security.
#pragma once

#include <cstdint>
#include <string_view>

namespace kov {

/// FNV-1a, 64 bits.
inline std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ std::uint8_t(c)) * 0x100000001b3u;
  return h;
}

}  // namespace kov
