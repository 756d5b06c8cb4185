// SPDX-License-Identifier: MIT
#include "kov/core/base/error.hpp"
#include "kov/core/base/host_threads.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

namespace kov {
namespace {

TEST(HostThreads, EveryPieceIsDoneOnce) {
  std::vector<std::atomic<int>> done(1000);
  std::vector<int> of_thread(n_host_threads());
  on_host_threads("test", 1000, [&](std::int64_t i, int thread) {
    ++done[std::size_t(i)];
    ++of_thread.at(std::size_t(thread));
  });
  int total = 0;
  for (const int n : of_thread) total += n;
  EXPECT_EQ(total, 1000);
  for (const auto& n : done) EXPECT_EQ(n, 1);
  on_host_threads("nothing", 0, [](std::int64_t, int) { FAIL(); });
}

TEST(HostThreads, AnExceptionOfAThreadReachesTheCaller) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(on_host_threads("test", 1'000'000,
                               [&](std::int64_t i, int) {
                                 ++calls;
                                 if (i == 10) throw FormatError("damaged");
                               }),
               FormatError);
  EXPECT_LT(calls, 1'000'000);
}

}  // namespace
}  // namespace kov
