// SPDX-License-Identifier: MIT
//
// Kernels run over sites.  The index a kernel receives decides what every view returns to it:
//   PackSite    all lanes of an outer site: SiteT<Pack<T, N>>, what one CPU thread works on
//   LaneSite    one lane of an outer site:  SiteT<T>, what one GPU thread works on
//   ColumnSite  one site, N columns in the lanes: SiteT<Pack<T, N>> from a block of columns, SiteT<T> from links
#pragma once

#include "kov/core/fast_divisor.hpp"
#include "kov/core/items.hpp"
#include "kov/core/pack.hpp"

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <string>
#include <type_traits>

namespace kov {

/// Which sites a field or a kernel covers.
enum class Subset { all, even, odd };

/// The other parity; all stays all.
constexpr Subset opposite(Subset s) { return s == Subset::all ? s : s == Subset::even ? Subset::odd : Subset::even; }

struct PackSite {
  int outer;
};

struct LaneSite {
  int outer;
  int lane;
};

struct ColumnSite {
  int outer;
};

template <class S>
concept SiteIndex = std::same_as<S, PackSite> || std::same_as<S, LaneSite> || std::same_as<S, ColumnSite>;

/// What for_each_site hands to a kernel on Exec.
template <class Exec>
using site_index_t = std::conditional_t<is_host_v<Exec> && has_packs, PackSite, LaneSite>;

/// A run of outer sites in one or two parts of the same length (the parities), each of which may end in padding lanes.
struct SiteRange {
  int first;       // outer site
  int n_outer;     // of both parts
  int part_outer;  // of the first part
  int n_sites[2];  // valid lanes of each part
  /// Of both parities, where a time slice is whole outer sites: how many of a part, how often it comes, and whether
  /// they go in bricks of 2 neighbours in y and 2^z_bits in z, of which there are by_bricks.divisor in y.
  int slice = 0, n_slices = 0, z_bits = 0;
  FastDivisor by_bricks;

  /// The k-th outer site to work on.  Two parts take turns: what neighbours of both parities share is then read from
  /// memory once (1.7 times as fast as one after the other, Laplacian, measured on an H200).
  KOKKOS_FORCEINLINE_FUNCTION int outer(int k) const {
    const bool turns = part_outer != n_outer;
    return first + (turns ? (k & 1) * part_outer : 0) + (turns ? k >> 1 : k);
  }
  /// The k-th of the 2 slice outer sites of time slice t, in bricks, parities in turns.
  KOKKOS_FORCEINLINE_FUNCTION int outer(int k, int t) const {
    int j = k >> 1;
    if (z_bits > 0) {
      const int brick = j >> (z_bits + 1), z = int(by_bricks(std::uint32_t(brick)));
      const int y = brick - z * int(by_bricks.divisor), row = (z << z_bits) + (j >> 1 & ((1 << z_bits) - 1));
      j = (row * int(by_bricks.divisor) + y) * 2 + (j & 1);
    }
    return first + (k & 1) * part_outer + t * slice + j;
  }
  /// Whether a lane is a site.
  KOKKOS_FORCEINLINE_FUNCTION bool holds(int outer, int lane, int lanes) const {
    const int part = outer - first >= part_outer;
    return (outer - first - part * part_outer) * lanes + lane < n_sites[part];
  }
};

/// Sites picked one by one: outer sites where kernels take packs or columns, slots (outer * lanes + lane) where they
/// take lanes.
struct SiteList {
  const int* items;
  int n;
};

namespace detail {

/// Throws an Error when a kernel could not be launched on the GPU.
void check_launch(const std::string& name);

/// How many time slices a block of threads should walk through, when a slice takes slice_blocks and `resident` blocks
/// run at a time: as few waves of blocks as possible, of walks as long as possible, as each begins with slices that are
/// in no cache.
int walk_length(int n_slices, int slice_blocks, int resident);

template <class Site, int N, class Kernel>
struct SiteFunctor {
  Kernel kernel;
  SiteRange range;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i) const {
    if constexpr (std::is_same_v<Site, PackSite>) {
      kernel(PackSite{range.outer(i)});
    } else {
      const LaneSite x{range.outer(i / N), i % N};
      if (range.holds(x.outer, x.lane, N)) kernel(x);
    }
  }
};

/// The same with a component; on GPUs, where neighbouring warps take the components of the same sites, which then come
/// from cache.  one: there is only one.
template <int N, bool one, class Kernel>
struct LaneComponents {
  Kernel kernel;
  SiteRange range;
  int n_components;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i) const {
    const int k = one ? i / N : i / N / n_components, c = one ? 0 : i / N - k * n_components;
    const LaneSite x{range.outer(k), i % N};
    if (range.holds(x.outer, x.lane, N)) kernel(x, c);
  }
  /// Item i of time slice t.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i, int t) const {
    const int k = one ? i / N : i / N / n_components, c = one ? 0 : i / N - k * n_components;
    kernel(LaneSite{range.outer(k, t), i % N}, c);
  }
};

