// SPDX-License-Identifier: MIT
//
// Solvers whose columns are systems of their own: each comes out as it does alone, whatever is solved beside it.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/krylov/minimal_residual.hpp"
#include "kov/algebra/krylov/multi_shift.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "tests/algebra/column_systems.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace kov {
namespace {
namespace column_solvers {

using namespace column_systems;

/// 0.5 - Delta.
template <class T>
struct Helmholtz {
  CovariantLaplacian<T> laplacian;
  explicit Helmholtz(const Lattice& lattice)
      : laplacian(GaugeLinks<T>(reference::gauge_field<double>(lattice, hot_links())), Dimensions::spacetime,
                  {.columns = true}) {}
  template <class F>
  void apply(const F& in, const F& out) const {
    laplacian.combine(8.5, -1, in, out);
  }
};

/// Solves all columns together and each alone.
template <class F>
void check(const Lattice& lattice, const Solver<F>& solver, const Operator<F>& A) {
  const Systems<F> systems(lattice, solver, A);
  const F x = systems.x.like("solutions");
  copy(systems.x, x);
  const SolveReport report = solver(A, systems.b, x);
  expect_same_on_all_ranks(lattice, report);
  EXPECT_TRUE(report.converged);
  ASSERT_EQ(int(report.column_iterations.size()), systems.n);
  ASSERT_EQ(int(report.column_residuals.size()), systems.n);
  for (int k = 0; k < systems.n; ++k) {
    const std::size_t i = std::size_t(k);
    const F one = alone(systems.x, k);
    const SolveReport single = solver(A, alone(systems.b, k), one);
    expect_column(x, k, one, solver.name());
    EXPECT_EQ(single.column_iterations, std::vector<int>{single.iterations});
    if (same_bits) {
      EXPECT_EQ(report.column_iterations[i], single.iterations) << solver.name() << ", column " << k;
      EXPECT_EQ(report.column_residuals[i], single.residual) << solver.name() << ", column " << k;
    }
  }
  const auto iterations = report.column_iterations;
  EXPECT_EQ(report.iterations, *std::max_element(iterations.begin(), iterations.end()));
  EXPECT_EQ(report.residual, *std::max_element(report.column_residuals.begin(), report.column_residuals.end()));
  EXPECT_LE(report.stopping_residual, solver.tolerance);
  EXPECT_EQ(iterations[1], 0) << "a source of zero";
  EXPECT_EQ(report.column_residuals[1], 0);
  EXPECT_EQ(norm2(alone(x, 1)), 0);
  EXPECT_EQ(iterations[2], 0) << "a solution to begin with";
  EXPECT_GT(iterations[3], 0);
  EXPECT_LT(iterations[3], iterations[0]);
  EXPECT_LT(iterations[0], iterations[4]);
}

/// Solvers of any operator that has an adjoint.
template <class F>
std::vector<Solver<F>> solvers() {
  const double tolerance = tolerance_of<F>;
  return {BiCgStab{.tolerance = tolerance},
          BiCgStabL{.tolerance = tolerance, .l = 3},
          NormalConjugateGradient{.tolerance = tolerance},
          NormalErrorConjugateGradient{.tolerance = tolerance},
          MinimalResidual{.tolerance = tolerance},
          Gcr{.tolerance = tolerance, .directions = 5}};
}

template <class F>
class ColumnSolvers : public testing::Test {};
TYPED_TEST_SUITE(ColumnSolvers, SpinorFields);

TYPED_TEST(ColumnSolvers, SolveEachColumnAsItIsAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> M = wilson<typename F::Real>(lattice);
  for (const Solver<F>& solver : solvers<F>()) check<F>(lattice, solver, M);
  check<F>(lattice, ConjugateGradient{.tolerance = tolerance_of<F>}, ByColour{});
}

TYPED_TEST(ColumnSolvers, PreconditionEachColumnAsItIsAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> M = wilson<typename F::Real>(lattice);
  const int n = n_columns_of<F>;
  const F b(lattice, "b", n), x = b.like("x"), one_b(lattice, "b", 1), one_x = one_b.like("x");
  for (int k = 0; k < n; ++k) set_random(b, k, 40 + std::uint64_t(k), 1);
  Gcr solver{.tolerance = tolerance_of<F>, .preconditioner = MinimalResidualSteps(M, b, 3)};
  const SolveReport report = solver(M, b, x);
  solver.preconditioner = MinimalResidualSteps(M, one_b, 3);
  for (const int k : {0, n - 1}) {
    copy(alone(b, k), one_b);
    zero(one_x);
    EXPECT_EQ(solver(M, one_b, one_x).iterations, report.column_iterations.at(std::size_t(k)));
    expect_column(x, k, one_x, solver.name());
  }
}

/// One with 0 as its source.
TYPED_TEST(ColumnSolvers, ShiftEachColumnAsItIsAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> A = ByColour{};
  const std::array shifts{0.5, 0.0, 2.0};
  const MultiShiftConjugateGradient solver{.tolerance = tolerance_of<F>};
  const int n = n_columns_of<F>;
  const F b(lattice, "b", n);
  for (int k = 0; k < n; ++k)
    if (k != 1) set_random(b, k, 40 + std::uint64_t(k), k == 3 ? 1e-3 : 1);
  const std::array x{b.like("x"), b.like("x"), b.like("x")};
  const SolveReport report = solver(A, shifts, b, x);
  EXPECT_TRUE(report.converged) << report.text();
  ASSERT_EQ(report.column_residuals.size(), shifts.size() * std::size_t(n));
  for (const int k : {0, 1, 3, n - 1}) {
    const F one_b = alone(b, k);
    const std::array one{one_b.like("x"), one_b.like("x"), one_b.like("x")};
    const SolveReport single = solver(A, shifts, one_b, one);
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      expect_column(x[i], k, one[i], solver.name());
      const double residual = report.column_residuals[i * std::size_t(n) + std::size_t(k)];
      EXPECT_LE(residual, solver.tolerance);
      if (same_bits) {
        EXPECT_EQ(residual, single.column_residuals[i]);
      }
      if (k == 1) {
        EXPECT_EQ(norm2(one[i]), 0);
      }
    }
  }
}

TEST(ColumnSolversOfColorVectors, SolveEachColumnAsItIsAlone) {
  const Lattice lattice = small_lattice();
  const Helmholtz<double> A(lattice);
  const Helmholtz<float> low(lattice);
  check<Field<ColorVector, double>>(lattice, ConjugateGradient{.tolerance = 1e-10}, A);
  check<Field<ColorVector, double, ColumnLanes<4>>>(lattice, ConjugateGradient{.tolerance = 1e-10}, A);
  check<Field<ColorVector, double, ColumnLanes<8>>>(lattice, ConjugateGradient{.tolerance = 1e-10}, A);
  check<Field<ColorVector, double, ColumnLanes<8>>>(lattice, BiCgStab{.tolerance = 1e-10}, A);
  check<Field<ColorVector, float, ColumnLanes<8>>>(lattice, ConjugateGradient{.tolerance = 2e-5}, low);
}

/// An operator that counts the columns it is applied to.
template <class F>
struct Counted {
  Operator<F> A;
  std::shared_ptr<int> n_columns = std::make_shared<int>(0);

