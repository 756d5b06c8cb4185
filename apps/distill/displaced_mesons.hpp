// SPDX-License-Identifier: MIT
//
// Mesons with a displacement beside two in `kovariant distill`: projected onto the irreps of the lattice's rotations.
#pragma once

#include "apps/distill/distill_correlators.hpp"
#include "kov/contractions/distillation/spatial_operator.hpp"

#include <array>
#include <string>
#include <vector>

namespace kov::app {

/// A rotation or reflection of the lattice: component i of the result is sign[i] times component axis[i].
struct AxisPermutation {
  std::array<int, 3> axis, sign;
  Momentum operator()(const Momentum& p) const;
  AxisPermutation inverse() const;
};

/// All 48 of them on a cube, fewer where extents differ.
std::vector<AxisPermutation> axis_permutations(const Coord& extent);

/// "rho_x[dx dx]": the gamma matrix of a local meson by its name, and a displacement, which is written as to_string()
/// does.  Throws InputError, which says what is understood.
MesonOperator meson_operator(const std::string& text);

/// coefficient times qbar Gamma(gamma) D q', with D the displacement.
struct DisplacedTerm {
  double coefficient;
  /// Of Gamma::number.
  int gamma;
  SpatialOperator displacement;
};

/// The meson on a row of an irrep of the rotations and reflections g that leave the total momentum: "A1", the sum of
/// all g O; "T1" (T1-, at rest), the sum of g_{row, l} g O, where l is the first axis along which O has such a part;
/// "", the meson alone.  The squares of coefficients add up to 1; empty where O has no part in the irrep.  With a total
/// momentum O is meant at the representative() of that, as names of two mesons are.
///
/// g turns gamma_i as it turns axis i, and reverses derivatives and shifts.
std::vector<DisplacedTerm> projected_meson(const MesonOperator& meson, const Momentum& total, const std::string& irrep,
                                           std::size_t row, const Coord& extent);

/// The sign of the operator under the inversion of all axes, momenta left as they are: g4 Gamma g4, and D inverted.  0
/// where it has none.
int inversion_sign(const std::vector<DisplacedTerm>& meson);
/// The sign under charge conjugation at rest: +1 of a0, pion and their derivatives of even number, -1 of rho.  0 where
/// it has none.
int conjugation_sign(const std::vector<DisplacedTerm>& meson);

}  // namespace kov::app
