// SPDX-License-Identifier: MIT
//
// BoundaryAngles: the phases of quark fields at the ends of the lattice, which operators give their legs.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

namespace kov {

/// psi(x + L_mu) = e^{i angle_mu} psi(x).  0 is periodic, pi is antiperiodic.
struct BoundaryAngles {
  /// In radians, of x, y, z, t.
  std::array<double, 4> angle{0, 0, 0, 0};

  /// Periodic in all four directions.
  static BoundaryAngles periodic() { return {}; }
  /// Periodic in space, antiperiodic in time: the usual choice for fermions.
  static BoundaryAngles antiperiodic_in_time() { return {{0, 0, 0, std::numbers::pi}}; }

  /// Whether the phases are the same: all angles are, modulo 2 pi and up to 1e-12.
  bool operator==(const BoundaryAngles& other) const {
    for (std::size_t mu = 0; mu < 4; ++mu)
      if (!(std::abs(std::remainder(angle[mu] - other.angle[mu], 2 * std::numbers::pi)) < 1e-12)) return false;
    return true;
  }
};

}  // namespace kov
