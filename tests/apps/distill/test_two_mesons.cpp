// SPDX-License-Identifier: MIT
#include "apps/distill/two_mesons.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace kov::app {
namespace test_two_mesons {

using Pair = std::pair<Momentum, Momentum>;
const Coord cube{4, 4, 4, 8};

std::vector<std::string> names_of(const std::vector<TwoMesonOperator>& operators) {
  std::vector<std::string> names;
  for (const TwoMesonOperator& op : operators) names.push_back(op.name);
  return names;
}
std::vector<std::size_t> sizes_of(const std::vector<TwoMesonOperator>& operators) {
  std::vector<std::size_t> sizes;
  for (const TwoMesonOperator& op : operators) sizes.push_back(op.pairs.size());
  return sizes;
}
/// Whichever comes first.
Pair sorted(const Pair& pair) { return pair.second < pair.first ? Pair{pair.second, pair.first} : pair; }
std::vector<Pair> all_pairs(const std::vector<TwoMesonOperator>& operators) {
  std::vector<Pair> pairs;
  for (const TwoMesonOperator& op : operators)
    for (const Pair& pair : op.pairs) pairs.push_back(sorted(pair));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

TEST(TwoMesonOperators, AtRestAreOneForEachLengthOfTheMomentum) {
  const auto operators = two_meson_operators({0, 0, 0}, momenta_up_to(4), cube, "A1");
  EXPECT_EQ(names_of(operators),
            (std::vector<std::string>{"pion_pion_I2[0 0 0, 0 0 0]", "pion_pion_I2[1 0 0, -1 0 0]",
                                      "pion_pion_I2[1 1 0, -1 -1 0]", "pion_pion_I2[1 1 1, -1 -1 -1]",
                                      "pion_pion_I2[2 0 0, -2 0 0]"}));
  EXPECT_EQ(sizes_of(operators), (std::vector<std::size_t>{1, 3, 6, 4, 3}));
}

TEST(TwoMesonOperators, HaveTheSameNamesForTotalMomentaOfOneClass) {
  const auto names = names_of(two_meson_operators({1, 0, 0}, momenta_up_to(2), cube, "A1"));
  EXPECT_EQ(names, (std::vector<std::string>{"pion_pion_I2[0 0 0, 1 0 0]", "pion_pion_I2[0 1 0, 1 -1 0]"}));
  for (const Momentum& total : {Momentum{0, 0, 1}, Momentum{0, -1, 0}}) {
    const auto operators = two_meson_operators(total, momenta_up_to(2), cube, "A1");
    EXPECT_EQ(names_of(operators), names);
    EXPECT_EQ(sizes_of(operators), (std::vector<std::size_t>{1, 4}));
  }
}

TEST(TwoMesonOperators, HaveEveryPairOfTheListOnce) {
  for (const Momentum& total : {Momentum{0, 0, 0}, Momentum{0, 1, 1}, Momentum{1, -1, 1}, Momentum{0, 0, 2}}) {
    const auto momenta = momenta_up_to(3);
    std::vector<Pair> expected;
    for (const Momentum& p : momenta)
      for (const Momentum& q : momenta)
        if (p <= q && p[0] + q[0] == total[0] && p[1] + q[1] == total[1] && p[2] + q[2] == total[2])
          expected.emplace_back(p, q);
    std::sort(expected.begin(), expected.end());
    const auto projected = two_meson_operators(total, momenta, cube, "A1"),
               pairs = two_meson_operators(total, momenta, cube, "");
    EXPECT_EQ(all_pairs(projected), expected);
    EXPECT_EQ(all_pairs(pairs), expected);
    EXPECT_EQ(pairs.size(), expected.size());
    // Each is turned into itself by what leaves the total momentum, for instance by exchanges of equal components.
    for (const TwoMesonOperator& op : projected)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j) {
          if (total[std::size_t(i)] != total[std::size_t(j)]) continue;
          for (Pair pair : op.pairs) {
            std::swap(pair.first[std::size_t(i)], pair.first[std::size_t(j)]);
            std::swap(pair.second[std::size_t(i)], pair.second[std::size_t(j)]);
            const auto is_it = [&](const Pair& other) { return sorted(other) == sorted(pair); };
            EXPECT_TRUE(std::any_of(op.pairs.begin(), op.pairs.end(), is_it)) << op.name;
          }
        }
  }
}

TEST(TwoMesonOperators, AreNotSummedOverAxesOfDifferentExtents) {
  const auto operators = two_meson_operators({0, 0, 0}, momenta_up_to(1), {4, 4, 8, 8}, "A1");
  EXPECT_EQ(names_of(operators), (std::vector<std::string>{"pion_pion_I2[0 0 0, 0 0 0]", "pion_pion_I2[1 0 0, -1 0 0]",
                                                           "pion_pion_I2[0 0 1, 0 0 -1]"}));
  EXPECT_EQ(sizes_of(operators), (std::vector<std::size_t>{1, 2, 1}));
}

TEST(TwoMesonOperators, OfIsospin1AtRestAreRowsOfTheMomentum) {
  for (std::size_t row = 0; row < 3; ++row) {
    const auto operators = two_meson_operators({0, 0, 0}, momenta_up_to(5), cube, "T1", 2, row);
    EXPECT_EQ(names_of(operators),
              (std::vector<std::string>{"pion_pion_I1[1 0 0, -1 0 0]", "pion_pion_I1[1 1 0, -1 -1 0]",
                                        "pion_pion_I1[1 1 1, -1 -1 -1]", "pion_pion_I1[2 0 0, -2 0 0]",
                                        "pion_pion_I1[2 1 0, -2 -1 0]"}));
    EXPECT_EQ(sizes_of(operators), (std::vector<std::size_t>{1, 4, 4, 1, 8}));
    for (const TwoMesonOperator& op : operators) {
      double squares = 0;
      for (std::size_t k = 0; k < op.pairs.size(); ++k) {
        squares += op.weights[k] * op.weights[k];
        // As component `row` of the first momentum, and so the same whichever of the two comes first.
        EXPECT_NEAR(op.weights[k] * op.pairs[0].first[row], op.weights[0] * op.pairs[k].first[row], 1e-14) << op.name;
      }
      EXPECT_NEAR(squares, 1, 1e-14);
    }
  }
  EXPECT_EQ(names_of(two_meson_operators({0, 0, 0}, momenta_up_to(1), {4, 4, 8, 8}, "T1", 2)),
            std::vector<std::string>{"pion_pion_I1[0 0 1, 0 0 -1]"});
}

/// What leaves the total momentum turns each operator of A1 into itself, with its sign.
TEST(TwoMesonOperators, OfIsospin1ThatMoveAreInvariantAndOddUnderExchange) {
  EXPECT_EQ(names_of(two_meson_operators({0, 0, 1}, momenta_up_to(2), cube, "A1", 2)),
            (std::vector<std::string>{"pion_pion_I1[0 0 0, 1 0 0]", "pion_pion_I1[0 1 0, 1 -1 0]"}));
  // (1, 0, 1) and (-1, 0, 1) are exchanged by a rotation, and (0, 0, 1) twice is no state of isospin 1.
  EXPECT_EQ(names_of(two_meson_operators({0, 0, 2}, momenta_up_to(2), cube, "A1", 2)), std::vector<std::string>{});
  EXPECT_EQ(names_of(two_meson_operators({0, 0, 2}, momenta_up_to(2), cube, "A1", 0)),
            (std::vector<std::string>{"pion_pion_I0[1 0 0, 1 0 0]", "pion_pion_I0[1 1 0, 1 -1 0]"}));
  EXPECT_EQ(sizes_of(two_meson_operators({0, 0, 2}, momenta_up_to(2), cube, "", 2)), (std::vector<std::size_t>{1, 1}));
  for (const Momentum& total : {Momentum{0, 0, -1}, Momentum{0, 1, 1}, Momentum{1, -1, 1}})
    for (const TwoMesonOperator& op : two_meson_operators(total, momenta_up_to(3), cube, "A1", 2)) {
      const auto weight_of = [&](const Momentum& p, const Momentum& q) {
        for (std::size_t k = 0; k < op.pairs.size(); ++k) {
          if (op.pairs[k] == Pair{p, q}) return op.weights[k];
          if (op.pairs[k] == Pair{q, p}) return -op.weights[k];
        }
        return 0.0;
      };
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < i; ++j) {
          if (total[i] != total[j]) continue;
          for (auto [p, q] : op.pairs) {
            const double before = weight_of(p, q);
            std::swap(p[i], p[j]);
            std::swap(q[i], q[j]);
            EXPECT_EQ(weight_of(p, q), before) << op.name;
          }
        }
      if (total[0] == 0)
        for (auto [p, q] : op.pairs) {
          const double before = weight_of(p, q);
          p[0] = -p[0];
          q[0] = -q[0];
          EXPECT_EQ(weight_of(p, q), before) << op.name;
        }
    }
}

