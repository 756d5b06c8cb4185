// SPDX-License-Identifier: MIT
//
// The adjoint Laplacian against 8 x 8 matrices made of Gell-Mann matrices, and against the fundamental one through
// 3 x 3bar = 1 + 8.
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/operators/adjoint_laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::dagger;
using reference::for_each_coordinate;
using reference::gather;
using reference::GlobalArray;
using reference::Matrix3;
using reference::Number;
using reference::product;
using reference::trace;

/// lambda_1 ... lambda_8 over 2, written out.
std::array<Matrix3, 8> generators() {
  const Number i(0, 1);
  const double r = 1 / std::sqrt(3.0);
  std::array<Matrix3, 8> t{Matrix3{0, 1, 0, 1, 0, 0, 0, 0, 0}, {0, -i, 0, i, 0, 0, 0, 0, 0},
                           {1, 0, 0, 0, -1, 0, 0, 0, 0},       {0, 0, 1, 0, 0, 0, 1, 0, 0},
                           {0, 0, -i, 0, 0, 0, i, 0, 0},       {0, 0, 0, 0, 0, 1, 0, 1, 0},
                           {0, 0, 0, 0, 0, -i, 0, i, 0},       {r, 0, 0, 0, r, 0, 0, 0, -2 * r}};
  for (Matrix3& m : t)
    for (Number& z : m) z *= 0.5;
  return t;
}

/// U^{ab} = 2 tr(T_a U T_b U^+).
std::array<std::array<double, 8>, 8> adjoint_matrix(const Matrix3& u) {
  static const std::array<Matrix3, 8> t = generators();
  std::array<std::array<double, 8>, 8> m;
  for (std::size_t b = 0; b < 8; ++b) {
    const Matrix3 turned = product(product(u, t[b]), dagger(u));
    for (std::size_t a = 0; a < 8; ++a) m[a][b] = 2 * trace(product(t[a], turned)).real();
  }
  return m;
}

GlobalArray adjoint_laplacian(const GlobalArray& u, const GlobalArray& phi, int n_dimensions) {
  GlobalArray out(phi.extent, phi.n);
  for_each_coordinate(phi.extent, [&](const Coord& x) {
    for (int mu = 0; mu < n_dimensions; ++mu) {
      const Coord up = reference::shifted(x, mu, 1), down = reference::shifted(x, mu, -1);
      const auto forward = adjoint_matrix(matrix(u, x, mu)), backward = adjoint_matrix(matrix(u, down, mu));
      for (int c = 0; c < phi.n; c += 8)
        for (std::size_t a = 0; a < 8; ++a) {
          Number& sum = out.at(x)[c + int(a)];
          sum -= 2.0 * phi.at(x)[c + int(a)];
          for (std::size_t b = 0; b < 8; ++b)
            sum += forward[a][b] * phi.at(up)[c + int(b)] + backward[b][a] * phi.at(down)[c + int(b)];
        }
    }
  });
  return out;
}

TEST(AdjointVector, BecomesItsMatrixAndBack) {
  const auto t = generators();
  for (int a = 0; a < 8; ++a) {
    AdjointVector<double> unit = zero<AdjointVector<double>>();
    unit(a) = {1, 0};
    const ColorMatrix<double> m = to_color_matrix(unit);
    for (int k = 0; k < 9; ++k)
      EXPECT_LT(std::abs(Number(m.z[k].re, m.z[k].im) - t[std::size_t(a)][std::size_t(k)]), 1e-15);
    unit(a) = {0.3, -2};
    const AdjointVector<double> back = to_adjoint(to_color_matrix(unit));
    EXPECT_LT(norm2(back - unit), 1e-30);
  }
}

class AdjointLaplacians : public test::OnLattices {};

template <class T>
void check(const Lattice& lattice, Dimensions dimensions, int n_components) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1),
                    phi = reference::random_array(lattice.extent(), 8 * n_components, 2);
  const GlobalArray expected = adjoint_laplacian(u, phi, int(dimensions));
  const Field<AdjointVector, T> in(lattice, "in", n_components), out = in.like("out");
  load(in, phi);
  AdjointLaplacian<T>(test::links<T>(lattice, u, {}), dimensions).apply(in, out);
  const double tolerance = 80 * std::numeric_limits<T>::epsilon() * reference::max_abs(expected);
  EXPECT_LT(max_difference(out, expected), tolerance);
  AdjointLaplacian<T>(test::links<T>(lattice, u, {{0.3, -1.1, 2, 3}}), dimensions).apply(in, out);
  EXPECT_LT(max_difference(out, expected), tolerance) << "boundary phases cancel";
}

