// SPDX-License-Identifier: MIT
//
// Every solver on hot links, judged by the naive operator in double: solutions, reports, guesses and failures.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/multi_shift.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/improved.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/algebra/hot_wilson_problem.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/every_rank.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/launches.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using namespace test::hot_wilson;

class Solvers : public test::OnLattices {};

TEST_P(Solvers, NormalConjugateGradientSolvesWilson) {
  const Problem problem(GetParam().make(Comm::world()));
  const SolveReport report = NormalConjugateGradient{.tolerance = 1e-12}(problem.wilson, problem.b, problem.x);
  expect_solved(problem, report, 1e-12);
  EXPECT_LT(report.residual, 1e-11);
}

TEST_P(Solvers, BiCgStabSolvesWilson) {
  const Problem problem(GetParam().make(Comm::world()));
  expect_solved(problem, BiCgStab{.tolerance = 1e-12}(problem.wilson, problem.b, problem.x), 1e-12);
}

TEST_P(Solvers, BiCgStabLSolvesWilson) {
  const Problem problem(GetParam().make(Comm::world()));
  const int plain = BiCgStab{.tolerance = 1e-12}(problem.wilson, problem.b, problem.x).iterations;
  for (const int l : {1, 2, 3, 4, 8}) {
    zero(problem.x);
    const SolveReport report = BiCgStabL{.tolerance = 1e-12, .l = l}(problem.wilson, problem.b, problem.x);
    expect_solved(problem, report, 1e-12);
    EXPECT_EQ(report.solver, "BiCGstab(" + std::to_string(l) + ")");
    if (l == 1)
      EXPECT_NEAR(report.iterations, plain, 2) << "with l = 1 it is BiCGstab";
    else
      EXPECT_LE(report.iterations, 1.2 * plain + l);
  }
}

TEST_P(Solvers, MixedPrecisionReachesDoubleTolerances) {
  const Problem problem(GetParam().make(Comm::world()));
  const MixedPrecision bicgstab(problem.wilson_float, BiCgStab{.tolerance = 1e-12});
  const SolveReport report = bicgstab(problem.wilson, problem.b, problem.x);
  expect_solved(problem, report, 1e-12);
  EXPECT_GE(report.restarts, 1) << "single precision alone cannot have got there";
  zero(problem.x);
  const MixedPrecision normal(problem.wilson_float, NormalConjugateGradient{.tolerance = 1e-12});
  expect_solved(problem, normal(problem.wilson, problem.b, problem.x), 1e-12);
}

/// Every column is a system of its own; the report says how well each came out.
TEST_P(Solvers, ReportTheResidualOfEveryColumn) {
  const Problem problem(GetParam().make(Comm::world()));
  const SpinorField<double> b(problem.lattice, "sources", 3), x(problem.lattice, "solutions", 3);
  load(b, reference::random_array(problem.lattice.extent(), 36, 13));
  zero(b.column(2));
  const auto check = [&](const SolveReport& report) {
    ASSERT_EQ(report.column_residuals.size(), 3u) << report.text();
    for (const int k : {0, 1}) {
      const double residual =
          wilson_residual(problem.u, reference::part(gather(x), 12 * k, 12), reference::part(gather(b), 12 * k, 12));
      EXPECT_NEAR(report.column_residuals[std::size_t(k)], residual, 40 * std::numeric_limits<double>::epsilon());
    }
    EXPECT_EQ(report.column_residuals[2], 0);
  };
  check(BiCgStab{.tolerance = 1e-6}(problem.wilson, b, x));
  axpy(100, x.column(0), x.column(1));  // a worse guess for one
  check(BiCgStab{.tolerance = 1e-6}(problem.wilson, b, x));
  zero(x);
  check(NormalConjugateGradient{.tolerance = 1e-6}(problem.wilson, b, x));
  zero(x);
  check(MixedPrecision(problem.wilson_float, BiCgStab{.tolerance = 1e-6})(problem.wilson, b, x));

  const SolveReport one = BiCgStab{.tolerance = 1e-6}(problem.wilson, problem.b, problem.x);
  EXPECT_EQ(one.column_residuals, std::vector<double>{one.residual});
  load(x, reference::random_array(problem.lattice.extent(), 36, 14));
  const SolveReport stopped =
      BiCgStab{.tolerance = 1e-6, .max_iterations = 0, .on_failure = OnFailure::report}(problem.wilson, b, x);
  EXPECT_EQ(stopped.column_residuals.at(2), 0) << "zeros need no iteration";
}

