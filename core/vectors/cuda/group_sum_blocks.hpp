// SPDX-License-Identifier: MIT
//
// Private to group_sums.hpp: sums over sites by blocks of threads on GPUs, in a fixed tree.
#pragma once

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/launch/sum_terms.hpp"

#include <atomic>
#include <cstdint>
#include <string>

namespace kov::detail {

#if defined(KOKKOS_ENABLE_CUDA)

inline constexpr int sum_threads = 256;

template <class Site, class Kernel>
inline constexpr int sums_of_group = 1;

/// A kernel whose add_sites() adds the sites of a block of threads, and returns number k of a group in thread k.
template <class Kernel>
concept AddsSites = requires(const Kernel& kernel, const SiteRange& range) {
  kernel.add_sites(range, 0);
};
/// Blocks on a multiprocessor, of all groups together: enough to be bound by memory, few enough for the last one to add
/// their sums.
template <class Kernel>
inline constexpr int sum_blocks = AddsSites<Kernel> ? 2 : 4;

/// The GPU's form: each thread adds sites that are one grid apart, a block adds its threads' sums in a fixed tree, and
/// the last block of its group to finish adds the blocks' sums, in a fixed tree too, and writes the results and then
/// `turn` to memory of the host.
template <int n, class Kernel_>
struct LaneSum {
  using Kernel = Kernel_;
  static constexpr int values = n;
  Kernel kernel;
  SiteRange range;
  double* partial;      // [group][number][blockIdx.x], the group in blockIdx.y
  unsigned* counters;   // [group]
  double* results;      // [group][number]
  std::uint64_t* done;  // [group]
  std::uint64_t turn;
};

/// The sum over a warp, in its first thread.
__device__ __forceinline__ double add_over_warp(double mine) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(0xffffffffu, mine, unsigned(distance));
  return mine;
}
/// The sum of number k over a block, in thread k.
template <int n>
__device__ __forceinline__ double add_over_block(const Values<double, n>& mine) {
  constexpr int n_warps = sum_threads / 32;
  static_assert(n <= sum_threads);
  __shared__ double of_warp[n_warps][n];
  const int thread = int(threadIdx.x);
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const double sum = add_over_warp(mine.v[k]);
    if (thread % 32 == 0) of_warp[thread / 32][k] = sum;
  }
  __syncthreads();
  double sum = 0;
  if (thread < n)
    for (int warp = 0; warp < n_warps; ++warp) sum += of_warp[warp][thread];
  __syncthreads();  // of_warp may be written again
  return sum;
}
/// What the blocks of a group found, [number][block], added over the blocks; number k in thread k.
template <int n>
__device__ __forceinline__ double add_blocks(const double* partial, int n_blocks) {
  const int thread = int(threadIdx.x);
  if constexpr (n < 8) {
    Values<double, n> mine{};
    for (int k = 0; k < n; ++k)
      for (int block = thread; block < n_blocks; block += sum_threads)
        mine.v[k] += __ldcg(partial + std::size_t(k) * n_blocks + block);
    return add_over_block<n>(mine);
  } else {  // a warp takes a number
    __shared__ double total[n];
    for (int k = thread / 32; k < n; k += sum_threads / 32) {
      double mine = 0;
      for (int block = thread % 32; block < n_blocks; block += 32)
        mine += __ldcg(partial + std::size_t(k) * n_blocks + block);
      mine = add_over_warp(mine);
      if (thread % 32 == 0) total[k] = mine;
    }
    __syncthreads();
    return thread < n ? total[thread] : 0;
  }
}

/// What a thread of such a block does.
template <class Sum>
struct LaneSumBlocks {
  Sum sum;

  __device__ __forceinline__ void operator()() const {
    constexpr int n = Sum::values, N = default_lanes;
    using Kernel = typename Sum::Kernel;
    const int thread = int(threadIdx.x), group = int(blockIdx.y), n_blocks = int(gridDim.x);
    double of_block;
    if constexpr (AddsSites<Kernel>) {
      of_block = sum.kernel.add_sites(sum.range, group);
    } else {
      Values<double, n> mine{};
      for (int i = int(blockIdx.x) * sum_threads + thread; i < sum.range.n_outer * N; i += n_blocks * sum_threads) {
        const LaneSite x{sum.range.outer(i / N), i % N};
        if (!sum.range.holds(x.outer, x.lane, N)) continue;
        if constexpr (AddsToSums<Kernel, LaneSite, Values<double, n>>) {
          sum.kernel.add_to(mine, x, group);
        } else {
          const auto term = sum.kernel(x, group);
          for (int k = 0; k < n; ++k) mine.v[k] += double(term.v[k]);
        }
      }
      of_block = add_over_block<n>(mine);
    }
    double* const partial = sum.partial + std::size_t(group) * n * n_blocks;
    if (thread < n) {
      partial[std::size_t(thread) * n_blocks + blockIdx.x] = of_block;
      Kokkos::memory_fence();
    }
    __shared__ bool is_last;
    __syncthreads();
    if (thread == 0) is_last = atomicInc(sum.counters + group, unsigned(n_blocks - 1)) == unsigned(n_blocks - 1);
    __syncthreads();
    if (!is_last) return;
    Kokkos::memory_fence();
    const double total = add_blocks<n>(partial, n_blocks);
    if (thread < n) sum.results[group * n + thread] = total;
    __syncthreads();
    if (thread > 0) return;
    __threadfence_system();
    *static_cast<volatile std::uint64_t*>(sum.done + group) = sum.turn;
  }
};

template <class Sum>
struct ThreadBlocks<LaneSumBlocks<Sum>>
    : StatedBlocks<sum_threads, AddsSites<typename Sum::Kernel> ? sum_blocks<typename Sum::Kernel> : 1, false> {};

/// Waits for the kernel that writes `turn` to n places of the host's memory: the host sees that some microseconds
/// before exec.fence() returns.
inline void await_turn(const std::uint64_t* done, std::size_t n, std::uint64_t turn, const std::string& name,
                       const Exec& exec) {
  for (std::size_t k = 0; k < n; ++k) {
    const volatile std::uint64_t* const at = done + k;
    for (unsigned tries = 1; *at != turn; ++tries)
      if (tries % 4096 == 0 && cudaStreamQuery(exec.cuda_stream()) != cudaErrorNotReady) return exec.fence(name);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
}

#endif

}  // namespace kov::detail
