// SPDX-License-Identifier: MIT
//
// Private to correlators of distillation: the source times that they were asked for.
#pragma once

#include "kov/core/base/error.hpp"

#include <numeric>
#include <set>
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

}  // namespace kov::detail
