// SPDX-License-Identifier: MIT
//
// Plaquettes and link trace by naive loops over a whole lattice on one process.
// links: doubles [site, x fastest][mu][row][column][re, im].
#pragma once

#include "kov/core/lattice/geometry.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <span>

namespace kov::reference {

using Matrix = std::array<std::array<std::complex<double>, 3>, 3>;

inline Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

inline Matrix adjoint(const Matrix& a) {
  Matrix c;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) c[i][j] = std::conj(a[j][i]);
  }
  return c;
}

inline double real_trace(const Matrix& a) { return a[0][0].real() + a[1][1].real() + a[2][2].real(); }

inline Matrix link(std::span<const double> links, const Coord& extent, const Coord& x, int mu) {
  const double* u = links.data() + (lexicographic(x, extent) * 4 + mu) * 18;
  Matrix m;
  for (std::size_t i = 0; i < 9; ++i) m[i / 3][i % 3] = {u[2 * i], u[2 * i + 1]};
  return m;
}

/// All are means of Re tr / 3: over all planes, those without t, those with t, all links.
struct Plaquettes {
  double mean = 0, spatial = 0, temporal = 0, link_trace = 0;
};

inline Plaquettes plaquettes(std::span<const double> links, const Coord& extent) {
  Plaquettes sum;
  const auto forward = [&](Coord x, int mu) {
    x[std::size_t(mu)] = (x[std::size_t(mu)] + 1) % extent[std::size_t(mu)];
    return x;
  };
  const std::int64_t sites = volume(extent);
  for (std::int64_t i = 0; i < sites; ++i) {
    const Coord x = coordinate(i, extent);
    for (int mu = 0; mu < 4; ++mu) {
      sum.link_trace += real_trace(link(links, extent, x, mu));
      for (int nu = mu + 1; nu < 4; ++nu) {
        const Matrix up = multiply(link(links, extent, x, mu), link(links, extent, forward(x, mu), nu));
        const Matrix across = multiply(link(links, extent, x, nu), link(links, extent, forward(x, nu), mu));
        (nu == 3 ? sum.temporal : sum.spatial) += real_trace(multiply(up, adjoint(across)));
      }
    }
  }
  const double v = double(sites);
  return {(sum.spatial + sum.temporal) / (18 * v), sum.spatial / (9 * v), sum.temporal / (9 * v),
          sum.link_trace / (12 * v)};
}

}  // namespace kov::reference