  void apply(const F& in, const F& out) const {
    *n_columns += in.n_components();
    A.apply(in, out);
  }
  void apply_adjoint(const F& in, const F& out) const {
    *n_columns += in.n_components();
    A.apply_adjoint(in, out);
  }
};

/// The second pack of columns needs many more iterations than the first.
template <class F>
void check_work(const Lattice& lattice, const GivenSolver<F>& solver, const Operator<F>& M) {
  constexpr int width = F::Lanes::columns;
  const F b(lattice, "b", 2 * width), x = b.like("x"), guesses = b.like("guesses");
  for (int k = 0; k < 2 * width; ++k) set_random(x, k, 40 + std::uint64_t(k), 1);
  M.apply(x, b);
  for (int k = 0; k < width; ++k) set_random(guesses, k, 80 + std::uint64_t(k), 3 * tolerance_of<F>);
  axpy(1, x.components(0, width), guesses.components(0, width));
  copy(guesses, x);
  const Counted<F> A{M};
  const SolveReport report = solver(A, b, x);
  const int together = std::exchange(*A.n_columns, 0);
  ASSERT_LT(2 * report.column_iterations.front(), report.column_iterations.back()) << solver.name();
  for (const int k : {0, 2 * width - 1}) {
    const F one = alone(guesses, k);
    solver(A, alone(b, k), one);
    expect_column(x, k, one, solver.name());
  }
  EXPECT_LT(together, 1.25 * *A.n_columns * width) << solver.name() << ": columns that have ended cost what others do";
}

TYPED_TEST(ColumnSolvers, ApplyTheOperatorToColumnsThatHaveNotEnded) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> M = wilson<typename F::Real>(lattice);
  for (const Solver<F>& solver : solvers<F>()) check_work<F>(lattice, solver, M);
}

