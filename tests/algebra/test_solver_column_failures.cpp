// SPDX-License-Identifier: MIT
//
// Solvers whose columns are systems of their own, where some columns fail, break down or reach their limit: each ends
// by itself.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/krylov/minimal_residual.hpp"
#include "kov/algebra/krylov/multi_shift.hpp"
#include "tests/algebra/column_systems.hpp"

#include <array>
#include <cmath>

namespace kov {
namespace {
namespace column_failures {

using namespace column_systems;

template <class F>
class ColumnFailures : public testing::Test {};
TYPED_TEST_SUITE(ColumnFailures, SpinorFields);

TYPED_TEST(ColumnFailures, NaNInAColumnEndsThatColumnAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const auto check_solver = [&](const Solver<F>& solver, const Operator<F>& A) {
    const F b(lattice, "b", 3), x(lattice, "x", 3), good = x.like("without NaN");
    for (const int k : {0, 1, 2}) set_random(b, k, 50 + std::uint64_t(k), 1);
    solver(A, b, good);
    F broken = alone(b, 1);
    scale(std::nan(""), broken);
    set_column(b, 1, broken);
    const SolveReport report = solve_quietly(solver, A, b, x);
    expect_same_on_all_ranks(lattice, report);
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.reason, "column 1 of 3: the residual is not finite");
    EXPECT_EQ(report.column_iterations[1], 0);
    EXPECT_TRUE(std::isnan(report.residual) && std::isnan(report.column_residuals[1]));
    for (const int k : {0, 2}) {
      EXPECT_LE(report.column_residuals[std::size_t(k)], 10 * solver.tolerance);
      expect_column(x, k, alone(good, k), solver.name());
    }
    zero(x);
    expect_failure(solver, A, b, x, "column 1 of 3: the residual is not finite");
  };
  const Operator<F> M = wilson<typename F::Real>(lattice);
  check_solver(BiCgStab{.tolerance = tolerance_of<F>}, M);
  check_solver(NormalConjugateGradient{.tolerance = tolerance_of<F>}, M);
  check_solver(ConjugateGradient{.tolerance = tolerance_of<F>}, ByColour{});
  check_solver(NormalErrorConjugateGradient{.tolerance = tolerance_of<F>}, M);
  check_solver(BiCgStabL{.tolerance = tolerance_of<F>, .l = 2}, M);
  check_solver(MinimalResidual{.tolerance = tolerance_of<F>}, M);
  check_solver(Gcr{.tolerance = tolerance_of<F>, .directions = 6}, M);
}

TYPED_TEST(ColumnFailures, AShiftThatFailsInAColumnEndsThatColumnAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  MultiShiftConjugateGradient solver{.tolerance = tolerance_of<F>, .on_failure = OnFailure::report};
  const std::array shifts{0.0, 0.5};
  // Column 0 is not a number, column 1 sees an operator that is not positive, column 2 is solved.
  const F b = sources_by_colour<F>(lattice);
  F broken = alone(b, 0);
  scale(std::nan(""), broken);
  set_column(b, 0, broken);
  const std::array x{b.like("x"), b.like("x")};
  const Operator<F> A = ByColour{.colour_0 = -1};
  const SolveReport report = solver(A, shifts, b, x);
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.reason.find("column 0 of 3: the residual is not finite"), std::string::npos) << report.reason;
  EXPECT_NE(report.reason.find("column 1 of 3: for the smallest shift, s = 0"), std::string::npos) << report.reason;
  for (const std::size_t i : {0, 1}) EXPECT_LE(report.column_residuals.at(3 * i + 2), solver.tolerance);
  EXPECT_LT(report.iterations, 200) << "columns that have failed are not solved further";
}

TYPED_TEST(ColumnFailures, AnOperatorThatIsNotPositiveForAColumnEndsThatColumnAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const ConjugateGradient solver{.tolerance = tolerance_of<F>};
  const Operator<F> A = ByColour{.colour_0 = -1};
  const F b = sources_by_colour<F>(lattice), x = b.like("x");
  const SolveReport report = solve_quietly(solver, A, b, x);
  expect_same_on_all_ranks(lattice, report);
  EXPECT_NE(report.reason.find("column 1 of 3: p^+ A p = -"), std::string::npos) << report.reason;
  EXPECT_EQ(report.column_residuals[1], 1);
  for (const int k : {0, 2}) {
    const F one = alone(x, k).like("one");
    const SolveReport single = solver(A, alone(b, k), one);
    expect_column(x, k, one, "conjugate gradient");
    EXPECT_GT(single.iterations, 3);
  }
  zero(x);
  expect_failure(solver, A, b, x, "column 1 of 3: p^+ A p");
}

template <class F>
void check_breakdown(const Solver<F>& solver) {
  const Lattice lattice = small_lattice();
  const Operator<F> A = ByColour{.exchanges = true};
  const F b = sources_by_colour<F>(lattice), x = b.like("x");
  const SolveReport report = solver(A, b, x);
  expect_same_on_all_ranks(lattice, report);
  EXPECT_GE(report.restarts, 1);
  for (const int k : {0, 1, 2}) {
    const F one = alone(x, k).like("one");
    const SolveReport single = solver(A, alone(b, k), one);
    EXPECT_EQ(single.restarts > 0, k == 1);
    expect_column(x, k, one, solver.name());
    if (same_bits) {
      EXPECT_EQ(report.column_iterations[std::size_t(k)], single.iterations);
    }
  }
}

/// The square of A is 1 on column 1, so that a cycle of BiCGstab(3) ends in its middle.
TYPED_TEST(ColumnFailures, BreakdownOfAColumnRestartsThatColumnAlone) {
  check_breakdown<TypeParam>(BiCgStab{.tolerance = tolerance_of<TypeParam>});
  check_breakdown<TypeParam>(BiCgStabL{.tolerance = tolerance_of<TypeParam>, .l = 3});
}

/// Column 1 breaks down at once, and needs few iterations after that.
TYPED_TEST(ColumnFailures, AColumnRestartsWhileOthersGoOn) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> A = ByColour{.exchanges = true, .spread = 50};
  const F b = sources_by_colour<F>(lattice), x = b.like("x");
  int iterations = 0;
  const BiCgStab solver{.tolerance = tolerance_of<F>, .progress = [&](const SolveProgress&) { ++iterations; }};
  const SolveReport report = solver(A, b, x);
  EXPECT_GE(report.restarts, 1);
  EXPECT_GT(report.iterations, 10) << "or columns could end before the turn to restart";
  EXPECT_EQ(iterations, report.iterations) << "none are left for column 1 when the others have ended";
  const F one = alone(x, 1).like("one");
  const SolveReport single = solver(A, alone(b, 1), one);
  EXPECT_GE(single.restarts, 1);
  expect_column(x, 1, one, solver.name());
  if (same_bits) {
    EXPECT_EQ(report.column_iterations[1], single.iterations);
  }
}

