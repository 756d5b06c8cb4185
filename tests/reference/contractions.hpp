// SPDX-License-Identifier: MIT
//
// Meson and baryon two-point functions straight from their definitions: full 4 x 4 gamma matrices, every index a loop.
#pragma once

#include "tests/reference/operators.hpp"

#include <array>
#include <numbers>
#include <vector>

namespace kov::reference {

/// The point of sources.
inline constexpr Coord kSource{1, 3, 0, 2};

/// S[sink spin, sink colour][source spin, source colour] of a site of a propagator array, where component 3 * source
/// spin + source colour holds spinors.
inline Number quark(const GlobalArray& s, const Coord& x, int sink_spin, int sink_colour, int source_spin,
                    int source_colour) {
  return s.at(x)[12 * (3 * source_spin + source_colour) + 3 * sink_spin + sink_colour];
}

inline Matrix4 unit4() {
  Matrix4 m{};
  for (std::size_t i = 0; i < 4; ++i) m[i][i] = 1;
  return m;
}
inline Matrix4 product(const Matrix4& a, const Matrix4& b) {
  Matrix4 m{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) m[i][j] += a[i][k] * b[k][j];
  return m;
}
inline Matrix4 sum(const Matrix4& a, Number factor, const Matrix4& b) {
  Matrix4 m = a;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) m[i][j] += factor * b[i][j];
  return m;
}
/// g1^b0 g2^b1 g3^b2 g4^b3
inline Matrix4 gamma(int n) {
  Matrix4 m = unit4();
  for (int mu = 0; mu < 4; ++mu)
    if (n >> mu & 1) m = product(m, gammas()[std::size_t(mu)]);
  return m;
}

inline Number phase(const Coord& extent, const std::array<int, 3>& p, const Coord& x, const Coord& source) {
  double angle = 0;
  for (std::size_t mu = 0; mu < 3; ++mu) angle += 2 * std::numbers::pi * p[mu] * (x[mu] - source[mu]) / extent[mu];
  return std::polar(1.0, angle);
}

/// f(x), summed with phases over every time slice, t from the source; a share of the sites on each rank.  Collective.
template <class F>
std::vector<Number> fourier(const Coord& extent, const std::array<int, 3>& p, const Coord& source, const F& f) {
  std::vector<Number> c(static_cast<std::size_t>(extent[3]));
  for_each_of_share(extent, [&](const Coord& x) {
    c[std::size_t((x[3] - source[3] + extent[3]) % extent[3])] += phase(extent, p, x, source) * f(x);
  });
  sum_over_ranks(c);
  return c;
}

/// sum_x e^{i p.(x - source)} Tr[(g5 S2 g5)^+ Gamma_sink S1 Gamma_source].  Collective.
inline std::vector<Number> meson(const GlobalArray& s1, const GlobalArray& s2, int sink, int source_gamma,
                                 const std::array<int, 3>& p, const Coord& source) {
  const Matrix4 five = gamma(15), snk = gamma(sink), src = gamma(source_gamma);
  using Matrix12 = std::array<std::array<Number, 12>, 12>;
  const auto spin = [](const Matrix4& m, const Matrix12& a, bool left) {
    Matrix12 r{};
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j < 12; ++j)
        for (std::size_t k = 0; k < 4; ++k)
          r[i][j] += left ? m[i / 3][k] * a[3 * k + i % 3][j] : a[i][3 * k + j % 3] * m[k][j / 3];
    return r;
  };
  return fourier(s1.extent, p, source, [&](const Coord& x) {
    Matrix12 a{}, b{};
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) {
        a[std::size_t(j)][std::size_t(i)] = std::conj(quark(s2, x, i / 3, i % 3, j / 3, j % 3));
        b[std::size_t(i)][std::size_t(j)] = quark(s1, x, i / 3, i % 3, j / 3, j % 3);
      }
    a = spin(five, spin(five, a, true), false);
    b = spin(src, spin(snk, b, true), false);
    Number trace = 0;
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j < 12; ++j) trace += a[i][j] * b[j][i];
    return trace;
  });
}

/// The Wick contractions of eps_ijk (p_i^T sp q_j) q_k at the sink with its like at the source, traced with a
/// projector: the free quark of the source goes to the free one of the sink, or into the diquark.  Collective.
struct BaryonTerms {
  std::vector<Number> direct, exchange;
};
inline BaryonTerms baryon(const GlobalArray& q, const GlobalArray& p, const Matrix4& projector, const Matrix4& sp,
                          const std::array<int, 3>& momentum, const Coord& source) {
  constexpr int permutation[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}};
  struct Entry {
    int p, q;
    Number value;
  };
  std::vector<Entry> diquark;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (sp[std::size_t(i)][std::size_t(j)] != Number(0))
        diquark.push_back({i, j, sp[std::size_t(i)][std::size_t(j)]});
  const auto value = [&](const Coord& x, bool exchange) {
    Number total = 0;
    for (int u = 0; u < 6; ++u)
      for (int v = 0; v < 6; ++v) {
        const int *c = permutation[u], *d = permutation[v];
        const double sign = (u < 3) == (v < 3) ? 1 : -1;
        for (int a = 0; a < 4; ++a)
          for (int b = 0; b < 4; ++b) {
            const Number projection = sign * projector[std::size_t(b)][std::size_t(a)];
            if (projection == Number(0)) continue;
            for (const Entry& snk : diquark)
              for (const Entry& src : diquark)
                // Exchanging two quarks at the source is a sign, and so is exchanging their colours.
                total += projection * snk.value * src.value * quark(p, x, snk.p, c[0], src.p, d[0]) *
                         quark(q, x, snk.q, c[1], exchange ? b : src.q, d[1]) *
                         quark(q, x, a, c[2], exchange ? src.q : b, d[2]);
          }
      }
    return total;
  };
  return {fourier(q.extent, momentum, source, [&](const Coord& x) { return value(x, false); }),
          fourier(q.extent, momentum, source, [&](const Coord& x) { return value(x, true); })};
}

/// sum over the sites of each time slice of |S1|^k1 |S2|^k2, t from the source: what rounding errors are relative to.
inline std::vector<double> scale(const GlobalArray& s1, int k1, const GlobalArray& s2, int k2, const Coord& source) {
  const int n_times = s1.extent[3];
  std::vector<double> result(static_cast<std::size_t>(n_times));
  for_each_coordinate(s1.extent, [&](const Coord& x) {
    double norm1 = 0, norm2 = 0;
    for (int i = 0; i < s1.n; ++i) {
      norm1 += std::norm(s1.at(x)[i]);
      norm2 += std::norm(s2.at(x)[i]);
    }
    result[std::size_t((x[3] - source[3] + n_times) % n_times)] +=
        std::pow(norm1, 0.5 * k1) * std::pow(norm2, 0.5 * k2);
  });
  return result;
}

/// g(x) S(x) g(source)^+, colour only.  Collective.
inline GlobalArray gauge_transformed(const GlobalArray& s, const GlobalArray& g, const Coord& source) {
  return filled(s.extent, s.n, [&](const Coord& x, Number* out) {
    for (int spins = 0; spins < 16; ++spins)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
              out[12 * (3 * (spins / 4) + j) + 3 * (spins % 4) + i] +=
                  g.at(x)[3 * i + k] * quark(s, x, spins % 4, k, spins / 4, l) * std::conj(g.at(source)[3 * j + l]);
  });
}

}  // namespace kov::reference
