// SPDX-License-Identifier: MIT
//
// Where a site of this rank is in the whole lattice, for kernels: what noise and phases are keyed by.
#pragma once

#include "kov/core/lattice/lattice.hpp"

namespace kov {

/// Small enough to be passed to kernels by value.
struct GlobalSite {
  /// Of the lattice's SiteLanes; this rank's first site, and the extents of the whole lattice.
  Layout::View layout;
  Kokkos::Array<int, 4> origin, extent;

  explicit GlobalSite(const Lattice& lattice) : layout(lattice.layout().view()) {
    for (int mu = 0; mu < 4; ++mu) {
      origin[mu] = lattice.geometry().origin()[std::size_t(mu)];
      extent[mu] = lattice.extent()[std::size_t(mu)];
    }
  }
  /// The global coordinate.
  KOKKOS_FORCEINLINE_FUNCTION Coord coordinate(LaneSite x) const {
    Coord c = layout.coordinate(x.outer, x.lane);
    for (int mu = 0; mu < 4; ++mu) c[mu] += origin[mu];
    return c;
  }
  /// The lexicographic index in the whole lattice of a global coordinate.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t index(const Coord& c) const {
    std::uint64_t i = 0;
    for (int mu = 3; mu >= 0; --mu) i = i * std::uint64_t(extent[mu]) + std::uint64_t(c[mu]);
    return i;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t index(LaneSite x) const { return index(coordinate(x)); }
};

}  // namespace kov
