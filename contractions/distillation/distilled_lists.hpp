// SPDX-License-Identifier: MIT
//
// Private to correlators of distillation: the source times and the quarks that they were asked for.
#pragma once

#include "kov/core/base/error.hpp"

#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace kov::detail {

/// The source times, all of them if none is named.  Throws InputError for times outside [0, n_times) and for one that
/// is there twice.
inline std::vector<int> source_times(std::vector<int> sources, int n_times) {
  if (sources.empty()) {
    sources.resize(std::size_t(n_times));
    std::iota(sources.begin(), sources.end(), 0);
  }
  std::set<int> known;
  for (const int t : sources) {
    require(t >= 0 && t < n_times, "a source at time", t, "was asked for: times are in [0,", n_times, ")");
    require(known.insert(t).second, "the source at time", t,
            "was asked for twice, and correlators are sums over sources: name it once");
  }
  return sources;
}

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
