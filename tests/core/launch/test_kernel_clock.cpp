// SPDX-License-Identifier: MIT
//
// KernelClock: the time of kernels alone, without a fence more.
#include "kov/core/base/error.hpp"
#include "kov/core/launch/for_each_item.hpp"
#include "kov/core/launch/kernel_clock.hpp"

#include <Kokkos_Core.hpp>

#include <chrono>
#include <cstdint>
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
  // A busy machine may stop this thread between two looks at clocks, but not every time.
  double part = 0;
  for (int i = 0; i < 50 && part < 0.5; ++i) {
    const double before = clock.seconds();
    const auto start = Clock::now();
    for_each_item("iterate", 4, work);
    const double one = clock.seconds() - before, wall = seconds_since(start);
    EXPECT_GT(one, 0);
    EXPECT_LE(one, wall);
    part = one / wall;
  }
  EXPECT_GE(part, 0.5);
}

TEST(KernelClock, IsOneAtATime) {
  {
    const KernelClock clock;
    EXPECT_THROW(KernelClock(), InputError);
  }
  const KernelClock next;
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
