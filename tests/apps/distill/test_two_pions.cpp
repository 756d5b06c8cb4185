// SPDX-License-Identifier: MIT
#include "apps/distill/two_pions.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace kov::app {
namespace test_two_pions {

using Pair = std::pair<Momentum, Momentum>;
const Coord cube{4, 4, 4, 8};

std::vector<std::string> names_of(const std::vector<TwoPionOperator>& operators) {
  std::vector<std::string> names;
  for (const TwoPionOperator& op : operators) names.push_back(op.name);
  return names;
}
std::vector<std::size_t> sizes_of(const std::vector<TwoPionOperator>& operators) {
  std::vector<std::size_t> sizes;
  for (const TwoPionOperator& op : operators) sizes.push_back(op.pairs.size());
  return sizes;
}
/// Whichever comes first.
Pair sorted(const Pair& pair) { return pair.second < pair.first ? Pair{pair.second, pair.first} : pair; }
std::vector<Pair> all_pairs(const std::vector<TwoPionOperator>& operators) {
  std::vector<Pair> pairs;
  for (const TwoPionOperator& op : operators)
    for (const Pair& pair : op.pairs) pairs.push_back(sorted(pair));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

TEST(TwoPionOperators, AtRestAreOneForEachLengthOfTheMomentum) {
  const auto operators = two_pion_operators({0, 0, 0}, momenta_up_to(4), cube, true);
  EXPECT_EQ(names_of(operators),
            (std::vector<std::string>{"pion_pion_I2[0 0 0, 0 0 0]", "pion_pion_I2[1 0 0, -1 0 0]",
                                      "pion_pion_I2[1 1 0, -1 -1 0]", "pion_pion_I2[1 1 1, -1 -1 -1]",
                                      "pion_pion_I2[2 0 0, -2 0 0]"}));
  EXPECT_EQ(sizes_of(operators), (std::vector<std::size_t>{1, 3, 6, 4, 3}));
}

TEST(TwoPionOperators, HaveTheSameNamesForTotalMomentaOfOneClass) {
  const auto names = names_of(two_pion_operators({1, 0, 0}, momenta_up_to(2), cube, true));
  EXPECT_EQ(names, (std::vector<std::string>{"pion_pion_I2[0 0 0, 1 0 0]", "pion_pion_I2[0 1 0, 1 -1 0]"}));
  for (const Momentum& total : {Momentum{0, 0, 1}, Momentum{0, -1, 0}}) {
    const auto operators = two_pion_operators(total, momenta_up_to(2), cube, true);
    EXPECT_EQ(names_of(operators), names);
    EXPECT_EQ(sizes_of(operators), (std::vector<std::size_t>{1, 4}));
  }
}

TEST(TwoPionOperators, HaveEveryPairOfTheListOnce) {
  for (const Momentum& total : {Momentum{0, 0, 0}, Momentum{0, 1, 1}, Momentum{1, -1, 1}, Momentum{0, 0, 2}}) {
    const auto momenta = momenta_up_to(3);
    std::vector<Pair> expected;
    for (const Momentum& p : momenta)
      for (const Momentum& q : momenta)
        if (p <= q && p[0] + q[0] == total[0] && p[1] + q[1] == total[1] && p[2] + q[2] == total[2])
          expected.emplace_back(p, q);
    std::sort(expected.begin(), expected.end());
    const auto projected = two_pion_operators(total, momenta, cube, true),
               pairs = two_pion_operators(total, momenta, cube, false);
    EXPECT_EQ(all_pairs(projected), expected);
    EXPECT_EQ(all_pairs(pairs), expected);
    EXPECT_EQ(pairs.size(), expected.size());
    // Each is turned into itself by what leaves the total momentum, for instance by exchanges of equal components.
    for (const TwoPionOperator& op : projected)
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

TEST(TwoPionOperators, AreNotSummedOverAxesOfDifferentExtents) {
  const auto operators = two_pion_operators({0, 0, 0}, momenta_up_to(1), {4, 4, 8, 8}, true);
  EXPECT_EQ(names_of(operators), (std::vector<std::string>{"pion_pion_I2[0 0 0, 0 0 0]", "pion_pion_I2[1 0 0, -1 0 0]",
                                                           "pion_pion_I2[0 0 1, 0 0 -1]"}));
  EXPECT_EQ(sizes_of(operators), (std::vector<std::size_t>{1, 2, 1}));
}

}  // namespace test_two_pions
}  // namespace kov::app
