// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/dispersion.hpp"

#include "kov/contractions/energies/linear_fit.hpp"
#include "kov/core/base/error.hpp"

#include <cmath>
#include <numbers>

namespace kov {

namespace {

/// E^2 or 4 sinh^2(E / 2), and back.
double energy_squared(DispersionForm form, double energy) {
  const double s = 2 * std::sinh(0.5 * energy);
  return form == DispersionForm::continuum ? energy * energy : s * s;
}
double energy_of_square(DispersionForm form, double square) {
  return form == DispersionForm::continuum ? std::sqrt(square) : 2 * std::asinh(0.5 * std::sqrt(square));
}

}  // namespace

double momentum_squared(DispersionForm form, const std::array<int, 3>& n, const std::array<int, 3>& extent) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    require(extent[i] > 0, "the extent of a lattice is", extent[i], "- momenta need positive ones");
    const double p = 2 * std::numbers::pi * n[i] / extent[i], s = 2 * std::sin(0.5 * p);
    sum += form == DispersionForm::continuum ? p * p : s * s;
  }
  return sum;
}

double Dispersion::energy(const std::array<int, 3>& n, const std::array<int, 3>& extent) const {
  return energy_of_square(
      form, energy_squared(form, parameters.mean()[0]) + parameters.mean()[1] * momentum_squared(form, n, extent));
}

Dispersion fit_dispersion(const std::vector<EnergyAtMomentum>& energies, const std::array<int, 3>& extent,
                          DispersionForm form) {
  std::vector<Resampled> used;
  std::vector<double> p2;
  for (const EnergyAtMomentum& e : energies) {
    const Estimate estimate = e.energy.estimate(0);
    if (!std::isfinite(estimate.mean) || !std::isfinite(estimate.error) || !(estimate.error > 0)) continue;
    used.push_back(e.energy.select({0}));
    p2.push_back(momentum_squared(form, e.n, extent));
  }
  bool differ = false;
  for (const double p : p2) differ = differ || std::abs(p - p2.front()) > 1e-12;
  require(differ, "a dispersion relation needs energies with errors at two momenta or more, but there are", used.size(),
          "of", energies.size(), "- measure at more momenta");
  const Resampled all = side_by_side(used).map([&](const std::vector<double>& e) {
    std::vector<double> squares;
    for (const double energy : e) squares.push_back(energy_squared(form, energy));
    return squares;
  });
  const LinearFit fit = linear_fit(all, {std::vector<double>(used.size(), 1.0), p2});
  return {.form = form,
          .parameters = fit.parameters.map([&](const std::vector<double>& found) {
            return std::vector<double>{energy_of_square(form, found[0]), found[1]};
          }),
          .chi2 = fit.chi2,
          .dof = fit.dof,
          .p_value = fit.p_value,
          .finite_p_value = fit.finite_p_value,
          .correlated = fit.correlated};
}

}  // namespace kov
