// SPDX-License-Identifier: MIT
#include "kov/core/base/host_threads.hpp"

#include <Kokkos_Core.hpp>

#include <atomic>
#include <exception>
#include <mutex>

namespace kov {

namespace {
using HostExec = Kokkos::DefaultHostExecutionSpace;
}  // namespace

std::size_t n_host_threads() { return std::size_t(HostExec().concurrency()); }

void on_host_threads(const std::string& name, std::int64_t n,
                     const std::function<void(std::int64_t i, int thread)>& work) {
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  Kokkos::parallel_for(name, Kokkos::RangePolicy<HostExec>(0, int(n_host_threads())), [&](const int thread) {
    try {
      for (std::int64_t i = next++; i < n; i = next++) work(i, thread);
    } catch (...) {
      next = n;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  });
  HostExec().fence();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kov
