// SPDX-License-Identifier: MIT
//
// Checks of coordinates of sources and contractions, on the host before any launch.
#pragma once

#include "kov/core/lattice/lattice.hpp"

namespace kov::detail {

/// Throws InputError unless the site is on the lattice.
inline void require_on_lattice(const Coord& source, const Lattice& lattice) {
  for (std::size_t mu = 0; mu < 4; ++mu)
    require(source[mu] >= 0 && source[mu] < lattice.extent()[mu], "the source", to_string(source),
            "is outside the lattice", to_string(lattice.extent()),
            "; give a coordinate from 0 to the extent minus 1 in each direction");
}

}  // namespace kov::detail
