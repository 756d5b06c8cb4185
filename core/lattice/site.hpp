// SPDX-License-Identifier: MIT
//
// The sites kernels run over.  The index a kernel receives decides what every view returns to it:
//   PackSite    all lanes of an outer site: SiteT<Pack<T, N>>, what one CPU thread works on
//   PairSite    two outer sites: SiteT<Pack<T, 2 N>>, where a CPU's register holds that many T
//   LaneSite    one lane of an outer site:  SiteT<T>, what one GPU thread works on
//   ColumnSite  one site, N columns in the lanes: SiteT<Pack<T, N>> from a block of columns, SiteT<T> from links
#pragma once

#include "kov/core/base/fast_divisor.hpp"
#include "kov/core/base/queue.hpp"
#include "kov/core/site/pack.hpp"

#include <concepts>
#include <type_traits>

namespace kov {

/// Which sites a field or a kernel covers.
enum class Subset { all, even, odd };

/// The other parity; all stays all.
constexpr Subset opposite(Subset s) { return s == Subset::all ? s : s == Subset::even ? Subset::odd : Subset::even; }

/// The sites in the lanes of an outer site: what kernels on CPUs work on.
struct PackSite {
  int outer;
};

/// The outer sites `outer`, an even number, and outer + 1.
struct PairSite {
  int outer;
  KOKKOS_FORCEINLINE_FUNCTION PackSite lower() const { return {outer}; }
  KOKKOS_FORCEINLINE_FUNCTION PackSite upper() const { return {outer + 1}; }
};

/// One site: lane `lane` of an outer site.
struct LaneSite {
  int outer;
  int lane;
};

/// A site of a field whose lanes are columns, on CPUs: the outer site of that number.
struct ColumnSite {
  int outer;
};

/// What kernels are called with.
template <class S>
concept SiteIndex =
    std::same_as<S, PackSite> || std::same_as<S, PairSite> || std::same_as<S, LaneSite> || std::same_as<S, ColumnSite>;

/// Whether a register holds two outer sites in T.
template <class T>
inline constexpr bool registers_hold_pairs = false;
#if !defined(KOKKOS_ENABLE_CUDA)
template <std::floating_point T>
inline constexpr bool registers_hold_pairs<T> = Pack<T, 2 * default_lanes>::n_words == 1;
#endif

/// Each parity has a multiple of this many outer sites where lanes are sites: two on all CPUs, so that sites have the
/// same numbers with and without pairs.
inline constexpr int outer_multiple = has_packs ? 2 : 1;
/// n_outer rounded up to a multiple of outer_multiple.
KOKKOS_FORCEINLINE_FUNCTION constexpr int whole_pairs(int n_outer) {
  return (n_outer + outer_multiple - 1) / outer_multiple * outer_multiple;
}

/// Outer sites of a PackSite or PairSite.
template <class Site>
inline constexpr int outers_of_site = std::is_same_v<Site, PairSite> ? 2 : 1;

/// The site that a kernel over packs or columns probably gets next.
template <class Site>
KOKKOS_FORCEINLINE_FUNCTION Site site_after(Site x) {
  return {x.outer + outers_of_site<Site>};
}

/// Calls f(site, component, is_at_x) with what a kernel over packs or columns probably gets after component c of
/// n_components at x: the next component there (is_at_x: std::true_type), or the first one of the site after it.
template <class Site, class F>
KOKKOS_FORCEINLINE_FUNCTION void with_component_after(Site x, int c, int n_components, const F& f) {
  if (c + 1 < n_components)
    f(x, c + 1, std::true_type());
  else
    f(site_after(x), 0, std::false_type());
}

/// What for_each_site hands to a kernel on Exec.
template <class Exec>
using site_index_t = std::conditional_t<is_host_v<Exec> && has_packs, PackSite, LaneSite>;

/// A run of outer sites in one or two parts of the same length (the parities), each of which may end in padding lanes.
struct SiteRange {
  /// The first outer site.
  int first;
  /// Outer sites of both parts; each has a multiple of outer_multiple where lanes are sites.
  int n_outer;
  /// Outer sites of the first part.
  int part_outer;
  /// Valid lanes of each part.
  int n_sites[2];
  /// Of both parities, where a time slice is whole outer sites: outer sites of a slice and part, the number of slices,
  /// and whether they are taken in bricks of 2 neighbours in y and 2^z_bits in z, of which there are by_bricks.divisor
  /// in y.
  int slice = 0, n_slices = 0, z_bits = 0;
  FastDivisor by_bricks;
  /// Whether two parts take turns in outer(k) and pair(k), as they always do in walks through slices and planes: what
  /// neighbours of both parities share is then read from memory once.
  bool turns = false;

  /// The same sites as they lie in memory: for kernels that read no neighbours, which in caches are faster that way,
  /// because processors load ahead of one stream better than of two.
  SiteRange in_memory_order() const {
    SiteRange range = *this;
    range.turns = false;
    return range;
  }
  /// The k-th outer site to work on.
  KOKKOS_FORCEINLINE_FUNCTION int outer(int k) const {
    return first + (turns ? (k & 1) * part_outer : 0) + (turns ? k >> 1 : k);
  }
  /// Pairs of outer sites, where registers hold them.
  int n_pairs() const { return n_outer / 2; }
  /// The k-th pair to work on.
  KOKKOS_FORCEINLINE_FUNCTION PairSite pair(int k) const {
    return {first + (turns ? (k & 1) * part_outer : 0) + 2 * (turns ? k >> 1 : k)};
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
  /// Whether planes of constant z and t are whole outer sites, those of a parity an even number: where bricks are.
  bool has_planes() const { return z_bits > 0; }
  /// Outer sites of such a plane and part, and the number of planes.
  KOKKOS_FORCEINLINE_FUNCTION int plane() const { return 2 * int(by_bricks.divisor); }
  int n_planes() const { return n_slices * (slice / plane()); }
  /// The k-th of the 2 plane() outer sites of plane number p = z + L_z t, parities in turns.
  KOKKOS_FORCEINLINE_FUNCTION int outer_of_plane(int k, int p) const {
    return first + (k & 1) * part_outer + p * plane() + (k >> 1);
  }
  /// Whether a lane is a site.
  KOKKOS_FORCEINLINE_FUNCTION bool holds(int outer, int lane, int lanes) const {
    const int part = outer - first >= part_outer;
    return (outer - first - part * part_outer) * lanes + lane < n_sites[part];
  }
};

/// Sites picked one by one: outer sites where kernels take packs or columns, slots (outer * lanes + lane) where they
/// take lanes.  Where registers hold pairs, outer sites come in pairs, but those of columns one by one.
struct SiteList {
  /// n of them, in memory of the default execution space that the list does not own.
  const int* items;
  int n;

  /// Pairs of them, where they come in pairs.
  int n_pairs() const { return n / 2; }
  /// As SiteRange::pair().
  KOKKOS_FORCEINLINE_FUNCTION PairSite pair(int k) const { return {items[2 * k]}; }
};

}  // namespace kov
