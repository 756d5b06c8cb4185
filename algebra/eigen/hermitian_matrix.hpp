// SPDX-License-Identifier: MIT
//
// Eigenvalues and eigenvectors of dense Hermitian matrices on the host.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace kov::detail {

/// Eigenvalues in rising order, and orthonormal eigenvectors [row][vector].
struct HermitianSystem {
  std::vector<double> values;
  std::vector<std::complex<double>> vectors;

  /// Component `row` of eigenvector k.
  std::complex<double> vector(int row, int k) const {
    return vectors[std::size_t(row) * values.size() + std::size_t(k)];
  }
};

/// Of a Hermitian matrix [row][column] of n rows: its upper triangle counts, and the real parts of its diagonal.  In
/// double by Householder transformations and the implicit QR algorithm (Eigen's), O(n^3).  A matrix with infinite or
/// undefined numbers throws ConvergenceError; `what` says there between what its numbers are ("Lanczos vectors").
HermitianSystem hermitian_system(std::span<const std::complex<double>> matrix, int n, const char* what);

/// The eigenvalues alone.
std::vector<double> hermitian_eigenvalues(std::span<const std::complex<double>> matrix, int n, const char* what);

}  // namespace kov::detail