TYPED_TEST(ColumnSolvers, ProgressTellsOfTheSlowestAndTheWorstColumn) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> M = wilson<typename F::Real>(lattice);
  BiCgStab solver{.tolerance = tolerance_of<F>};
  const Systems<F> systems(lattice, solver, M);
  std::vector<SolveProgress> history;
  solver.progress = [&](const SolveProgress& p) { history.push_back(p); };
  const SolveReport report = solver(M, systems.b, systems.x);
  ASSERT_GE(int(history.size()), report.iterations);
  int most = 0;
  for (const SolveProgress& p : history) most = std::max(most, p.iteration);
  EXPECT_EQ(most, report.iterations);
  EXPECT_GT(history.front().residual, 1) << "of the column with the worst guess";
  EXPECT_LT(history.back().residual, solver.tolerance);
}

/// Solvers around solvers, in double.
template <class F>
void check_around(const Solver<F>& solver, const Operator<F>& M, const Lattice& lattice) {
  const Systems<F> systems(lattice, BiCgStab{.tolerance = 0.1 * solver.tolerance}, M);
  const F x = systems.x.like("solutions"), r = x.like("residual");
  copy(systems.x, x);
  const SolveReport report = solver(M, systems.b, x);
  expect_same_on_all_ranks(lattice, report);
  const ByColumn<double> rr = true_residual_by_column<F>(M, systems.b, x, r), bb = norm2_by_column(systems.b);
  for (int k = 0; k < systems.n; ++k) {
    const std::size_t i = std::size_t(k);
    if (k == 1) continue;
    EXPECT_LE(std::sqrt(rr[i] / bb[i]), solver.tolerance) << solver.name() << ", column " << k;
    EXPECT_EQ(report.column_residuals[i], std::sqrt(rr[i] / bb[i]));
  }
  EXPECT_EQ(norm2(alone(x, 1)), 0);
  EXPECT_EQ(report.column_iterations[1], 0);
  EXPECT_EQ(report.column_iterations[2], 0);
  EXPECT_EQ(export_sites(alone(x, 2)), export_sites(alone(systems.x, 2))) << "the solution to begin with";
  EXPECT_GT(report.column_iterations[0], 3);
  EXPECT_LT(report.column_iterations[3], report.column_iterations[0]);

  F broken = alone(systems.b, 3);
  scale(std::nan(""), broken);
  set_column(systems.b, 3, broken);
  copy(systems.x, x);
  const SolveReport partial = solve_quietly(solver, M, systems.b, x);
  EXPECT_EQ(partial.reason, "column 3 of " + std::to_string(systems.n) + ": the residual is not finite");
  for (const int k : {0, 1, 2, 4}) EXPECT_LE(partial.column_residuals[std::size_t(k)], solver.tolerance);
}

