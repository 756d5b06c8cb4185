// SPDX-License-Identifier: MIT
//
// The covariant Laplacian and the Wilson operator, straight from their definitions.  All collective but link().
#pragma once

#include "tests/reference/global_array.hpp"

#include <array>
#include <cmath>

namespace kov::reference {

/// The link of direction mu at x as a matrix element, with boundary phases.
inline Number link(const GlobalArray& gauge, const std::array<double, 4>& angle, const Coord& x, int mu, int a, int b) {
  const int L = gauge.extent[mu], at = (x[mu] % L + L) % L;
  const Number phase = at == L - 1 ? std::polar(1.0, angle[std::size_t(mu)]) : Number(1);
  return phase * gauge.at(x)[9 * mu + 3 * a + b];
}

/// Sum over the legs of the first n_dimensions directions, on n / 3 colour vectors a site.
inline GlobalArray leg_sum(const GlobalArray& gauge, const GlobalArray& psi, int n_dimensions,
                           const std::array<double, 4>& angle = {}) {
  return filled(psi.extent, psi.n, [&](const Coord& x, Number* out) {
    for (int mu = 0; mu < n_dimensions; ++mu) {
      const Coord up = shifted(x, mu, 1), down = shifted(x, mu, -1);
      for (int s = 0; s < psi.n / 3; ++s)
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            out[3 * s + a] += link(gauge, angle, x, mu, a, b) * psi.at(up)[3 * s + b] +
                              std::conj(link(gauge, angle, down, mu, b, a)) * psi.at(down)[3 * s + b];
    }
  });
}

inline GlobalArray laplacian(const GlobalArray& gauge, const GlobalArray& psi, int n_dimensions,
                             const std::array<double, 4>& angle = {}) {
  GlobalArray out = leg_sum(gauge, psi, n_dimensions, angle);
  for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] -= 2.0 * n_dimensions * psi.data[i];
  return out;
}

using Matrix4 = std::array<std::array<Number, 4>, 4>;

/// gamma_1..gamma_4 of the DeGrand-Rossi basis, written out.
inline const std::array<Matrix4, 4>& gammas() {
  const Number i(0, 1), o(0), l(1);
  static const std::array<Matrix4, 4> g{
      Matrix4{{{o, o, o, i}, {o, o, i, o}, {o, -i, o, o}, {-i, o, o, o}}},
      Matrix4{{{o, o, o, -l}, {o, o, l, o}, {o, l, o, o}, {-l, o, o, o}}},
      Matrix4{{{o, o, i, o}, {o, o, o, -i}, {-i, o, o, o}, {o, i, o, o}}},
      Matrix4{{{o, o, l, o}, {o, o, o, l}, {l, o, o, o}, {o, l, o, o}}},
  };
  return g;
}

/// H psi; sign = -1 for the adjoint of H.
inline GlobalArray wilson_hop(const GlobalArray& gauge, const GlobalArray& psi, const std::array<double, 4>& angle,
                              int sign = 1) {
  return filled(psi.extent, 12, [&](const Coord& x, Number* out) {
    for (int mu = 0; mu < 4; ++mu) {
      const Coord up = shifted(x, mu, 1), down = shifted(x, mu, -1);
      for (int s = 0; s < 4; ++s)
        for (int r = 0; r < 4; ++r) {
          const Number forward = Number(s == r) - double(sign) * gammas()[std::size_t(mu)][s][r];
          const Number backward = Number(s == r) + double(sign) * gammas()[std::size_t(mu)][s][r];
          if (forward == Number(0) && backward == Number(0)) continue;
          for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
              out[3 * s + a] += forward * link(gauge, angle, x, mu, a, b) * psi.at(up)[3 * r + b] +
                                backward * std::conj(link(gauge, angle, down, mu, b, a)) * psi.at(down)[3 * r + b];
        }
    }
  });
}

/// |b - M x| / |b|, M = 4 + mass - 1/2 H.
inline double wilson_residual(const GlobalArray& gauge, double mass, const GlobalArray& x, const GlobalArray& b,
                              const std::array<double, 4>& angle) {
  const GlobalArray hop = wilson_hop(gauge, x, angle);
  double rr = 0, bb = 0;
  for (std::size_t i = 0; i < b.data.size(); ++i) {
    rr += std::norm(b.data[i] - (4 + mass) * x.data[i] + 0.5 * hop.data[i]);
    bb += std::norm(b.data[i]);
  }
  return std::sqrt(rr / bb);
}

}  // namespace kov::reference
