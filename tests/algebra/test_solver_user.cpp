// SPDX-License-Identifier: MIT
//
// A solver as a user writes it, alone and inside solvers of the library; an operator of links as a user writes it, in a
// solver of the library.
#include "docs_solvers_example.hpp"  // out of docs/solvers.md
#include "docs_stencils_links.hpp"   // out of docs/stencils.md
#include "docs_stencils_solve.hpp"   // likewise
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

static_assert(LinearSolver<MinimalResidual, SpinorField<double>> && LinearSolver<MinimalResidual, SpinorField<float>>);
static_assert(LinearSolver<Solver<SpinorField<double>>, SpinorField<double>>);
static_assert(!LinearSolver<int, SpinorField<double>>);

struct UserSolver : testing::Test {
  UserSolver()
      : lattice(Comm::world(), {4, 4, 4, 4}),
        gauge(lattice, "gauge", 4),
        b(lattice, "source"),
        x(lattice, "solution"),
        r(lattice, "residual") {
    load(gauge, reference::random_su3(lattice.extent(), 4, 21));
    load(b, reference::random_array(lattice.extent(), 12, 22));
    M.emplace(GaugeLinks<double>(gauge), 1.0);
    low.emplace(GaugeLinks<float>(gauge), 1.0);
  }
  double true_residual() const {
    M->apply(x, r);
    xpay(b, -1, r);
    return std::sqrt(norm2(r) / norm2(b));
  }
  Lattice lattice;
  GaugeField<double> gauge;
  std::optional<WilsonOperator<double>> M;
  std::optional<WilsonOperator<float>> low;
  SpinorField<double> b, x, r;
};

TEST_F(UserSolver, SolvesAloneAndInsideSolversOfTheLibrary) {
  const MinimalResidual user{.tolerance = 1e-9};
  const Solver<SpinorField<double>> solvers[] = {user, EvenOdd(*M, user), MixedPrecision(*low, user),
                                                 EvenOdd(*M, MixedPrecision(SchurComplement(*low), user))};
  const char* const names[] = {"minimal residual", "even-odd minimal residual", "mixed-precision minimal residual",
                               "even-odd mixed-precision minimal residual"};
  for (int k = 0; k < 4; ++k) {
    zero(x);
    const SolveReport report = solvers[k](*M, b, x);
    EXPECT_EQ(report.solver, names[k]);
    EXPECT_TRUE(report.converged);
    EXPECT_LE(true_residual(), 1e-9) << report.solver;
    EXPECT_NEAR(report.residual, true_residual(), 1e-13);
  }
}

TEST_F(UserSolver, TakesEveryColumnAsASystemOfItsOwn) {
  const MinimalResidual user{.tolerance = 1e-9};
  const SpinorField<double> many(lattice, "sources", 3), y = many.like("solutions");
  load(many, reference::random_array(lattice.extent(), 36, 23));
  zero(many.column(1));
  scale(1e-3, many.column(2));
  const SolveReport report = user(*M, many, y);
  for (const int k : {0, 1, 2}) {
    zero(x);
    const SolveReport single = user(*M, many.column(k), x);
    EXPECT_LE(report.column_residuals[std::size_t(k)], user.tolerance);
#if !defined(KOKKOS_ENABLE_CUDA)
    EXPECT_EQ(export_sites(y.column(k).clone("solution")), export_sites(x)) << "column " << k;
    EXPECT_EQ(report.column_iterations[std::size_t(k)], single.iterations);
#endif
  }
}

// The hop is antihermitian, as its forward and backward terms are the adjoints of each other up to the sign.
template <class F>
void check_solution_with_mass(const CovariantDifference<double>& hop, const F& source) {
  const F quark = source.like("quark"), result = source.like("result");
  zero(quark);
  const double mass = 0.25;
  const SolveReport report = solve_with_mass(hop, mass, source, quark);
  EXPECT_TRUE(report.converged);
  EXPECT_GT(report.iterations, 3);
  hop.apply(quark, result);
  const std::complex<double> antihermitian = inner_product(quark, result);
  EXPECT_LT(std::abs(antihermitian.real()), 1e-12 * norm2(quark));
  axpy(2 * mass, quark, result);
  xpay(source, -1, result);
  EXPECT_LE(std::sqrt(norm2(result) / norm2(source)), 1e-10);
}

TEST_F(UserSolver, SolversTakeAnOperatorOfLinksThatAUserWrote) {
  const CovariantDifference<double> hop{GaugeLinks<double>(gauge)};
  const Field<ColorVector, double> source(lattice, "sources", 4);
  load(source, reference::random_array(lattice.extent(), 12, 24));
  check_solution_with_mass(hop, source);
  const Field<ColorVector, double, ColumnLanes<4>> columns(lattice, "columns", 4);
  convert(source, columns);
  check_solution_with_mass(hop, columns);
}

