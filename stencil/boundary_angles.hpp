// SPDX-License-Identifier: MIT
//
// BoundaryAngles: the phases of quark fields at the ends of the lattice, which operators give their legs.
#pragma once

#include <array>
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

  bool operator==(const BoundaryAngles&) const = default;
};

}  // namespace kov
