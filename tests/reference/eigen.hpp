// SPDX-License-Identifier: MIT
//
// All eigenvalues and eigenvectors of a small dense Hermitian matrix by Jacobi rotations.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <vector>

namespace kov::reference {

/// values[k] ascending with the eigenvector vectors[k][...].
struct EigenSystem {
  std::vector<double> values;
  std::vector<std::vector<std::complex<double>>> vectors;
};

/// a[i * n + j], Hermitian.
inline EigenSystem eigen_system(std::vector<std::complex<double>> a, std::size_t n) {
  using Number = std::complex<double>;
  std::vector<Number> v(n * n);  // rows are eigenvectors in the end
  for (std::size_t i = 0; i < n; ++i) v[i * n + i] = 1;
  double scale = 0;
  for (const Number& z : a) scale += std::norm(z);
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) off += std::norm(a[i * n + j]);
    if (off <= 1e-30 * scale) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const Number z = a[p * n + q];
        const double size = std::abs(z);
        if (size * size <= 1e-34 * scale) continue;
        const Number phase = z / size;
        const double tau = (a[q * n + q].real() - a[p * n + p].real()) / (2 * size);
        const double t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        // Columns p and q of a, then its rows; rows of v.
        for (std::size_t k = 0; k < n; ++k) {
          const Number x = a[k * n + p], y = a[k * n + q] * std::conj(phase);
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const Number x = a[p * n + k], y = a[q * n + k] * phase;
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
          const Number f = v[p * n + k], g = v[q * n + k] * std::conj(phase);
          v[p * n + k] = c * f - s * g;
          v[q * n + k] = s * f + c * g;
        }
      }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return a[i * n + i].real() < a[j * n + j].real(); });
  EigenSystem system;
  for (const std::size_t i : order) {
    system.values.push_back(a[i * n + i].real());
    system.vectors.emplace_back(v.begin() + std::ptrdiff_t(i * n), v.begin() + std::ptrdiff_t((i + 1) * n));
  }
  return system;
}

}  // namespace kov::reference
