// SPDX-License-Identifier: MIT
#include "kov/core/lattice/slice_gather.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {

/// A number of its own for each real of a site.
double number(const Coord& x, const Coord& extent, int i) { return 3.0 * double(lexicographic(x, extent)) + i; }

TEST(SliceGather, BringsEverySliceToRankZeroInPiecesOfAnySize) {
  const Comm comm = Comm::world();
  const Coord extent{4, 4, 4, 8};
  const Geometry geometry(extent, Geometry::choose_grid(extent, comm.size()), comm.rank(), comm.size());
  const Coord &box = geometry.local_extent(), &origin = geometry.origin();
  for (const std::size_t piece : {1, 7, 100000}) {
    SliceGather gather(comm, geometry, 3, piece);
    for (int t = 0; t < extent[3]; ++t) {
      std::vector<double> mine, expected;
      if (t >= origin[3] && t < origin[3] + box[3])
        for (int i = 0; i < 3 * box[0] * box[1] * box[2]; ++i) {
          const Coord x = coordinate(i / 3, box);
          mine.push_back(number({origin[0] + x[0], origin[1] + x[1], origin[2] + x[2], t}, extent, i % 3));
        }
      const std::span<const double> slice = gather(t, mine);
      if (comm.rank() == 0)
        for (int i = 0; i < 3 * 64; ++i) expected.push_back(3.0 * 64 * t + i);
      EXPECT_EQ(std::vector<double>(slice.begin(), slice.end()), expected) << "slice " << t << ", pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace kov
