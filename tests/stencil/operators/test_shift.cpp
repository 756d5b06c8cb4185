// SPDX-License-Identifier: MIT
//
// Shifts and derivatives by one site, against their definitions and against what they must compose to.
#include "kov/core/launch/streaming.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace kov {
namespace {

using reference::for_each_coordinate;
using reference::gather;
using reference::GlobalArray;
using reference::Number;

/// U_mu(x) psi(x + mu) or U_mu(x - mu)^+ psi(x - mu).
GlobalArray covariant(const GlobalArray& u, const GlobalArray& psi, int mu, int step) {
  GlobalArray out(psi.extent, psi.n);
  for_each_coordinate(psi.extent, [&](const Coord& x) {
    const Coord y = reference::shifted(x, mu, step);
    for (int s = 0; s < psi.n / 3; ++s)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          out.at(x)[3 * s + a] += (step > 0 ? reference::link(u, test::kAngles, x, mu, a, b)
                                            : std::conj(reference::link(u, test::kAngles, y, mu, b, a))) *
                                  psi.at(y)[3 * s + b];
  });
  return out;
}

class Shifts : public test::OnLattices {};

/// A shift only moves numbers, so every bit must agree.
template <template <class> class SiteT, class T, class Lanes = SiteLanes>
void check_plain(const Lattice& lattice, int n_components) {
  const Field<SiteT, T, Lanes> in(lattice, "in", n_components), out = in.like("out");
  load(in, reference::random_array(lattice.extent(), SiteT<T>::n_complex * n_components, 1));
  const GlobalArray psi = gather(in);
  for (int mu = 0; mu < 4; ++mu)
    for (const int step : {1, -1}) {
      GlobalArray expected(psi.extent, psi.n);
      for_each_coordinate(psi.extent, [&](const Coord& x) {
        std::copy_n(psi.at(reference::shifted(x, mu, step)), psi.n, expected.at(x));
      });
      shift(in, mu, step, out);
      EXPECT_EQ(max_difference(out, expected), 0) << mu << " " << step;
    }
}

TEST_P(Shifts, BringTheNeighbour) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_plain<Scalar, double>(lattice, 2);
  check_plain<ColorVector, float>(lattice, 1);
  check_plain<AdjointVector, double>(lattice, 1);
  check_plain<ColorMatrix, double>(lattice, 4);
  check_plain<Spinor, float>(lattice, 2);
  check_plain<AdjointVector, float, ColumnLanes<4>>(lattice, 6);
  check_plain<ColorVector, double, ColumnLanes<8>>(lattice, 3);
  check_plain<Spinor, float, ColumnLanes<16>>(lattice, 18);
}

template <template <class> class SiteT, class T, class Lanes = SiteLanes>
void check_covariant(const Lattice& lattice, int n_components) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1),
                    psi = reference::random_array(lattice.extent(), SiteT<T>::n_complex * n_components, 2);
  const auto U = test::links<T>(lattice, u).with({.columns = Lanes::holds_columns});
  const Field<SiteT, T, Lanes> in(lattice, "in", n_components), out = in.like("out");
  load(in, psi);
  const double tolerance = 20 * std::numeric_limits<T>::epsilon() * reference::max_abs(psi);
  for (int mu = 0; mu < 4; ++mu) {
    const GlobalArray up = covariant(u, psi, mu, 1), down = covariant(u, psi, mu, -1);
    covariant_shift(U, in, mu, 1, out);
    EXPECT_LT(max_difference(out, up), tolerance) << mu;
    covariant_shift(U, in, mu, -1, out);
    EXPECT_LT(max_difference(out, down), tolerance) << mu;
    GlobalArray derivative = up;
    for (std::size_t i = 0; i < up.data.size(); ++i) derivative.data[i] = 0.5 * (up.data[i] - down.data[i]);
    covariant_derivative(U, in, mu, out);
    EXPECT_LT(max_difference(out, derivative), tolerance) << mu;
  }
}

