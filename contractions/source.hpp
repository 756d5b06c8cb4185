// SPDX-License-Identifier: MIT
//
// Sources: the right-hand sides that propagators are solved for.
#pragma once

#include "kov/core/field.hpp"

namespace kov {

/// One at the global coordinate origin for one spin (0..3) and colour (0..2), zero elsewhere: one component.  Throws
/// InputError for a point, spin or colour that does not exist.
template <class T>
SpinorField<T> point_source(const Lattice& lattice, const Coord& origin, int spin, int color);

/// The unit matrix in spin and colour at the global coordinate origin: 12 components, component 3 * spin + colour, the
/// source of a propagator.  Throws InputError for a point outside the lattice.
template <class T>
SpinorField<T> point_source(const Lattice& lattice, const Coord& origin);

}  // namespace kov
