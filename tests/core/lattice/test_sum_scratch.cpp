// SPDX-License-Identifier: MIT
//
// Scratch memory of sums: it is lent to one sum at a time and kept for the next.
#include "kov/core/lattice/sum_scratch.hpp"

#include <gtest/gtest.h>

namespace kov::detail {
namespace {

TEST(SumScratch, IsLentToOneAtATimeAndKept) {
  SumScratchPool pool;
  SumScratchPool::Loan first = pool.borrow();
  const double* const partial = first->partial(10);
  {
    const SumScratchPool::Loan second = pool.borrow();
    EXPECT_NE(first.get(), second.get());
    EXPECT_NE(second->partial(10), partial);
  }
  SumScratch* const kept = first.get();
  first.reset();
  const SumScratchPool::Loan again = pool.borrow();
  EXPECT_EQ(again.get(), kept);
  EXPECT_EQ(again->partial(5), partial);
}

TEST(SumScratch, GrowsToWhatIsAskedFor) {
  SumScratchPool pool;
  const SumScratchPool::Loan scratch = pool.borrow();
  for (const std::size_t n : {std::size_t(1), std::size_t(5000), std::size_t(100000)}) {
    double* const results = scratch->results(n);
    for (std::size_t i = 0; i < n; ++i) results[i] = double(i);
    EXPECT_EQ(results[n - 1], double(n - 1));
    EXPECT_EQ(scratch->results(n / 2), results);
    if (unified_memory) {
      EXPECT_EQ(scratch->counters(n)[n - 1], 0u);
    }
  }
}

TEST(SumScratch, TellsTheTurnsOfSumsApart) {
  SumScratchPool pool;
  const SumScratchPool::Loan scratch = pool.borrow();
  const std::uint64_t first = scratch->next_turn(), second = scratch->next_turn();
  EXPECT_NE(first, 0u);
  EXPECT_NE(first, second);
  std::uint64_t* const done = scratch->done(2);
  EXPECT_EQ(done[0], 0u);
  done[0] = second;
  EXPECT_EQ(scratch->done(1)[0], second);
  EXPECT_EQ(scratch->done(5000)[0], 0u);  // other memory, in which no sum is finished
}

}  // namespace
}  // namespace kov::detail
