// SPDX-License-Identifier: MIT
//
// What a job asks of its solver: what 'auto' means.
#include "apps/quarks/solver_choice.hpp"
#include "kov/core/lattice/lanes.hpp"

#include <gtest/gtest.h>

namespace kov::app {
namespace {
namespace solver_choice {

TEST(SolverBasis, IsNonrelativisticOnGpusWhereThatIsFaster) {
  const SolverChoice gaining[] = {{},
                                  {.precision = "reliable"},
                                  {.precision = "reliable-16"},
                                  {.precision = "single"},
                                  {.precision = "single-16"},
                                  {.preconditioner = "even-odd-symmetric"},
                                  {.links = 12},
                                  {.method = "block-cg"}};
  for (const SolverChoice& choice : gaining) {
    EXPECT_EQ(choice.basis, "auto");
    EXPECT_TRUE(choice.gains_by_basis(true)) << choice.description();
    EXPECT_FALSE(choice.gains_by_basis(false)) << choice.description();
    EXPECT_EQ(choice.is_nonrelativistic(), !has_packs) << "GPUs have no packs";
  }
}

TEST(SolverBasis, IsChiralWithoutOperatorsInTheOtherOneOrAGain) {
  const SolverChoice others[] = {
      {.precision = "double"},           {.preconditioner = "none"}, {.links = 8},
      {.method = "cg", .deflation = 10}, {.gauge = "temporal"},      {.method = "gcr", .preconditioner = "schwarz"}};
  for (const SolverChoice& choice : others)
    for (const bool has_gpu : {false, true}) EXPECT_FALSE(choice.gains_by_basis(has_gpu)) << choice.description();
}

TEST(SolverBasis, IsTheOneThatIsGiven) {
  EXPECT_FALSE(SolverChoice{.basis = "chiral"}.is_nonrelativistic());
  EXPECT_TRUE(SolverChoice{.basis = "nonrelativistic"}.is_nonrelativistic());
  EXPECT_TRUE((SolverChoice{.precision = "double", .basis = "nonrelativistic"}.is_nonrelativistic()));
}

std::string refusal(const SolverChoice& choice) {
  SolverChoice bound = choice;
  Settings settings;
  bound.add_to(settings);
  try {
    bound.check(settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SolverTolerance, BeyondThePrecisionIsRefusedWithTheLeastThatThisOneReaches) {
  for (const char* precision : {"double", "mixed", "reliable", "reliable-16"}) {
    EXPECT_EQ(refusal({.precision = precision, .tolerance = 1e-300}),
              "solver.tolerance is 1e-300, but double precision reaches 1e-15 at best: ask for that or more");
    EXPECT_EQ(refusal({.precision = precision, .tolerance = 1e-15}), "");
  }
  for (const char* precision : {"single", "single-16"}) {
    EXPECT_EQ(refusal({.precision = precision, .tolerance = 1e-300}),
              "solver.tolerance is 1e-300, but single precision reaches 1e-06 at best: ask for that or more, or take "
              "precision mixed or double, which reach 1e-15");
    EXPECT_EQ(refusal({.precision = precision, .tolerance = 1e-6}), "");
  }
}

}  // namespace solver_choice
}  // namespace
}  // namespace kov::app
