// SPDX-License-Identifier: MIT
//
// Work: what was launched is counted, once each.
#include "kov/core/launch/work.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace work {
namespace {

using namespace kov;

TEST(Work, AddsUpInTheThreadThatLaunches) {
  const Work before = work_done();
  detail::count_work(100, 8);
  detail::count_work(20, 4);
  EXPECT_EQ(work_done().flops - before.flops, 120);
  EXPECT_EQ(work_done().bytes - before.bytes, 12);
  std::thread([] {
    EXPECT_EQ(work_done().flops, 0);
    detail::count_work(1, 1);
  }).join();
  EXPECT_EQ(work_done().flops - before.flops, 120);
}

}  // namespace
}  // namespace work