/// The same over a list.
template <int N, class Kernel>
struct ListedLanes {
  Kernel kernel;
  SiteList list;
  int n_components;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i) const {
    const int k = i / N / n_components, c = i / N - k * n_components, j = k * N + i % N;
    if (j < list.n) kernel(LaneSite{list.items[j] / N, list.items[j] % N}, c);
  }
};

/// Both for packs and columns, in one type so that a kernel is compiled once: the components of a site one after the
/// other.  The sites are those of the list, or of the range where there is none.
template <class Site, class Kernel>
struct PackComponents {
  Kernel kernel;
  SiteRange range;
  const int* list;
  int n_components;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i) const {
    const Site x{list ? list[i] : range.outer(i)};
    for (int c = 0; c < n_components; ++c) kernel(x, c);
  }
};

/// A kernel may state, for GPUs, static constexpr int max_threads, min_blocks: it then runs in blocks of exactly
/// max_threads threads, min_blocks of them on a multiprocessor if it can be; and static constexpr bool reaches_in_time,
/// whether it reads neighbours in t.
template <class Kernel>
concept HasBlocks = requires {
  Kernel::max_threads;
  Kernel::min_blocks;
  Kernel::reaches_in_time;
};

#if defined(KOKKOS_ENABLE_CUDA)
template <int threads, int min_blocks, class Functor>
__global__ void __launch_bounds__(threads, min_blocks) run_blocks(const Functor functor, int n) {
  const int i = int(blockIdx.x) * threads + int(threadIdx.x);
  if (i < n) functor(i);
}

template <int threads, int min_blocks, class Functor>
__global__ void __launch_bounds__(threads, min_blocks)
    walk_blocks(const Functor functor, int n, int length, int n_slices) {
  const int i = int(blockIdx.x) * threads + int(threadIdx.x), begin = int(blockIdx.y) * length;
  if (i >= n) return;
  const int end = begin + length < n_slices ? begin + length : n_slices;
#pragma unroll 1
  for (int t = begin; t < end; ++t) functor(i, t);
}
#endif

/// parallel_for, in blocks of the kernel's own size where it states one: Kokkos would choose another, and its
/// multi-dimensional ranges cost 2 % (Laplacian, measured on an H200).
template <class Kernel, class Exec, class Functor>
void launch(const std::string& name, int n, const Functor& functor, const Exec& exec) {
  if (n == 0) return;
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (HasBlocks<Kernel> && std::is_same_v<Exec, Kokkos::Cuda>) {
    static_assert(sizeof(Functor) < 4000, "a kernel's parameters have 4 KiB: pass pointers to the rest");
    constexpr int threads = Kernel::max_threads;
    const Kokkos::Profiling::ScopedRegion region(name);
    run_blocks<threads, Kernel::min_blocks>
        <<<unsigned((n + threads - 1) / threads), threads, 0, exec.cuda_stream()>>>(functor, n);
    detail::check_launch(name);
    return;
  }
#endif
  for_each_item(name, n, functor, exec);
}

