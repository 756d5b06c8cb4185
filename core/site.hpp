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
  /// An order of work in which neighbours meet in the caches, see Layout::in_slabs() and in_bricks(): `slab` outer
  /// sites in each of n_slices time slices of `slice`, as they come or in bricks of 2 neighbours in each of 2 z slices
  /// of `z_slice`.  0: none.
  int slab = 0, slice = 0, n_slices = 0, z_slice = 0;
  FastDivisor by_column, by_slab, by_bricks;  // slab * n_slices, slab, z_slice / 2

  /// The k-th outer site to work on.  Two parts take turns: what neighbours of both parities share is then read from
  /// memory once (1.7 times as fast as one after the other, Laplacian, measured on an H200).
  KOKKOS_FORCEINLINE_FUNCTION int outer(int k) const {
    const bool turns = part_outer != n_outer;
    int j = turns ? k >> 1 : k;
    if (slab > 0) {
      const int b = int(by_column(std::uint32_t(j))), in_column = j - b * slab * n_slices;
      const int t = int(by_slab(std::uint32_t(in_column)));
      int in_slab = in_column - t * slab;
      if (z_slice > 0) {
        const int brick = in_slab >> 2, z = int(by_bricks(std::uint32_t(brick))), y = brick - z * (z_slice >> 1);
        in_slab = (2 * z + (in_slab >> 1 & 1)) * z_slice + 2 * y + (in_slab & 1);
      }
      j = t * slice + b * slab + in_slab;
    }
    return first + (turns ? (k & 1) * part_outer : 0) + j;
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
/// max_threads threads, min_blocks of them on a multiprocessor if it can be.
template <class Kernel>
concept HasBlocks = requires {
  Kernel::max_threads;
  Kernel::min_blocks;
};

#if defined(KOKKOS_ENABLE_CUDA)
template <int threads, int min_blocks, class Functor>
__global__ void __launch_bounds__(threads, min_blocks) run_blocks(const Functor functor, int n) {
  const int i = int(blockIdx.x) * threads + int(threadIdx.x);
  if (i < n) functor(i);
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
    detail::launch<Kernel>(name, range.n_outer * N, detail::LaneComponents<N, true, Kernel>{kernel, range, 1}, exec);
  else
    detail::launch<Kernel>(name, range.n_outer * N * n_components,
                           detail::LaneComponents<N, false, Kernel>{kernel, range, n_components}, exec);
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
