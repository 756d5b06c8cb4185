// SPDX-License-Identifier: MIT
//
// Products and traces of matrices by their definitions, on the host, in double precision.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace kov::reference {

using HostNumbers = std::vector<std::complex<double>>;

/// a b; the product of std::complex asks each time whether it is a number.
inline std::complex<double> times(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// a (m x n) times b (n x k), row by row.
inline HostNumbers product(const HostNumbers& a, const HostNumbers& b, std::size_t m, std::size_t n, std::size_t k) {
  HostNumbers c(m * k);
  for (std::size_t row = 0; row < m; ++row)
    for (std::size_t inner = 0; inner < n; ++inner)
      for (std::size_t column = 0; column < k; ++column)
        c[row * k + column] += times(a[row * n + inner], b[inner * k + column]);
  return c;
}

/// The trace of a b, both n x n.
inline std::complex<double> trace_of_product(const HostNumbers& a, const HostNumbers& b, std::size_t n) {
  std::complex<double> sum = 0;
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column) sum += times(a[row * n + column], b[column * n + row]);
  return sum;
}

/// The conjugate transpose of an n x n matrix.
inline HostNumbers adjoint(const HostNumbers& a, std::size_t n) {
  HostNumbers r(n * n);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column) r[column * n + row] = std::conj(a[row * n + column]);
  return r;
}

}  // namespace kov::reference
