// SPDX-License-Identifier: MIT
#include "kov/core/launch/for_each_item.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/launch/kernel_clock.hpp"

#include <algorithm>

namespace kov::detail {

namespace {

/// A thread's share of n items.
struct ItemsOfThread {
  RunItems run;
  const void* work;
  std::int64_t n, n_threads;
  void operator()(int thread) const { run(work, int(n * thread / n_threads), int(n * (thread + 1) / n_threads)); }
};

}  // namespace

void share_items(const std::string& name, int n, RunItems run, const void* work, const Exec& exec) {
  [&]<class E>(const E& host) {
    if constexpr (is_host_v<E>) {
      const int n_threads = host.concurrency();
      const KernelTimer timer;
      Kokkos::parallel_for(name, Kokkos::RangePolicy<E>(host, 0, n_threads), ItemsOfThread{run, work, n, n_threads});
#if defined(KOKKOS_ENABLE_HPX)
      host.fence(name);  // the only host whose parallel_for returns before all is done
#endif
    }
  }(exec);
}

#if defined(KOKKOS_ENABLE_CUDA)
int item_threads(const void* kernel) {
  cudaFuncAttributes attributes;
  int best = 128, most = 0;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return best;  // the launch says why
  for (int threads = 128; threads <= attributes.maxThreadsPerBlock; threads += 32) {
    int blocks = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0) != cudaSuccess) break;
    if (blocks * threads > most) {
      most = blocks * threads;
      best = threads;
    }
  }
  return best;
}

int block_threads(std::int64_t n, int most, const Kokkos::Cuda& exec) {
  constexpr int warp = 32;
  const std::int64_t multiprocessors = exec.cuda_device_prop().multiProcessorCount,
                     each = (n + multiprocessors - 1) / multiprocessors;
  return int(std::clamp<std::int64_t>((each + warp - 1) / warp * warp, warp, most));
}

void check_launch(const std::string& name) {
  const KernelTimer timer;  // from here to the next fence
  const cudaError_t code = cudaGetLastError();
  require<Error>(code == cudaSuccess, "the kernel", name, "could not be launched on the GPU:", cudaGetErrorString(code),
                 "; was the program built for this GPU's architecture?");
}
#endif

}  // namespace kov::detail
