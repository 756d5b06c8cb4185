// SPDX-License-Identifier: MIT
//
// for_each_item: loops over plain indices; kernels over sites, blocks and chunks are launched with them.
#pragma once

#include "kov/core/base/queue.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace kov {

namespace detail {

/// Items [begin, end) of a Work whose type is not known.
using RunItems = void (*)(const void* work, int begin, int end);

template <class Work>
void run_items(const void* work, int begin, int end) {
  const Work mine = *static_cast<const Work*>(work);  // whose members no store can change
  for (int i = begin; i < end; ++i) mine(i);
}

/// Runs n items on a host, every thread one contiguous range of them, and returns when all are done.  Compiled once for
/// all kernels, as they dominate the time to compile.
void share_items(const std::string& name, int n, RunItems run, const void* work, const Exec& exec);

#if defined(KOKKOS_ENABLE_CUDA)
/// One thread per item.  __grid_constant__ keeps nvcc from copying kernels that are small, or have arrays, to each
/// thread's local memory.
template <class Work>
__global__ void run_item(const __grid_constant__ Work work, int n) {
  const int i = int(blockIdx.x) * int(blockDim.x) + int(threadIdx.x);
  if (i < n) work(i);
}

/// Of the blocks, of 128 threads at least, that let most threads run at a time, the smallest.  kernel: any entry.
int item_threads(const void* kernel);

/// Threads of a block, `most` or fewer, where n are wanted in all: so few that every multiprocessor has a block.
int block_threads(std::int64_t n, int most, const Kokkos::Cuda& exec);

/// Throws an Error when the last kernel could not be launched.
void check_launch(const std::string& name);

/// Launches a kernel on a grid of blocks; profilers hear of it as of a parallel_for.  Kernels are parameters of the
/// launch: Kokkos copies those of 512 bytes and more to constant memory, for which the host waits.
template <class Functor, class... Counts>
void launch_blocks(const std::string& name, void (*entry)(Functor, Counts...), dim3 grid, int threads,
                   const Kokkos::Cuda& exec, const Functor& functor, Counts... counts) {
  static_assert(sizeof(Functor) < 4000, "a kernel's parameters have 4 KiB: pass pointers to the rest");
  std::uint64_t id = 0;
  Kokkos::Tools::beginParallelFor(name, Kokkos::Tools::Experimental::device_id(exec), &id);
  entry<<<grid, threads, 0, exec.cuda_stream()>>>(functor, counts...);
  check_launch(name);
  Kokkos::Tools::endParallelFor(id);
}
#endif

}  // namespace detail

/// Calls work(i) for i in [0, n): asynchronously on GPUs, on hosts all is done when it returns.
template <class Work>
void for_each_item(const std::string& name, int n, const Work& work, const Exec& exec = {}) {
  if (n <= 0) return;
#if defined(KOKKOS_ENABLE_CUDA)
  static const int most = detail::item_threads(reinterpret_cast<const void*>(&detail::run_item<Work>));
  const int threads = detail::block_threads(n, most, exec);
  detail::launch_blocks(name, detail::run_item<Work>, dim3(unsigned((n + threads - 1) / threads)), threads, exec, work,
                        n);
#else
  if constexpr (is_host_v<Exec>)
    detail::share_items(name, n, &detail::run_items<Work>, &work, exec);
  else
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec, 0, n), work);
#endif
}

}  // namespace kov
