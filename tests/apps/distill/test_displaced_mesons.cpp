// SPDX-License-Identifier: MIT
#include "apps/distill/displaced_mesons.hpp"
#include "apps/distill/two_mesons.hpp"
#include "kov/core/base/error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace kov::app {
namespace test_displaced_mesons {

const Coord cube{4, 4, 4, 8};

/// "0.71 gamma 1 [dx]", by gamma matrix and displacement.
std::map<std::pair<int, std::string>, double> coefficients(const std::vector<DisplacedTerm>& meson) {
  std::map<std::pair<int, std::string>, double> all;
  for (const DisplacedTerm& term : meson) all[{term.gamma, to_string(term.displacement)}] += term.coefficient;
  return all;
}

using Expected = std::map<std::pair<int, std::string>, double>;
void expect_terms(const std::vector<DisplacedTerm>& meson, const Expected& expected) {
  const auto found = coefficients(meson);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [what, coefficient] : expected) {
    ASSERT_EQ(found.count(what), 1u) << what.first << " " << what.second;
    EXPECT_NEAR(found.at(what), coefficient, 1e-15) << what.first << " " << what.second;
  }
}

std::vector<DisplacedTerm> projected(const std::string& meson, const Momentum& total, const std::string& irrep,
                                     std::size_t row = 2) {
  return projected_meson(meson_operator(meson), total, irrep, row, cube);
}

TEST(DisplacedMesons, AtRestAreVectorsAndScalars) {
  const double third = std::sqrt(1.0 / 3), sixth = std::sqrt(1.0 / 6), half = std::sqrt(0.5);
  for (int k = 0; k < 3; ++k) {
    const std::string axis(1, "xyz"[k]);
    const auto row = std::size_t(k);
    expect_terms(projected("a0[dx]", {0, 0, 0}, "T1", row), {{{0, "d" + axis}, 1}});
    expect_terms(projected("rho_x[dx dx]", {0, 0, 0}, "T1", row), {{{1 << k, "d" + axis + " d" + axis}, 1}});
    expect_terms(projected("rho_x[1]", {0, 0, 0}, "T1", row), {{{1 << k, "1"}, 1}});
    expect_terms(projected("a0[-y]", {0, 0, 0}, "T1", row), {{{0, "+" + axis}, -half}, {{0, "-" + axis}, half}});
  }
  expect_terms(projected("rho_y[dy]", {0, 0, 0}, "A1"), {{{1, "dx"}, third}, {{2, "dy"}, third}, {{4, "dz"}, third}});
  expect_terms(projected("a0[+x]", {0, 0, 0}, "A1"), {{{0, "+x"}, sixth},
                                                      {{0, "+y"}, sixth},
                                                      {{0, "+z"}, sixth},
                                                      {{0, "-x"}, sixth},
                                                      {{0, "-y"}, sixth},
                                                      {{0, "-z"}, sixth}});
  // The vector product of gamma and derivative is an axial vector, and gamma_5 a pseudoscalar.
  for (const char* irrep : {"A1", "T1"})
    for (const char* meson : {"rho_x[dy]", "pion[1]", "pion[dx]"})
      EXPECT_TRUE(projected(meson, {0, 0, 0}, irrep).empty()) << meson << " " << irrep;
}

/// Operators are named at the total momentum (1, 0, 0), and turned with it.
TEST(DisplacedMesons, ThatMoveAreTurnedWithTheTotalMomentum) {
  const double half = std::sqrt(0.5);
  expect_terms(projected("a0[dx]", {0, 0, -1}, "A1"), {{{0, "dz"}, -1}});
  expect_terms(projected("rho_x[dx]", {0, 1, 0}, "A1"), {{{2, "dy"}, 1}});
  expect_terms(projected("rho_y[dy]", {0, 0, 1}, "A1"), {{{1, "dx"}, half}, {{2, "dy"}, half}});
  expect_terms(projected("rho_y[+x +y]", {1, 0, 0}, "A1"),
               {{{2, "+x +y"}, 0.5}, {{2, "+x -y"}, -0.5}, {{4, "+x +z"}, 0.5}, {{4, "+x -z"}, -0.5}});
  EXPECT_TRUE(projected("a0[dy]", {0, 0, 1}, "A1").empty());
}

