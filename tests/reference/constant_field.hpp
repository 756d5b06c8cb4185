// SPDX-License-Identifier: MIT
//
// Abelian links of constant field strength on a torus: what loops, energy and charge are known for exactly.
#pragma once

#include "tests/reference/global_array.hpp"

#include <array>

namespace kov::reference {

/// exp(i lambda phi) on every plaquette of the plane (0, 1) and exp(i lambda psi) of (2, 3), lambda = diag(1, -1, 0);
/// the other plaquettes are 1.  phi = 2 pi n[0] / (L_0 L_1) and psi = 2 pi n[1] / (L_2 L_3) close the torus.
struct ConstantField {
  Coord extent;
  std::array<int, 2> n;

  double phi() const { return angle(0); }
  double psi() const { return angle(1); }

  GlobalArray links() const {
    GlobalArray u(extent, 36);
    for_each_coordinate(extent, [&](const Coord& x) {
      for (std::size_t plane = 0; plane < 2; ++plane) {
        const std::size_t mu = 2 * plane, nu = mu + 1;
        const bool last = x[mu] == extent[mu] - 1;
        set(u.at(x) + 9 * mu, last ? -angle(plane) * extent[mu] * x[nu] : 0);
        set(u.at(x) + 9 * nu, angle(plane) * x[mu]);
      }
    });
    return u;
  }

 private:
  double angle(std::size_t plane) const {
    return 2 * 3.14159265358979323846 * n[plane] / (extent[2 * plane] * extent[2 * plane + 1]);
  }
  static void set(Number* u, double angle) {
    u[0] = std::polar(1.0, angle);
    u[4] = std::polar(1.0, -angle);
    u[8] = 1;
  }
};

}  // namespace kov::reference