TEST_P(Solvers, EvenOddSolvesAllSites) {
  const Problem problem(GetParam().make(Comm::world()));
  const BiCgStab bicgstab{.tolerance = 1e-12};
  const int all_sites = bicgstab(problem.wilson, problem.b, problem.x).iterations;
  zero(problem.x);
  const SolveReport report = EvenOdd(problem.wilson, bicgstab)(problem.wilson, problem.b, problem.x);
  expect_solved(problem, report, 1e-12);
  EXPECT_LT(report.iterations, 0.75 * all_sites) << "elimination should about halve them";
  zero(problem.x);
  expect_solved(
      problem,
      EvenOdd(problem.wilson, NormalConjugateGradient{.tolerance = 1e-12})(problem.wilson, problem.b, problem.x),
      1e-12);
  zero(problem.x);
  const MixedPrecision mixed(SchurComplement(problem.wilson_float), bicgstab);
  expect_solved(problem, EvenOdd(problem.wilson, mixed)(problem.wilson, problem.b, problem.x), 1e-12);
}

TEST_P(Solvers, SinglePrecisionSolvesToItsOwn) {
  const Problem problem(GetParam().make(Comm::world()));
  const SpinorField<float> b(problem.lattice, "b"), x(problem.lattice, "x");
  load(b, problem.source);
  for (const bool normal : {false, true}) {
    zero(x);
    const SolveReport report = normal ? NormalConjugateGradient{.tolerance = 1e-5}(problem.wilson_float, b, x)
                                      : BiCgStab{.tolerance = 1e-5}(problem.wilson_float, b, x);
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.stopping_residual, 1e-5);
    EXPECT_NEAR(report.residual, wilson_residual(problem.u, gather(x), problem.source),
                40 * std::numeric_limits<float>::epsilon());
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, Solvers, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

/// shift - Delta
template <class T>
struct Helmholtz {
  CovariantLaplacian<T> laplacian;
  double shift;
  template <class F>
  void apply(const F& in, const F& out) const {
    laplacian.combine(shift + 2 * int(laplacian.dimensions()), -1, in, out);
  }
};

TEST(ConjugateGradientSolver, SolvesWithTheLaplacian) {
  const Problem problem(small_lattice());
  const Helmholtz<double> helmholtz{CovariantLaplacian<double>(GaugeLinks<double>(problem.gauge)), 0.5};
  const SolveReport report = ConjugateGradient{.tolerance = 1e-12}(helmholtz, problem.b, problem.x);
  EXPECT_TRUE(report.converged);
  const GlobalArray x = gather(problem.x);
  const GlobalArray laplacian = reference::laplacian(problem.u, x, 4);
  double worst = 0;
  for (std::size_t i = 0; i < x.data.size(); ++i)
    worst = max_or_nan(worst, std::abs(0.5 * x.data[i] - laplacian.data[i] - problem.source.data[i]));
  EXPECT_LT(worst, 1e-12 * std::sqrt(norm2(problem.b)));
  const Field<ColorVector, double> b(problem.lattice, "b"), y(problem.lattice, "y");
  poke(b, {1, 2, 3, 0}, ColorVector<double>{{{1, 0}, {0, 1}, {0, 0}}});
  EXPECT_TRUE((ConjugateGradient{.tolerance = 1e-12}(helmholtz, b, y).converged));
}

TEST(BiCgStabSolver, SolvesWithLegsOfTwoLengths) {
  const Problem problem(Lattice(Comm::world(), {4, 6, 6, 12}));
  const auto check = [&](const auto& M, const auto& low) {
    zero(problem.x);
    EXPECT_LE(BiCgStab{.tolerance = 1e-11}(M, problem.b, problem.x).residual, 1.1e-11);
    const SpinorField<double> Mx = problem.x.like("M x");
    M.apply(problem.x, Mx);
    EXPECT_LT(norm2(Mx - problem.b), 1.3e-22 * norm2(problem.b));
    zero(problem.x);
    EXPECT_LE(MixedPrecision(low, BiCgStab{.tolerance = 1e-11})(M, problem.b, problem.x).residual, 1.1e-11);
  };
  const BoundaryAngles angles{kAngles};
  check(hamber_wu_operator<double>(problem.gauge, kMass, angles),
        hamber_wu_operator<float>(problem.gauge, kMass, angles));
  check(naik_operator<double>(problem.gauge, kMass, angles), naik_operator<float>(problem.gauge, kMass, angles));
}

TEST(ConjugateGradientSolver, ReportsAnOperatorThatIsNotPositive) {
  const Problem problem(small_lattice());
  const Helmholtz<double> indefinite{CovariantLaplacian<double>(GaugeLinks<double>(problem.gauge)), -20};
  const SolveReport report = ConjugateGradient{.on_failure = OnFailure::report}(indefinite, problem.b, problem.x);
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.reason.find("not positive"), std::string::npos) << report.reason;
}

