// SPDX-License-Identifier: MIT
//
// What kernels of sums over sites return, and what they may have beside it.
#pragma once

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/site/complex.hpp"

#include <utility>

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
  static constexpr bool takes_pairs = TakesPairs<Kernel>;
  Kernel kernel;
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int) const {
    return kernel(x);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int) const requires requires {
    kernel.prefetch(x);
  }
  { kernel.prefetch(x); }
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

}  // namespace detail

}  // namespace kov
