// SPDX-License-Identifier: MIT
//
// Coordinates, process grids and what each rank owns; all ranks of a grid are looked at from one process.
#include "kov/core/base/error.hpp"
#include "kov/core/lattice/geometry.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace kov {
namespace {

std::string message_of(const auto& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError";
  return {};
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// One geometry for each rank.
std::vector<Geometry> all_ranks(const Coord& extent, const Coord& grid) {
  std::vector<Geometry> ranks;
  const int n = int(volume(grid));
  for (int r = 0; r < n; ++r) ranks.emplace_back(extent, grid, r, n);
  return ranks;
}

struct Cut {
  Coord extent, grid;
};
const std::vector<Cut> cuts{{{4, 4, 4, 4}, {1, 1, 1, 1}},
                            {{4, 6, 2, 10}, {2, 3, 1, 5}},
                            {{2, 6, 6, 6}, {1, 2, 2, 2}},  // odd local extents in y, z, t
                            {{8, 4, 4, 2}, {4, 2, 1, 2}}};

TEST(Coordinates, LexicographicIndexHasXFastestAndIsInverted) {
  const Coord extent{2, 3, 5, 7};
  EXPECT_EQ(volume(extent), 210);
  EXPECT_EQ(lexicographic({1, 0, 0, 0}, extent), 1);
  EXPECT_EQ(lexicographic({0, 1, 0, 0}, extent), 2);
  EXPECT_EQ(lexicographic({0, 0, 1, 0}, extent), 6);
  EXPECT_EQ(lexicographic({0, 0, 0, 1}, extent), 30);
  for (std::int64_t i = 0; i < volume(extent); ++i) EXPECT_EQ(lexicographic(coordinate(i, extent), extent), i);
}

TEST(Coordinates, IndicesBeyond32BitsAreExact) {
  const Coord extent{512, 512, 512, 1024}, last{511, 511, 511, 1023};
  EXPECT_EQ(volume(extent), std::int64_t(1) << 37);
  EXPECT_EQ(lexicographic(last, extent), (std::int64_t(1) << 37) - 1);
  EXPECT_EQ(coordinate((std::int64_t(1) << 37) - 1, extent), last);
}

TEST(Coordinates, ParityIsTheSumModuloTwo) {
  EXPECT_EQ(parity({0, 0, 0, 0}), 0);
  EXPECT_EQ(parity({1, 2, 3, 5}), 1);
  EXPECT_EQ(to_string({1, 2, 3, 40}), "1 2 3 40");
}

// The next larger number does not fit 32 bits.
TEST(Geometry, TheLargestOddExtentIsTooLarge) {
  try {
    Geometry::choose_grid({4, 4, 4, 2147483647}, 1);
    FAIL() << "it was taken";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("-2147483648"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("has 2^20 or more"), std::string::npos) << error.what();
  }
}

TEST(ChooseGrid, CutsTheLongestDirectionAndTFirst) {
  EXPECT_EQ(Geometry::choose_grid({8, 8, 8, 8}, 1), (Coord{1, 1, 1, 1}));
  EXPECT_EQ(Geometry::choose_grid({8, 8, 8, 8}, 2), (Coord{1, 1, 1, 2}));
  EXPECT_EQ(Geometry::choose_grid({8, 8, 8, 8}, 4), (Coord{1, 1, 2, 2}));
  EXPECT_EQ(Geometry::choose_grid({8, 8, 8, 16}, 4), (Coord{1, 1, 1, 4}));
  EXPECT_EQ(Geometry::choose_grid({8, 8, 8, 8}, 16), (Coord{2, 2, 2, 2}));
  EXPECT_EQ(Geometry::choose_grid({32, 8, 8, 8}, 4), (Coord{4, 1, 1, 1}));
  EXPECT_EQ(Geometry::choose_grid({4, 4, 6, 4}, 3), (Coord{1, 1, 3, 1}));
}

TEST(ChooseGrid, WhatItChoosesIsAGeometryAndWhatItRefusesHasNone) {
  for (const Coord& extent : {Coord{4, 4, 4, 4}, {6, 6, 6, 6}, {2, 6, 4, 10}, {4, 2, 2, 2}}) {
    for (int n = 1; n <= 48; ++n) {
      bool exists = false;
      for (std::int64_t i = 0; i < volume(extent); ++i) {
        Coord grid = coordinate(i, extent);
        for (int& entry : grid) ++entry;
        bool fits = volume(grid) == n && (extent[0] / grid[0]) % 2 == 0;
        for (int mu = 0; mu < 4; ++mu) fits = fits && extent[mu] % grid[mu] == 0;
        exists = exists || fits;
      }
      if (exists)
        EXPECT_NO_THROW(Geometry(extent, Geometry::choose_grid(extent, n), n - 1, n)) << to_string(extent) << ": " << n;
      else
        EXPECT_THROW(Geometry::choose_grid(extent, n), InputError) << to_string(extent) << ": " << n;
    }
  }
}

TEST(Neighbours, AreTheOwnersOfTheSitesNextToOurs) {
  for (const Cut& cut : cuts) {
    const auto ranks = all_ranks(cut.extent, cut.grid);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      for (int mu = 0; mu < 4; ++mu) {
        Coord after = ranks[r].origin(), before = after;
        after[mu] = (after[mu] + ranks[r].local_extent()[mu]) % cut.extent[mu];
        before[mu] = (before[mu] + cut.extent[mu] - 1) % cut.extent[mu];
        const int up = ranks[r].neighbour(mu, 1), down = ranks[r].neighbour(mu, -1);
        EXPECT_EQ(up, ranks[0].rank_of(after));
        EXPECT_EQ(down, ranks[0].rank_of(before));
        EXPECT_EQ(ranks[std::size_t(up)].neighbour(mu, -1), int(r));
        EXPECT_EQ(up == int(r), cut.grid[mu] == 1);
      }
    }
  }
}

TEST(Ownership, EverySiteHasOneOwnerAndOneLocalCoordinate) {
  for (const Cut& cut : cuts) {
    const auto ranks = all_ranks(cut.extent, cut.grid);
    std::vector<std::int64_t> owned(ranks.size());
    for (std::int64_t i = 0; i < volume(cut.extent); ++i) {
      const Coord x = coordinate(i, cut.extent);
      int owners = 0;
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        EXPECT_EQ(ranks[r].rank_of(x), ranks[0].rank_of(x));
        if (!ranks[r].owns(x)) continue;
        ++owners;
        ++owned[r];
        EXPECT_EQ(ranks[r].rank_of(x), int(r));
        const Coord local = ranks[r].local(x);
        EXPECT_EQ(ranks[r].global(local), x);
        for (int mu = 0; mu < 4; ++mu) {
          EXPECT_GE(local[mu], 0);
          EXPECT_LT(local[mu], ranks[r].local_extent()[mu]);
        }
      }
      EXPECT_EQ(owners, 1);
    }
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      EXPECT_EQ(owned[r], ranks[r].local_volume());
      EXPECT_EQ(lexicographic(ranks[r].grid_coordinate(), cut.grid), std::int64_t(r));
    }
    EXPECT_EQ(std::accumulate(owned.begin(), owned.end(), std::int64_t(0)), ranks[0].volume());
  }
}

