// SPDX-License-Identifier: MIT
//
// Reliable updates of many columns: each as it is alone, with the operators applied to those that need them.
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/schur_complement.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "tests/algebra/precision/reliable_problem.hpp"
#include "tests/reference/near_unit_links.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

namespace kov {
namespace {
namespace reliable_columns {

using namespace reliable_problem;

/// residual: of the original systems, at most.
template <class Lanes, class Recursion>
void check_columns(const Recursion& recursion, double residual) {
  using High = SpinorField<double, Lanes>;
  constexpr int n = 7;
  const Problem problem(small_lattice(), 0.2, n, {.doubled = true, .columns = true});
  const High b(problem.lattice, "b", n), x(problem.lattice, "x", n);
  convert(problem.b, b);
  zero(problem.b.column(2));
  convert(problem.b, b);
  const ReliableUpdates<float, double, Lanes> solver(problem.low, recursion, 0.05);
  const SolveReport report = solver(problem.high, b, x);
  EXPECT_TRUE(report.converged) << report.text();
  ASSERT_EQ(report.column_iterations.size(), std::size_t(n));
  EXPECT_EQ(report.column_iterations[2], 0);
  EXPECT_EQ(report.column_residuals[2], 0);
  const auto solved = gather(x);
  const auto sources = gather(problem.b);
  for (int k = 0; k < n; ++k) {
    ASSERT_EQ(report.history.at(std::size_t(k)).size(), std::size_t(report.column_iterations[std::size_t(k)]));
    if (k == 2) continue;
    EXPECT_LE(naive_residual(problem.u, problem.mass, reference::part(solved, 12 * k, 12),
                             reference::part(sources, 12 * k, 12)),
              residual);
    const High one_b(problem.lattice, "b", 1), one_x(problem.lattice, "x", 1);
    copy_components(b, k, one_b, 0, 1);
    const SolveReport alone = solver(problem.high, one_b, one_x);
#if !defined(KOKKOS_ENABLE_CUDA)  // there, sums of many columns and of one are taken in another order
    EXPECT_EQ(alone.iterations, report.column_iterations[std::size_t(k)]);
    EXPECT_EQ(gather(one_x).data, reference::part(solved, 12 * k, 12).data) << "column " << k;
#endif
  }
}

TEST(ReliableColumns, EveryColumnIsASystemOfItsOwn) {
  const BiCgStab bicgstab{.tolerance = 1e-11};
  check_columns<SiteLanes>(bicgstab, 1.1e-11);
  check_columns<ColumnLanes<4>>(bicgstab, 1.1e-11);
  check_columns<ColumnLanes<8>>(bicgstab, 1.1e-11);
  const NormalConjugateGradient cgnr{.tolerance = 1e-11};
  check_columns<SiteLanes>(cgnr, 1e-10);
  check_columns<ColumnLanes<4>>(cgnr, 1e-10);
}

/// A column is renewed fastest beside others: 12 columns take at most a third of the turns that they take alone.  Over
/// several masses, because a rounding moves a column from one turn to the next.
TEST(ReliableColumns, ColumnsAreRenewedInCommonTurns) {
  constexpr int n = 12;
  int together = 0, alone = 0;
  for (const double mass : {0.05, 0.1, 0.15, 0.2}) {
    const Problem problem(small_lattice(), mass, n);
    const ReliableUpdates solver(problem.low, BiCgStab{.tolerance = 1e-12});
    const SolveReport report = solver(problem.high, problem.b, problem.x);
    EXPECT_TRUE(report.converged) << report.text();
    together += report.renewals;
    for (int k = 0; k < n; ++k) {
      const SpinorField<double> x(problem.lattice, "alone");
      const SolveReport one = solver(problem.high, problem.b.column(k), x);
      EXPECT_TRUE(one.converged) << one.text();
      alone += one.renewals;
    }
  }
  EXPECT_GE(alone, 4 * n) << "columns are not renewed, so this tests nothing";
  EXPECT_LE(3 * together, alone);
}

/// A without its adjoint, which counts the columns that it is applied to.
template <class F>
Operator<F> counting_columns(const Operator<F>& A, int& columns) {
  return [A, &columns](const F& in, const F& out) {
    columns += in.n_components();
    A.apply(in, out);
  };
}

/// Columns that A was applied to, in all: solve(A, column) for 12 columns, together and one by one.
struct AppliedColumns {
  int together = 0, alone = 0;
};
template <class Solve>
AppliedColumns applied_columns(const Operator<SpinorField<double>>& A, const SpinorField<double>& b,
                               const Solve& solve) {
  int columns = 0;
  const Operator<SpinorField<double>> counting = counting_columns(A, columns);
  solve(counting, b, 0);
  const int together = std::exchange(columns, 0);
  for (int k = 0; k < b.n_components(); ++k) solve(counting, b.column(k), k);
  return {together, columns};
}

/// Near the critical mass columns are due, and break down in 16 bits, at different times.
TEST(ReliableColumns, AppliesOperatorsToTheColumnsThatNeedThem) {
  constexpr int n = 12;
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto gauge = reference::gauge_field<double>(lattice, reference::near_unit_links(lattice.extent(), 5));
  const auto operators = [&]<class T>(T) {
    return WilsonOperator<T>(GaugeLinks<T>(gauge, BoundaryAngles::antiperiodic_in_time()), -0.4);
  };
  const SchurComplement<double, MassTerm> high(operators(double()), n);
  const SchurComplement<float, MassTerm, SpinorField<Fixed16>> low(operators(float()), n);
  const SpinorField<double> b(lattice, "source", n);
  load(b, reference::random_array(lattice.extent(), 12 * n, 3));
  int renewals = 0, restarts = 0;
  AppliedColumns low_applied;
  const AppliedColumns applied = applied_columns(high, b.even(), [&](const auto& A, const auto& source, int) {
    int& count = source.n_components() == n ? low_applied.together : low_applied.alone;
    const Operator<SpinorField<Fixed16>> counting = counting_columns<SpinorField<Fixed16>>(low, count);
    const SpinorField<double> x = source.like("solution");
    const SolveReport report = ReliableUpdates<Fixed16>(counting, BiCgStab{.tolerance = 1e-10})(A, source, x);
    renewals = std::max(renewals, report.renewals);
    restarts = std::max(restarts, report.restarts);
  });
  EXPECT_GT(renewals, n) << "columns are not due at different times, so this tests nothing";
  EXPECT_GE(restarts, 1) << "no column breaks down, so this tests nothing";
  EXPECT_LE(applied.together, 1.5 * applied.alone);
  EXPECT_LE(low_applied.together, 1.5 * low_applied.alone);
}

/// Which columns a field has of those that it shares memory with, for operators that know a column.
template <class F>
struct WholeFields {
  int n_columns;
  std::vector<F> seen = {};

