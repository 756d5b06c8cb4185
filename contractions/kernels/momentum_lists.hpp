// SPDX-License-Identifier: MIT
//
// Lists of lattice momenta, and their classes under the lattice's rotations.
#pragma once

#include "kov/core/lattice/momentum.hpp"

#include <vector>

namespace kov {

/// All momenta with n^2 <= max_norm2, by n^2, then lexicographically.  Throws InputError when max_norm2 is negative or
/// above 1000.
std::vector<Momentum> momenta_up_to(int max_norm2);

/// The momentum that represents all that rotations and reflections of the lattice turn into each other: absolute
/// values, falling among directions of equal extent.
Momentum representative(const Momentum& p, const Coord& extent);

/// Momenta with the same representative.
struct MomentumClass {
  Momentum representative;
  std::vector<Momentum> members;
};

/// The classes of a list, in the order of their first members.
std::vector<MomentumClass> momentum_classes(const std::vector<Momentum>& momenta, const Coord& extent);

}  // namespace kov