TEST(Refusals, ExtentsThatAreZeroOddOrTooLargeAreRefused) {
  const auto message = [](const Coord& extent) { return message_of([&] { Geometry(extent, {1, 1, 1, 1}, 0, 1); }); };
  EXPECT_TRUE(contains(message({0, 4, 4, 4}), "positive"));
  EXPECT_TRUE(contains(message({4, 4, -4, 4}), "positive"));
  EXPECT_TRUE(contains(message({4, 4, 4, 7}), "choose 8 or 6"));
  EXPECT_TRUE(contains(message({4, 1 << 20, 4, 4}), "2^20"));
  EXPECT_TRUE(contains(message({256, 256, 128, 64}), "use more ranks"));
  EXPECT_THROW(Geometry::choose_grid({4, 4, 4, 5}, 1), InputError);
}

TEST(Refusals, GridsThatDoNotFitAreRefusedWithOneThatWould) {
  const Coord extent{4, 6, 4, 8};
  const auto message = [&](const Coord& grid, int n) { return message_of([&] { Geometry(extent, grid, 0, n); }); };
  EXPECT_TRUE(contains(message({1, 1, 1, 3}, 3), "A grid that fits is 1 3 1 1"));
  EXPECT_TRUE(contains(message({1, 0, 1, 1}, 1), "positive"));
  // x keeps an even local extent, other directions need not.
  EXPECT_TRUE(contains(message({4, 1, 1, 1}, 4), "even local extent in x"));
  EXPECT_NO_THROW(Geometry(extent, {1, 2, 4, 8}, 0, 64));
  // The grid is to blame, even where no grid fits this number of ranks.
  EXPECT_TRUE(contains(message({1, 1, 1, 2}, 7), "has 2 places for 7 ranks"));
  EXPECT_TRUE(contains(message_of([&] { Geometry::choose_grid(extent, 7); }), "no process grid of 7 ranks"));
  EXPECT_TRUE(contains(message_of([&] { Geometry(extent, {1, 1, 1, 2}, 2, 2); }), "rank 2"));
  EXPECT_TRUE(contains(message_of([&] { Geometry(extent, {1, 1, 1, 2}, -1, 2); }), "rank -1"));
}

}  // namespace
}  // namespace kov
