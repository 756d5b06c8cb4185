// SPDX-License-Identifier: MIT
//
// StageTimes, on clocks of its own.
#include "apps/program/stage_times.hpp"
#include "kov/core/launch/for_each_item.hpp"

#include <gtest/gtest.h>

namespace kov::app {

TEST(StageTimes, AddsUpStagesThatComeAgainOnAverageOverRanks) {
  const Comm comm = Comm::world();
  double wall = 100, kernels = 7;
  StageTimes times({"links", "solves", "sinks", "files"}, {[&] { return wall; }, [&] { return kernels; }});
  const double mine = comm.rank() == 0 ? comm.size() : 0;  // 1 on average
  wall += mine;
  times.begin(3);
  wall += 2;
  times.begin(1);
  wall += 4;
  kernels += 3 * mine;
  times.begin(3);
  wall += 1;
  kernels += 0.5;
  EXPECT_EQ(times.text(comm),
            "seconds        wall     kernels\n"
            "links          1.00        0.00     0 %\n"
            "solves         4.00        3.00    75 %\n"
            "files          3.00        0.50    17 %\n"
            "all            8.00        3.50    44 %\n");
}

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

TEST(StageTimes, OfARunHasNoMoreKernelsThanWall) {
  const StageClocks clocks = StageClocks::of_run();
  const double kernels = clocks.kernels(), wall = clocks.wall();
  for_each_item("test", 1000, Nothing{});
  const double of_kernels = clocks.kernels() - kernels;
  EXPECT_GT(of_kernels, 0);
  EXPECT_LE(of_kernels, clocks.wall() - wall);
}

}  // namespace kov::app
