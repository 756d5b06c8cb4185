// SPDX-License-Identifier: MIT
//
// Links near 1: low modes are there to slow solvers down, and operators are still well conditioned.
#pragma once

#include "tests/reference/global_array.hpp"

namespace kov::reference {

inline GlobalArray near_unit_links(const Coord& extent, std::uint64_t seed) {
  GlobalArray u = random_array(extent, 36, seed);
  for (std::size_t i = 0; i < u.data.size(); ++i) u.data[i] = 0.2 * u.data[i] + (i % 9 % 4 == 0 ? 1.0 : 0.0);
  project_to_su3(u);
  return u;
}

}  // namespace kov::reference
