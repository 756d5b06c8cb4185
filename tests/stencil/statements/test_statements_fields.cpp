// SPDX-License-Identifier: MIT
//
// What a field is as a value: aliases and copies, empty fields, fields made of expressions, scalings; and the factors
// that are no fields: sums of gamma matrices, phases.
#include "kov/core/field/convert.hpp"
#include "kov/core/field/noise.hpp"
#include "tests/support/statements.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <numbers>

namespace kov {
namespace {

using namespace test::statements;

using Psi = SpinorField<double>;

// The same types for copies in containers, lambdas and structs; cheap to hand on.
static_assert(std::is_copy_constructible_v<Psi> && std::is_move_constructible_v<Psi> && std::is_move_assignable_v<Psi>);
static_assert(std::is_constructible_v<Psi, const Psi&> && std::is_convertible_v<const Psi, Psi>);

class FieldValues : public test::OnLattices {};

TEST_P(FieldValues, AClonedFieldIsIndependentAndAnAliasIsNot) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto b = random_field<Spinor, double>(lattice, 2, 1);
  const GlobalArray before = gather(b);
  const Psi r = b.clone("r");
  r -= 0.5 * b;
  EXPECT_EQ(max_difference(b, before), 0);
  EXPECT_NEAR(norm2(r), norm2(b) / 4, 1e-13 * norm2(b));
  Psi same = b.alias();
  EXPECT_EQ(same.data(), b.data());
  same -= 0.5 * b;
  EXPECT_EQ(max_difference(r, gather(b)), 0);
  same = r.even();
  EXPECT_EQ(same.data(), r.even().data());
}

TEST_P(FieldValues, AFieldOfAnExpressionHasItsShape) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto three = random_field<Spinor, double>(lattice, 3, 2), one = random_field<Spinor, double>(lattice, 1, 3);
  const Psi y = 2.0 * three - shift(one, t, +1), expected = three.like("expected");
  expected = 2.0 * three - shift(one, t, +1);
  EXPECT_TRUE(y.conforms(three));
  EXPECT_EQ(max_difference(y, gather(expected)), 0);
  const Psi odd = shift(three.even(), x, +1);
  EXPECT_EQ(odd.subset(), Subset::odd);
  const Field<Scalar, double> named(dot(one, one), "density");
  EXPECT_EQ(named.name(), "density");
  EXPECT_NEAR(sum(real(named)), norm2(one), 1e-13 * norm2(one));
  const Field<Scalar, double> wave = phase(lattice, {1, 0, 0});
  EXPECT_EQ(wave.n_components(), 1);
}

TEST_P(FieldValues, ScalingInPlaceIsMultiplication) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto b = random_field<Spinor, float>(lattice, 2, 4);
  const auto x = b.clone("x"), expected = b.like("expected");
  x *= 2;
  expected = b + b;
  EXPECT_EQ(max_difference(x, gather(expected)), 0);
  x /= 2.0;
  EXPECT_EQ(max_difference(x, gather(b)), 0);
  x *= std::complex<double>(0, 1);
  expected = std::complex<double>(0, 1) * b;
  EXPECT_EQ(max_difference(x, gather(expected)), 0);
  x.even() *= 0.0;
  EXPECT_EQ(norm2(x.even()), 0);
  EXPECT_GT(norm2(x.odd()), 0);
}

template <class T>
void check_spin_sums(const Lattice& lattice) {
  const auto psi = random_field<Spinor, T>(lattice, 2, 5);
  const auto chi = psi.like("chi"), expected = psi.like("expected");
  const std::complex<double> w(0.25, -1);
  const double tolerance = 8 * double(std::numeric_limits<T>::epsilon());
  for (int n = 1; n < 16; ++n) {
    const Gamma g = Gamma::number(n);
    chi = (1 - g) * psi;
    expected = psi - g * psi;
    EXPECT_LE(max_difference(chi, gather(expected)), tolerance) << n;
    chi = (2 + w * g - Gamma::five() / 2) * psi;
    expected = 2.0 * psi + w * (g * psi) - 0.5 * (Gamma::five() * psi);
    EXPECT_LE(max_difference(chi, gather(expected)), 4 * tolerance) << n;
    chi = -g * psi + shift(g * psi, x, +1) - (g + g) * shift(psi, x, +1) / 2;
    expected = -(g * psi);
    EXPECT_LE(max_difference(chi, gather(expected)), tolerance) << n;
  }
  // Projectors: P P = P, P Q = 0.
  const Gamma g4 = Gamma::direction(3);
  const SpinMatrix<double> P = (1 + g4) / 2, Q = (1 - g4) / 2;
  EXPECT_TRUE(P * P == P);
  EXPECT_TRUE(P + Q == spin_matrix(1));
  chi = P * psi;
  expected = Q * chi;
  EXPECT_EQ(norm2(expected), 0);
}

TEST_P(FieldValues, SumsOfGammasAndNumbersAreSpinMatrices) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_spin_sums<double>(lattice);
  check_spin_sums<float>(lattice);
}

