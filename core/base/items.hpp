// SPDX-License-Identifier: MIT
//
// Parallel loops over plain indices; kernels over sites, blocks and chunks are launched with them.
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace kov {

template <class Exec>
inline constexpr bool is_host_v =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

namespace detail {

template <class Work>
[[gnu::noinline]] void run_items(const Work& work, int begin, int end) {
  const Work mine = work;  // whose members no store can change
  for (int i = begin; i < end; ++i) mine(i);
}

/// A thread's share of n items.
template <class Work>
struct ItemsOfThread {
  Work work;
  std::int64_t n, n_threads;
  void operator()(int thread) const { run_items(work, int(n * thread / n_threads), int(n * (thread + 1) / n_threads)); }
};

}  // namespace detail

/// Calls work(i) for i in [0, n), asynchronously, like parallel_for.  On hosts every thread takes one contiguous range
/// of items: parallel_for would compile the work twice, once for nested loops, and kernels dominate the time to
/// compile.
template <class Work, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_item(const std::string& name, int n, const Work& work, const Exec& exec = {}) {
  if (n <= 0) return;
  if constexpr (is_host_v<Exec>) {
    const int n_threads = exec.concurrency();
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec, 0, n_threads),
                         detail::ItemsOfThread<Work>{work, n, n_threads});
  } else {
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec, 0, n), work);
  }
}

}  // namespace kov
