// SPDX-License-Identifier: MIT
#include "apps/quarks/quark_action.hpp"

#include "apps/smear/smearing_choice.hpp"
#include "kov/stencil/dirac/wilson.hpp"

#include <cmath>

namespace kov::app {

namespace {

/// Outside these limits the propagator is just the source, or rounding errors hide it from the solver.
constexpr double least_kappa = 1e-6, largest_kappa = 10;
/// Perturbation theory begins at 1, and simulations take up to about 3: a larger one is a slip.
constexpr double largest_c_sw = 10;

}  // namespace

void QuarkAction::add_to(Settings& s, const std::string& section) {
  s.add(section + ".kappa", &kappa, "hopping parameter of the quarks");
  s.add(section + ".mass", &mass, "bare mass, 1 / (2 kappa) - 4: give this or kappa");
  s.add(section + ".c_sw", &c_sw, "coefficient of the clover term; 0: none, 1: its tree-level value");
  s.add(section + ".boundary", &boundary, "of the quarks in time", {"antiperiodic", "periodic"});
}

void QuarkAction::complete(Settings& settings, const std::string& section) {
  const std::string of_kappa = section + ".kappa", of_mass = section + ".mass";
  const auto weight = [&](const std::string& key) {
    return settings.given(key) + (settings.origin(key).rfind("--set", 0) == 0);
  };
  if (weight(of_mass) > weight(of_kappa)) {
    require_between(settings.origin(of_mass), mass, mass_of_kappa(largest_kappa), mass_of_kappa(least_kappa));
    kappa = 1 / (2 * mass + 8);
    settings.follows(of_kappa);
  } else {
    require_between(settings.origin(of_kappa), kappa, least_kappa, largest_kappa);
    const double follows = mass_of_kappa(kappa);
    require(weight(of_mass) == 0 || weight(of_mass) < weight(of_kappa) || std::abs(mass - follows) < 1e-10,
            settings.origin(of_mass), "is", mass, "but", of_kappa, "says", follows, "- give one of the two");
    mass = follows;
    settings.follows(of_mass);
  }
  require_between(settings.origin(section + ".c_sw"), c_sw, 0, largest_c_sw);
}

BoundaryAngles QuarkAction::boundary_angles() const {
  return boundary == "periodic" ? BoundaryAngles::periodic() : BoundaryAngles::antiperiodic_in_time();
}

}  // namespace kov::app