template <class T>
void check_phases(const Lattice& lattice) {
  const auto psi = random_field<Spinor, T>(lattice, 2, 6);
  const Momentum p{1, -2, 3};
  const Coord origin{1, 0, 2, 3};
  const auto out = psi.like("out"), expected = psi.like("expected");
  out = phase<T>(lattice, p, origin) * psi;
  GlobalArray waves = gather(psi);
  for_each_coordinate(waves.extent, [&](const Coord& at) {
    double angle = 0;
    for (std::size_t mu = 0; mu < 3; ++mu)
      angle += 2 * std::numbers::pi * p[mu] * (at[mu] - origin[mu]) / lattice.extent()[mu];
    for (int i = 0; i < waves.n; ++i) waves.at(at)[i] *= std::polar(1.0, angle);
  });
  // The naive version takes cosines of angles up to 40, which lose some digits.
  EXPECT_LE(max_difference(out, waves), 100 * double(std::numeric_limits<T>::epsilon()));
  // A shift of the product shifts the phase too, across the boundary as well.
  const auto product = out.clone("product"), moved = psi.like("moved");
  for (int mu = 0; mu < 4; ++mu) {
    moved = shift(phase<T>(lattice, p, origin) * psi, mu, -1);
    expected = shift(product, mu, -1);
    EXPECT_LE(max_difference(moved, gather(expected)), 4 * double(std::numeric_limits<T>::epsilon())) << mu;
  }
  const auto even = psi.even().like("even");
  even = phase<T>(lattice, p, origin) * psi;
  EXPECT_EQ(norm2(even - product), 0);
}

TEST_P(FieldValues, PhasesAreThoseOfThePlaneWaveAndShiftWithTheirFields) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_phases<double>(lattice);
  check_phases<float>(lattice);
  EXPECT_NEAR(std::abs(sum(phase(lattice, {0, 1, 0}))), 0, 1e-12 * double(lattice.volume()));
  EXPECT_EQ(sum(phase(lattice, {0, 0, 0})), std::complex<double>(double(lattice.volume())));
}

INSTANTIATE_TEST_SUITE_P(All, FieldValues, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

TEST(FieldValueErrors, AnEmptyFieldIsRefusedByEveryOperation) {
  const Lattice lattice(Comm::self(), {4, 4, 4, 8});
  const Psi b(lattice, "b");
  const SpinorField<float> low(lattice, "low");
  const Psi z;
  const auto refuses = [](const auto& operation, const char* what) {
    try {
      operation();
      ADD_FAILURE() << what << " took an empty field";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("empty field"), std::string::npos) << what << ": " << e.what();
    }
  };
  refuses([&] { z = b + b; }, "an assignment to it");
  refuses([&] { b = b + z; }, "an assignment of it");
  refuses([&] { z += b; }, "+=");
  refuses([&] { z *= 2.0; }, "*=");
  refuses([&] { b = shift(z, 0, 1); }, "a shift");
  refuses([&] { sum(dot(z, z)); }, "a sum");
  refuses([&] { slice_sum(dot(z, b), t); }, "a slice sum");
  refuses([&] { zero(z); }, "zero");
  refuses([&] { copy(b, z); }, "a copy to it");
  refuses([&] { copy(z, b); }, "a copy of it");
  refuses([&] { axpy(2.0, z, b); }, "axpy");
  refuses([&] { scale(2.0, z); }, "scale");
  refuses([&] { norm2(z); }, "norm2");
  refuses([&] { inner_product(b, z); }, "an inner product");
  refuses([&] { convert(z, low); }, "convert");
  refuses([&] { z.clone("copy"); }, "clone");
  refuses([&] { z.like("other"); }, "like");
  refuses([&] { z.column(0); }, "column");
  refuses([&] { z.even(); }, "even");
  refuses([&] { z.view(); }, "view");
  refuses([&] { fill_noise(z, {}); }, "noise");
  refuses([&] { export_sites(z); }, "an export");
  refuses([&] { import_sites({}, z); }, "an import");
  refuses([&] { peek(z, {0, 0, 0, 0}); }, "peek");
  refuses([&] { poke(z, {0, 0, 0, 0}, Spinor<double>{}); }, "poke");
  refuses([&] { HostField host(z); }, "a host copy");
  Psi moved = b.clone("moved");
  const Psi to = std::move(moved);
  refuses([&] { moved = to + to; }, "an assignment to one that was moved from");  // NOLINT: what is tested
}

TEST(FieldValueErrors, PhasesOfAnotherLatticeAreRefused) {
  const Lattice lattice(Comm::self(), {4, 4, 4, 8}), other(Comm::self(), {4, 4, 4, 8});
  const Psi b(lattice, "b");
  EXPECT_THROW(b = phase(other, {1, 0, 0}) * b, InputError);
  EXPECT_THROW(sum(phase(other, {1, 0, 0}) * dot(b, b)), InputError);
}

}  // namespace
}  // namespace kov
