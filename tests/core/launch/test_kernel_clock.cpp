// SPDX-License-Identifier: MIT
//
// KernelClock: the time of kernels alone, without a fence more.
#include "kov/core/launch/for_each_item.hpp"
#include "kov/core/launch/kernel_clock.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace kernel_clock {
namespace {

using namespace kov;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Takes long, whatever the compiler does: steps of a logistic map.
struct Iterate {
  Kokkos::View<double*> x;
  KOKKOS_FUNCTION void operator()(int i) const {
    double value = 0.3 + 1e-3 * i;
    for (int step = 0; step < 1'000'000; ++step) value = 3.9 * value * (1 - value);
    x(i) = value;
  }
};

TEST(KernelClock, RunsWhileKernelsDo) {
  const Iterate work{Kokkos::View<double*>("x", 4)};
  for_each_item("warm", 4, work);
  Kokkos::fence();
  const KernelClock clock;
  EXPECT_EQ(clock.seconds(), 0);
  const auto start = Clock::now();
  for_each_item("iterate", 4, work);
  const double one = clock.seconds(), wall = seconds_since(start);
  EXPECT_LE(one, wall);
  EXPECT_GT(one, 0.5 * wall);  // the rest is this thread's after the kernel, between two looks at clocks
  for_each_item("iterate", 4, work);
  EXPECT_GT(clock.seconds(), one);
}

TEST(KernelClock, StandsStillBetweenKernels) {
  const Iterate work{Kokkos::View<double*>("x", 1)};
  Kokkos::fence();
  const KernelClock clock;
  for_each_item("iterate", 1, work);
  const double before = clock.seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LT(clock.seconds() - before, 0.025);
}

TEST(KernelClock, LetsOthersListenAndAddsNoFence) {
  namespace tools = Kokkos::Tools::Experimental;
  static int fences;
  const Iterate work{Kokkos::View<double*>("x", 1)};
  const auto before = tools::get_callbacks();
  tools::set_begin_fence_callback([](const char*, std::uint32_t, std::uint64_t*) { ++fences; });
  {
    const KernelClock clock;
    fences = 0;
    for_each_item("iterate", 1, work);
    EXPECT_EQ(fences, 0);
    Kokkos::fence();
    EXPECT_GT(fences, 0);
  }
  fences = 0;
  Kokkos::fence();
  EXPECT_GT(fences, 0);
  tools::set_callbacks(before);
}

TEST(KernelClock, IsOfTheThreadThatMadeIt) {
  const Iterate work{Kokkos::View<double*>("x", 1)};
  Kokkos::fence();
  const KernelClock clock;
  std::thread([] {
    const detail::KernelTimer other;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }).join();
  EXPECT_EQ(clock.seconds(), 0);
  for_each_item("iterate", 1, work);
  EXPECT_GT(clock.seconds(), 0);
}

}  // namespace
}  // namespace kernel_clock