/// mass + sum over mu of the covariant derivatives: eigenvalues far off the real axis.
struct SkewOperator {
  GaugeLinks<double> links;
  double mass;
  void apply(const SpinorField<double>& in, const SpinorField<double>& out) const {
    copy(in, out);
    scale(mass, out);
    const SpinorField<double> derivative = in.like("derivative");
    for (int mu = 0; mu < 4; ++mu) {
      covariant_derivative(links, in, mu, derivative);
      axpy(1, derivative, out);
    }
  }
};

TEST(BiCgStabLSolver, IsFasterWhereEigenvaluesAreNearlyImaginary) {
  const Problem problem(small_lattice());
  const SkewOperator skew{GaugeLinks<double>(problem.gauge), 0.3};
  const auto iterations = [&](const auto& solver) {
    zero(problem.x);
    return solver(skew, problem.b, problem.x).iterations;
  };
  const int two = iterations(BiCgStabL{.tolerance = 1e-10, .l = 2});
  EXPECT_GT(iterations(BiCgStab{.tolerance = 1e-10}), 1.2 * two);
}

TEST(SolverReports, ConvergedGuessCostsNoIterationAndZeroSourceGivesZero) {
  const Problem problem(small_lattice());
  const BiCgStab solve{.tolerance = 1e-10};
  const int first = solve(problem.wilson, problem.b, problem.x).iterations;
  EXPECT_GT(first, 0);
  EXPECT_EQ(solve(problem.wilson, problem.b, problem.x).iterations, 0);
  EXPECT_EQ(EvenOdd(problem.wilson, solve)(problem.wilson, problem.b, problem.x).iterations, 0);
  EXPECT_EQ((NormalConjugateGradient{.tolerance = 1e-7}(problem.wilson, problem.b, problem.x).iterations), 0);
  const SpinorField<double> nothing = problem.b.like("nothing");
  const SolveReport report = solve(problem.wilson, nothing, problem.x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(norm2(problem.x), 0);
}

TEST(SolverReports, ProgressIsCalledForEveryIteration) {
  const Problem problem(small_lattice());
  std::vector<SolveProgress> history;
  const ProgressCallback record = [&](const SolveProgress& p) { history.push_back(p); };
  for (const bool mixed : {false, true}) {
    history.clear();
    zero(problem.x);
    const NormalConjugateGradient cg{.tolerance = 1e-9, .progress = record};
    const SolveReport report = mixed ? MixedPrecision(problem.wilson_float, cg)(problem.wilson, problem.b, problem.x)
                                     : cg(problem.wilson, problem.b, problem.x);
    ASSERT_EQ(int(history.size()), report.iterations);
    for (std::size_t i = 0; i < history.size(); ++i) EXPECT_EQ(history[i].iteration, int(i) + 1);
    EXPECT_GT(history.front().residual, history.back().residual);
    EXPECT_LT(history.back().residual, 1e-8);
  }
}

// On all ranks: an iteration of CGNR has M, its adjoint, four sums over three fields and three updates of four.
TEST(SolverReports, CountTheWorkOfOperatorsAndVectorAlgebra) {
  const Problem problem(small_lattice());
  const auto after = [&](int iterations) {
    zero(problem.x);
    return NormalConjugateGradient{.tolerance = 1e-14, .max_iterations = iterations, .on_failure = OnFailure::report}(
        problem.wilson, problem.b, problem.x);
  };
  const SolveReport few = after(3), more = after(7);
  const double sites = 256, operators = 2 * (1320 + 48), algebra = 12 * (16 + 12);
  EXPECT_DOUBLE_EQ(more.flops - few.flops, 4 * sites * (operators + algebra));
  // Fields may have padding.
  EXPECT_GE(more.bytes - few.bytes, 4 * sites * 8 * (2 * (48 + 72) + (3 + 7) * 24));
  EXPECT_LE(more.bytes - few.bytes, 8 * sites * 8 * (2 * (48 + 72) + (3 + 7) * 24));
  SolveReport report;
  report.seconds = 2;
  report.flops = 6e9;
  report.bytes = 5e9;
  EXPECT_NE(report.text().find(", 2 s, 3 Gflop/s, 2.5 GB/s"), std::string::npos) << report.text();
}

template <class Solver, class Operator, class F>
void expect_failure(const Solver& solver, const Operator& A, const F& b, const F& x, const std::string& reason) {
  zero(x);
  try {
    solver(A, b, x);
    ADD_FAILURE() << "did not throw: " << reason;
  } catch (const ConvergenceError& e) {
    EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
  }
  Solver quiet = solver;
  quiet.on_failure = OnFailure::report;
  zero(x);
  const SolveReport report = quiet(A, b, x);
  EXPECT_FALSE(report.converged);
  EXPECT_GT(report.residual, report.tolerance);
}

TEST(SolverFailures, IterationLimitIsAnErrorWithTheNumbers) {
  const Problem problem(small_lattice());
  const std::string limit = "limit of 3 iterations";
  expect_failure(BiCgStab{.max_iterations = 3}, problem.wilson, problem.b, problem.x, limit);
  expect_failure(BiCgStabL{.max_iterations = 3}, problem.wilson, problem.b, problem.x, limit);
  expect_failure(NormalConjugateGradient{.max_iterations = 3}, problem.wilson, problem.b, problem.x, limit);
  expect_failure(EvenOdd(problem.wilson, BiCgStab{.max_iterations = 3}), problem.wilson, problem.b, problem.x, limit);
  expect_failure(MixedPrecision(problem.wilson_float, BiCgStab{.max_iterations = 3}), problem.wilson, problem.b,
                 problem.x, limit);
}

TEST(SolverFailures, SinglePrecisionCannotReachDoubleTolerances) {
  const Problem problem(small_lattice());
  const SpinorField<float> b(problem.lattice, "b"), x(problem.lattice, "x");
  load(b, problem.source);
  expect_failure(BiCgStab{.tolerance = 1e-12}, problem.wilson_float, b, x, "rounding");
  expect_failure(BiCgStabL{.tolerance = 1e-12}, problem.wilson_float, b, x, "rounding");
  expect_failure(NormalConjugateGradient{.tolerance = 1e-12}, problem.wilson_float, b, x, "rounding");
}

TEST(SolverFailures, NonFiniteNumbersAreNotASolution) {
  const Problem problem(small_lattice());
  GlobalArray u = problem.u;
  u.data[5] = std::nan("");
  const WilsonOperator<double> broken(GaugeLinks<double>(Problem::loaded(problem.lattice, u)), kMass);
  const std::string reason = "not finite";
  for (const bool normal : {false, true}) {
    zero(problem.x);
    const SolveReport report =
        normal ? NormalConjugateGradient{.on_failure = OnFailure::report}(broken, problem.b, problem.x)
               : BiCgStab{.on_failure = OnFailure::report}(broken, problem.b, problem.x);
    EXPECT_FALSE(report.converged);
    EXPECT_NE(report.reason.find(reason), std::string::npos) << report.reason;
  }
}

/// Multiplies the first guess, 1 if it was 0, by a factor at every restart.
struct Diverging {
  double factor = -10;
  double tolerance = 1e-10;
  int max_iterations = 1000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  std::string name() const { return "diverging"; }
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    SolveRun run(*this, b);
    const F r = b.like("residual");
    if (norm2(x) == 0) copy(b, x);
    for (;;) {
      A.apply(x, r);
      xpay(b, -1, r);
      const double residual = std::sqrt(norm2(r) / norm2(b));
      if (run.over(residual, residual, 4)) return run.finish(r, b);
      run.step(residual);
      scale(factor, x);
    }
  }
};

