// SPDX-License-Identifier: MIT
//
// The memory that bench scaling --plan counts is what the solves take.
#include "apps/bench/scaling/scaling_plan.hpp"
#include "kov/core/base/memory_use.hpp"

#include <gtest/gtest.h>

namespace kov::app {
namespace {
namespace scaling_plans {

const ScalingPrecision& precision(const std::string& name) {
  for (const ScalingPrecision& p : scaling_precisions())
    if (p.name == name) return p;
  throw InputError("no precision " + name);
}

// On two ranks with their halos.  What a face adds depends on the directions that are cut, which the plan does not ask.
TEST(ScalingPlans, CountWhatSolvesTake) {
  const Coord extent{8, 8, 8, 16};
  const Lattice lattice(Comm::world(), extent, {.exchange = {.transport = ExchangeOptions::Transport::staged}});
  for (const char* action : {"wilson", "clover"})
    for (const int columns : {1, 12})
      for (const char* name : {"single", "double/16-bit"}) {
        const ScalingProblem problem{.action = action, .columns = columns};
        const double planned = scaling_memory(problem, precision(name)).of_rank(extent, lattice.geometry().grid());
        const double taken =
            double(most_bytes_of([&] { precision(name).make(lattice, problem, precision(name))(0, 2); }));
        EXPECT_GT(planned, 0.95 * taken) << action << ", " << columns << " columns, " << name;
        EXPECT_LT(planned, 1.3 * taken) << action << ", " << columns << " columns, " << name;
      }
}

TEST(ScalingPlans, GrowWithFacesAndColumnsAndFallWithRanks) {
  const ScalingMemory one = scaling_memory({.columns = 1}, precision("double")),
                      many = scaling_memory({.columns = 12}, precision("double"));
  EXPECT_GT(many.of_site, 2 * one.of_site);
  EXPECT_GT(many.of_face_site, 2 * one.of_face_site);
  const Coord extent{16, 16, 16, 32};
  EXPECT_GT(one.of_rank(extent, {1, 1, 1, 1}), one.of_rank(extent, {1, 1, 1, 2}));
  EXPECT_GT(one.of_rank(extent, {1, 1, 1, 2}), one.of_rank(extent, {1, 1, 2, 2}));
}

}  // namespace scaling_plans
}  // namespace
}  // namespace kov::app
