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
#include "kov/core/launch/sum_terms.hpp"
#include "kov/core/vectors/cuda/group_sum_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace kov {

namespace detail {

#if !defined(KOKKOS_ENABLE_CUDA)

/// Outer sites whose terms are added one after the other; chunks are added by sum_chunks().
inline constexpr int sum_chunk = 32;

/// Lanes of a pack; 1 for plain numbers.
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
  /// Whether pairs of outer sites are added together, in the order of single ones.
  static constexpr bool in_pairs = std::is_same_v<Site, PackSite> && at_once == 1 && TakesPairs<Kernel>;
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
    for (int outer = range.first + first; outer < range.first + end; ++outer) {
      if constexpr (in_pairs)
        if (outer % 2 == 0 && outer + 1 < range.first + end && layout.is_site(outer, N - 1) &&
            layout.is_site(outer + 1, N - 1)) {
          if constexpr (Prefetches<Kernel, PairSite>)
            if (outer + 2 < range.first + end) kernel.prefetch(PairSite{outer + 2}, group);
          const auto terms = kernel(PairSite{outer}, group);
          for (int upper = 0; upper < 2; ++upper)
            for (int k = 0; k < n; ++k) packs[0].v[k] += half_of(to_double(terms.v[k]), upper);
          ++outer;
          continue;
        }
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
  for_each_thread_block(name, dim3(unsigned(n_blocks), unsigned(n_groups)), LaneSumBlocks<Sum>{sum}, exec);
  await_turn(sum.done, std::size_t(n_groups), sum.turn, name, exec);
  std::copy_n(sum.results, results.size(), results.begin());
#endif
}

}  // namespace detail

}  // namespace kov
