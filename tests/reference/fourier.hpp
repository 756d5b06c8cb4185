// SPDX-License-Identifier: MIT
//
// Naive discrete Fourier transforms of plain arrays, one direction after the other.  Collective.
#pragma once

#include "tests/reference/global_array.hpp"

#include <cmath>

namespace kov::reference {

inline constexpr double pi = 3.14159265358979323846;

/// sum_x e^{-2 pi i p.x / L} a(x) in the first n_dimensions directions; sign = +1 and a division by the volume is its
/// inverse.  Coordinates of the result are p in those directions and x in the others.
inline GlobalArray fourier(const GlobalArray& a, int n_dimensions, int sign = -1) {
  GlobalArray in = a;
  for (int mu = 0; mu < n_dimensions; ++mu) {
    const int L = a.extent[std::size_t(mu)];
    in = filled(a.extent, a.n, [&](const Coord& p, Number* out) {
      for (int x = 0; x < L; ++x) {
        const Number phase = std::polar(1.0, sign * 2 * pi * ((x * p[std::size_t(mu)]) % L) / L);
        const Number* v = in.at(shifted(p, mu, x - p[std::size_t(mu)]));
        for (int k = 0; k < a.n; ++k) out[k] += phase * v[k];
      }
    });
  }
  if (sign > 0)
    for (int mu = 0; mu < n_dimensions; ++mu)
      for (Number& z : in.data) z /= double(a.extent[std::size_t(mu)]);
  return in;
}

/// The eigenvalue of -Laplacian with unit links on e^{i q.x}, q = 2 pi p / L - k: sum of 4 sin^2(q / 2).
inline double momentum_squared(const Coord& p, const Coord& extent, int n_dimensions,
                               const std::array<double, 4>& k = {}) {
  double sum = 0;
  for (std::size_t mu = 0; mu < std::size_t(n_dimensions); ++mu) {
    const double sine = std::sin(pi * p[mu] / extent[mu] - 0.5 * k[mu]);
    sum += 4 * sine * sine;
  }
  return sum;
}

/// F(-Laplacian) a with unit links: F(p^2) on every mode.
template <class Profile>
GlobalArray free_profile(const GlobalArray& a, int n_dimensions, const Profile& profile,
                         const std::array<double, 4>& k = {}) {
  GlobalArray modes = fourier(a, n_dimensions);
  for_each_coordinate(a.extent, [&](const Coord& p) {
    const double factor = profile(momentum_squared(p, a.extent, n_dimensions, k));
    for (int i = 0; i < a.n; ++i) modes.at(p)[i] *= factor;
  });
  return fourier(modes, n_dimensions, +1);
}

}  // namespace kov::reference