/// The little group turns what is projected into itself; g5 and the order of gamma matrices give signs.
TEST(DisplacedMesons, AreInvariantUnderTheLittleGroup) {
  for (const Momentum& total : {Momentum{0, 0, 1}, Momentum{0, -1, 1}, Momentum{1, 1, 1}, Momentum{0, 0, 0}}) {
    const Momentum turned_total{total[1], total[0], -total[2]};
    for (const char* meson : {"rho_x[dx]", "a0[+x +y]", "a1_x[dy dz]", "b1_x[dy dz +x]"}) {
      // Exchanges x and y and reverses z: the projection at the turned momentum, turned by hand.
      const AxisPermutation g{{1, 0, 2}, {1, 1, -1}};
      ASSERT_EQ(g(total), turned_total);
      Expected turned;
      for (const DisplacedTerm& term : projected(meson, total, "A1")) {
        double sign = term.gamma & 4 ? -1 : 1;
        if ((term.gamma & 3) == 3) sign = -sign;
        std::vector<SpatialStep> steps = term.displacement.steps;
        for (SpatialStep& step : steps) {
          if (step.direction == 2 && step.kind == SpatialStep::Kind::derivative) sign = -sign;
          if (step.direction == 2 && step.kind != SpatialStep::Kind::derivative)
            step.kind =
                step.kind == SpatialStep::Kind::forward ? SpatialStep::Kind::backward : SpatialStep::Kind::forward;
          if (step.direction < 2) step.direction = 1 - step.direction;
        }
        const int gamma = (term.gamma & 12) | (term.gamma & 1) << 1 | (term.gamma & 2) >> 1;
        turned[{gamma, to_string(SpatialOperator{steps})}] = sign * term.coefficient;
      }
      expect_terms(projected(meson, turned_total, "A1"), turned);
    }
  }
}

TEST(DisplacedMesons, HaveSignsUnderInversionAndChargeConjugation) {
  struct Case {
    const char* meson;
    int inversion, conjugation;
  };
  for (const Case& c : std::vector<Case>{{"a0[1]", 1, 1},
                                         {"pion[1]", -1, 1},
                                         {"rho_x[1]", -1, -1},
                                         {"a0[dx]", -1, -1},
                                         {"rho_x[dx]", 1, 1},
                                         {"rho_x[dy dy]", -1, -1},
                                         {"a0[dx dy]", 1, 0},
                                         {"a0[+x]", 0, 0}}) {
    const auto meson = projected(c.meson, {}, "");
    EXPECT_EQ(inversion_sign(meson), c.inversion) << c.meson;
    EXPECT_EQ(conjugation_sign(meson), c.conjugation) << c.meson;
  }
  EXPECT_EQ(inversion_sign(projected("a0[+x]", {0, 0, 0}, "T1")), -1);
  EXPECT_EQ(conjugation_sign(projected("a0[+x]", {0, 0, 0}, "T1")), -1);
  EXPECT_EQ(conjugation_sign(projected("a0[+x]", {0, 0, 0}, "A1")), 1);
}

TEST(DisplacedMesons, AreInTheMatricesOfTheirIsospin) {
  DistillParameters p;
  p.correlators.two_pions = {{0, 0, 0}, {0, 0, 1}};
  p.correlators.two_pion_isospin = {0, 1, 2};
  p.correlators.two_pion_mesons = {"a0[dx]", "rho_x[dx]"};
  std::vector<std::string> texts;
  const auto groups = two_meson_groups(p, cube, MesonPair::two_pions);
  for (const TwoMesonGroup& group : groups) {
    std::string text = isospin_text(group.twice_isospin) + " " + group.irrep + " " + to_string(group.total) + ":";
    for (const MultiMesonOperator& op : group.operators)
      if (!op.name.starts_with("pion_")) text += " " + op.name;
    texts.push_back(text);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"0 A1 0 0 0: rho_x[dx]_I0 vacuum", "0 A1 0 0 1: rho_x[dx]_I0",
                                             "1 T1 0 0 0: a0[dx]_I1", "1 T1 0 0 0: a0[dx]_I1", "1 T1 0 0 0: a0[dx]_I1",
                                             "1 A1 0 0 1: a0[dx]_I1", "2 A1 0 0 0:", "2 A1 0 0 1:"}));
  // Elementals of displacement d, [1, dx, dy, dz], follow those that are not displaced.
  const auto momenta = momenta_up_to(1);
  const MultiMesonOperator& a0 = groups[2].operators.back();  // along x
  ASSERT_EQ(a0.terms.size(), 1u);
  EXPECT_EQ(a0.terms[0].mesons[0].vertex, (MesonVertex{int(2 * momenta.size()), Gamma{}}));
  EXPECT_EQ(a0.terms[0].coefficient, std::complex<double>(0, 1));
  p.elementals.displacements = {"1", "dx", "dy"};
  EXPECT_THROW(two_meson_groups(p, cube, MesonPair::two_pions), InputError);
}

}  // namespace test_displaced_mesons
}  // namespace kov::app
