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

/// The GPU's form: each thread adds sites that are one grid apart, a block adds its threads' sums in a fixed tree, and
/// the last block of a group to finish adds the blocks' sums, in a fixed tree too, and writes the result to memory of
/// the host.
template <int n, class Kernel>
struct LaneSum {
  static constexpr int values = n;
  Kernel kernel;
  SiteRange range;
  double* partial;
  unsigned* counters;
  double* results;
};

/// The sum of number k over the threads of a block, to thread k.
template <int n>
__device__ __forceinline__ double add_over_block(Values<double, n> mine) {
  static_assert(n <= sum_threads);
  constexpr int n_warps = sum_threads / 32;
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
  if (thread < n)
    for (int warp = 0; warp < n_warps; ++warp) sum += of_warp[warp][thread];
  __syncthreads();  // of_warp may be written again
  return sum;
}

template <class Sum>
__global__ void __launch_bounds__(sum_threads) run_lane_sum(const __grid_constant__ Sum sum) {
  constexpr int n = Sum::values, N = default_lanes;
  const int thread = int(threadIdx.x), group = int(blockIdx.y), n_blocks = int(gridDim.x);
  Values<double, n> mine{};
  for (int i = int(blockIdx.x) * sum_threads + thread; i < sum.range.n_outer * N; i += n_blocks * sum_threads) {
    const LaneSite x{sum.range.outer(i / N), i % N};
    if (!sum.range.holds(x.outer, x.lane, N)) continue;
    const auto term = sum.kernel(x, group);
    for (int k = 0; k < n; ++k) mine.v[k] += double(term.v[k]);
  }
  const double of_block = add_over_block(mine);
  double* const of_group = sum.partial + std::size_t(group) * n * n_blocks;  // [number][block]
  if (thread < n) {
    of_group[std::size_t(thread) * n_blocks + blockIdx.x] = of_block;
    Kokkos::memory_fence();
  }
  __shared__ bool is_last;
  __syncthreads();
  if (thread == 0) is_last = atomicInc(sum.counters + group, unsigned(n_blocks - 1)) == unsigned(n_blocks - 1);
  __syncthreads();
  if (!is_last) return;
  Kokkos::memory_fence();
  for (int k = 0; k < n; ++k) {
    mine.v[k] = 0;
    for (int block = thread; block < n_blocks; block += sum_threads)
      mine.v[k] += __ldcg(of_group + std::size_t(k) * n_blocks + block);
  }
  const double total = add_over_block(mine);
  if (thread < n) sum.results[group * n + thread] = total;
}

#endif

/// results[(group * sums_of_group + column) * n + number] = the sum over the range, on this rank, of kernel(x, group),
/// which returns Values<R, n>.  Site: what the kernel gets; layout: of the range.  Fences only exec.
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
  const int items = range.n_outer * default_lanes;
  const int n_blocks = std::clamp((items + sum_threads - 1) / sum_threads, 1, std::max(most_sum_blocks / n_groups, 1));
  const LaneSum<n, Kernel> sum{kernel, range, scratch->partial(std::size_t(n_blocks) * results.size()),
                               scratch->counters(std::size_t(n_groups)), scratch->results(results.size())};
  launch_blocks(name, run_lane_sum<LaneSum<n, Kernel>>, dim3(unsigned(n_blocks), unsigned(n_groups)), sum_threads, exec,
                sum);
  exec.fence(name);
  std::copy_n(sum.results, results.size(), results.begin());
#endif
}

}  // namespace detail

}  // namespace kov
