// SPDX-License-Identifier: MIT
//
// Energies against momenta: mass and speed of light from fits of dispersion relations.
#pragma once

#include "kov/contractions/energies/resampling.hpp"

#include <array>
#include <vector>

namespace kov {

/// How energies depend on momenta.
enum class DispersionForm {
  /// E^2 = m^2 + c^2 sum_i p_i^2
  continuum,
  /// 4 sinh^2(E / 2) = 4 sinh^2(m / 2) + c^2 sum_i 4 sin^2(p_i / 2): a free boson on the lattice
  lattice
};

/// An energy at p_i = 2 pi n_i / L_i; all in lattice units.
struct EnergyAtMomentum {
  /// The momentum.
  std::array<int, 3> n;
  /// One number.
  Resampled energy;
};

/// A fit of energies at several momenta.
struct Dispersion {
  DispersionForm form;
  /// m in lattice units, and c^2, without units.  m is NaN where the fit has m^2 < 0.
  Resampled parameters;
  double chi2;
  int dof;
  /// chi2_p_value(), and hotelling_p_value() of the number of samples.
  double p_value, finite_p_value;
  /// Whether the covariance between energies was used; where it is singular (fewer samples than energies), or there is
  /// none, only their errors.
  bool correlated;

  /// m in lattice units, and c^2.
  Estimate mass() const { return parameters.estimate(0); }
  Estimate c2() const { return parameters.estimate(1); }
  /// The fitted E at the momentum n, in lattice units.
  double energy(const std::array<int, 3>& n, const std::array<int, 3>& extent) const;
};

/// sum_i p_i^2, or sum_i 4 sin^2(p_i / 2), with p_i = 2 pi n_i / L_i, L_i = extent[i]; in lattice units.
double momentum_squared(DispersionForm form, const std::array<int, 3>& n, const std::array<int, 3>& extent);

/// A least-squares fit that is linear in the unknowns, for the means and every replica, correlated.  Energies that are
/// not finite, or have no error, are left out.  extent: of the lattice in space.  Throws InputError for fewer than two
/// different sum_i p_i^2 among the energies that are left, or replicas that do not belong together.
Dispersion fit_dispersion(const std::vector<EnergyAtMomentum>& energies, const std::array<int, 3>& extent,
                          DispersionForm form);

}  // namespace kov
