// SPDX-License-Identifier: MIT
//
// What contractions ask of the fields they are given, checked on the host before any launch.
#pragma once

#include "kov/core/field/field.hpp"

namespace kov::detail {

/// Throws InputError unless the field has 12 components on all sites of the lattice.
template <class T>
void require_propagator(const Field<Spinor, T>& s, const Lattice& lattice) {
  require(s.n_components() == 12 && s.subset() == Subset::all, s.name(), "is no propagator: it has", s.n_components(),
          "components on", s.subset() == Subset::all ? "all sites;" : "one parity;", "12 on all sites are needed");
  require(s.lattice() == lattice, s.name(), "lives on another lattice than the first propagator; make both on one");
}

inline void require_on_lattice(const Coord& source, const Lattice& lattice) {
  for (std::size_t mu = 0; mu < 4; ++mu)
    require(source[mu] >= 0 && source[mu] < lattice.extent()[mu], "the source", to_string(source),
            "is outside the lattice", to_string(lattice.extent()),
            "; give a coordinate from 0 to the extent minus 1 in each direction");
}

}  // namespace kov::detail
