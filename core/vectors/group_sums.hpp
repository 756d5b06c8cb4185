// SPDX-License-Identifier: MIT
//
// The implementation of reduce.hpp and of sums by column: sums over sites for one or many groups of numbers in one
// kernel, in a fixed order.  Not for users.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/layout.hpp"
#include "kov/core/lattice/sum_scratch.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/launch/sum_chunks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kov {

/// n reals per site or per sum; over R = T or Pack<T, N>.
template <class R, int n>
struct Values {
  using Real = R;
  R v[n];
  KOKKOS_FORCEINLINE_FUNCTION Values& operator+=(const Values& b) {
    for (int i = 0; i < n; ++i) v[i] += b.v[i];
    return *this;
  }
};

namespace detail {

template <class R>
using DoubleOf = decltype(to_double(std::declval<R>()));

/// What a kernel of a sum returns for a site and a group.
template <class Site, class Kernel>
using SumTerm = decltype(std::declval<const Kernel&>()(std::declval<Site>(), 0));

/// Makes a kernel(x) callable as kernel(x, group), for a single group.
template <class Kernel>
struct SingleGroup {
  Kernel kernel;
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int) const {
    return kernel(x);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int) const requires requires {
    kernel.prefetch(x, 0);
  }
  {
    for (int group = 0; group < kernel.n_groups; ++group) kernel.prefetch(x, group);
  }
};

/// How many groups a CPU adds in one pass over the sites of a chunk: so that their sums stay in the first-level cache;
/// or, for kernels that compute much with each number they read, in the second-level cache.
inline constexpr int sums_at_once = 8, many_sums_at_once = 512;

/// A kernel that adds to sums itself.  Faster than one that returns many numbers, which pass through memory.
template <class Kernel, class Site, class Sums>
concept AddsToSums = requires(const Kernel& kernel, Sums& sums, Site x) {
  kernel.add_to(sums, x, 0);
};
/// A kernel that can prefetch what it will read for a group of a later site.
template <class Kernel, class Site>
concept Prefetches = requires(const Kernel& kernel, Site x) {
  kernel.prefetch(x, 0);
};

#if !defined(KOKKOS_ENABLE_CUDA)

inline constexpr int sum_chunk = 32;  // outer sites

template <class R>
inline constexpr int lanes_of = 1;
template <class T, int N>
inline constexpr int lanes_of<Pack<T, N>> = N;

/// How many sums a group has for each of its numbers: one for each column in the lanes of what its kernel returns.
template <class Site, class Kernel>
inline constexpr int sums_of_group =
    std::is_same_v<Site, ColumnSite> ? lanes_of<typename SumTerm<Site, Kernel>::Real> : 1;

/// Sums of a chunk of outer sites, [group][column][number], at_once groups in one pass over its sites.
/// Packs without padding are added in double, those with padding separately; lanes are added one after the other, only
/// once per chunk.
template <class Site, int n, int at_once, class Kernel>
struct ChunkSum {
  static constexpr bool of_columns = std::is_same_v<Site, ColumnSite>;
  static constexpr int N = lanes_of<typename SumTerm<Site, Kernel>::Real>, width = sums_of_group<Site, Kernel>;
  Kernel kernel;
  Layout::View layout;
  SiteRange range;
  int n_groups;

  void operator()(int chunk, double* sums) const {
    for (int g = 0; g < n_groups; g += at_once) add(chunk, g, sums + std::size_t(g) * (width * n));
  }