template <class Lanes>
void check_around_in() {
  using F = SpinorField<double, Lanes>;
  using Low = SpinorField<float, Lanes>;
  constexpr int n = Systems<F>::n;
  const Lattice lattice = small_lattice();
  const WilsonOperator<double> M = wilson<double>(lattice);
  const WilsonOperator<float> low = wilson<float>(lattice);
  const BiCgStab inner{.tolerance = 1e-11};
  const MixedPrecision<Lanes> mixed(low, inner);
  check_around<F>(mixed, M, lattice);
  check_around<F>(EvenOdd<double, Lanes>(M, inner, SchurForm::asymmetric, n), M, lattice);
  const SchurComplement<float, MassTerm, Low> low_even(low, n, SchurForm::symmetric);
  check_around<F>(EvenOdd<double, Lanes>(M, MixedPrecision<Lanes>(low_even, inner), SchurForm::symmetric, n), M,
                  lattice);

  const F b(lattice, "b", 2), x = b.like("x");
  EXPECT_THROW((EvenOdd<double, Lanes>(M, inner)(M, b, x)), InputError) << "made for one column";
}

TEST(SolversAroundColumnSolvers, SolveEveryColumnAndLeaveSolutionsAlone) {
  check_around_in<SiteLanes>();
  check_around_in<ColumnLanes<4>>();
  check_around_in<ColumnLanes<8>>();
}

/// A user's solver with plain numbers: steepest descent in all columns together.
struct OneSystem {
  double tolerance = 1e-10;
  int max_iterations = 1000;
  OnFailure on_failure = OnFailure::raise;
  ProgressCallback progress = {};

  std::string name() const { return "one system"; }
  template <class F>
  SolveReport operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
    SolveRun run(*this, b);
    const double bb = norm2(b);
    const F r = b.like("residual"), q = b.like("A residual");
    for (;;) {
      double rr = true_residual(A, b, x, r);
      if (run.over(std::sqrt(rr / bb), 2)) return run.finish(r, b);
      while (rr > tolerance * tolerance * bb && run.may_iterate()) {
        A.apply(r, q);
        const auto [qr, qq] = inner_product_norm2(q, r);
        axpy(qr / qq, r, x);
        rr = axpy_norm2(-qr / qq, q, r);
        run.step(std::sqrt(rr / bb));
      }
    }
  }
};

TEST(SolversOfAllColumns, AreOneSystem) {
  const WilsonOperator<double> M = wilson<double>(small_lattice());
  const SpinorField<double> b(M.lattice(), "b", 3), x = b.like("x"), r = b.like("r");
  set_random(b, 0, 1, 1);
  set_random(b, 1, 2, 1e-12);
  BiCgStab{.tolerance = 1e-11}(M, b.column(0), x.column(0));
  set_random(x, 2, 3, 1e-15);
  const SolveReport report = OneSystem{}(M, b, x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_TRUE(report.column_iterations.empty());
  EXPECT_EQ(report.residual, std::sqrt(true_residual<SpinorField<double>>(M, b, x, r) / norm2(b)));
  EXPECT_EQ(report.column_residuals[1], 1) << "it does not count in the norm of all";
  EXPECT_EQ(report.column_residuals[2], std::numeric_limits<double>::infinity()) << "zeros that were not solved by 0";
  zero(x);
  zero(b.column(0));
  const SolveReport solved = OneSystem{}(M, b, x);
  EXPECT_EQ(solved.history.size(), 1u);
  EXPECT_EQ(int(solved.history.at(0).size()), solved.iterations);
}

}  // namespace column_solvers
}  // namespace
}  // namespace kov
