// SPDX-License-Identifier: MIT
//
// for_each_site: runs kernels over sites, in packs on hosts and lane by lane on GPUs.
#pragma once

#include "kov/core/lattice/lanes.hpp"
#include "kov/core/launch/thread_blocks.hpp"

#include <string>
#include <type_traits>

namespace kov {

namespace detail {

template <class Site, int N, class Kernel>
struct SiteFunctor {
  Kernel kernel;
  SiteRange range;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i) const {
    if constexpr (std::is_same_v<Site, PairSite>) {
      kernel(range.pair(i));
    } else if constexpr (std::is_same_v<Site, PackSite>) {
      kernel(PackSite{range.outer(i)});
    } else {
      const LaneSite x{range.outer(i / N), i % N};
      if (range.holds(x.outer, x.lane, N)) kernel(x);
    }
  }
};

/// Components of the sites of planes of constant z and t, for GPUs: neighbouring warps take up to eight outer sites,
/// one component of each, and then their next component, so that neighbours of one component come from cache.
template <int N, class Kernel>
struct PlaneComponents {
  static constexpr bool one_component = false;
  Kernel kernel;
  SiteRange range;
  FastDivisor by_components;
  /// Outer sites that are taken together: 1 << bits.
  int bits;

  PlaneComponents(const Kernel& kernel, const SiteRange& range, int n_components)
      : kernel(kernel),
        range(range),
        by_components(std::uint32_t(n_components)),
        bits(range.plane() % 4 == 0 ? 3 : 2) {}
  /// Item i of plane p.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i, int p) const {
    const int warp = i / N, turn = warp >> bits, group = int(by_components(std::uint32_t(turn)));
    const int c = turn - group * int(by_components.divisor), k = (group << bits) + (warp & ((1 << bits) - 1));
    kernel(LaneSite{range.outer_of_plane(k, p), i % N}, c);
  }
};

/// Components of the sites of a range, for GPUs: neighbouring warps take the components of the same sites, so data that
/// components share come from cache.  one: there is only one component.
template <int N, bool one, class Kernel>
struct LaneComponents {
  static constexpr bool one_component = one;
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
  PlaneComponents<N, Kernel> by_planes() const { return {kernel, range, n_components}; }
};

/// The same over a list of sites.
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

/// Ranges and lists for packs, pairs and columns, in one type so that a kernel is compiled once: the components of a
/// site one after the other.  The sites are those of the list, or of the range if the list has none.
template <class Site, class Kernel>
struct PackComponents {
  Kernel kernel;
  SiteRange range;
  SiteList list;
  int n_components;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i) const {
    const Site x = site(i);
    for (int c = 0; c < n_components; ++c) kernel(x, c);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Site site(int i) const {
    if constexpr (std::is_same_v<Site, PairSite>)
      return list.items ? list.pair(i) : range.pair(i);
    else
      return Site{list.items ? list.items[i] : range.outer(i)};
  }
};

/// All components of a site one after the other.
template <class Kernel>
struct EachComponent {
  Kernel kernel;
  int n_components;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(LaneSite x) const {
    for (int c = 0; c < n_components; ++c) kernel(x, c);
  }
};

}  // namespace detail

/// A kernel that can work on a PairSite says so: static constexpr bool takes_pairs = View::outers == 2, where View is
/// that of its fields.
template <class Kernel>
concept TakesPairs = requires {
  requires Kernel::takes_pairs;
};

/// What for_each_site hands to this kernel over fields of these lanes.
template <class Kernel, class Lanes, class Exec>
using site_of_kernel_t = std::conditional_t<TakesPairs<Kernel>, PairSite, site_of_lanes_t<Lanes, Exec>>;

/// Calls kernel(site) for every site of the range: once per outer site with a PackSite, or once per pair with a
/// PairSite, on a host with packs (padding lanes included), once per valid lane with a LaneSite elsewhere.
/// Asynchronous, like parallel_for.
template <class Kernel>
void for_each_site(const std::string& name, const SiteRange& range, const Kernel& kernel, const Exec& exec = {}) {
  constexpr int N = default_lanes;
  using Site = site_of_kernel_t<Kernel, SiteLanes, Exec>;
  const int n = TakesPairs<Kernel>               ? range.n_pairs()
                : std::is_same_v<Site, PackSite> ? range.n_outer
                                                 : range.n_outer * N;
  detail::launch<Kernel>(name, n, detail::SiteFunctor<Site, N, Kernel>{kernel, range}, exec);
}

/// Calls kernel(site, c) for every site and every group c of components in [0, n_components).  The type of site is
/// site_of_kernel_t.
template <class Lanes = SiteLanes, class Kernel>
void for_each_site(const std::string& name, const SiteRange& range, int n_components, const Kernel& kernel,
                   const Exec& exec = {}, const LaunchShape& shape = {}) {
  constexpr int N = default_lanes;
  using S = site_of_kernel_t<Kernel, Lanes, Exec>;
  if constexpr (!std::is_same_v<S, LaneSite>)
    detail::launch<Kernel>(name, TakesPairs<Kernel> ? range.n_pairs() : range.n_outer,
                           detail::PackComponents<S, Kernel>{kernel, range, {}, n_components}, exec, shape);
  else if (n_components == 1)
    detail::launch_lanes<Kernel>(name, N, detail::LaneComponents<N, true, Kernel>{kernel, range, 1}, exec, shape);
  else
    detail::launch_lanes<Kernel>(name, N, detail::LaneComponents<N, false, Kernel>{kernel, range, n_components}, exec,
                                 shape);
}

/// Calls kernel(site, c) for every site of a list and every group of components.
template <class Lanes = SiteLanes, class Kernel>
void for_each_site(const std::string& name, const SiteList& list, int n_components, const Kernel& kernel,
                   const Exec& exec = {}, const LaunchShape& shape = {}) {
  constexpr int N = default_lanes;
  using S = site_of_kernel_t<Kernel, Lanes, Exec>;
  if constexpr (!std::is_same_v<S, LaneSite>)
    detail::launch<Kernel>(name, TakesPairs<Kernel> ? list.n_pairs() : list.n,
                           detail::PackComponents<S, Kernel>{kernel, {}, list, n_components}, exec, shape);
  else
    detail::launch<Kernel>(name, (list.n + N - 1) / N * N * n_components,
                           detail::ListedLanes<N, Kernel>{kernel, list, n_components}, exec, shape);
}

/// Calls kernel(LaneSite) for every site of the range on any back end: for work that does not profit from packs.
template <class Kernel>
void for_each_lane(const std::string& name, const SiteRange& range, const Kernel& kernel, const Exec& exec = {}) {
  constexpr int N = default_lanes;
  detail::launch<Kernel>(name, range.n_outer * N, detail::SiteFunctor<LaneSite, N, Kernel>{kernel, range}, exec);
}

/// Calls kernel(LaneSite, c) for every site of the range and every component c in [0, n_components), likewise.
template <class Kernel>
void for_each_lane(const std::string& name, const SiteRange& range, int n_components, const Kernel& kernel,
                   const Exec& exec = {}) {
  if constexpr (std::is_same_v<site_index_t<Exec>, LaneSite>)
    for_each_site(name, range, n_components, kernel, exec);
  else
    for_each_lane(name, range, detail::EachComponent<Kernel>{kernel, n_components}, exec);
}

}  // namespace kov