 private:
  void add(int chunk, int group, double* out) const {
    const int first = chunk * sum_chunk, end = first + sum_chunk < range.n_outer ? first + sum_chunk : range.n_outer;
    const int count = at_once == 1 ? 1 : std::min(at_once, n_groups - group);
    using Packs = Values<Pack<double, N>, n>;
    auto packs = several<Packs>();
    auto apart = several<Values<double, n>>();
    for (int j = 0; j < count; ++j) {
      apart[std::size_t(j)] = {};
      for (auto& v : packs[std::size_t(j)].v) v = Pack<double, N>(0.0);
    }
    for (int outer = range.first + first; outer < range.first + end; ++outer)
      for (int j = 0; j < count; ++j) {
        if constexpr (Prefetches<Kernel, Site>)
          if (outer + 1 < range.first + end) kernel.prefetch(Site{outer + 1}, group + j);
        if constexpr (AddsToSums<Kernel, Site, Packs>)
          if (layout.is_site(outer, of_columns ? 0 : N - 1)) {
            kernel.add_to(packs[std::size_t(j)], Site{outer}, group + j);
            continue;
          }
        const auto term = kernel(Site{outer}, group + j);
        if (layout.is_site(outer, of_columns ? 0 : N - 1)) {
          for (int k = 0; k < n; ++k) packs[std::size_t(j)].v[k] += to_double(term.v[k]);
        } else if constexpr (!of_columns) {
          int valid = N - 1;
          while (valid > 0 && !layout.is_site(outer, valid - 1)) --valid;
          add_lanes(apart[std::size_t(j)], term, valid);
        }
      }
    for (int j = 0; j < count; ++j) {
      if constexpr (!of_columns) add_lanes(apart[std::size_t(j)], packs[std::size_t(j)], N);
      for (int column = 0; column < width; ++column)
        for (int k = 0; k < n; ++k, ++out)
          *out = of_columns ? packs[std::size_t(j)].v[k].lane(column) : apart[std::size_t(j)].v[k];
    }
  }

  template <class V>
  auto several() const {
    if constexpr (at_once <= sums_at_once)
      return std::array<V, std::size_t(at_once)>();
    else
      return std::vector<V>(std::size_t(std::min(at_once, n_groups)));
  }
  template <class R>
  static void add_lanes(Values<double, n>& sum, const Values<R, n>& term, int valid) {
    for (int k = 0; k < n; ++k) {
      double lanes = 0;
      for (int lane = 0; lane < valid; ++lane) lanes += double(term.v[k].lane(lane));
      sum.v[k] += lanes;
    }
  }
};

#else

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

template <class Sum>
__global__ void __launch_bounds__(sum_threads, AddsSites<typename Sum::Kernel> ? sum_blocks<typename Sum::Kernel> : 1)
    run_lane_sum(const __grid_constant__ Sum sum) {
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

/// results[(group * sums_of_group + column) * n + number] = the sum over the range, on this rank, of kernel(x, group),
/// which returns Values<R, n>.  Site: what the kernel gets; layout: of the range.  Waits only for exec.
template <class Site, int n, int at_once, class Kernel>
void sum_groups(const std::string& name, const SiteRange& range, const Layout& layout, int n_groups,
                const Kernel& kernel, SumScratchPool& pool, std::span<double> results, const Exec& exec) {
  if (results.empty()) return;
#if !defined(KOKKOS_ENABLE_CUDA)
  using Sum = ChunkSum<Site, n, at_once, Kernel>;
  const Sum sum{kernel, layout.view(), range, n_groups};
  sum_chunks(name, (range.n_outer + sum_chunk - 1) / sum_chunk, &add_chunks<Sum>, &sum, pool, results, exec);
#else
  const SumScratchPool::Loan scratch = pool.borrow();
  using Sum = LaneSum<n, Kernel>;
  const int n_strips = (range.n_outer * default_lanes + sum_threads - 1) / sum_threads;
  const int most_blocks = sum_blocks<Kernel> * exec.cuda_device_prop().multiProcessorCount;
  const int n_blocks = std::clamp(n_strips, 1, std::max(most_blocks / n_groups, 1));
  const Sum sum{kernel,
                range,
                scratch->partial(std::size_t(n_blocks) * std::size_t(n_groups) * n),
                scratch->counters(std::size_t(n_groups)),
                scratch->results(results.size()),
                scratch->done(std::size_t(n_groups)),
                scratch->next_turn()};
  launch_blocks(name, run_lane_sum<Sum>, dim3(unsigned(n_blocks), unsigned(n_groups)), sum_threads, exec, sum);
  await_turn(sum.done, std::size_t(n_groups), sum.turn, name, exec);
  std::copy_n(sum.results, results.size(), results.begin());
#endif
}

}  // namespace detail

}  // namespace kov
