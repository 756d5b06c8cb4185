// SPDX-License-Identifier: MIT
//
// Tasks of a host's threads: each is run once, by a thread with a number of its own, and errors come through.
#include "kov/core/base/error.hpp"
#include "kov/core/launch/for_each_task.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

#if !defined(KOKKOS_ENABLE_CUDA)
namespace kov {
namespace {

TEST(Tasks, RunOnceEachByThreadsOfTheirOwn) {
  for (const int n : {0, 1, 2, 1000}) {
    const std::size_t n_threads = std::size_t(n_task_threads());
    std::vector<std::atomic<int>> runs(std::size_t(n) + 1), busy(n_threads);
    for_each_task("tasks", n, [&](int task, int thread) {
      ASSERT_TRUE(thread >= 0 && thread < n_task_threads());
      EXPECT_EQ(busy[std::size_t(thread)]++, 0) << "two tasks at a time have one thread's number";
      ++runs[std::size_t(task)];
      --busy[std::size_t(thread)];
    });
    for (int task = 0; task < n; ++task) EXPECT_EQ(runs[std::size_t(task)], 1);
    EXPECT_EQ(runs.back(), 0);
  }
}

TEST(Tasks, ThrowWhatOneOfThemThrows) {
  std::atomic<int> done{0};
  EXPECT_THROW(for_each_task("tasks", 100,
                             [&](int task, int) {
                               require(task != 7, "task", task, "fails");
                               ++done;
                             }),
               InputError);
  EXPECT_GE(done, 7) << "tasks that had begun were not finished";
}

}  // namespace
}  // namespace kov
#endif
