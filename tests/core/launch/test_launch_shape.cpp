// SPDX-License-Identifier: MIT
//
// In every shape a launch runs each item once, and a thread walks with a part of a time slice through all slices.
#include "kov/core/lattice/layout.hpp"
#include "kov/core/lattice/site.hpp"
#include "kov/core/launch/launch_shape.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace kov::launch_shape_test {
namespace {

/// The runs of items that threads were given, in the order of each thread.
struct Runs {
  int n;
  Kokkos::View<int*, Kokkos::HostSpace> count{"count", std::size_t(n)};
  Kokkos::View<int* [2], Kokkos::HostSpace> run { "run", std::size_t(n) };  // by its first item

  void add(int begin, int end) const {
    run(begin, 0) = begin;
    run(begin, 1) = end;
    for (int i = begin; i < end; ++i) Kokkos::atomic_inc(&count(i));
  }
  bool each_once() const {
    return std::all_of(count.data(), count.data() + n, [](int c) { return c == 1; });
  }
  int longest() const {
    int most = 0;
    for (int i = 0; i < n; ++i) most = std::max(most, run(i, 1) - run(i, 0));
    return most;
  }
};

Runs runs_of(int n, const LaunchShape& shape) {
  const Runs runs{n};
  detail::share_items(
      "runs", n, shape, [](const void* work, int begin, int end) { static_cast<const Runs*>(work)->add(begin, end); },
      &runs, Exec());
  return runs;
}

TEST(LaunchShapes, RunEveryItemOnce) {
  if constexpr (!is_host_v<Exec>) GTEST_SKIP() << "does not apply: items are shared on hosts only";
  for (const LaunchShape& tuned : launch_shapes())
    for (const SiteOrder order : {SiteOrder{}, SiteOrder{1, 4}, SiteOrder{3, 5}, SiteOrder{2, 30}})
      for (const int n : {0, 1, 2, 7, 60, 64, 120, 6000}) {
        LaunchShape shape = tuned;
        shape.order = order;
        EXPECT_TRUE(runs_of(n, shape).each_once())
            << shape.name() << " of " << n << " in " << order.n_groups << " x " << order.n_slices;
      }
}

TEST(LaunchShapes, WalkWithPartsOfSlices) {
  if constexpr (!is_host_v<Exec>) GTEST_SKIP() << "does not apply: items are shared on hosts only";
  const int n = 2 * 6 * 40;  // two tiles of six slices
  EXPECT_EQ(runs_of(n, {.slice_parts = 2, .order = {2, 6}}).longest(), 20);
  EXPECT_EQ(runs_of(n, {.slice_parts = 8, .order = {2, 6}}).longest(), 5);
  EXPECT_GE(runs_of(n, {.slice_parts = 8, .order = {7, 6}}).longest(), n / Exec().concurrency())
      << "an order that does not divide the items";
  EXPECT_LE(runs_of(n, {.turns = 4}).longest(), (n + 3) / 4);
}

TEST(LaunchShapes, KnowTheOrderOfSites) {
  for (const Coord& extent : {Coord{8, 8, 8, 16}, Coord{4, 4, 4, 8}, Coord{8, 8, 16, 4}, Coord{16, 16, 24, 32},
                              Coord{8, 8, 12, 8}, Coord{4, 4, 6, 6}})
    for (const int lanes : {1, 4, 8})
      for (const Order memory : {Order::even_odd, Order::virtual_nodes}) {
        if (memory == Order::virtual_nodes && !Layout::fits(extent, lanes)) continue;
        const Layout layout(extent, 0, lanes, memory);
        const SiteOrder order = SiteOrder::of(layout);
        if (memory == Order::even_odd) {
          EXPECT_EQ(std::pair(order.n_groups, order.n_slices), std::pair(1, extent[3]));
          continue;
        }
        const int n = layout.n_outer() / 2, slices = order.n_groups * order.n_slices;
        ASSERT_EQ(n % slices, 0);
        const bool paired_in_time = layout.pair_direction() == 3;
        for (int slice = 0; slice < slices && slices > 1; ++slice) {
          std::set<int> times;
          for (int o = slice * (n / slices); o < (slice + 1) * (n / slices); ++o)
            times.insert(layout.outer_coordinate(o)[3]);
          EXPECT_EQ(times.size(), paired_in_time ? 2u : 1u);
          EXPECT_EQ(*times.begin(), slice % order.n_slices) << to_string(extent) << " in " << lanes << " lanes";
        }
      }
}

TEST(LaunchShapes, HaveNamesAndBlocksOfWholeWarps) {
  std::set<std::string> names;
  for (const LaunchShape& shape : launch_shapes()) {
    EXPECT_TRUE(names.insert(shape.name()).second) << shape.name();
    EXPECT_EQ(shape.name().find(' '), std::string::npos) << "names are words of a key";
  }
  EXPECT_EQ(launch_shapes().front().name(), "default");
  EXPECT_EQ(LaunchShape{}.threads(96), 96);
  EXPECT_EQ((LaunchShape{.halvings = 1}.threads(192)), 96);
  EXPECT_EQ((LaunchShape{.halvings = 1}.threads(96)), 32);
  EXPECT_EQ((LaunchShape{.halvings = 2}.threads(32)), 32);
}

}  // namespace
}  // namespace kov::launch_shape_test