TEST(TwoMesonGroups, AreOneForEachMatrixAndRow) {
  DistillParameters p;
  p.elementals.max_momentum = 2;
  p.correlators.two_pions = {{0, 0, 0}, {0, 1, 1}};
  p.correlators.two_pion_isospin = {0, 1, 2};
  p.correlators.two_pion_mesons = {"rho", "a0", "rho_g4"};
  const auto text = [&](const TwoMesonGroup& group) {
    std::string all = isospin_text(group.twice_isospin) + " " + group.irrep + " " + to_string(group.total) + ":";
    for (const MultiMesonOperator& op : group.operators)
      if (!op.name.starts_with("pion_")) all += " " + op.name;
    return all;
  };
  std::vector<std::string> texts;
  for (const TwoMesonGroup& group : two_meson_groups(p, cube, MesonPair::two_pions)) texts.push_back(text(group));
  EXPECT_EQ(texts,
            (std::vector<std::string>{"0 A1 0 0 0: a0_I0 vacuum", "0 A1 0 1 1: a0_I0", "1 T1 0 0 0: rho_I1 rho_g4_I1",
                                      "1 T1 0 0 0: rho_I1 rho_g4_I1", "1 T1 0 0 0: rho_I1 rho_g4_I1",
                                      "1 A1 0 1 1: rho_I1 rho_g4_I1", "2 A1 0 0 0:", "2 A1 0 1 1:"}));
  p.correlators.two_pion_irrep = "none";
  p.correlators.two_pion_isospin = {1};
  p.correlators.two_pion_mesons = {"rho"};
  EXPECT_EQ(text(two_meson_groups(p, cube, MesonPair::two_pions).front()), "1  0 0 0: rho_x_I1 rho_y_I1 rho_z_I1");
  p.correlators.pion_kaon_isospin = {"1/2", "3/2"};
  p.correlators.pion_kaon_mesons = {"Kstar", "K0star", "Kstar_g4"};
  const auto kaon_texts = [&] {
    std::vector<std::string> all;
    for (const TwoMesonGroup& group : two_meson_groups(p, cube, MesonPair::pion_kaon)) all.push_back(text(group));
    return all;
  };
  const std::string axes =
      "Kstar_x_I1o2 Kstar_y_I1o2 Kstar_z_I1o2 K0star_I1o2 Kstar_x_g4_I1o2 Kstar_y_g4_I1o2 Kstar_z_g4_I1o2";
  EXPECT_EQ(kaon_texts(),
            (std::vector<std::string>{"1/2  0 0 0: " + axes, "1/2  0 1 1: " + axes, "3/2  0 0 0:", "3/2  0 1 1:"}));
  p.correlators.two_pion_irrep = "A1";
  EXPECT_EQ(kaon_texts(), (std::vector<std::string>{
                              "1/2 A1 0 0 0: K0star_I1o2", "1/2 T1 0 0 0: Kstar_I1o2 Kstar_g4_I1o2",
                              "1/2 T1 0 0 0: Kstar_I1o2 Kstar_g4_I1o2", "1/2 T1 0 0 0: Kstar_I1o2 Kstar_g4_I1o2",
                              "1/2 A1 0 1 1: Kstar_I1o2 K0star_I1o2 Kstar_g4_I1o2",
                              "3/2 A1 0 0 0:", "3/2 T1 0 0 0:", "3/2 T1 0 0 0:", "3/2 T1 0 0 0:", "3/2 A1 0 1 1:"}));
  p.elementals.max_momentum = 0;
  p.correlators.two_pions = {{0, 0, 0}};
  EXPECT_EQ(kaon_texts(), (std::vector<std::string>{"1/2 A1 0 0 0: K0star_I1o2", "3/2 A1 0 0 0:"}));
}

