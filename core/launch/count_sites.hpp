// SPDX-License-Identifier: MIT
//
// count_sites and count_lanes: kernels over sites that count what happened, such as sites that did not converge.
#pragma once

#include "kov/core/launch/for_each_site.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

namespace kov {

/// n numbers that a kernel adds to; zero at first.
template <int n>
struct Counts {
  std::int64_t of[n] = {};

  KOKKOS_INLINE_FUNCTION Counts& operator+=(const Counts& other) {
    for (int k = 0; k < n; ++k) of[k] += other.of[k];
    return *this;
  }
};

namespace detail {

template <class Site, int n, class Kernel>
struct CountingFunctor {
  using value_type = Counts<n>;
  Kernel kernel;
  SiteRange range;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i, Counts<n>& counts) const {
    if constexpr (std::is_same_v<Site, PackSite>) {
      kernel(PackSite{range.outer(i)}, counts);
    } else {
      const LaneSite x{range.outer(i / default_lanes), i % default_lanes};
      if (range.holds(x.outer, x.lane, default_lanes)) kernel(x, counts);
    }
  }
};

/// A host's share of the work: what a thread counts is added at the end, as integers in any order.
template <int n, class Functor>
struct CountingWork {
  Functor functor;
  Counts<n>* total;

  static void run(const void* work, int begin, int end) {
    const CountingWork mine = *static_cast<const CountingWork*>(work);
    Counts<n> counts;
    for (int i = begin; i < end; ++i) mine.functor(i, counts);
    for (int k = 0; k < n; ++k) Kokkos::atomic_add(&mine.total->of[k], counts.of[k]);
  }
};

template <int n, class Functor>
std::array<std::int64_t, n> count_items(const std::string& name, int n_items, const Functor& functor,
                                        const Exec& exec) {
  Counts<n> total;
  if constexpr (is_host_v<Exec>) {
    const CountingWork<n, Functor> work{functor, &total};
    if (n_items > 0) share_items(name, n_items, &CountingWork<n, Functor>::run, &work, exec);
  } else {
    Kokkos::parallel_reduce(name, Kokkos::RangePolicy<Exec>(exec, 0, n_items), functor, total);
  }
  std::array<std::int64_t, n> result;
  for (int k = 0; k < n; ++k) result[std::size_t(k)] = total.of[k];
  return result;
}

}  // namespace detail

/// Calls kernel(site, counts), counts a Counts<n>, for every site of the range: with a PackSite on a host with packs
/// (padding lanes included: the kernel must not count them), with a LaneSite elsewhere.  Returns the sums of what the
/// kernel added to counts, on this rank.  Waits for exec.
template <int n, class Kernel>
std::array<std::int64_t, n> count_sites(const std::string& name, const SiteRange& range, const Kernel& kernel,
                                        const Exec& exec = {}) {
  using Site = site_index_t<Exec>;
  const int n_items = range.n_outer * (std::is_same_v<Site, PackSite> ? 1 : default_lanes);
  return detail::count_items<n>(name, n_items, detail::CountingFunctor<Site, n, Kernel>{kernel, range}, exec);
}

/// The same with LaneSites on any back end: for work that does not profit from packs.
template <int n, class Kernel>
std::array<std::int64_t, n> count_lanes(const std::string& name, const SiteRange& range, const Kernel& kernel,
                                        const Exec& exec = {}) {
  return detail::count_items<n>(name, range.n_outer * default_lanes,
                                detail::CountingFunctor<LaneSite, n, Kernel>{kernel, range}, exec);
}

}  // namespace kov
