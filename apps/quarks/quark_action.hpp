// SPDX-License-Identifier: MIT
//
// QuarkAction: a quark of a job, by its hopping parameter or mass, clover term, twisted mass and boundary.
#pragma once

#include "apps/settings/settings.hpp"
#include "kov/core/lattice/boundary_angles.hpp"

#include <string>

namespace kov::app {

struct QuarkAction {
  double kappa = 0.1500, mass = 0, c_sw = 0;
  std::string boundary = "antiperiodic";

  /// section: of its keys, "action".
  void add_to(Settings& settings, const std::string& section);
  /// Kappa and mass determine each other; --set takes precedence over the file.  Throws InputError, which names the
  /// key.
  void complete(Settings& settings, const std::string& section);

  BoundaryAngles boundary_angles() const;
  /// "Wilson" or "Wilson-clover".
  std::string name() const { return c_sw == 0 ? "Wilson" : "Wilson-clover"; }
};

}  // namespace kov::app
