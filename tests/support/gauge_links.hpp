// SPDX-License-Identifier: MIT
#pragma once

#include "kov/stencil/links/gauge_links.hpp"
#include "tests/reference/global_array.hpp"

#include <numbers>

namespace kov::test {

/// Boundary angles: all different, one 0, one pi.
inline constexpr std::array<double, 4> kAngles{0.3, -1.1, 0, std::numbers::pi};

/// Links as operators take them, with these boundary phases.
template <class T>
GaugeLinks<T> links(const Lattice& lattice, const reference::GlobalArray& u,
                    const BoundaryAngles& angles = BoundaryAngles{kAngles}) {
  return GaugeLinks<T>(reference::gauge_field(lattice, u), angles);
}

}  // namespace kov::test
