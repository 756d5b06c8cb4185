// SPDX-License-Identifier: MIT
//
// What tiles of a GPU's team may take of scratch memory.
#pragma once

#include "kov/core/launch/for_each_team.hpp"

#include <gtest/gtest.h>
#include <string>

namespace kov::test {

/// A GPU gives a team 48 KB, of which Kokkos takes a double for each thread and two more, and what aligns the tiles.
inline void expect_fits_scratch(std::size_t tile_bytes, int threads, const std::string& what) {
  EXPECT_GT(tile_bytes, 0u) << what;
  EXPECT_LE(tile_bytes + detail::tile_alignment + sizeof(double) * std::size_t(threads + 2), std::size_t(48) << 10)
      << what;
}

}  // namespace kov::test
