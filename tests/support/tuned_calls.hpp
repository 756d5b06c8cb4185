// SPDX-License-Identifier: MIT
//
// Calls of an operator while a tuner tries overlaps and shapes of launches.
#pragma once

#include "kov/core/field/site_map.hpp"
#include "kov/core/launch/launch_shape.hpp"

#include <vector>

namespace kov::test {

/// Calls after which a tuner has chosen whether to overlap, and those after which it has chosen the shape of a launch.
inline constexpr int overlap_trials = 24;
inline int shape_trials() { return 12 * int(launch_shapes().size()); }

/// Whether every call of apply() gives `out` the bits of the first.  All ranks make all calls.
template <class F, class Apply>
bool same_bits_in_every_call(const F& out, int calls, const Apply& apply) {
  apply();
  const std::vector<double> first = export_sites(out);
  bool same = true;
  for (int i = 1; i < calls; ++i) {
    apply();
    same = export_sites(out) == first && same;
  }
  return same;
}

}  // namespace kov::test