/// A pion and a kaon differ: both orders of two momenta, and no sign under their exchange.
TEST(TwoMesonOperators, OfPionAndKaonHaveEveryPairInBothOrders) {
  const auto moving = two_meson_operators({0, 0, 1}, momenta_up_to(2), cube, "A1", 3);
  EXPECT_EQ(names_of(moving),
            (std::vector<std::string>{"pion_kaon_I3o2[0 0 0, 1 0 0]", "pion_kaon_I3o2[1 0 0, 0 0 0]",
                                      "pion_kaon_I3o2[0 1 0, 1 -1 0]", "pion_kaon_I3o2[1 1 0, 0 -1 0]"}));
  EXPECT_EQ(sizes_of(moving), (std::vector<std::size_t>{1, 1, 4, 4}));
  EXPECT_EQ(sizes_of(two_meson_operators({0, 0, 2}, momenta_up_to(1), cube, "A1", 1)), (std::vector<std::size_t>{1}));
  EXPECT_EQ(sizes_of(two_meson_operators({0, 0, 0}, momenta_up_to(2), cube, "A1", 1)),
            (std::vector<std::size_t>{1, 6, 12}));
  EXPECT_EQ(two_meson_operators({0, 0, 0}, momenta_up_to(1), cube, "", 1).size(), 7u);
  for (std::size_t row = 0; row < 3; ++row)
    for (const TwoMesonOperator& op : two_meson_operators({0, 0, 0}, momenta_up_to(3), cube, "T1", 3, row)) {
      double squares = 0;
      for (std::size_t k = 0; k < op.pairs.size(); ++k) {
        squares += op.weights[k] * op.weights[k];
        EXPECT_NEAR(op.weights[k] * op.pairs[0].first[row], op.weights[0] * op.pairs[k].first[row], 1e-14) << op.name;
        EXPECT_EQ(std::count(op.pairs.begin(), op.pairs.end(), Pair(op.pairs[k].second, op.pairs[k].first)), 1);
      }
      EXPECT_NEAR(squares, 1, 1e-14);
    }
}

}  // namespace test_two_mesons
}  // namespace kov::app
