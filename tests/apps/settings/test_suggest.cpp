// SPDX-License-Identifier: MIT
#include "apps/settings/suggest.hpp"

#include <gtest/gtest.h>

namespace kov::app {

TEST(EditDistance, CountsSingleEdits) {
  EXPECT_EQ(edit_distance("kappa", "kappa"), 0);
  EXPECT_EQ(edit_distance("kapa", "kappa"), 1);
  EXPECT_EQ(edit_distance("kapap", "kappa"), 1);  // neighbours exchanged
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Nearest, IsTheClosestKnownNameOrNothing) {
  const std::vector<std::string> known{"source.width", "source.iterations", "solver.tolerance"};
  EXPECT_EQ(nearest("source.widht", known), "source.width");
  EXPECT_EQ(nearest("solver.tol", known), "");  // six letters away from a ten-letter name
  EXPECT_EQ(did_you_mean("solver.tolerence", known), "; did you mean 'solver.tolerance'?");
  EXPECT_EQ(did_you_mean("x", known), "");
  EXPECT_EQ(nearest("Source.Width", known), "source.width");
}

TEST(Nearest, OfALetterOrNoneIsNothing) {
  const std::vector<std::string> known{"a0", "cg", "gcr", "bicgstab"};
  for (const char* name : {"", "a", "x", "c"}) EXPECT_EQ(nearest(name, known), "") << name;
  EXPECT_EQ(nearest("xy", known), "");
  EXPECT_EQ(nearest("gc", known), "cg");
}

TEST(Choices, AreListedAndTheNearestIsSuggested) {
  EXPECT_EQ(not_a_choice("gausian", {"wuppertal", "gaussian"}),
            "must be one of 'wuppertal', 'gaussian', but is 'gausian'; did you mean 'gaussian'?");
  EXPECT_EQ(not_a_choice("x", {"gaussian"}), "must be one of 'gaussian', but is 'x'");
  EXPECT_EQ(not_a_choice("", {"none"}), "must be one of 'none', but is ''");
  EXPECT_LT(not_a_choice(std::string(10000, 'x'), {"none"}).size(), 200u);
}

}  // namespace kov::app
