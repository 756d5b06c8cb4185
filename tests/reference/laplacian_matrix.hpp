// SPDX-License-Identifier: MIT
//
// -Laplacian of one time slice as a dense matrix, with all its modes.
#pragma once

#include "tests/reference/eigen.hpp"
#include "tests/reference/gauge.hpp"

namespace kov::reference {

/// The index in a mode of colour a at x: 3 times the lexicographic index in space, plus a.
inline std::size_t mode_index(const Coord& x, const Coord& extent, int a) {
  return std::size_t(3 * lexicographic({x[0], x[1], x[2], 0}, extent) + a);
}

/// -Laplacian in three dimensions on time slice t: [row][column], numbered as modes are.
inline std::vector<Number> laplacian_matrix(const GlobalArray& gauge, int t) {
  const Coord extent = gauge.extent;
  const std::size_t n = 3 * std::size_t(extent[0]) * extent[1] * extent[2];
  std::vector<Number> m(n * n);
  for_each_coordinate({extent[0], extent[1], extent[2], 1}, [&](Coord x) {
    x[3] = t;
    for (int a = 0; a < 3; ++a) m[mode_index(x, extent, a) * (n + 1)] += 6;
    for (int mu = 0; mu < 3; ++mu) {
      Coord up = shifted(x, mu, 1);
      up[std::size_t(mu)] %= extent[std::size_t(mu)];
      const Matrix3 u = matrix(gauge, x, mu);
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          const std::size_t i = mode_index(x, extent, a), j = mode_index(up, extent, b);
          m[i * n + j] -= u[std::size_t(3 * a + b)];
          m[j * n + i] -= std::conj(u[std::size_t(3 * a + b)]);
        }
    }
  });
  return m;
}
/// All its modes.
inline EigenSystem laplacian_modes(const GlobalArray& gauge, int t) {
  const std::size_t n = 3 * std::size_t(gauge.extent[0]) * gauge.extent[1] * gauge.extent[2];
  return eigen_system(laplacian_matrix(gauge, t), n);
}

/// F(-Laplacian) psi in three dimensions, mode by mode: sum of v F(lambda) v^+ psi on every time slice.
template <class Profile>
GlobalArray apply_to_modes(const GlobalArray& gauge, const GlobalArray& psi, const Profile& profile) {
  GlobalArray out(psi.extent, psi.n);
  for (int t = 0; t < psi.extent[3]; ++t) {
    const EigenSystem system = laplacian_modes(gauge, t);
    const Coord slice{psi.extent[0], psi.extent[1], psi.extent[2], 1};
    for (std::size_t mode = 0; mode < system.values.size(); ++mode) {
      const double factor = profile(system.values[mode]);
      for (int s = 0; s < psi.n / 3; ++s) {
        Number overlap = 0;
        for_each_coordinate(slice, [&](Coord x) {
          x[3] = t;
          for (int a = 0; a < 3; ++a)
            overlap += std::conj(system.vectors[mode][mode_index(x, psi.extent, a)]) * psi.at(x)[3 * s + a];
        });
        for_each_coordinate(slice, [&](Coord x) {
          x[3] = t;
          for (int a = 0; a < 3; ++a)
            out.at(x)[3 * s + a] += factor * overlap * system.vectors[mode][mode_index(x, psi.extent, a)];
        });
      }
    }
  }
  return out;
}

}  // namespace kov::reference
