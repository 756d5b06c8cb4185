// SPDX-License-Identifier: MIT
//
// Stencils as a user writes them: a list of legs and a kernel for one site.
#include "docs_stencils_example.hpp"  // these two out of docs/stencils.md
#include "docs_stencils_links.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/stencil/links/gauge_links.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

namespace kov {
namespace {

using reference::for_each_coordinate;
using reference::gather;
using reference::GlobalArray;
using reference::Number;
using reference::shifted;

using std::numbers::pi;

using Momenta = std::array<double, 4>;
Momenta momenta(const Coord& n, const Coord& extent) {
  Momenta p;
  for (std::size_t mu = 0; mu < 4; ++mu) p[mu] = 2 * pi * n[mu] / extent[mu];
  return p;
}
GlobalArray plane_wave(const Coord& extent, const Momenta& p, int n_complex) {
  GlobalArray wave(extent, n_complex);
  for_each_coordinate(extent, [&](const Coord& x) {
    double angle = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) angle += p[mu] * x[mu];
    for (int a = 0; a < n_complex; ++a) wave.at(x)[a] = Number(1, 0.3 * a) * std::polar(1.0, angle);
  });
  return wave;
}
GlobalArray times(GlobalArray a, Number z) {
  for (Number& number : a.data) number *= z;
  return a;
}

class UserStencils : public test::OnLattices {};

/// Legs of length 2 need two sites a rank.
bool reaches(const Lattice& lattice, int mu, int length) {
  return !lattice.communicates(mu) || lattice.geometry().local_extent()[mu] >= length;
}

// The improved derivative of docs/stencils.md.

TEST_P(UserStencils, ImprovedDerivativeIsItsSymbolOnPlaneWaves) {
  const Lattice lattice = GetParam().make(Comm::world());
  if (!reaches(lattice, 0, 2)) GTEST_SKIP() << "does not apply: ranks too narrow";
  const Derivative derivative(lattice);
  const SpinorField<double> in(lattice, "in"), out(lattice, "out");
  for (const Coord& n : {Coord{1, 0, 0, 0}, Coord{-2, 1, 0, 3}, Coord{0, 1, 1, 1}}) {
    const Momenta p = momenta(n, lattice.extent());
    const GlobalArray wave = plane_wave(lattice.extent(), p, 12);
    load(in, wave);
    derivative.apply(in, out);
    const double symbol = 4.0 / 3 * std::sin(p[0]) - 1.0 / 6 * std::sin(2 * p[0]);
    EXPECT_LT(max_difference(out, times(wave, {0, symbol})), 100 * std::numeric_limits<double>::epsilon());
  }
}

TEST(ImprovedDerivative, IsOffByTheFifthPowerOfTheMomentum) {
  const Lattice lattice(Comm::world(), {32, 4, 4, 4});
  const Derivative derivative(lattice);
  const SpinorField<double> in(lattice, "in"), out(lattice, "out");
  std::vector<double> error;
  const auto p_of = [&](int k) { return 2 * pi * k / lattice.extent()[0]; };
  for (int k = 1; k <= 4; ++k) {
    const GlobalArray wave = plane_wave(lattice.extent(), momenta({k, 0, 0, 0}, lattice.extent()), 1);
    GlobalArray psi(lattice.extent(), 12);
    for (std::int64_t i = 0; i < lattice.volume(); ++i) psi.data[std::size_t(12 * i)] = wave.data[std::size_t(i)];
    load(in, psi);
    derivative.apply(in, out);
    error.push_back(max_difference(out, times(psi, {0, p_of(k)})) / reference::max_abs(psi));
  }
  // p - p^5 / 30 + p^7 / 252 - ...
  for (int k = 1; k <= 4; ++k) {
    const double p = p_of(k);
    EXPECT_NEAR(error[std::size_t(k - 1)] / (std::pow(p, 5) / 30), 1 - 30.0 / 252 * p * p, 0.01 * p * p);
    if (k == 1) continue;
    const double slope = std::log(error[std::size_t(k - 1)] / error[std::size_t(k - 2)]) / std::log(p / p_of(k - 1));
    EXPECT_GT(slope, 4.8);
    EXPECT_LT(slope, 5.0);
  }
}

/// out(x) = sum over eight legs of in(x + leg) - 8 in(x).
template <class T>
struct FreeLaplacianKernel {
  Stencil::View stencil;
  NeighbourView<ColorVector, T> in;
  FieldView<ColorVector, T> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int c) const {
    const auto near = stencil.at(x);
    auto sum = T(-8) * in(x, c);
    for (int leg = 0; leg < 8; ++leg) sum += in(x, near(leg), c);
    out.set(x, sum, c);
  }
};