TEST_P(Shifts, CovariantOnesEqualTheirDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_covariant<ColorVector, double>(lattice, 2);
  check_covariant<ColorVector, float>(lattice, 1);
  check_covariant<Spinor, double>(lattice, 1);
  check_covariant<Spinor, float>(lattice, 3);
  check_covariant<ColorVector, float, ColumnLanes<8>>(lattice, 3);
  check_covariant<Spinor, double, ColumnLanes<4>>(lattice, 6);
  check_covariant<Spinor, float, ColumnLanes<16>>(lattice, 2);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Shifts, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

/// So many components that fields exceed the caches have the bits of each alone, which is in cache.
template <template <class> class SiteT, class T, class Lanes = SiteLanes>
void check_out_of_cache(const Lattice& lattice, int n_components) {
  constexpr int n = SiteT<T>::n_complex;
  const GlobalArray psi = reference::random_array(lattice.extent(), n * n_components, 2);
  const auto U =
      test::links<T>(lattice, reference::random_su3(lattice.extent(), 4, 1)).with({.columns = Lanes::holds_columns});
  const Field<SiteT, T, Lanes> in(lattice, "in", n_components), out = in.like("out");
  ASSERT_TRUE(worth_streaming(in.bytes() + out.bytes()));
  load(in, psi);
  const Field<SiteT, T> one(lattice, "one"), of_one = one.like("of one");
  ASSERT_FALSE(worth_streaming(one.bytes() + of_one.bytes() + std::size_t(lattice.geometry().local_volume()) * 288));
  const auto check = [&](const auto& apply, const std::string& what) {
    apply(in, out);
    const GlobalArray all = gather(out);
    for (int k = 0; k < n_components; k += 5) {
      GlobalArray of_k(psi.extent, n);
      for_each_coordinate(psi.extent,
                          [&](const Coord& x) { std::copy_n(psi.at(x) + n * k, std::size_t(n), of_k.at(x)); });
      load(one, of_k);
      apply(one, of_one);
      const GlobalArray expected = gather(of_one);
      for_each_coordinate(psi.extent,
                          [&](const Coord& x) { std::copy_n(all.at(x) + n * k, std::size_t(n), of_k.at(x)); });
      EXPECT_EQ(of_k.data, expected.data) << what << ", component " << k;
    }
  };
  for (const int mu : {0, 3}) {
    const std::string along = " along " + std::to_string(mu);
    check([&](const auto& a, const auto& b) { covariant_shift(U, a, mu, 1, b); }, "ahead" + along);
    check([&](const auto& a, const auto& b) { covariant_shift(U, a, mu, -1, b); }, "behind" + along);
    check([&](const auto& a, const auto& b) { covariant_derivative(U, a, mu, b); }, "derivative" + along);
  }
}

TEST(CovariantShift, OutOfCacheHasTheBitsOfThoseInCache) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 8});
  const int more = (has_packs ? 1 : 4) * lattice.comm().size();
  check_out_of_cache<Spinor, double>(lattice, 11 * more);
  check_out_of_cache<Spinor, float>(lattice, 22 * more);
  check_out_of_cache<ColorVector, double>(lattice, 44 * more);
  check_out_of_cache<Spinor, double, ColumnLanes<8>>(lattice, 16 * more);
}

TEST(CovariantShift, ThereAndBackIsTheIdentity) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto U = test::links<double>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const GlobalArray psi = reference::random_array(lattice.extent(), 12, 2);
  const SpinorField<double> in(lattice, "in"), there(lattice, "there"), back(lattice, "back");
  load(in, psi);
  for (int mu = 0; mu < 4; ++mu)
    for (const int step : {1, -1}) {
      covariant_shift(U, in, mu, step, there);
      covariant_shift(U, there, mu, -step, back);
      EXPECT_LT(max_difference(back, psi), 40 * std::numeric_limits<double>::epsilon() * reference::max_abs(psi));
    }
}

