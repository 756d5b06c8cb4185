// SPDX-License-Identifier: MIT
//
// Kernels run over sites.  The index a kernel receives decides what every view returns to it:
//   PackSite    all lanes of an outer site: SiteT<Pack<T, N>>, what one CPU thread works on
//   LaneSite    one lane of an outer site:  SiteT<T>, what one GPU thread works on
//   ColumnSite  one site, N columns in the lanes: SiteT<Pack<T, N>> from a block of columns, SiteT<T> from links
#pragma once

#include "kov/core/pack.hpp"

#include <Kokkos_Core.hpp>

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

/// group: which N columns of a block.
struct ColumnSite {
  int outer;
  int group;
};

/// A lane of an outer site together with a column: what a GPU thread gets from a kernel over a block.
struct LaneColumnSite {
  int outer;
  int lane;
  int column;
};

template <class S>
concept SiteIndex = std::same_as<S, PackSite> || std::same_as<S, LaneSite> || std::same_as<S, ColumnSite> ||
    std::same_as<S, LaneColumnSite>;

template <class Exec>
inline constexpr bool is_host_v =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

/// What for_each_site hands to a kernel on Exec.
template <class Exec>
using site_index_t = std::conditional_t<is_host_v<Exec> && has_packs, PackSite, LaneSite>;

/// A run of outer sites in one or two parts of the same length (the parities), each of which may end in padding lanes.
struct SiteRange {
  int first;       // outer site
  int n_outer;     // of both parts
  int part_outer;  // of the first part
  int n_sites[2];  // valid lanes of each part

  /// The k-th outer site to work on.  Two parts take turns: what neighbours of both parities share is then read from
  /// memory once (1.7 times as fast as one after the other, Laplacian, measured on an H200).
  KOKKOS_FORCEINLINE_FUNCTION int outer(int k) const {
    return part_outer == n_outer ? first + k : first + (k & 1) * part_outer + (k >> 1);
  }
  /// Whether a lane is a site.
  KOKKOS_FORCEINLINE_FUNCTION bool holds(int outer, int lane, int lanes) const {
    const int part = outer - first >= part_outer;
    return (outer - first - part * part_outer) * lanes + lane < n_sites[part];
  }
};

namespace detail {

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

/// A kernel may state its launch bounds for GPUs as static constexpr int max_threads, min_blocks.
template <class Kernel>
struct Bounds {
  using type = Kokkos::LaunchBounds<>;
};
template <class Kernel>
requires requires {
  Kernel::max_threads;
  Kernel::min_blocks;
}
struct Bounds<Kernel> {
  using type = Kokkos::LaunchBounds<Kernel::max_threads, Kernel::min_blocks>;
};

}  // namespace detail

/// Calls kernel(site) for every site of the range: once per outer site with a PackSite on a host with packs (padding
/// lanes included), once per valid lane with a LaneSite elsewhere.  Asynchronous, like parallel_for.
template <int N, class Kernel, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_site(const std::string& name, const SiteRange& range, const Kernel& kernel, const Exec& exec = {}) {
  using Site = site_index_t<Exec>;
  using Policy = Kokkos::RangePolicy<Exec, typename detail::Bounds<Kernel>::type>;
  const int n = std::is_same_v<Site, PackSite> ? range.n_outer : range.n_outer * N;
  Kokkos::parallel_for(name, Policy(exec, 0, n), detail::SiteFunctor<Site, N, Kernel>{kernel, range});
}

/// Calls kernel(LaneSite) for every site of the range on any back end: for work that has no use for packs.
template <int N, class Kernel, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_lane(const std::string& name, const SiteRange& range, const Kernel& kernel, const Exec& exec = {}) {
  Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec, 0, range.n_outer * N),
                       detail::SiteFunctor<LaneSite, N, Kernel>{kernel, range});
}

}  // namespace kov
