// SPDX-License-Identifier: MIT
//
// The map from sites to places in memory is one to one, except for padding: for each order, number of
// lanes and parity of the origin; seen from the host and from a kernel.
#include "kov/core/base/error.hpp"
#include "kov/core/lattice/layout.hpp"
#include "kov/core/launch/thread_blocks.hpp"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace kov {
namespace test {

/// The coordinates of every lane and whether it is a site, as a kernel sees them.
struct CoordinateKernel {
  Layout::View layout;
  int* out;
  KOKKOS_FUNCTION void operator()(int i) const {
    const int outer = i / layout.lanes, lane = i % layout.lanes;
    const Coord x = layout.coordinate(outer, lane);
    for (int mu = 0; mu < 4; ++mu) out[5 * i + mu] = x[mu];
    out[5 * i + 4] = layout.is_site(outer, lane);
  }
};

struct LayoutCase {
  Coord extent;
  int origin_parity, lanes;
  Order order;
};

std::vector<LayoutCase> layout_cases() {
  std::vector<LayoutCase> cases;
  for (const int origin_parity : {0, 1}) {
    // A column layout has one lane; a GPU's has 32.  Odd extents happen where ranks cut y, z or t.
    for (const int lanes : {1, 4, 8, 32})
      for (const Coord& extent :
           {Coord{4, 4, 4, 4}, {6, 6, 6, 6}, {2, 6, 4, 10}, {4, 3, 5, 2}, {2, 1, 1, 1}, {3, 3, 3, 3}})
        cases.push_back({extent, origin_parity, lanes, Order::even_odd});
    for (const int lanes : {1, 2, 4, 8, 16})
      for (const Coord& extent : {Coord{4, 4, 4, 4}, {8, 4, 4, 12}, {6, 4, 4, 8}, {2, 6, 4, 10}})
        if (Layout::fits(extent, lanes)) cases.push_back({extent, origin_parity, lanes, Order::virtual_nodes});
  }
  return cases;
}

std::ostream& operator<<(std::ostream& out, const LayoutCase& c) {
  return out << to_string(c.order) << ", " << to_string(c.extent) << ", " << c.lanes << " lanes, origin parity "
             << c.origin_parity;
}

}  // namespace test

namespace {

class Layouts : public ::testing::TestWithParam<test::LayoutCase> {
 protected:
  Layouts() : layout(GetParam().extent, GetParam().origin_parity, GetParam().lanes, GetParam().order) {}
  int global_parity(const Coord& x) const { return (parity(x) + layout.origin_parity()) & 1; }
  Layout layout;
};

TEST_P(Layouts, LocateAndCoordinateAreInverseAndMeetEveryPlace) {
  std::vector<int> hits(std::size_t(layout.n_outer() * layout.lanes()));
  for (std::int64_t i = 0; i < layout.n_sites(); ++i) {
    const Coord x = coordinate(i, layout.extent());
    const auto [outer, lane] = layout.locate(x);
    ASSERT_TRUE(outer >= 0 && outer < layout.n_outer() && lane >= 0 && lane < layout.lanes()) << to_string(x);
    EXPECT_EQ(layout.coordinate(outer, lane), x);
    ++hits[std::size_t(outer * layout.lanes() + lane)];
  }
  for (int outer = 0; outer < layout.n_outer(); ++outer)
    for (int lane = 0; lane < layout.lanes(); ++lane)
      EXPECT_EQ(hits[std::size_t(outer * layout.lanes() + lane)], layout.is_site(outer, lane) ? 1 : 0);
}

TEST_P(Layouts, PaddingEndsAParityAndRepeatsItsLastSite) {
  for (const int p : {0, 1}) {
    const int half = layout.n_outer() / 2;
    bool ended = false;
    Coord last{};
    for (int outer = p * half; outer < (p + 1) * half; ++outer)
      for (int lane = 0; lane < layout.lanes(); ++lane) {
        if (layout.is_site(outer, lane)) {
          EXPECT_FALSE(ended) << "a site after padding";
          last = layout.coordinate(outer, lane);
        } else {
          ended = true;
          // A parity without sites has padding only; whatever it names must be a place of the lattice.
          const bool empty = layout.range(p ? Subset::odd : Subset::even).n_sites[0] == 0;
          EXPECT_TRUE(empty || layout.coordinate(outer, lane) == last);
        }
      }
    EXPECT_FALSE(ended && layout.order() == Order::virtual_nodes);
  }
}

TEST_P(Layouts, RangesHoldTheirParityAndVisitEachOuterSiteOnce) {
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    const SiteRange range = layout.range(subset);
    std::vector<int> visits(std::size_t(layout.n_outer()));
    std::int64_t sites = 0;
    for (int k = 0; k < range.n_outer; ++k) {
      const int outer = range.outer(k);
      ASSERT_TRUE(outer >= range.first && outer < range.first + range.n_outer);
      ++visits[std::size_t(outer)];
      for (int lane = 0; lane < layout.lanes(); ++lane) {
        const bool held = range.holds(outer, lane, layout.lanes());
        // In virtual nodes all lanes are of one parity, which is also that of the outer site.
        EXPECT_EQ(held, layout.is_site(outer, lane));
        if (!held) continue;
        ++sites;
        const int p = global_parity(layout.coordinate(outer, lane));
        EXPECT_TRUE(subset == Subset::all || p == (subset == Subset::odd));
      }
    }
    for (int k = 0; k < range.n_outer; ++k) EXPECT_EQ(visits[std::size_t(range.first + k)], 1);
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < layout.n_sites(); ++i)
      expected += subset == Subset::all || global_parity(coordinate(i, layout.extent())) == (subset == Subset::odd);
    EXPECT_EQ(sites, expected);
  }
  EXPECT_EQ(layout.range(Subset::all).n_outer, layout.n_outer());
  EXPECT_EQ(layout.range(Subset::odd).first, layout.n_outer() / 2);
}

