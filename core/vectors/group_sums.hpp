// SPDX-License-Identifier: MIT
//
// The implementation of reduce.hpp and of sums by column: sums over sites for one or many groups of numbers in one
// kernel, in a fixed order.  Not for users.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/layout.hpp"
#include "kov/core/lattice/sum_scratch.hpp"
#include "kov/core/launch/for_each_site.hpp"

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

/// Partial sums of a chunk of outer sites, [chunk][group][column][number], at_once groups in one pass over its sites.
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
  double* partial;

  KOKKOS_FUNCTION void operator()(int chunk) const {
    for (int g = 0; g < n_groups; g += at_once)
      add(chunk, g, partial + (std::size_t(chunk) * std::size_t(n_groups) + std::size_t(g)) * (width * n));
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
/// Blocks of all groups together: enough for every multiprocessor, few enough for the last one to add their sums.
inline constexpr int most_sum_blocks = 2048;

template <class Site, class Kernel>
inline constexpr int sums_of_group = 1;

/// How many groups the warps of a block add side by side, so that what they read at the same sites comes from memory
/// once: Kernel::groups_together, or 1.
template <class Kernel>
inline constexpr int groups_together = 1;
template <class Kernel>
requires requires { Kernel::groups_together; }
inline constexpr int groups_together<Kernel> = Kernel::groups_together;

/// The GPU's form: each thread adds sites that are one grid apart, a block adds its threads' sums in a fixed tree, and
/// the last block of its groups to finish adds the blocks' sums, in a fixed tree too, and writes the results and then
/// `turn` to memory of the host.
template <int n, class Kernel>
struct LaneSum {
  static constexpr int values = n, together = groups_together<Kernel>;
  Kernel kernel;
  SiteRange range;
  int n_groups;
  double* partial;      // [blockIdx.y][group of the block][number][blockIdx.x]
  unsigned* counters;   // [blockIdx.y]
  double* results;      // [group][number]
  std::uint64_t* done;  // [blockIdx.y]
  std::uint64_t turn;
};

/// The sum of number k of group j of a block over its threads, to thread j n + k.  Warps j, j + together, ... work for
/// group j.
template <int n, int together>
__device__ __forceinline__ double add_over_block(Values<double, n> mine) {
  constexpr int n_warps = sum_threads / 32;
  static_assert(n * together <= sum_threads && n_warps % together == 0);
  __shared__ double of_warp[n_warps][n];
  const int thread = int(threadIdx.x);
#pragma unroll
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      mine.v[k] += __shfl_down_sync(0xffffffffu, mine.v[k], unsigned(distance));
  if (thread % 32 == 0)
    for (int k = 0; k < n; ++k) of_warp[thread / 32][k] = mine.v[k];
  __syncthreads();
  double sum = 0;
  if (thread < n * together)
    for (int warp = thread / n; warp < n_warps; warp += together) sum += of_warp[warp][thread % n];
  __syncthreads();  // of_warp may be written again
  return sum;
}

template <class Sum>
__global__ void __launch_bounds__(sum_threads, Sum::together > 1 ? 2 : 1)
    run_lane_sum(const __grid_constant__ Sum sum) {
  constexpr int n = Sum::values, together = Sum::together, all = n * together, N = default_lanes;
  constexpr int strip = sum_threads / together;  // lanes that a block takes at a time
  const int thread = int(threadIdx.x), warp = thread / 32, n_blocks = int(gridDim.x);
  const int group = int(blockIdx.y) * together + warp % together, in_strip = warp / together * 32 + thread % 32;
  Values<double, n> mine{};
  for (int i = int(blockIdx.x) * strip + in_strip; i < sum.range.n_outer * N; i += n_blocks * strip) {
    const LaneSite x{sum.range.outer(i / N), i % N};
    if (group >= sum.n_groups || !sum.range.holds(x.outer, x.lane, N)) continue;
    if constexpr (AddsToSums<std::remove_const_t<decltype(sum.kernel)>, LaneSite, Values<double, n>>) {
      sum.kernel.add_to(mine, x, group);
    } else {
      const auto term = sum.kernel(x, group);
      for (int k = 0; k < n; ++k) mine.v[k] += double(term.v[k]);
    }
  }
  const double of_block = add_over_block<n, together>(mine);
  double* const of_groups = sum.partial + std::size_t(blockIdx.y) * all * n_blocks;
  if (thread < all) {
    of_groups[std::size_t(thread) * n_blocks + blockIdx.x] = of_block;
    Kokkos::memory_fence();
  }
  __shared__ bool is_last;
  __syncthreads();
  if (thread == 0) is_last = atomicInc(sum.counters + blockIdx.y, unsigned(n_blocks - 1)) == unsigned(n_blocks - 1);
  __syncthreads();
  if (!is_last) return;
  Kokkos::memory_fence();
  for (int k = 0; k < n; ++k) {
    mine.v[k] = 0;
    for (int block = in_strip; block < n_blocks; block += strip)
      mine.v[k] += __ldcg(of_groups + std::size_t(warp % together * n + k) * n_blocks + block);
  }
  const double total = add_over_block<n, together>(mine);
  const int result = int(blockIdx.y) * all + thread;
  if (thread < all && result < sum.n_groups * n) sum.results[result] = total;
  __syncthreads();
  if (thread > 0) return;
  __threadfence_system();
  *static_cast<volatile std::uint64_t*>(sum.done + blockIdx.y) = sum.turn;
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
  const SumScratchPool::Loan scratch = pool.borrow();
#if !defined(KOKKOS_ENABLE_CUDA)
  const int n_chunks = (range.n_outer + sum_chunk - 1) / sum_chunk;
  const std::size_t n_results = results.size();
  const double* const partial = [&] {
    double* const p = scratch->partial(std::size_t(n_chunks) * n_results);
    for_each_item(name, n_chunks, ChunkSum<Site, n, at_once, Kernel>{kernel, layout.view(), range, n_groups, p}, exec);
    return p;
  }();
  exec.fence(name);
  std::fill(results.begin(), results.end(), 0.0);
  for (int chunk = 0; chunk < n_chunks; ++chunk)
    for (std::size_t k = 0; k < n_results; ++k) results[k] += partial[std::size_t(chunk) * n_results + k];
#else
  using Sum = LaneSum<n, Kernel>;
  constexpr int strip = sum_threads / Sum::together;
  const int n_strips = (range.n_outer * default_lanes + strip - 1) / strip;
  const int beside = (n_groups + Sum::together - 1) / Sum::together;
  const int n_blocks = std::clamp(n_strips, 1, std::max(most_sum_blocks / beside, 1));
  const Sum sum{kernel,
                range,
                n_groups,
                scratch->partial(std::size_t(n_blocks) * std::size_t(beside) * Sum::together * n),
                scratch->counters(std::size_t(beside)),
                scratch->results(results.size()),
                scratch->done(std::size_t(beside)),
                scratch->next_turn()};
  launch_blocks(name, run_lane_sum<Sum>, dim3(unsigned(n_blocks), unsigned(beside)), sum_threads, exec, sum);
  await_turn(sum.done, std::size_t(beside), sum.turn, name, exec);
  std::copy_n(sum.results, results.size(), results.begin());
#endif
}

}  // namespace detail

}  // namespace kov