template <class T>
void check_free_laplacian(const Lattice& lattice) {
  const Field<ColorVector, T> in(lattice, "in", 2), out(lattice, "out", 2);
  const Stencil& stencil = Stencil::of(lattice);
  for (const Coord& n : {Coord{0, 0, 0, 0}, Coord{1, 0, 0, 0}, Coord{1, -1, 2, 1}, Coord{0, 2, 1, 3}}) {
    const Momenta p = momenta(n, lattice.extent());
    double eigenvalue = 0;
    for (const double q : p) eigenvalue -= 4 * std::sin(q / 2) * std::sin(q / 2);
    const GlobalArray wave = plane_wave(lattice.extent(), p, 6);
    load(in, wave);
    run_stencil("free_laplacian", stencil, Halo<ColorVector, T>(lattice, stencil, 2), in, out,
                [&](const auto& neighbours) {
                  return FreeLaplacianKernel<T>{stencil.view(), neighbours, out.view()};
                });
    EXPECT_LT(max_difference(out, times(wave, eigenvalue)), 200 * std::numeric_limits<T>::epsilon());
  }
}

TEST_P(UserStencils, FreeLaplacianHasPlaneWavesAsEigenvectors) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_free_laplacian<double>(lattice);
  check_free_laplacian<float>(lattice);
}

// A three-link hop as in Naik's action: out(x) = sum over mu of W_mu(x) psi(x + 3 mu) - W_mu(x - 3 mu)^+ psi(x - 3 mu)
// with W_mu(x) = U_mu(x) U_mu(x + mu) U_mu(x + 2 mu).

template <class T>
struct ThreeLinksKernel {
  Stencil::View stencil;  // +mu, then +2 mu
  NeighbourView<ColorMatrix, T> u;
  FieldView<ColorMatrix, T> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int mu) const {
    const auto near = stencil.at(x);
    out.set(x, u(x, mu) * (u(x, near(mu), mu) * u(x, near(4 + mu), mu)), mu);
  }
};

template <class T>
CovariantDifference<T> naik_hop(const GaugeField<T>& u) {
  const Lattice& lattice = u.lattice();
  std::vector<Coord> ahead, three;
  for (int length = 1; length <= 2; ++length)
    for (int mu = 0; mu < 4; ++mu) ahead.push_back(shifted({}, mu, length));
  for (int mu = 0; mu < 4; ++mu) three.push_back(shifted({}, mu, 3));
  const GaugeField<T> w(lattice, "three links", 4);
  const Stencil& links = Stencil::of(lattice, ahead);
  run_stencil("three_links", links, Halo<ColorMatrix, T>(lattice, links, 4), u, w, [&](const auto& neighbours) {
    return ThreeLinksKernel<T>{links.view(), neighbours, w.view()};
  });
  return CovariantDifference<T>(GaugeLinks<T>(three, w));
}

reference::Matrix3 three_links(const GlobalArray& u, const Coord& x, int mu) {
  using reference::matrix, reference::product;
  return product(product(matrix(u, x, mu), matrix(u, shifted(x, mu, 1), mu)), matrix(u, shifted(x, mu, 2), mu));
}

GlobalArray naive_naik(const GlobalArray& u, const GlobalArray& psi) {
  GlobalArray out(psi.extent, psi.n);
  for_each_coordinate(psi.extent, [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu) {
      const Coord before = shifted(x, mu, -3), after = shifted(x, mu, 3);
      const auto forward = three_links(u, x, mu), backward = reference::dagger(three_links(u, before, mu));
      for (int i = 0; i < psi.n; i += 3)
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            out.at(x)[i + a] += forward[std::size_t(3 * a + b)] * psi.at(after)[i + b] -
                                backward[std::size_t(3 * a + b)] * psi.at(before)[i + b];
    }
  });
  return out;
}

template <class T>
void check_naik(const Lattice& lattice) {
  const Coord& extent = lattice.extent();
  const GlobalArray u = reference::random_su3(extent, 4, 1), psi = reference::random_array(extent, 6, 2),
                    g = reference::random_su3(extent, 1, 3);
  const Field<ColorVector, T> in(lattice, "in", 2), out(lattice, "out", 2);
  load(in, psi);
  const CovariantDifference<T> naik = naik_hop<T>(reference::gauge_field<T>(lattice, u));
  naik.apply(in, out);
  const GlobalArray expected = naive_naik(u, psi);
  const double bound = 40 * std::numeric_limits<T>::epsilon() * reference::max_abs(expected);
  EXPECT_LT(max_difference(out, expected), bound);

  const GlobalArray before = gather(out);
  const Field<ColorVector, T, ColumnLanes<4>> columns(lattice, "columns", 2), result = columns.like("result");
  convert(in, columns);
  naik.apply(columns, result);
  convert(result, out);
  EXPECT_LT(max_difference(out, expected), bound);
  load(in, transform_quarks(g, psi));
  naik_hop<T>(reference::gauge_field<T>(lattice, transform_links(g, u))).apply(in, out);
  EXPECT_LT(max_difference(out, transform_quarks(g, before)), 2 * bound);
}

TEST_P(UserStencils, ThreeLinkHopAgreesWithTheNaiveOneAndIsCovariant) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (int mu = 0; mu < 4; ++mu)
    if (!reaches(lattice, mu, 3)) GTEST_SKIP() << "does not apply: ranks too narrow";
  check_naik<double>(lattice);
  check_naik<float>(lattice);
}

INSTANTIATE_TEST_SUITE_P(Lattices, UserStencils, ::testing::ValuesIn(test::small_lattice_cases(5000)), test::case_name);

}  // namespace
}  // namespace kov