TEST(SolverFailures, DivergenceIsNotTakenForRounding) {
  const Problem problem(small_lattice());
  expect_failure(Diverging{}, problem.wilson, problem.b, problem.x, "diverges");
  zero(problem.x);
  expect_failure(Diverging{.factor = -1.5}, problem.wilson, problem.b, problem.x, "diverges");
  expect_failure(MixedPrecision(problem.wilson_float, Diverging{}), problem.wilson, problem.b, problem.x,
                 "no correction that makes the residual smaller, because restarts make the true residual larger");
}

TEST(SolverFailures, TheLimitAfterManyStartsSaysWhatMayBeWrong) {
  const Problem problem(small_lattice());
  for (const double scale : {1.0, 0.2}) {
    SolveRun run(Diverging{.max_iterations = 3, .on_failure = OnFailure::report}, problem.b);
    for (const double residual : {1.0, 0.6, 0.4}) {
      ASSERT_FALSE(run.over(scale * residual, 10)) << residual;
      run.step(scale * residual);
    }
    ASSERT_TRUE(run.over(scale * 0.3, 10));
    const std::string reason = run.finish().reason;
    EXPECT_NE(reason.find("the limit of 3 iterations was reached"), std::string::npos) << reason;
    EXPECT_EQ(reason.find("restarts left 0.3 of the source") != std::string::npos, scale == 1) << reason;
    EXPECT_EQ(reason.find("eigenvalues on both sides of zero") != std::string::npos, scale == 1) << reason;
  }
}

