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
concept SiteIndex = std::same_as<S, PackSite> || std::same_as<S, LaneSite> || std::same_as<S, ColumnSite> || std::same_as<S, LaneColumnSite>;

template <class Exec>
inline constexpr bool is_host_v = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

/// What for_each_site hands to a kernel on Exec.
template <class Exec>
using site_index_t = std::conditional_t<is_host_v<Exec> && has_packs, PackSite, LaneSite>;

/// A run of outer sites; n_valid of the lanes are sites, counted through, and the rest of the last outer site is padding.
struct SiteRange {
  int first;
  int n_outer;
  int n_valid;
};

namespace detail {

template <class Site, int N, class Kernel>
struct SiteFunctor {
  Kernel kernel;
  int first, n_valid;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i) const {
    if constexpr (std::is_same_v<Site, PackSite>) {
      kernel(PackSite{first + i});
    } else if (i < n_valid) {
      kernel(LaneSite{first + i / N, i % N});
    }
  }
};

/// A kernel may state its launch bounds for GPUs as static constexpr int max_threads, min_blocks.
template <class Kernel>
struct Bounds {
  using type = Kokkos::LaunchBounds<>;
};
template <class Kernel>
  requires requires { Kernel::max_threads; Kernel::min_blocks; }
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
  Kokkos::parallel_for(name, Policy(exec, 0, n), detail::SiteFunctor<Site, N, Kernel>{kernel, range.first, range.n_valid});
}

/// Calls kernel(LaneSite) for every site of the range on any back end: for work that has no use for packs.
template <int N, class Kernel, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_lane(const std::string& name, const SiteRange& range, const Kernel& kernel, const Exec& exec = {}) {
  Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec, 0, range.n_outer * N),
                       detail::SiteFunctor<LaneSite, N, Kernel>{kernel, range.first, range.n_valid});
}

}  // namespace kov