TEST(CovariantShift, SumOverLegsIsTheLaplacian) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto U = test::links<double>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const SpinorField<double> in(lattice, "in"), leg(lattice, "leg"), sum(lattice, "sum"), delta(lattice, "delta");
  load(in, reference::random_array(lattice.extent(), 12, 2));
  axpy(-8.0, in, sum);
  for (int mu = 0; mu < 4; ++mu)
    for (const int step : {1, -1}) {
      covariant_shift(U, in, mu, step, leg);
      axpy(1.0, leg, sum);
    }
  CovariantLaplacian<double>(U).apply(in, delta);
  const GlobalArray expected = gather(delta);
  EXPECT_LT(max_difference(sum, expected), 40 * std::numeric_limits<double>::epsilon() * reference::max_abs(expected));
}

TEST(CovariantDerivative, IsAntihermitian) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto U = test::links<double>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const SpinorField<double> phi(lattice, "phi"), psi(lattice, "psi"), d_phi(lattice, "D phi"), d_psi(lattice, "D psi");
  load(phi, reference::random_array(lattice.extent(), 12, 2));
  load(psi, reference::random_array(lattice.extent(), 12, 3));
  for (int mu = 0; mu < 4; ++mu) {
    covariant_derivative(U, phi, mu, d_phi);
    covariant_derivative(U, psi, mu, d_psi);
    EXPECT_LT(std::abs(inner_product(phi, d_psi) + inner_product(d_phi, psi)),
              1000 * std::numeric_limits<double>::epsilon() * std::sqrt(norm2(phi) * norm2(psi)));
  }
}

TEST(CovariantDerivative, OfAPlaneWaveIsITimesItsSine) {
  const Coord extent{4, 6, 4, 8};
  const Lattice lattice(Comm::world(), extent);
  const auto U = test::links<double>(lattice, reference::unit_gauge(extent), {});
  const Coord n{1, 2, 3, 5};
  GlobalArray wave(extent, 3);
  for_each_coordinate(extent, [&](const Coord& x) {
    double angle = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) angle += 2 * 3.14159265358979323846 * n[mu] * x[mu] / extent[mu];
    for (int a = 0; a < 3; ++a) wave.at(x)[a] = std::polar(1.0 + a, angle);
  });
  const Field<ColorVector, double> in(lattice, "in"), out(lattice, "out");
  load(in, wave);
  for (int mu = 0; mu < 4; ++mu) {
    GlobalArray expected = wave;
    const double sine = std::sin(2 * 3.14159265358979323846 * n[std::size_t(mu)] / extent[std::size_t(mu)]);
    for (Number& z : expected.data) z *= Number(0, sine);
    covariant_derivative(U, in, mu, out);
    EXPECT_LT(max_difference(out, expected), 200 * std::numeric_limits<double>::epsilon());
  }
}

TEST(Shift, RefusesDirectionsAndStepsThatDoNotExist) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4}), other(Comm::world(), {4, 4, 4, 4});
  const Field<ColorVector, double> in(lattice, "in"), out(lattice, "out"), wide(lattice, "wide", 2),
      even(lattice, "even", 1, Subset::even), odd(lattice, "odd", 1, Subset::odd);
  EXPECT_THROW(shift(in, 4, 1, out), InputError);
  EXPECT_THROW(shift(in, -1, 1, out), InputError);
  EXPECT_THROW(shift(in, 0, 2, out), InputError);
  EXPECT_THROW(shift(in, 0, 0, out), InputError);
  EXPECT_THROW(shift(in, 0, 1, wide), InputError);
  EXPECT_THROW(shift(in, 0, 1, in), InputError);
  EXPECT_THROW(shift(even, 0, 1, odd), InputError);
  const auto elsewhere = test::links<double>(other, reference::unit_gauge(other.extent()));
  EXPECT_THROW(covariant_shift(elsewhere, in, 0, 1, out), InputError);
  EXPECT_THROW(covariant_derivative(elsewhere, in, 0, out), InputError);
}

}  // namespace
}  // namespace kov
