// SPDX-License-Identifier: MIT
//
// Parallel loops over plain indices; kernels over sites, blocks and chunks are launched with them.
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
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

/// A property of policies: CUDA gets kernels of up to 4 KiB as parameters of the launch.  Without it Kokkos copies
/// kernels of 512 bytes and more to constant memory, which all instances share: such a launch takes 10 us longer, and
/// the host waits in it for the one before.
using InParameters = Kokkos::Experimental::WorkItemProperty::HintLightWeight_t;

/// nvcc lets every thread copy parameters of at most so many bytes to its local memory, which takes a third of the
/// bandwidth in a copy of spinors.
inline constexpr std::size_t short_parameters = 128;
template <class Work>
struct LongWork {
  Work work;
  std::byte unused[short_parameters];
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i) const { work(i); }
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
    static_assert(sizeof(Work) < 3900, "a kernel's parameters have 4 KiB: pass pointers to the rest");
    const Kokkos::RangePolicy<Exec, detail::InParameters> items(exec, 0, n);
    if constexpr (sizeof(Work) <= detail::short_parameters)
      Kokkos::parallel_for(name, items, detail::LongWork<Work>{work, {}});
    else
      Kokkos::parallel_for(name, items, work);
  }
}

}  // namespace kov