TEST_F(UserSolver, FailsAsSolversOfTheLibraryDo) {
  MinimalResidual user{.tolerance = 1e-9, .max_iterations = 3};
  try {
    user(*M, b, x);
    ADD_FAILURE() << "did not throw";
  } catch (const ConvergenceError& error) {
    EXPECT_NE(std::string(error.what()).find("minimal residual: 3 iterations"), std::string::npos) << error.what();
  }
  user.on_failure = OnFailure::report;
  zero(x);
  EXPECT_FALSE(user(*M, b, x).converged);
  EXPECT_THROW((MinimalResidual{.tolerance = 2}(*M, b, x)), InputError);
}

// Solver takes its members from the solver it is made of; from then on its own members count.
TEST_F(UserSolver, MembersOfTheTypeErasedSolverReplaceThoseOfTheSolverInIt) {
  Solver<SpinorField<double>> any = BiCgStab{.tolerance = 1e-3};
  EXPECT_EQ(any.tolerance, 1e-3);
  any.tolerance = 1e-11;
  int calls = 0;
  any.progress = [&](const SolveProgress&) { ++calls; };
  const SolveReport report = any(*M, b, x);
  EXPECT_LE(true_residual(), 1e-11);
  EXPECT_EQ(calls, report.iterations);
  const SolveReport short_one = any.within(1e-12, 1, {})(*M, b, r);
  EXPECT_FALSE(short_one.converged);
  EXPECT_EQ(short_one.iterations, 1);
  EXPECT_EQ(calls, report.iterations);
  EXPECT_EQ(any.within(0, 1, {}).tolerance, std::numeric_limits<double>::min());
}

TEST_F(UserSolver, APartOfASolverTakesItsFourMembers) {
  int calls = 0;
  const BiCgStab whole{
      .tolerance = 1e-3, .max_iterations = 7, .on_failure = OnFailure::report, .progress = [&](const SolveProgress&) {
        ++calls;
      }};
  const Solver<SpinorField<double>> part = NormalConjugateGradient{.tolerance = 1e-14};
  const auto with_settings = part.with_settings_of(whole);
  EXPECT_EQ(with_settings.name(), part.name());
  EXPECT_EQ(with_settings.tolerance, 1e-3);
  EXPECT_EQ(with_settings.on_failure, OnFailure::report);
  EXPECT_EQ(with_settings(*M, b, x).iterations, calls);
  EXPECT_LE(calls, 7);
  EXPECT_GT(calls, 0);
}

// Operator keeps a copy: what it was made from may be gone.
TEST_F(UserSolver, OperatorsOutliveTheObjectsTheyWereMadeFrom) {
  std::optional<Operator<SpinorField<double>>> kept;
  {
    const WilsonOperator<double> mine(GaugeLinks<double>(gauge), 1.0);
    kept.emplace(mine);
  }
  EXPECT_TRUE(kept->has_adjoint());
  EXPECT_TRUE((BiCgStab{.tolerance = 1e-9}(*kept, b, x)).converged);
  EXPECT_LE(true_residual(), 1e-9);
  const Operator<SpinorField<double>> function = [this](const auto& in, const auto& out) { M->apply(in, out); };
  EXPECT_FALSE(function.has_adjoint());
  EXPECT_EQ((BiCgStab{.tolerance = 1e-9}(function, b, x)).iterations, 0);
}

void double_spinors(const SpinorField<double>& in, const SpinorField<double>& out) {
  copy(in, out);
  scale(2.0, out);
}

TEST_F(UserSolver, OperatorsMayBeFunctionsThatAreNoObjects) {
  const Operator<SpinorField<double>> of_function = double_spinors, of_pointer = &double_spinors;
  EXPECT_TRUE((BiCgStab{.tolerance = 1e-9}(of_function, b, x)).converged);
  for (const auto& A : {of_function, of_pointer}) {
    SpinorField<double> out = b.like("out");
    A.apply(x, out);
    axpy(-1.0, b, out);
    EXPECT_LE(norm2(out), 1e-18 * norm2(b));
  }
}

TEST_F(UserSolver, JudgesSystemsThatHaveBegun) {
  ColumnMask second(2);
  second.finish(1);
  ByColumn<double> residuals = ByColumn<double>::repeated(2, 0.5);
  SolveRun run(BiCgStab{}, b);
  EXPECT_THROW(run.over(residuals, 1, second), InputError) << "which has not begun";
  EXPECT_FALSE(run.over(residuals, 1));
  run.stop(second);
  residuals[0] = 0;
  EXPECT_FALSE(run.over(residuals, 1, second.complement())) << "the first is not judged";
  EXPECT_TRUE(run.stopped().is_finished(1)) << "it came no further";
  EXPECT_TRUE(run.over(residuals, 1, second)) << "and stays over";
  EXPECT_THROW(run.over(residuals, 1, ColumnMask(3).complement()), InputError);
}

}  // namespace
}  // namespace kov