  /// The first of them; below 0 for a field of another solve.
  int first(const F& x) {
    if (x.n_components() == n_columns) {
      seen.push_back(x);
      return 0;
    }
    for (const F& whole : seen)
      for (int k = 0; k + x.n_components() <= n_columns; ++k)
        if (whole.components(k, x.n_components()).data() == x.data()) return k;
    return -n_columns;
  }
};

/// Low precision is of no use for one column alone.
TEST(ReliableColumns, GoesOnInHighPrecisionWithTheColumnsThatNeedItAlone) {
  constexpr int n = 5, bad = 3;
  const Problem problem(small_lattice(), 0.3, n);
  const auto solve = [&](const auto& A, const auto& b, int first) {
    WholeFields<SpinorField<float>> fields{b.n_components()};
    const auto low = [&](const SpinorField<float>& in, const SpinorField<float>& out) {
      problem.low.apply(in, out);
      const int place = bad - first - fields.first(in);
      if (0 <= place && place < in.n_components()) scale(-1, out.column(place));
    };
    const SpinorField<double> x = b.like("solution");
    const SolveReport report =
        ReliableUpdates<>(Operator<SpinorField<float>>(low), BiCgStab{.tolerance = 1e-12})(A, b, x);
    EXPECT_TRUE(report.converged) << report.text();
    EXPECT_EQ(report.precision_switches, first <= bad && bad < first + b.n_components());
    EXPECT_EQ(report.history.at(0).size(), std::size_t(report.column_iterations.at(0)));
  };
  const AppliedColumns applied = applied_columns(problem.high, problem.b, solve);
  EXPECT_LE(applied.together, 1.5 * applied.alone);
}

/// Columns of which one needs high precision, one is not a number and one has a guess: each as if it were alone.
TEST(ReliableColumns, FailuresOfAColumnAreItsOwn) {
  using High = SpinorField<double>;
  const Problem problem(small_lattice(), 0.3, 4);
  High broken(problem.lattice, "NaN");
  copy(problem.b.column(1), broken);
  scale(std::numeric_limits<double>::quiet_NaN(), broken);
  copy(broken, problem.b.column(1));
  const GlobalArray random = reference::random_array(problem.lattice.extent(), 48, 5);
  load(problem.x, random);
  zero(problem.x.column(0));
  zero(problem.x.column(2));
  const BiCgStab quiet{.tolerance = 1e-11, .on_failure = OnFailure::report};
  // In low precision column 2 alone sees minus the operator.
  WholeFields<SpinorField<float>> fields{4};
  const auto low = [&](const SpinorField<float>& in, const SpinorField<float>& out) {
    problem.low.apply(in, out);
    const int place = 2 - fields.first(in);
    if (0 <= place && place < in.n_components()) scale(-1, out.column(place));
  };
  const SolveReport report =
      ReliableUpdates<>(Operator<SpinorField<float>>(low), quiet, 0.1)(problem.high, problem.b, problem.x);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.reason, "column 1 of 4: the residual is not finite");
  EXPECT_EQ(report.column_reasons.at(1), "the residual is not finite");
  EXPECT_EQ(report.column_iterations.at(1), 0);
  EXPECT_EQ(report.precision_switches, 1);
  for (const std::size_t k : {0, 2, 3}) {
    EXPECT_LE(report.column_residuals.at(k), 1e-11) << k;
    EXPECT_TRUE(report.column_reasons.at(k).empty()) << k;
  }
  EXPECT_GT(report.column_iterations[2], report.column_iterations[0]);
#if !defined(KOKKOS_ENABLE_CUDA)  // there, sums of many columns and of one are taken in another order
  const High b(problem.lattice, "b"), x(problem.lattice, "x");
  copy(problem.b.column(0), b);
  const SolveReport alone = ReliableUpdates<>(Operator<SpinorField<float>>(low), quiet, 0.1)(problem.high, b, x);
  EXPECT_EQ(alone.iterations, report.column_iterations[0]);
  copy(problem.x.column(0), b);
  EXPECT_EQ(gather(x).data, gather(b).data);
#endif
}

}  // namespace reliable_columns
}  // namespace
}  // namespace kov