TEST_P(AdjointLaplacians, EqualTheSumOverEightByEightMatrices) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    check<double>(lattice, d, 1);
    check<float>(lattice, d, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, AdjointLaplacians, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

/// 2 q^a T_b conj(r): the octet in quark times antiquark.
GlobalArray octet(const GlobalArray& q, const GlobalArray& r) {
  const auto t = generators();
  GlobalArray phi(q.extent, 8);
  for_each_coordinate(q.extent, [&](const Coord& x) {
    for (int a = 0; a < 8; ++a)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          phi.at(x)[a] += 2.0 * std::conj(r.at(x)[i]) * t[std::size_t(a)][std::size_t(3 * i + j)] * q.at(x)[j];
  });
  return phi;
}

TEST(AdjointLaplacian, IsTheFundamentalOneOnQuarkTimesAntiquark) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto U = test::links<double>(lattice, reference::random_su3(lattice.extent(), 4, 1), {});
  const Field<ColorVector, double> q(lattice, "quark"), r(lattice, "antiquark"), shifted_q(lattice, "q"),
      shifted_r(lattice, "r");
  const Field<AdjointVector, double> in(lattice, "in"), out(lattice, "out");
  load(q, reference::random_array(lattice.extent(), 3, 2));
  load(r, reference::random_array(lattice.extent(), 3, 3));
  // Both factors are carried from the neighbour by the fundamental covariant shift, leg by leg.
  const GlobalArray here = octet(gather(q), gather(r));
  GlobalArray expected = here;
  for (Number& z : expected.data) z *= -8.0;
  for (int mu = 0; mu < 4; ++mu)
    for (const int step : {1, -1}) {
      covariant_shift(U, q, mu, step, shifted_q);
      covariant_shift(U, r, mu, step, shifted_r);
      const GlobalArray leg = octet(gather(shifted_q), gather(shifted_r));
      for (std::size_t i = 0; i < leg.data.size(); ++i) expected.data[i] += leg.data[i];
    }
  load(in, here);
  AdjointLaplacian<double>(U).apply(in, out);
  EXPECT_LT(max_difference(out, expected), 80 * std::numeric_limits<double>::epsilon() * reference::max_abs(expected));
}

TEST(AdjointLaplacian, CommutesWithGaugeTransformations) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1), g = reference::random_su3(u.extent, 1, 2),
                    phi = reference::random_array(u.extent, 8, 3);
  const auto turn = [&](const GlobalArray& a) {
    GlobalArray b(a.extent, 8);
    for_each_coordinate(a.extent, [&](const Coord& x) {
      const auto m = adjoint_matrix(matrix(g, x, 0));
      for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 8; ++j) b.at(x)[i] += m[i][j] * a.at(x)[j];
    });
    return b;
  };
  const Field<AdjointVector, double> in(lattice, "in"), out(lattice, "out");
  load(in, phi);
  AdjointLaplacian<double>(test::links<double>(lattice, u, {})).apply(in, out);
  const GlobalArray expected = turn(gather(out));
  load(in, turn(phi));
  AdjointLaplacian<double>(test::links<double>(lattice, transform_links(g, u), {})).apply(in, out);
  EXPECT_LT(max_difference(out, expected), 200 * std::numeric_limits<double>::epsilon() * reference::max_abs(expected));
}

TEST(AdjointLaplacian, KeepsRealOctetsRealAndIsHermitian) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const AdjointLaplacian<double> laplacian(
      test::links<double>(lattice, reference::random_su3(lattice.extent(), 4, 1), {}));
  GlobalArray real = reference::random_array(lattice.extent(), 8, 3);
  for (Number& z : real.data) z = z.real();
  const Field<AdjointVector, double> phi(lattice, "phi"), psi(lattice, "psi"), d_phi(lattice, "D phi"),
      d_psi(lattice, "D psi");
  load(phi, real);
  load(psi, reference::random_array(lattice.extent(), 8, 4));
  laplacian.apply(phi, d_phi);
  laplacian.apply(psi, d_psi);
  double imaginary = 0;
  for (const Number& z : gather(d_phi).data) imaginary = std::max(imaginary, std::abs(z.imag()));
  EXPECT_LT(imaginary, 100 * std::numeric_limits<double>::epsilon() * reference::max_abs(real));
  const double tolerance = 1000 * std::numeric_limits<double>::epsilon() * std::sqrt(norm2(phi) * norm2(d_psi));
  EXPECT_LT(std::abs(inner_product(phi, d_psi) - inner_product(d_phi, psi)), tolerance);
  EXPECT_LT(inner_product(phi, d_phi).real(), 0) << "-Laplacian is positive";
}

TEST(AdjointLaplacian, RefusesFieldsOfDifferentShape) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const AdjointLaplacian<double> laplacian(test::links<double>(lattice, reference::unit_gauge(lattice.extent()), {}));
  const Field<AdjointVector, double> in(lattice, "in"), wide(lattice, "wide", 2), even(lattice, "e", 1, Subset::even),
      other(lattice, "o", 1, Subset::even), elsewhere(Lattice(Comm::world(), {4, 4, 4, 4}), "elsewhere");
  EXPECT_THROW(laplacian.apply(in, wide), InputError);
  EXPECT_THROW(laplacian.apply(in, in), InputError);
  EXPECT_THROW(laplacian.apply(even, other), InputError);
  EXPECT_THROW(laplacian.apply(elsewhere, elsewhere.like("out")), InputError);
}

}  // namespace
}  // namespace kov
