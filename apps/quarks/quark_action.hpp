// SPDX-License-Identifier: MIT
//
// QuarkAction: a quark of a job, by its hopping parameter or mass, clover term, twisted mass and boundary.
#pragma once

#include "apps/settings/settings.hpp"
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/core/lattice/geometry.hpp"
#include "kov/stencil/boundary_angles.hpp"

#include <array>
#include <map>
#include <string>

namespace kov::app {

/// The settings of one quark: its Dirac operator, masses and boundary conditions.
struct QuarkAction {
  double kappa = 0.1500, mass = 0, c_sw = 0;
  std::string boundary = "antiperiodic";
  /// "wilson", with the numbers below, "hamber-wu" or "naik", which have neither of them nor c_sw.
  std::string action = "wilson";
  /// Twisted mass; bare anisotropy and velocity.
  double mu = 0, xi0 = 1, nu = 1;
  /// Boundary angles in space.
  std::array<double, 3> theta{0, 0, 0};
  /// Angle in time beyond that of `boundary`.
  double theta_t = 0;

  /// section: of its keys, "action".
  void add_to(Settings& settings, const std::string& section);
  /// Kappa and mass determine each other; --set takes precedence over the file.  Throws InputError, which names the
  /// key.
  void complete(Settings& settings, const std::string& section);
  /// Throws InputError, which names the key, where legs of an improved action reach beyond the next process.
  void check_ranks(const Settings& settings, const std::string& section, const Coord& extent, int n_ranks) const;

  /// Of boundary, theta and theta_t, each between -pi, excluded, and pi; exactly 0 or pi where they are so up to 1e-12.
  BoundaryAngles boundary_angles() const;
  /// Whether it has legs of two lengths.
  bool is_improved() const { return action != "wilson"; }
  /// "Wilson", "Wilson-clover", "twisted mass", "twisted clover", "Hamber-Wu", "Naik".
  std::string action_name() const;
  /// What distinguishes its propagators: action, kappa, boundary and what else differs from the default.
  std::map<std::string, LabelValue> labels() const;
  /// Those of the labels that say how it goes on after the last time slice: boundary, and theta_t unless 0.  One
  /// boundary has one label, however it was given: that of `boundary` which it is nearer to, and an angle of at most
  /// pi / 2, rounded to 1e-12 as those of theta are.
  std::map<std::string, LabelValue> time_labels() const;
  /// "Wilson-clover, kappa 0.13 (mass -0.153846), c_sw 1.2, antiperiodic in time"
  std::string description() const;
};

}  // namespace kov::app
