// SPDX-License-Identifier: MIT
//
// Process grids, for tests that go through every decomposition of a lattice.
#pragma once

#include "kov/core/lattice/geometry.hpp"

#include <vector>

namespace kov::test {

/// Every grid of n processes that the extents allow.
inline std::vector<Coord> grids(const Coord& extent, int n) {
  std::vector<Coord> all;
  for (int x = 1; x <= n; ++x)
    for (int y = 1; x * y <= n; ++y)
      for (int z = 1; x * y * z <= n; ++z) {
        if (n % (x * y * z) != 0) continue;
        const Coord grid{x, y, z, n / (x * y * z)};
        try {
          Geometry(extent, grid, 0, n);
          all.push_back(grid);
        } catch (const InputError&) {
        }
      }
  return all;
}

}  // namespace kov::test
