// SPDX-License-Identifier: MIT
#include "kov/core/launch/kernel_clock.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/base/queue.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace kov {

namespace {

namespace tools = Kokkos::Tools::Experimental;
using Clock = std::chrono::steady_clock;

/// What this thread has measured.  Launches nest where a task launches kernels.
struct KernelTime {
  bool is_measured = false, runs = false, waits = false;
  int depth = 0;
  Clock::time_point since = {};
  double seconds = 0;

  void start() {
    if (!runs) since = Clock::now();
    runs = true;
  }
  void stop() {
    if (runs) seconds += std::chrono::duration<double>(Clock::now() - since).count();
    runs = false;
  }
};
thread_local KernelTime of_this_thread;
std::atomic<bool> exists = false;

/// Kokkos' callbacks are functions and know no object: those that were there before a KernelClock.  Callbacks of
/// kernels would make Kokkos fence before and after every launch; those of fences do not.
tools::EventSet before;

void begin_fence(const char* name, std::uint32_t device, std::uint64_t* id) {
  if (before.begin_fence) before.begin_fence(name, device, id);
  KernelTime& time = of_this_thread;
  time.waits = time.is_measured && tools::identifier_from_devid(device).type == tools::DeviceTypeTraits<Exec>::id;
  if (time.waits) time.start();
}

void end_fence(std::uint64_t id) {
  if (of_this_thread.waits) of_this_thread.stop();
  if (before.end_fence) before.end_fence(id);
}

}  // namespace

KernelClock::KernelClock() {
  require(!exists.exchange(true),
          "a KernelClock was made while there is another, and Kokkos tells one of its fences: let that end first");
  of_this_thread = {.is_measured = true};
  if (!detail::kernels_are_asynchronous) return;
  before = tools::get_callbacks();
  tools::set_begin_fence_callback(begin_fence);
  tools::set_end_fence_callback(end_fence);
}

KernelClock::~KernelClock() {
  of_this_thread = {};
  if (detail::kernels_are_asynchronous) {
    tools::set_begin_fence_callback(before.begin_fence);
    tools::set_end_fence_callback(before.end_fence);
  }
  exists = false;
}

double KernelClock::seconds() const {
  if (of_this_thread.runs) Kokkos::fence("KernelClock");  // on hosts nothing runs between launches
  return of_this_thread.seconds;
}

detail::KernelTimer::KernelTimer() {
  if (of_this_thread.is_measured && of_this_thread.depth++ == 0) of_this_thread.start();
}

detail::KernelTimer::~KernelTimer() {
  if (of_this_thread.is_measured && --of_this_thread.depth == 0 && !kernels_are_asynchronous) of_this_thread.stop();
}

}  // namespace kov
