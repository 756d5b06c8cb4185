// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/linear_fit.hpp"

#include "kov/contractions/energies/p_value.hpp"
#include "kov/core/base/error.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace kov {

LinearFit linear_fit(const Resampled& y, const std::vector<std::vector<double>>& basis, double samples_per_number) {
  const auto n = Eigen::Index(y.width()), n_unknowns = Eigen::Index(basis.size());
  require(n_unknowns >= 1 && n_unknowns <= n, "a fit of", basis.size(), "unknowns to", y.width(),
          "numbers has no one solution; give as many numbers as unknowns, or more");
  Eigen::MatrixXd functions(n, n_unknowns);
  for (Eigen::Index k = 0; k < n_unknowns; ++k) {
    const std::vector<double>& list = basis[std::size_t(k)];
    require(list.size() == y.width(), "a function is given at", list.size(), "places, but there are", y.width(),
            "numbers; give it one for each");
    for (Eigen::Index i = 0; i < n; ++i) functions(i, k) = list[std::size_t(i)];
  }
  std::vector<std::size_t> which(y.width());
  for (std::size_t i = 0; i < which.size(); ++i) which[i] = i;
  const std::vector<double> numbers = y.covariance(which);
  const Eigen::MatrixXd covariance = Eigen::Map<const Eigen::MatrixXd>(numbers.data(), n, n);
  require(covariance.allFinite(), "a number of the fit, or of a replica, is not finite; leave it out");
  Eigen::VectorXd scale(n);
  double largest = 0;
  for (const double mean : y.mean()) largest = std::max(largest, std::abs(mean));
  for (Eigen::Index i = 0; i < n; ++i) {
    const double least = largest * std::numeric_limits<double>::epsilon();
    const double error = std::max(std::sqrt(covariance(i, i)), least);
    scale(i) = error > 0 ? 1 / error : 1;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(scale.asDiagonal() * covariance * scale.asDiagonal());
  const bool correlated = double(y.n_samples()) > samples_per_number * double(n) && factor.info() == Eigen::Success &&
                          factor.rcond() > 1e-12;
  Eigen::MatrixXd whitener = Eigen::MatrixXd::Identity(n, n);
  if (correlated) factor.matrixL().solveInPlace(whitener);
  whitener = whitener * scale.asDiagonal();
  const Eigen::MatrixXd white = whitener * functions;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> least_squares(white);
  LinearFit result{.parameters = Resampled(basis.size(), y.n_replicas(), y.spread(), y.n_samples()),
                   .chi2 = 0,
                   .dof = int(n - n_unknowns),
                   .p_value = 0,
                   .finite_p_value = 0,
                   .correlated = correlated};
  for (std::size_t k = 0; k < y.n_rows(); ++k) {
    const Eigen::VectorXd row = whitener * Eigen::Map<const Eigen::VectorXd>(y.row(k).data(), n);
    const Eigen::VectorXd found = least_squares.solve(row);
    for (Eigen::Index i = 0; i < n_unknowns; ++i) result.parameters.row(k)[std::size_t(i)] = found(i);
    if (k == 0) result.chi2 = (row - white * found).squaredNorm();
  }
  result.p_value = chi2_p_value(result.chi2, result.dof);
  result.finite_p_value = hotelling_p_value(result.chi2, result.dof, int(y.n_samples()));
  return result;
}

}  // namespace kov
