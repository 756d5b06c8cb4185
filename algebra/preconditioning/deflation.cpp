// SPDX-License-Identifier: MIT
#include "kov/algebra/preconditioning/deflation.hpp"

#include "kov/algebra/solve_run.hpp"

#include <chrono>
#include <cmath>
#include <complex>

namespace kov {

void detail::require_eigenvectors(const Vector& vectors, const std::vector<double>& eigenvalues) {
  const std::size_t m = std::size_t(vectors.n_components());
  require(eigenvalues.size() == m, "deflation got", m, "eigenvectors and", eigenvalues.size(),
          "eigenvalues: give it one for each");
  for (const double lambda : eigenvalues)
    require(std::isfinite(lambda) && lambda != 0, "deflation divides by the eigenvalue", lambda,
            ": leave out eigenvectors of 0");
  const std::vector<std::complex<double>> overlaps = gram_matrix(vectors, vectors);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      const double error = std::abs(overlaps[i * m + j] - double(i == j));
      require(error <= 1e-3, "the vectors", i, "and", j, "for a deflation have the inner product",
              overlaps[i * m + j].real(), "but they have to be orthonormal: orthonormalise them");
    }
}

double detail::add_eigenvectors(const Vector& vectors, const std::vector<double>& eigenvalues, EigenvectorsOf of,
                                const Operator<Vector>& A, const Vector& b, const Vector& x) {
  require(b.lattice() == vectors.lattice() && b.subset() == vectors.subset(), "a deflation with", vectors.name(), "got",
          b.name(), "on other sites: give it vectors on the sites of the source");
  const auto start = std::chrono::steady_clock::now();
  const std::size_t m = eigenvalues.size(), n = std::size_t(b.n_components());
  const Vector r = b.like("residual");
  true_residual_by_column(A, b, x, r);
  if (of == EigenvectorsOf::normal_operator) {
    const Vector adjoint_r = b.like("A^+ residual");
    A.apply_adjoint(r, adjoint_r);
    copy(adjoint_r, r);
  }
  std::vector<std::complex<double>> parts = gram_matrix(vectors, r);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < n; ++k) parts[i * n + k] /= eigenvalues[i];
  rotate_add(vectors, parts, x);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace kov
