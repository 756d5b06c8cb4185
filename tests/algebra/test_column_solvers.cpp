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
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/every_rank.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {
namespace column_solvers {

using reference::GlobalArray;

template <class F>
inline constexpr double tolerance_of = std::is_same_v<typename F::Real, double> ? 1e-10 : 2e-5;

/// More than a pack, and no multiple of one.
template <class F>
inline constexpr int n_columns_of = F::Lanes::columns + 5;

Lattice small_lattice() { return Lattice(Comm::world(), {4, 4, 4, 4}); }

GlobalArray hot_links() { return reference::random_su3({4, 4, 4, 4}, 4, 31); }

template <class T>
WilsonOperator<T> wilson(const Lattice& lattice) {
  return {GaugeLinks<T>(reference::gauge_field<double>(lattice, hot_links()), BoundaryAngles::antiperiodic_in_time()),
          0.3,
          {.columns = true}};
}

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

/// Colours 1 and 2 times a number between 1 and 2, another one at each site.  Colour 0 times a number, or, with
/// exchanges, upper spins in place of lower ones and the other way round.
struct ByColour {
  double colour_0 = 1;
  bool exchanges = false;

  template <class F>
  void apply(const F& in, const F& out) const {
    const std::vector<double> numbers = export_sites(in);
    std::vector<double> results(numbers.size());
    const Geometry& geometry = in.lattice().geometry();
    std::size_t i = 0;
    reference::for_each_coordinate(geometry.local_extent(), [&](const Coord& local) {
      const double factor =
          1 + double(lexicographic(geometry.global(local), geometry.extent())) / double(in.lattice().volume());
      for (int k = 0; k < in.n_components(); ++k)
        for (std::size_t spin = 0; spin < 4; ++spin)
          for (std::size_t colour = 0; colour < 3; ++colour)
            for (std::size_t part = 0; part < 2; ++part, ++i) {
              const std::size_t other = spin < 2 ? i + 12 : i - 12;
              results[i] = colour > 0 ? factor * numbers[i] : exchanges ? numbers[other] : colour_0 * numbers[i];
            }
    });
    import_sites(results, out);
  }
};

/// Column k as the only one of its field.
template <class F>
F alone(const F& x, int k) {
  F one(x.lattice(), "alone", 1, x.subset());
  copy_components(x, k, one, 0, 1);
  return one;
}

template <class F>
void set_column(const F& x, int k, const F& one) {
  copy_components(one, 0, x, k, 1);
}

template <class F>
void set_random(const F& x, int k, std::uint64_t seed, double size) {
  F one(x.lattice(), "random", 1, x.subset());
  load(one, reference::random_array(x.lattice().extent(), F::n_complex, seed));
  scale(size, one);
  set_column(x, k, one);
}

/// Random sources, but for a zero at 1, and guesses of all kinds: the solution itself at 2, nearly that at 3.
template <class F>
struct Systems {
  static constexpr int n = n_columns_of<F>;
  F b, x;

  template <class S>
  Systems(const Lattice& lattice, const S& solver, const Operator<F>& A) : b(lattice, "b", n), x(lattice, "x", n) {
    for (int k = 0; k < n; ++k) {
      if (k != 1) set_random(b, k, 40 + std::uint64_t(k), 1);
      if (k != 0) set_random(x, k, 90 + std::uint64_t(k), k == 4 ? 1e3 : 1);
    }
    for (const int k : {2, 3}) {
      const F solution = alone(x, k);
      solver(A, alone(b, k), solution);
      if (k == 3) {
        const F away = solution.like("away");
        set_random(away, 0, 7, 1e-3);
        axpy(1, away, solution);
      }
      set_column(x, k, solution);
    }
  }
};

#if defined(KOKKOS_ENABLE_CUDA)
constexpr bool same_bits = false;  // sums of many columns and of one are taken in another order
#else
constexpr bool same_bits = true;
#endif

template <class F>
void expect_column(const F& x, int k, const F& one, const std::string& what) {
  if (same_bits) {
    EXPECT_EQ(export_sites(alone(x, k)), export_sites(one)) << what << ", column " << k;
  }
}

void expect_same_on_all_ranks(const Lattice& lattice, const SolveReport& report) {
  for (std::size_t k = 0; k < report.column_residuals.size(); ++k)
    lattice.require_same("a column", report.column_residuals[k], report.column_iterations.at(k));
  lattice.require_same("a report", report.iterations, report.restarts, report.residual, report.text());
}

/// Solves all columns together and each alone.
template <class F, class S>
void check(const Lattice& lattice, const S& solver, const Operator<F>& A) {
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

template <class F>
class ColumnSolvers : public testing::Test {};
using SpinorFields =
    testing::Types<SpinorField<double>, SpinorField<double, ColumnLanes<4>>, SpinorField<double, ColumnLanes<8>>,
                   SpinorField<float>, SpinorField<float, ColumnLanes<4>>, SpinorField<float, ColumnLanes<16>>>;
TYPED_TEST_SUITE(ColumnSolvers, SpinorFields);

TYPED_TEST(ColumnSolvers, SolveEachColumnAsItIsAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> M = wilson<typename F::Real>(lattice);
  check<F>(lattice, BiCgStab{.tolerance = tolerance_of<F>}, M);
  check<F>(lattice, NormalConjugateGradient{.tolerance = tolerance_of<F>}, M);
  check<F>(lattice, NormalErrorConjugateGradient{.tolerance = tolerance_of<F>}, M);
  check<F>(lattice, ConjugateGradient{.tolerance = tolerance_of<F>}, ByColour{});
  check<F>(lattice, BiCgStabL{.tolerance = tolerance_of<F>, .l = 3}, M);
  check<F>(lattice, MinimalResidual{.tolerance = tolerance_of<F>}, M);
  check<F>(lattice, Gcr<F>{.tolerance = tolerance_of<F>, .directions = 5}, M);
}

TYPED_TEST(ColumnSolvers, PreconditionEachColumnAsItIsAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> M = wilson<typename F::Real>(lattice);
  const int n = n_columns_of<F>;
  const F b(lattice, "b", n), x = b.like("x"), one_b(lattice, "b", 1), one_x = one_b.like("x");
  for (int k = 0; k < n; ++k) set_random(b, k, 40 + std::uint64_t(k), 1);
  Gcr<F> solver{.tolerance = tolerance_of<F>, .preconditioner = MinimalResidualSteps<F>(M, b, 3)};
  const SolveReport report = solver(M, b, x);
  solver.preconditioner = MinimalResidualSteps<F>(M, one_b, 3);
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

/// The columns of a solve in which some may fail, against those of a solve in which none does.
template <class F, class S>
SolveReport solve_quietly(S solver, const Operator<F>& A, const F& b, const F& x) {
  solver.on_failure = OnFailure::report;
  return solver(A, b, x);
}

template <class F, class S>
void expect_failure(const S& solver, const Operator<F>& A, const F& b, const F& x, const std::string& reason) {
  try {
    solver(A, b, x);
    ADD_FAILURE() << "did not throw: " << reason;
  } catch (const ConvergenceError& e) {
    EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
  }
}

TYPED_TEST(ColumnSolvers, NaNInAColumnEndsThatColumnAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const auto check_solver = [&](const auto& solver, const Operator<F>& A) {
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
  check_solver(Gcr<F>{.tolerance = tolerance_of<F>, .directions = 6}, M);
}

/// Sources with numbers in colour 0 only for column 1, and in the others only for columns 0 and 2.
template <class F>
F sources_by_colour(const Lattice& lattice) {
  const F b(lattice, "b", 3);
  for (const int k : {0, 1, 2}) {
    GlobalArray a = reference::random_array(lattice.extent(), 12, 60 + std::uint64_t(k));
    for (std::size_t i = 0; i < a.data.size(); ++i) {
      const bool keeps = k == 1 ? i % 12 < 6 && i % 3 == 0 : i % 3 > 0;  // of column 1 the upper spins
      if (!keeps) a.data[i] = 0;
    }
    F one(lattice, "one", 1);
    load(one, a);
    set_column(b, k, one);
  }
  return b;
}

TYPED_TEST(ColumnSolvers, AShiftThatFailsInAColumnEndsThatColumnAlone) {
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

TYPED_TEST(ColumnSolvers, AnOperatorThatIsNotPositiveForAColumnEndsThatColumnAlone) {
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

template <class F, class S>
void check_breakdown(const S& solver) {
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
TYPED_TEST(ColumnSolvers, BreakdownOfAColumnRestartsThatColumnAlone) {
  check_breakdown<TypeParam>(BiCgStab{.tolerance = tolerance_of<TypeParam>});
  check_breakdown<TypeParam>(BiCgStabL{.tolerance = tolerance_of<TypeParam>, .l = 3});
}

/// On column 1 A is 1, so that GCR runs out of directions there.
TYPED_TEST(ColumnSolvers, DirectionsOfAColumnMayBeExhausted) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Gcr<F> solver{.tolerance = 1e-2 * tolerance_of<F>, .on_failure = OnFailure::report, .directions = 30};
  const Operator<F> A = ByColour{};
  const F b = sources_by_colour<F>(lattice), x = b.like("x");
  const SolveReport report = solver(A, b, x);
  EXPECT_LE(report.column_residuals.at(1), 1e-6);
  EXPECT_LE(report.column_iterations.at(1), 3);
  EXPECT_GT(report.column_iterations.at(0), 5);
  EXPECT_LE(report.column_residuals.at(0), tolerance_of<F>);
}

TYPED_TEST(ColumnSolvers, TheLimitOfIterationsIsThatOfEachColumn) {
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
template <class F, class S, class A>
void check_around(const S& solver, const A& M) {
  const Lattice lattice = M.lattice();
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
  const SolveReport partial = solve_quietly(solver, Operator<F>(M), systems.b, x);
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
  check_around<F>(mixed, M);
  check_around<F>(EvenOdd<double, Lanes>(M, inner, SchurForm::asymmetric, n), M);
  const SchurComplement<float, MassTerm, Low> low_even(low, n, SchurForm::symmetric);
  check_around<F>(EvenOdd<double, Lanes>(M, MixedPrecision<Lanes>(low_even, inner), SchurForm::symmetric, n), M);

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