TEST(SolverFailures, StagnationFarAboveRoundingIsNotTakenForIt) {
  const Problem problem(small_lattice());
  const Diverging stagnating{.factor = 1, .on_failure = OnFailure::report};
  const auto has = [&](const std::string& part) {
    const std::string failure = stagnating(problem.wilson, problem.b, problem.x).failure();
    EXPECT_NE(failure.find(part), std::string::npos) << failure;
  };
  copy(problem.b, problem.x);
  scale(0.01, problem.x);
  has("times the source, so the solver does not converge on this system: the operator may have eigenvalues on both "
      "sides of zero");
  has("conjugate gradients on normal equations");
  BiCgStab{.tolerance = 1e-6}(problem.wilson, problem.b, problem.x);
  has("probably because rounding dominates it");
}

TEST(SolverFailures, MixedPrecisionDoesNotAddACorrectionThatMakesTheResidualLarger) {
  const Problem problem(small_lattice());
  BiCgStab{.tolerance = 1e-3}(problem.wilson, problem.b, problem.x);
  const GlobalArray before = gather(problem.x);
  MixedPrecision solve(problem.wilson_float, Diverging{});
  solve.on_failure = OnFailure::report;
  EXPECT_LT(solve(problem.wilson, problem.b, problem.x).residual, 1e-3);
  EXPECT_EQ(gather(problem.x).data, before.data);
}

