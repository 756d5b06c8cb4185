// SPDX-License-Identifier: MIT
//
// Naive observables and staples of whole gauge fields: 9 complex numbers per direction and site, [mu][row][column].
#pragma once

#include "tests/reference/global_array.hpp"

#include <array>

namespace kov::reference {

using Matrix3 = std::array<Number, 9>;

inline Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 c{};
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < 3; ++k) c[std::size_t(i)] += a[std::size_t(i / 3 * 3 + k)] * b[std::size_t(3 * k + i % 3)];
  return c;
}
inline Matrix3 dagger(const Matrix3& a) {
  Matrix3 c;
  for (int i = 0; i < 9; ++i) c[std::size_t(i)] = std::conj(a[std::size_t(i % 3 * 3 + i / 3)]);
  return c;
}
inline Number trace(const Matrix3& a) { return a[0] + a[4] + a[8]; }

/// The power series, term by term.
inline Matrix3 exponential(const Matrix3& a) {
  Matrix3 sum{1, 0, 0, 0, 1, 0, 0, 0, 1}, term = sum;
  for (int n = 1; n < 80; ++n) {
    term = product(term, a);
    for (std::size_t i = 0; i < 9; ++i) sum[i] += (term[i] /= n);
  }
  return sum;
}

/// Matrix mu of site x.
inline Matrix3 matrix(const GlobalArray& a, const Coord& x, int mu) {
  Matrix3 m;
  std::copy_n(a.at(x) + 9 * mu, 9, m.begin());
  return m;
}

/// The mean of Re tr P / 3 in one plane.  Collective, as the next two.
inline double plaquette(const GlobalArray& u, int mu, int nu) {
  const Number sum = sum_sites(u.extent, [&](const Coord& x) {
    const Matrix3 up = product(matrix(u, x, mu), matrix(u, shifted(x, mu, 1), nu));
    return trace(product(up, dagger(product(matrix(u, x, nu), matrix(u, shifted(x, nu, 1), mu)))));
  });
  return sum.real() / (3 * double(volume(u.extent)));
}

inline double link_trace(const GlobalArray& u) {
  const Number sum = sum_sites(u.extent, [&](const Coord& x) {
    Number of_site = 0;
    for (int mu = 0; mu < 4; ++mu) of_site += trace(matrix(u, x, mu));
    return of_site;
  });
  return sum.real() / (12 * double(volume(u.extent)));
}

inline Number polyakov_loop(const GlobalArray& u) {
  const Number sum = sum_sites({u.extent[0], u.extent[1], u.extent[2], 1}, [&](const Coord& x) {
    Matrix3 line = matrix(u, x, 3);
    for (int t = 1; t < u.extent[3]; ++t) line = product(line, matrix(u, shifted(x, 3, t), 3));
    return trace(line);
  });
  return sum / (3 * double(u.extent[0]) * u.extent[1] * u.extent[2]);
}

/// g(x) U_mu(x) g(x + mu)^+.  Collective.
inline GlobalArray gauge_transform(const GlobalArray& u, const GlobalArray& g) {
  return filled(u.extent, u.n, [&](const Coord& x, Number* v) {
    for (int mu = 0; mu < 4; ++mu) {
      const Matrix3 m = product(product(matrix(g, x, 0), matrix(u, x, mu)), dagger(matrix(g, shifted(x, mu, 1), 0)));
      std::copy(m.begin(), m.end(), v + 9 * mu);
    }
  });
}

/// The sum over nu != mu, among the directions given, of both staples from x to x + mu.
inline Matrix3 staple_sum(const GlobalArray& u, const Coord& x, int mu, const std::array<bool, 4>& directions) {
  Matrix3 sum{};
  for (int nu = 0; nu < 4; ++nu) {
    if (nu == mu || !directions[std::size_t(nu)]) continue;
    const Coord down = shifted(x, nu, -1);
    const Matrix3 upper =
        product(product(matrix(u, x, nu), matrix(u, shifted(x, nu, 1), mu)), dagger(matrix(u, shifted(x, mu, 1), nu)));
    const Matrix3 lower =
        product(product(dagger(matrix(u, down, nu)), matrix(u, down, mu)), matrix(u, shifted(down, mu, 1), nu));
    for (std::size_t i = 0; i < 9; ++i) sum[i] += upper[i] + lower[i];
  }
  return sum;
}

}  // namespace kov::reference
