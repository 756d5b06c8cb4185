// SPDX-License-Identifier: MIT
//
// Wilson-clover and twisted-mass operators, straight from their definitions.  What gives whole arrays is collective.
#pragma once

#include "tests/reference/operators.hpp"

namespace kov::reference {

using Rows3 = std::array<std::array<Number, 3>, 3>;

inline Rows3 multiply3(const Rows3& a, const Rows3& b) {
  Rows3 c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

/// The link that leaves x in direction mu (sign = +1) or against it (-1): adj(U_mu(x - mu)).
inline Rows3 step_link(const GlobalArray& gauge, const Coord& x, int mu, int sign) {
  const Number* u = gauge.at(sign > 0 ? x : shifted(x, mu, -1)) + 9 * mu;
  Rows3 m;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) m[a][b] = sign > 0 ? u[3 * a + b] : std::conj(u[3 * b + a]);
  return m;
}

/// F_munu(x) = (Q - adj Q) / 8, Q the sum of the four plaquette leaves that begin and end at x, each turning from mu to
/// nu.
inline Rows3 field_strength(const GlobalArray& gauge, const Coord& x, int mu, int nu) {
  Rows3 q{};
  const int paths[4][2][2] = {{{mu, 1}, {nu, 1}}, {{nu, 1}, {mu, -1}}, {{mu, -1}, {nu, -1}}, {{nu, -1}, {mu, 1}}};
  for (const auto& [first, second] : paths) {
    Coord at = x;
    Rows3 leaf{};
    for (std::size_t a = 0; a < 3; ++a) leaf[a][a] = 1;
    const int steps[4][2] = {
        {first[0], first[1]}, {second[0], second[1]}, {first[0], -first[1]}, {second[0], -second[1]}};
    for (const auto& [direction, sign] : steps) {
      leaf = multiply3(leaf, step_link(gauge, at, direction, sign));
      at = shifted(at, direction, sign);
    }
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) q[a][b] += leaf[a][b];
  }
  Rows3 f;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) f[a][b] = (q[a][b] - std::conj(q[b][a])) / 8.0;
  return f;
}

/// What a Dirac operator of Wilson type is made of; boundary phases enter the hop alone.
struct DiracParameters {
  double mass = 0;
  /// c_sw of planes in space and of those with t.
  double c_space = 0, c_time = 0;
  double mu = 0;
  double xi0 = 1, nu = 1;
  std::array<double, 4> angle{};
};

/// D psi = (1 + 3 nu / xi0 + m + i mu g5) psi - 1/2 sum_{mu < nu} c g_mu g_nu F_munu psi, c = c_space / xi0 in space
/// and c_time with t; sign = -1 for the adjoint.
inline GlobalArray site_term(const GlobalArray& gauge, const GlobalArray& psi, const DiracParameters& p, int sign = 1) {
  return filled(psi.extent, 12, [&](const Coord& x, Number* out) {
    for (int i = 0; i < 12; ++i)
      out[i] = Number(1 + 3 * p.nu / p.xi0 + p.mass, sign * (i < 6 ? p.mu : -p.mu)) * psi.at(x)[i];
    if (p.c_space == 0 && p.c_time == 0) return;
    for (int mu = 0; mu < 4; ++mu)
      for (int nu = mu + 1; nu < 4; ++nu) {
        const double c = nu == 3 ? p.c_time : p.c_space / p.xi0;
        const Rows3 f = field_strength(gauge, x, mu, nu);
        const Matrix4 &g = gammas()[std::size_t(mu)], &h = gammas()[std::size_t(nu)];
        for (std::size_t s = 0; s < 4; ++s)
          for (std::size_t r = 0; r < 4; ++r) {
            Number sigma = 0;
            for (std::size_t k = 0; k < 4; ++k) sigma += g[s][k] * h[k][r];
            if (sigma == Number(0)) continue;
            for (std::size_t a = 0; a < 3; ++a)
              for (std::size_t b = 0; b < 3; ++b) out[3 * s + a] -= c / 2 * sigma * f[a][b] * psi.at(x)[3 * r + b];
          }
      }
  });
}

/// M psi = D psi - 1/2 H psi, hops in space times nu / xi0; sign = -1 for the adjoint.
inline GlobalArray dirac(const GlobalArray& gauge, const GlobalArray& psi, const DiracParameters& p, int sign = 1) {
  GlobalArray links = gauge, out = site_term(gauge, psi, p, sign);
  for (std::size_t i = 0; i < links.data.size(); ++i)
    if (i % 36 < 27) links.data[i] *= p.nu / p.xi0;
  const GlobalArray hop = wilson_hop(links, psi, p.angle, sign);
  for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] -= 0.5 * hop.data[i];
  return out;
}

/// M psi = (4 + m) psi - 1/2 H psi - c_sw / 2 sum_{mu < nu} g_mu g_nu F_munu psi.
inline GlobalArray wilson_clover(const GlobalArray& gauge, const GlobalArray& psi, double mass, double csw,
                                 const std::array<double, 4>& angle) {
  return dirac(gauge, psi, {.mass = mass, .c_space = csw, .c_time = csw, .angle = angle});
}

}  // namespace kov::reference