/// The same for the components of single lanes.  On GPUs a kernel with blocks of its own takes a time slice of both
/// parities for n, and each block goes through several of them one after the other: what neighbours in t share then
/// stays on one multiprocessor, and with it on one side of a second-level cache whose two sides have a narrow path
/// between them, which was what kernels waited for (Laplacian, spinors on an H200: 308 to 262 us in double, 148 to 133
/// in single precision; in space 239 to 224 and 121 to 110).  Several components that have no neighbours in t lose by
/// it (673 to 731 us), as does one parity alone, whose sites share no links (98 to 101).
template <class Kernel, class Exec, class Functor>
void launch_lanes(const std::string& name, int lanes, const Functor& functor, const Exec& exec) {
  const SiteRange& range = functor.range;
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (HasBlocks<Kernel> && std::is_same_v<Exec, Kokkos::Cuda>) {
    if (range.n_slices > 0 && (Kernel::reaches_in_time || functor.n_components == 1)) {
      static_assert(sizeof(Functor) < 4000, "a kernel's parameters have 4 KiB: pass pointers to the rest");
      constexpr int threads = Kernel::max_threads;
      const auto walk = walk_blocks<threads, Kernel::min_blocks, Functor>;
      static const int on_each = [&] {
        int blocks = 1;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk, threads, 0);
        return blocks;
      }();
      const int n = 2 * range.slice * lanes * functor.n_components, slice_blocks = (n + threads - 1) / threads;
      const int length =
          walk_length(range.n_slices, slice_blocks, on_each * exec.cuda_device_prop().multiProcessorCount);
      const dim3 grid(unsigned(slice_blocks), unsigned((range.n_slices + length - 1) / length));
      const Kokkos::Profiling::ScopedRegion region(name);
      walk<<<grid, threads, 0, exec.cuda_stream()>>>(functor, n, length, range.n_slices);
      detail::check_launch(name);
      return;
    }
  }
#endif
  launch<Kernel>(name, range.n_outer * lanes * functor.n_components, functor, exec);
}

}  // namespace detail

/// Calls kernel(site) for every site of the range: once per outer site with a PackSite on a host with packs (padding
/// lanes included), once per valid lane with a LaneSite elsewhere.  Asynchronous, like parallel_for.
template <int N, class Kernel, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_site(const std::string& name, const SiteRange& range, const Kernel& kernel, const Exec& exec = {}) {
  using Site = site_index_t<Exec>;
  const int n = std::is_same_v<Site, PackSite> ? range.n_outer : range.n_outer * N;
  detail::launch<Kernel>(name, n, detail::SiteFunctor<Site, N, Kernel>{kernel, range}, exec);
}

/// Calls kernel(site, c) for every site and every component c in [0, n_components).  Site is what site_index_t says, or
/// ColumnSite.
template <int N, class Site = void, class Kernel, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_site(const std::string& name, const SiteRange& range, int n_components, const Kernel& kernel,
                   const Exec& exec = {}) {
  using S = std::conditional_t<std::is_void_v<Site>, site_index_t<Exec>, Site>;
  if constexpr (!std::is_same_v<S, LaneSite>)
    detail::launch<Kernel>(name, range.n_outer, detail::PackComponents<S, Kernel>{kernel, range, nullptr, n_components},
                           exec);
  else if (n_components == 1)
    detail::launch_lanes<Kernel>(name, N, detail::LaneComponents<N, true, Kernel>{kernel, range, 1}, exec);
  else
    detail::launch_lanes<Kernel>(name, N, detail::LaneComponents<N, false, Kernel>{kernel, range, n_components}, exec);
}

/// Calls kernel(site, c) for every site of a list and every component.
template <int N, class Site = void, class Kernel, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_site(const std::string& name, const SiteList& list, int n_components, const Kernel& kernel,
                   const Exec& exec = {}) {
  using S = std::conditional_t<std::is_void_v<Site>, site_index_t<Exec>, Site>;
  if constexpr (!std::is_same_v<S, LaneSite>)
    detail::launch<Kernel>(name, list.n, detail::PackComponents<S, Kernel>{kernel, {}, list.items, n_components}, exec);
  else
    detail::launch<Kernel>(name, (list.n + N - 1) / N * N * n_components,
                           detail::ListedLanes<N, Kernel>{kernel, list, n_components}, exec);
}

/// Calls kernel(LaneSite) for every site of the range on any back end: for work that has no use for packs.
template <int N, class Kernel, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_lane(const std::string& name, const SiteRange& range, const Kernel& kernel, const Exec& exec = {}) {
  for_each_item(name, range.n_outer * N, detail::SiteFunctor<LaneSite, N, Kernel>{kernel, range}, exec);
}

}  // namespace kov
