// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/dispersion.hpp"

#include "kov/contractions/energies/p_value.hpp"
#include "kov/core/base/error.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <limits>
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
  const auto n = Eigen::Index(used.size());
  std::vector<std::size_t> which(used.size());
  for (std::size_t i = 0; i < which.size(); ++i) which[i] = i;
  const std::vector<double> numbers = all.covariance(which);
  const Eigen::MatrixXd covariance = Eigen::Map<const Eigen::MatrixXd>(numbers.data(), n, n);
  const Eigen::VectorXd scale = covariance.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::LLT<Eigen::MatrixXd> factor(scale.asDiagonal() * covariance * scale.asDiagonal());
  const bool correlated = all.n_samples() > used.size() && factor.info() == Eigen::Success && factor.rcond() > 1e-12;
  Eigen::MatrixXd whitener = Eigen::MatrixXd::Identity(n, n);
  if (correlated) factor.matrixL().solveInPlace(whitener);
  whitener = whitener * scale.asDiagonal();
  Eigen::MatrixXd basis(n, 2);
  for (Eigen::Index i = 0; i < n; ++i) {
    basis(i, 0) = 1;
    basis(i, 1) = p2[std::size_t(i)];
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> least_squares(whitener * basis);
  Dispersion result{.form = form,
                    .parameters = Resampled(2, all.n_replicas(), all.spread(), all.n_samples()),
                    .chi2 = 0,
                    .dof = int(n) - 2,
                    .p_value = 0,
                    .finite_p_value = 0,
                    .correlated = correlated};
  for (std::size_t k = 0; k < all.n_rows(); ++k) {
    const Eigen::VectorXd y = whitener * Eigen::Map<const Eigen::VectorXd>(all.row(k).data(), n);
    const Eigen::VectorXd found = least_squares.solve(y);
    result.parameters.row(k)[0] = energy_of_square(form, found(0));
    result.parameters.row(k)[1] = found(1);
    if (k == 0) result.chi2 = (y - whitener * basis * found).squaredNorm();
  }
  result.p_value = chi2_p_value(result.chi2, result.dof);
  result.finite_p_value = hotelling_p_value(result.chi2, result.dof, int(all.n_samples()));
  return result;
}

}  // namespace kov
