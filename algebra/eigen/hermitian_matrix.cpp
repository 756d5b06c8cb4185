// SPDX-License-Identifier: MIT
#include "kov/algebra/eigen/hermitian_matrix.hpp"

#include "kov/core/base/error.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace kov::detail {

namespace {

using HermitianSolver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd>;

HermitianSolver solved(std::span<const std::complex<double>> matrix, int n, const char* what, int options) {
  for (const std::complex<double>& z : matrix)
    require<ConvergenceError>(std::isfinite(z.real()) && std::isfinite(z.imag()), "a matrix of", n, "rows between",
                              what, "has no eigenvalues: it is not finite; check the links, or the correlators");
  Eigen::MatrixXcd lower(n, n);  // all that is read
  for (int j = 0; j < n; ++j) {
    const std::complex<double>* row = matrix.data() + std::size_t(j) * std::size_t(n);
    lower(j, j) = row[j].real();
    for (int i = j + 1; i < n; ++i) lower(i, j) = std::conj(row[i]);
  }
  HermitianSolver solver(n);
  solver.compute(lower, options);
  require<ConvergenceError>(solver.info() == Eigen::Success, "a matrix of", n, "rows between", what,
                            "has eigenvalues that were not found: check the links, or the correlators");
  return solver;
}

}  // namespace

HermitianSystem hermitian_system(std::span<const std::complex<double>> matrix, int n, const char* what) {
  const HermitianSolver solver = solved(matrix, n, what, Eigen::ComputeEigenvectors);
  HermitianSystem result{{solver.eigenvalues().data(), solver.eigenvalues().data() + n}, {}};
  result.vectors.reserve(std::size_t(n) * std::size_t(n));
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) result.vectors.push_back(solver.eigenvectors()(i, k));
  return result;
}

std::vector<double> hermitian_eigenvalues(std::span<const std::complex<double>> matrix, int n, const char* what) {
  const HermitianSolver solver = solved(matrix, n, what, Eigen::EigenvaluesOnly);
  return {solver.eigenvalues().data(), solver.eigenvalues().data() + n};
}

}  // namespace kov::detail