/// Exchanges upper and lower spins: A b is orthogonal to an upper source b, so BiCGstab breaks down at once.
struct SpinExchange {
  void apply(const SpinorField<double>& in, const SpinorField<double>& out) const {
    GlobalArray a = gather(in);
    for (std::size_t i = 0; i < a.data.size(); i += 12)
      for (std::size_t k = 0; k < 6; ++k) std::swap(a.data[i + k], a.data[i + k + 6]);
    load(out, a);
  }
};

TEST(BiCgStabSolver, RecoversFromABreakdown) {
  const Lattice lattice = small_lattice();
  const SpinorField<double> b(lattice, "b"), x(lattice, "x"), image(lattice, "image");
  Spinor<double> unit = zero<Spinor<double>>();
  unit(0, 1).re = 1;
  poke(b, {1, 0, 3, 2}, unit);
  const auto check = [&](const SolveReport& report) {
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.restarts, 1);
    SpinExchange{}.apply(x, image);
    EXPECT_LT(axpy_norm2(-1, b, image), 1e-24);
  };
  check(BiCgStab{}(SpinExchange{}, b, x));
  zero(x);
  check(BiCgStabL{}(SpinExchange{}, b, x));
}

TEST(SolverErrors, ParametersThatDifferBetweenRanksAreRefusedOnEveryRank) {
  const Comm comm = Comm::world();
  if (comm.size() == 1) GTEST_SKIP() << "does not apply: needs two ranks";
  const Problem problem(small_lattice());
  const double tolerance = comm.rank() == 0 ? 1e-3 : 1e-9;
  const int iterations = comm.rank() == 0 ? 10 : 20;
  EXPECT_TRUE(throws_everywhere([&] { BiCgStab{.tolerance = tolerance}(problem.wilson, problem.b, problem.x); }));
  EXPECT_TRUE(throws_everywhere([&] { BiCgStab{.max_iterations = iterations}(problem.wilson, problem.b, problem.x); }));
  EXPECT_TRUE(throws_everywhere(
      [&] { NormalConjugateGradient{.tolerance = tolerance}(problem.wilson, problem.b, problem.x); }));
}

TEST(SolverErrors, ParametersAndFieldsThatSolversCannotUseAreRefused) {
  const Problem problem(small_lattice());
  const Helmholtz<double> no_adjoint{CovariantLaplacian<double>(GaugeLinks<double>(problem.gauge)), 0.5};
  EXPECT_THROW(NormalConjugateGradient{}(no_adjoint, problem.b, problem.x), InputError);
  EXPECT_THROW(BiCgStab{.tolerance = 0}(problem.wilson, problem.b, problem.x), InputError);
  EXPECT_THROW(EvenOdd(WilsonOperator<double>(GaugeLinks<double>(problem.gauge), -4), BiCgStab{}), InputError);
  EXPECT_THROW((BiCgStab{.max_iterations = -1}(problem.wilson, problem.b, problem.x)), InputError);
  EXPECT_THROW((BiCgStabL{.l = 0}(problem.wilson, problem.b, problem.x)), InputError);
}

TEST(SolveReport, NamesColumnsAsTheProblemDoesThatTheyAreOf) {
  SolveReport report;
  EXPECT_EQ(report.of_columns({4, 2, 12}).reason, "");
  report.reason = "it diverges";  // all columns as one system
  EXPECT_EQ(report.of_columns({4, 2, 12}).reason, "columns 4, 5 of 12: it diverges");
  EXPECT_EQ(report.of_columns({0, 1, 1}).reason, "it diverges");
  report.reason = "columns 0, 2 of 3: it diverges";
  report.column_reasons = {"it diverges", "", "it diverges"};
  EXPECT_EQ(report.of_columns({8, 3, 12}).reason, "columns 8, 10 of 12: it diverges");
  report.column_reasons = {"", "it diverges", ""};
  EXPECT_EQ(report.of_columns({10, 2, 12}).reason, "column 11 of 12: it diverges") << "a column beyond the problem";
}

}  // namespace
}  // namespace kov
