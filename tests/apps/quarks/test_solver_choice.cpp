// SPDX-License-Identifier: MIT
//
// What a job asks of its solver: what 'auto' means.
#include "apps/quarks/solver_choice.hpp"
#include "kov/core/lattice/lanes.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

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
    EXPECT_EQ(choice.may_be_nonrelativistic(), !has_packs) << "GPUs have no packs";
  }
}

TEST(SolverBasis, IsChiralWithoutOperatorsInTheOtherOneOrAGain) {
  const SolverChoice others[] = {
      {.precision = "double"},           {.preconditioner = "none"}, {.links = 8},
      {.method = "cg", .deflation = 10}, {.gauge = "temporal"},      {.method = "gcr", .preconditioner = "schwarz"}};
  for (const SolverChoice& choice : others)
    for (const bool has_gpu : {false, true}) EXPECT_FALSE(choice.gains_by_basis(has_gpu)) << choice.description();
}

TEST(SolverBasis, IsChiralForQuarksWhoseHopMultipliesByInverses) {
  const QuarkAction clover{.c_sw = 1.2}, twisted{.c_sw = 1.2, .mu = 0.1}, naik{.action = "naik"};
  const SolverChoice mixed, in_16_bits{.precision = "reliable-16"};
  EXPECT_TRUE(mixed.gains_by_basis(true, {}));
  EXPECT_FALSE(mixed.gains_by_basis(true, clover));
  EXPECT_TRUE(mixed.gains_by_basis(true, twisted)) << "its inverse takes a pass of its own";
  EXPECT_TRUE(in_16_bits.gains_by_basis(true, clover)) << "the same";
  EXPECT_FALSE(mixed.gains_by_basis(true, naik));
  EXPECT_FALSE(mixed.gains_by_basis(false, twisted));
  EXPECT_FALSE((SolverChoice{.links = 8}.gains_by_basis(true, {})));
  EXPECT_TRUE((SolverChoice{.basis = "nonrelativistic"}.is_nonrelativistic(clover)));
}

TEST(SolverColumns, AreTogetherOnGpusAndWhereAProgramWantsThem) {
  for (const std::string precision : {"mixed", "reliable-16"})
    EXPECT_TRUE((SolverChoice{.precision = precision, .auto_columns = AutoColumns::together}.is_together()));
  EXPECT_EQ(SolverChoice{}.is_together(), !has_packs) << "GPUs have no packs";
}

TEST(SolverBasis, IsTheOneThatIsGiven) {
  EXPECT_FALSE(SolverChoice{.basis = "chiral"}.may_be_nonrelativistic());
  EXPECT_TRUE(SolverChoice{.basis = "nonrelativistic"}.may_be_nonrelativistic());
  EXPECT_TRUE((SolverChoice{.precision = "double", .basis = "nonrelativistic"}.may_be_nonrelativistic()));
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

/// The solver.key=value that unsuited_key() advises, one after the other; each must lead to a choice that is allowed.
std::vector<std::string> remedies(SolverChoice choice, const std::string& action) {
  Settings settings;
  choice.add_to(settings);
  std::vector<std::string> steps;
  while (const auto unsuited = choice.unsuited_key(action)) {
    steps.push_back("solver." + unsuited->key + "=" + unsuited->value);
    settings.assign(steps.back());
    EXPECT_NO_THROW(choice.check(settings)) << steps.back();
    if (steps.size() == 10) break;
  }
  return steps;
}

TEST(SolverOfImprovedActions, IsWhatRemediesLeadToStepByStep) {
  using Steps = std::vector<std::string>;
  const SolverChoice deflated{.method = "cg", .deflation = 4};
  EXPECT_EQ(remedies(deflated, "hamber-wu"), (Steps{"solver.deflation=0", "solver.preconditioner=none"}));
  EXPECT_EQ(remedies(deflated, "naik"), Steps{});
  for (const char* precision : {"reliable", "single"}) {
    const SolverChoice in_16_bits{.precision = precision + std::string("-16"), .tolerance = 1e-6};
    const std::string wider = std::string("solver.precision=") + precision;
    EXPECT_EQ(remedies(in_16_bits, "hamber-wu"), (Steps{wider, "solver.preconditioner=none"}));
    EXPECT_EQ(remedies(in_16_bits, "naik"), Steps{wider});
  }
  EXPECT_EQ(remedies({.method = "gcr", .preconditioner = "schwarz"}, "naik"), Steps{"solver.preconditioner=none"});
  EXPECT_EQ(remedies({.links = 12, .gauge = "temporal"}, "hamber-wu"),
            (Steps{"solver.preconditioner=none", "solver.gauge=given", "solver.links=18"}));
}

TEST(SolverDeflation, ThatIsRefusedMayBeLeftOut) {
  EXPECT_TRUE(refusal({.method = "cg", .preconditioner = "none", .deflation = 4}).ends_with("basis chiral, or 0"));
}

}  // namespace solver_choice
}  // namespace
}  // namespace kov::app