/// On column 1 A is 1, so that GCR runs out of directions there.
TYPED_TEST(ColumnFailures, DirectionsOfAColumnMayBeExhausted) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Gcr solver{.tolerance = 1e-2 * tolerance_of<F>, .on_failure = OnFailure::report, .directions = 30};
  const Operator<F> A = ByColour{};
  const F b = sources_by_colour<F>(lattice), x = b.like("x");
  const SolveReport report = solver(A, b, x);
  EXPECT_LE(report.column_residuals.at(1), 1e-6);
  EXPECT_LE(report.column_iterations.at(1), 3);
  EXPECT_GT(report.column_iterations.at(0), 5);
  EXPECT_LE(report.column_residuals.at(0), tolerance_of<F>);
}

TYPED_TEST(ColumnFailures, TheLimitOfIterationsIsThatOfEachColumn) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> M = wilson<typename F::Real>(lattice);
  BiCgStab solver{.tolerance = tolerance_of<F>};
  const Systems<F> systems(lattice, solver, M);
  const F x = systems.x.like("solutions");
  copy(systems.x, x);
  const std::vector<int> needed = solver(M, systems.b, x).column_iterations;
  solver.max_iterations = needed[3];
  copy(systems.x, x);
  const SolveReport report = solve_quietly(solver, M, systems.b, x);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, needed[3]);
  std::string columns = "columns 0, 4";
  for (int k = 5; k < systems.n; ++k) columns += ", " + std::to_string(k);
  const std::string reason = columns + " of " + std::to_string(systems.n) + ": the limit of " +
                             std::to_string(needed[3]) + " iterations was reached";
  EXPECT_EQ(report.reason, reason);
  for (const std::size_t k : {1, 2, 3}) EXPECT_LE(report.column_residuals[k], solver.tolerance);
  copy(systems.x, x);
  expect_failure(solver, M, systems.b, x, reason);
  solver.max_iterations = 0;
  copy(systems.x, x);
  EXPECT_EQ(solve_quietly(solver, M, systems.b, x).column_residuals[1], 0) << "zeros need no iteration";
}

}  // namespace column_failures
}  // namespace
}  // namespace kov
