// SPDX-License-Identifier: MIT
//
// What the lanes of a field are: sites, or columns (right-hand sides) of one site.
#pragma once

#include "kov/core/lattice/lattice.hpp"

namespace kov {

/// Lanes are sites of Lattice::layout(); every component of a site is a block of its own.
struct SiteLanes {
  /// Lanes of a block; components that share it.
  static constexpr int lanes = default_lanes, width = 1;
  /// Components that share a block on at least one back end: a part of a field begins at a multiple of it.
  static constexpr int columns = 1;
  /// Whether columns may lie in lanes.
  static constexpr bool holds_columns = false;
};

/// On CPUs lanes are W components of one site of Lattice::column_layout(), so that an operator reads each link once for
/// W columns.  On GPUs, where a link comes from cache for the columns of neighbouring warps, lanes stay sites whatever
/// W.  The library is compiled for the W of KOV_FOR_LANES(); single sites of one column (W = 1) are for links alone.
template <int W>
struct ColumnLanes {
  static_assert(W == 1 || (W >= 4 && (W & (W - 1)) == 0), "columns come in packs of 4, 8, 16, ..., or 1");
  /// As those of SiteLanes.
  static constexpr int lanes = has_packs ? W : default_lanes, width = has_packs ? W : 1;
  static constexpr int columns = W;
  static constexpr bool holds_columns = true;
};

// instantiate(T, Lanes), or instantiate(SiteT, T, Lanes) where a type of site is given, for the precisions and lanes of
// fields that operators and vector algebra are compiled for, where instantiate is a macro that writes an explicit
// instantiation: the one list of them.  Columns fill a line of the caches (64 bytes) or less.
#define KOV_FOR_LANES_OF_FLOATS(instantiate, ...)                \
  instantiate(__VA_ARGS__ __VA_OPT__(, ) float, SiteLanes);      \
  instantiate(__VA_ARGS__ __VA_OPT__(, ) float, ColumnLanes<4>); \
  instantiate(__VA_ARGS__ __VA_OPT__(, ) float, ColumnLanes<8>); \
  instantiate(__VA_ARGS__ __VA_OPT__(, ) float, ColumnLanes<16>)
#define KOV_FOR_LANES_OF_DOUBLES(instantiate, ...)                \
  instantiate(__VA_ARGS__ __VA_OPT__(, ) double, SiteLanes);      \
  instantiate(__VA_ARGS__ __VA_OPT__(, ) double, ColumnLanes<4>); \
  instantiate(__VA_ARGS__ __VA_OPT__(, ) double, ColumnLanes<8>)
#define KOV_FOR_LANES(instantiate, ...)                            \
  KOV_FOR_LANES_OF_FLOATS(instantiate __VA_OPT__(, ) __VA_ARGS__); \
  KOV_FOR_LANES_OF_DOUBLES(instantiate __VA_OPT__(, ) __VA_ARGS__)

/// Outer sites that share a block of memory, lane after lane, in fields of these lanes that kernels compute with in
/// Real: two where a register holds both.
template <class Lanes, class Real>
inline constexpr int outers_of_block = registers_hold_pairs<Real> && !Lanes::holds_columns ? 2 : 1;

/// The lanes as kernels see them: on GPUs all ColumnLanes are one, so that kernels are compiled once.
template <class Lanes>
using kernel_lanes_t = std::conditional_t<Lanes::holds_columns && !has_packs, ColumnLanes<1>, Lanes>;

/// What for_each_site hands to kernels over fields of these lanes.
template <class Lanes, class Exec = Kokkos::DefaultExecutionSpace>
using site_of_lanes_t = std::conditional_t<Lanes::holds_columns && has_packs, ColumnSite, site_index_t<Exec>>;

/// The layout of fields with these lanes.
template <class Lanes>
const Layout& layout_of(const Lattice& lattice) {
  return Lanes::holds_columns && has_packs ? lattice.column_layout() : lattice.layout();
}

}  // namespace kov