TEST_P(Layouts, ParitiesTakeTurnsButNotInTheOrderOfMemory) {
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    const SiteRange turns = layout.range(subset), straight = turns.in_memory_order();
    const int parts = subset == Subset::all ? 2 : 1;
    for (int k = 0; k < turns.n_outer; ++k) {
      EXPECT_EQ(straight.outer(k), straight.first + k);
      EXPECT_EQ(turns.outer(k), turns.first + k % parts * turns.part_outer + k / parts);
    }
    if (turns.part_outer % 2 != 0) continue;  // no pairs
    for (int k = 0; k < turns.n_pairs(); ++k) {
      EXPECT_EQ(straight.pair(k).outer, straight.first + 2 * k);
      EXPECT_EQ(turns.pair(k).outer, turns.first + k % parts * turns.part_outer + k / parts * 2);
    }
  }
}

TEST_P(Layouts, KernelsSeeTheSame) {
  const int n = layout.n_outer() * layout.lanes();
  const Buffer<int> seen("seen", std::size_t(5 * n));
  Kokkos::parallel_for("coordinates", Kokkos::RangePolicy<>(0, n), test::CoordinateKernel{layout.view(), seen.data()});
  const std::vector<int> host = seen.to_host();
  for (int i = 0; i < n; ++i) {
    const int outer = i / layout.lanes(), lane = i % layout.lanes();
    const int* at = host.data() + 5 * i;
    EXPECT_EQ((Coord{at[0], at[1], at[2], at[3]}), layout.coordinate(outer, lane));
    EXPECT_EQ(at[4] != 0, layout.is_site(outer, lane));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Layouts, ::testing::ValuesIn(test::layout_cases()));

TEST(VirtualNodes, AreCutFromXOnSoThatTimeSlicesStayWhole) {
  const Layout layout({8, 8, 8, 16}, 0, 8, Order::virtual_nodes);
  EXPECT_EQ(layout.outer_extent(), (Coord{4, 4, 4, 16}));
  EXPECT_EQ((Coord{layout.lane_bit(0), layout.lane_bit(1), layout.lane_bit(2), layout.lane_bit(3)}),
            (Coord{1, 2, 4, 0}));
  // An extent that is no multiple of four is passed over.
  EXPECT_EQ(Layout({8, 6, 8, 16}, 0, 8, Order::virtual_nodes).outer_extent(), (Coord{4, 6, 4, 8}));
}

TEST(VirtualNodes, OuterIndexAndOuterCoordinateAreInverse) {
  const Layout layout({8, 4, 8, 6}, 1, 8, Order::virtual_nodes);
  for (std::int64_t i = 0; i < volume(layout.outer_extent()); ++i) {
    const Coord o = coordinate(i, layout.outer_extent());
    EXPECT_EQ(layout.outer_coordinate(layout.outer_index(o)), o);
  }
}

TEST(VirtualNodes, SitesOfPairsAreHalfAnExtentApartAndOfOneParity) {
  const auto direction = [](const Coord& extent, const Coord& divided = {}) {
    const Layout layout(extent, 1, 8, Order::virtual_nodes, divided);
    EXPECT_EQ(layout.n_outer() / 2 % outer_multiple, 0);
    const int mu = layout.pair_direction();
    for (int outer = 0; mu >= 0 && outer < layout.n_outer(); outer += 2) {
      Coord lower = layout.outer_coordinate(outer);
      lower[mu] += layout.outer_extent()[mu] / 2;
      EXPECT_EQ(layout.outer_coordinate(outer + 1), lower);
    }
    return mu;
  };
  EXPECT_EQ(direction({8, 8, 8, 8}), 0);
  EXPECT_EQ(direction({4, 8, 8, 8}), 1);
  EXPECT_EQ(direction({12, 4, 8, 6}), 2);
  EXPECT_EQ(direction({12, 12, 12, 24}), 3);
  EXPECT_EQ(direction({4, 4, 4, 6}), -1);
  EXPECT_EQ(direction({8, 8, 8, 8}, {1, 0, 0, 1}), 1);
  EXPECT_EQ(direction({8, 4, 4, 8}, {1, 0, 0, 1}), 0);
}

TEST(VirtualNodes, FitWhereEnoughExtentsAreMultiplesOfFour) {
  EXPECT_TRUE(Layout::fits({4, 4, 4, 4}, 8));
  EXPECT_TRUE(Layout::fits({4, 4, 4, 4}, 16));
  EXPECT_TRUE(Layout::fits({6, 6, 6, 6}, 1));
  EXPECT_FALSE(Layout::fits({6, 6, 6, 6}, 2));
  EXPECT_TRUE(Layout::fits({4, 4, 6, 6}, 4));
  EXPECT_FALSE(Layout::fits({4, 4, 6, 6}, 8));
  EXPECT_FALSE(Layout::fits({4, 4, 4, 4}, 32)) << "there are four directions";
  EXPECT_FALSE(Layout::fits({4, 4, 4, 3}, 8)) << "odd extents have no even outer extents";
  EXPECT_FALSE(Layout::fits({8, 8, 8, 8}, 6)) << "no power of two";
}

TEST(VirtualNodes, AreRefusedWhereTheyDoNotFit) {
  EXPECT_THROW(Layout({6, 6, 6, 6}, 0, 8, Order::virtual_nodes), InputError);
  EXPECT_THROW(Layout({4, 4, 4, 3}, 0, 4, Order::virtual_nodes), InputError);
  EXPECT_THROW(Layout({8, 8, 8, 8}, 0, 6, Order::virtual_nodes), InputError);
}

TEST(SubsetsOfSites, HaveOpposites) {
  EXPECT_EQ(opposite(Subset::even), Subset::odd);
  EXPECT_EQ(opposite(Subset::odd), Subset::even);
  EXPECT_EQ(opposite(Subset::all), Subset::all);
}

TEST(Layout, TimeSlicesHoldEverySiteOnceAndAlone) {
  int with_slices = 0, with_bricks = 0;
  for (const Coord& extent : {Coord{8, 8, 8, 4},
                              {16, 4, 4, 6},
                              {8, 8, 2, 3},
                              {8, 8, 5, 2},
                              {4, 4, 4, 4},
                              {6, 6, 6, 6},
                              {4, 2, 6, 5},
                              {3, 3, 3, 3}})
    for (const int origin_parity : {0, 1})
      for (const int lanes : {4, 8}) {
        const Layout layout(extent, origin_parity, lanes, Order::even_odd);
        const SiteRange range = layout.range(Subset::all);
        if (range.n_slices == 0) continue;
        ++with_slices;
        with_bricks += range.z_bits > 0;
        ASSERT_EQ(range.n_slices, extent[3]);
        std::vector<int> visits(std::size_t(layout.n_outer()), 0);
        for (int t = 0; t < range.n_slices; ++t)
          for (int k = 0; k < 2 * range.slice; ++k) {
            const int outer = range.outer(k, t);
            ASSERT_GE(outer, range.first);
            ASSERT_LT(outer, range.first + range.n_outer);
            ++visits[std::size_t(outer)];
            for (int lane = 0; lane < lanes; ++lane) {
              ASSERT_TRUE(layout.is_site(outer, lane)) << to_string(extent);
              ASSERT_EQ(layout.coordinate(outer, lane)[3], t) << to_string(extent);
            }
          }
        for (int k = 0; k < range.n_outer; ++k) EXPECT_EQ(visits[std::size_t(range.first + k)], 1) << to_string(extent);
      }
  EXPECT_GT(with_slices, 20);
  EXPECT_GT(with_bricks, 8);
  EXPECT_LT(with_bricks, with_slices);
  EXPECT_EQ(Layout({8, 8, 8, 8}, 0, 8, Order::even_odd).range(Subset::odd).n_slices, 0);
  EXPECT_EQ(Layout({6, 6, 6, 6}, 0, 8, Order::even_odd).range(Subset::all).n_slices, 0);
  EXPECT_EQ(Layout({8, 8, 8, 8}, 0, 8, Order::virtual_nodes).range(Subset::all).n_slices, 0);
}

TEST(Layout, BricksAreBothParitiesOfNeighboursInYAndZ) {
  const Layout layout({8, 8, 8, 4}, 0, 4, Order::even_odd);  // z slices of 8 outer sites
  const SiteRange range = layout.range(Subset::all);
  const std::vector<int> expected{0, 1, 8, 9, 16, 17, 24, 25, 2, 3, 10, 11};
  for (int k = 0; k < 24; ++k) {
    EXPECT_EQ(range.outer(k, 0) % range.part_outer, expected[std::size_t(k / 2)]);
    EXPECT_EQ(range.outer(k, 0) / range.part_outer, k % 2);
  }
}

TEST(Layout, PlanesHoldEverySiteOnceInOrder) {
  int with_planes = 0;
  for (const Coord& extent :
       {Coord{8, 8, 8, 4}, {16, 4, 4, 6}, {8, 8, 2, 3}, {8, 8, 5, 2}, {4, 2, 6, 5}, {12, 4, 6, 3}})
    for (const int origin_parity : {0, 1})
      for (const int lanes : {4, 8}) {
        const Layout layout(extent, origin_parity, lanes, Order::even_odd);
        const SiteRange range = layout.range(Subset::all);
        EXPECT_FALSE(layout.range(Subset::even).has_planes());
        if (!range.has_planes()) continue;
        ++with_planes;
        ASSERT_EQ(range.n_planes(), extent[2] * extent[3]);
        std::set<int> visited;
        for (int p = 0; p < range.n_planes(); ++p)
          for (int k = 0; k < 2 * range.plane(); ++k) {
            const int outer = range.outer_of_plane(k, p);
            visited.insert(outer);
            for (int lane = 0; lane < lanes; ++lane) {
              ASSERT_TRUE(layout.is_site(outer, lane)) << to_string(extent);
              const Coord x = layout.coordinate(outer, lane);
              ASSERT_EQ(x[2] + extent[2] * x[3], p) << to_string(extent);
            }
          }
        ASSERT_EQ(int(visited.size()), range.n_outer) << to_string(extent);
      }
  EXPECT_GT(with_planes, 8);
}

TEST(Walks, AreLongAndFillTheMachine) {
  constexpr int most = 1 << 16;
  EXPECT_EQ(detail::walk_length(32, 128, 132, most), 32);  // one wave of walks through all slices
  EXPECT_EQ(detail::walk_length(32, 64, 132, most), 16);   // two walks beside each other
  EXPECT_EQ(detail::walk_length(8, 1, 132, most), 1);      // a small lattice wants all the blocks it can have
  EXPECT_EQ(detail::walk_length(1, 1000, 132, most), 1);
  EXPECT_EQ(detail::walk_length(64, 100000, 132, most), 64);
  for (const int blocks : {1, 3, 50, 133, 1000}) {
    const int length = detail::walk_length(48, blocks, 132, most);
    EXPECT_GE(length, 1);
    EXPECT_LE(length, 48);
  }
  EXPECT_EQ(detail::walk_length(48, 1000, 132, most, 7), 7);
  EXPECT_EQ(detail::walk_length(48, 1000, 132, most, 50), 48);
}

/// Whatever length a tuner wants.
TEST(Walks, AreNoMoreThanALaunchCanHave) {
  for (const int n_slices : {1, 6, 7, 8, 13, 48, 1000})
    for (const int most : {1, 2, 6, 7, 48})
      for (const int blocks : {1, 1000})
        for (const int wanted : {0, 1, 2, 8}) {
          const int length = detail::walk_length(n_slices, blocks, 100000, most, wanted);
          EXPECT_GE(length, 1);
          EXPECT_LE(length, n_slices);
          EXPECT_LE((n_slices + length - 1) / length, most) << n_slices << " slices, " << wanted << " wanted";
          // No longer than it must be.
          if (wanted > 0 && length > wanted) {
            EXPECT_GT((n_slices + length - 2) / (length - 1), most) << n_slices << " slices, " << wanted << " wanted";
          }
        }
  // Planes of constant z and t.
  EXPECT_EQ(detail::walk_length(256 * 512, 1, 1 << 20, 65535), 3);
  EXPECT_EQ(detail::walk_length(256 * 512, 1, 132, 65535, 1), 3);
}

}  // namespace
}  // namespace kov
