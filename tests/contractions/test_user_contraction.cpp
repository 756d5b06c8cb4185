// SPDX-License-Identifier: MIT
//
// Contractions as a user writes them, against those of the library and naive ones.
#include "docs_contractions_example.hpp"  // out of docs/contractions.md
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "tests/contractions/propagator_support.hpp"

namespace kov {
namespace {

using reference::GlobalArray;
using reference::Number;
using test::expect_near;

struct UserContraction : testing::Test {
  static constexpr Coord extent{4, 2, 4, 8}, origin{1, 0, 3, 2};
  UserContraction() : lattice(Comm::world(), extent), numbers(reference::random_array(extent, 144, 31)) {
    S.emplace(test::make_propagator<double>(lattice, numbers, origin));
    S->labels.others = {{"kappa", 0.15}};
  }
  std::vector<double> scale(int k) const { return reference::scale(numbers, k, numbers, 0, origin); }

  Lattice lattice;
  GlobalArray numbers;
  std::optional<Propagator<double>> S;
};

TEST_F(UserContraction, MesonEqualsThatOfTheLibrary) {
  const Momentum p{1, 0, -1};
  const Correlator mine = axial_pion(*S, p);
  // g4 g5 = -g1 g2 g3, which is Gamma(7).
  const Correlator ours = mesons(*S, *S, {MesonChannel{7, 15}}, {p}).front();
  std::vector<Number> expected;
  for (const Number& z : ours.value) expected.push_back(-z);
  expect_near<double>(mine.value, expected, scale(2), 8, "axial-pion");
  EXPECT_EQ(mine.labels, ours.labels);
  EXPECT_EQ(mine.source, ours.source);
  EXPECT_EQ(mine.momentum, ours.momentum);
}

TEST_F(UserContraction, ProtonEqualsThatOfTheLibrary) {
  S->labels.boundary = BoundaryAngles::periodic();
  const Momentum p{0, 1, 0};
  const Correlator mine = proton(*S, p), ours = baryons(*S, *S, {nucleon()}, {p}).front();
  expect_near<double>(mine.value, ours.value, scale(3), 32, "proton");
}

TEST_F(UserContraction, NormsOfSpinsEqualNaiveSums) {
  const std::vector<Momentum> momenta{{0, 0, 0}, {1, 0, 0}, {-1, 0, 2}};
  const auto list = norm_of_spins(*S, momenta);
  ASSERT_EQ(list.size(), 4 * momenta.size());
  std::size_t i = 0;
  for (const Momentum& p : momenta)
    for (int spin = 0; spin < 4; ++spin, ++i) {
      const auto expected = reference::fourier(extent, p, origin, [&](const Coord& x) {
        double sum = 0;
        for (int column = 0; column < 12; ++column)
          for (int a = 0; a < 3; ++a) sum += std::norm(numbers.at(x)[12 * column + 3 * spin + a]);
        return sum;
      });
      EXPECT_EQ(list[i].momentum, p);
      expect_near<double>(list[i].value, expected, scale(2), 8, list[i].channel);
    }
}

}  // namespace
}  // namespace kov
