// SPDX-License-Identifier: MIT
//
// Private to correlators of distillation: the quarks that they were asked for.
#pragma once

#include "kov/core/base/error.hpp"

#include <map>
#include <string>

namespace kov::detail {

/// The quark whose perambulators this one has: same_as is followed to its end.  Throws InputError where it has none.
inline std::string quark_that_is_read(const std::string& quark, const std::map<std::string, std::string>& same_as) {
  std::string last = quark;
  for (std::size_t step = 0; step <= same_as.size(); ++step) {
    const auto next = same_as.find(last);
    if (next == same_as.end() || next->second == last) return last;
    last = next->second;
  }
  require(false, "the quark", quark, "is the same as another, which is the same as", quark,
          "again, so that none of them would be read: let same_as end at one");
  return last;
}

}  // namespace kov::detail
