// SPDX-License-Identifier: MIT
//
// All shifts at once against each alone and against the naive operator, with few applications of the operator.
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/multi_shift.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/every_rank.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {
namespace multi_shift {

using reference::gather, reference::GlobalArray;

/// m^2 - Laplacian, counting its applications.
template <class T>
struct Counted {
  CovariantLaplacian<T> laplacian;
  double square;
  std::shared_ptr<int> applications = std::make_shared<int>(0);
  template <class F>
  void apply(const F& in, const F& out) const {
    ++*applications;
    laplacian.combine(square + 8, -1, in, out);
  }
};

struct ShiftProblem {
  Lattice lattice;
  GlobalArray u, source;
  Counted<double> A;
  Field<ColorVector, double> b;
  std::vector<Field<ColorVector, double>> x;

  explicit ShiftProblem(const Lattice& l, int n_shifts = 4)
      : lattice(l),
        u(reference::random_su3(l.extent(), 4, 21)),
        source(reference::random_array(l.extent(), 3, 22)),
        A{CovariantLaplacian<double>(GaugeLinks<double>(reference::gauge_field<double>(l, u))), 0.1},
        b(l, "source") {
    load(b, source);
    for (int k = 0; k < n_shifts; ++k) x.push_back(b.like("solution"));
  }
};

/// |b - (m^2 + s - Laplacian) x| / |b| with the naive Laplacian.
double shift_residual(const ShiftProblem& problem, const GlobalArray& x, double shift) {
  const GlobalArray laplacian = reference::laplacian(problem.u, x, 4);
  double rr = 0, bb = 0;
  for (std::size_t i = 0; i < x.data.size(); ++i) {
    rr += std::norm(problem.source.data[i] - (problem.A.square + shift) * x.data[i] + laplacian.data[i]);
    bb += std::norm(problem.source.data[i]);
  }
  return std::sqrt(rr / bb);
}

class MultiShift : public test::OnLattices {};

TEST_P(MultiShift, SolvesAllShiftsForThePriceOfTheSmallest) {
  ShiftProblem problem(GetParam().make(Comm::world()));
  const std::vector<double> shifts{0.3, 0.02, 50, 2};  // the smallest is not the first
  const double tolerance = 1e-11;
  load(problem.x[0], reference::random_array(problem.lattice.extent(), 3, 23));  // contents do not matter
  const SolveReport report =
      MultiShiftConjugateGradient{.tolerance = tolerance}(problem.A, shifts, problem.b, problem.x);
  EXPECT_TRUE(report.converged) << report.text();
  ASSERT_EQ(report.column_residuals.size(), shifts.size());
  const int all = *problem.A.applications;
  EXPECT_LE(all, report.iterations + 4) << "one for each iteration and for each residual";
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const double residual = shift_residual(problem, gather(problem.x[k]), shifts[k]);
    EXPECT_LE(residual, tolerance);
    EXPECT_NEAR(report.column_residuals[k], residual, 40 * std::numeric_limits<double>::epsilon()) << shifts[k];
    EXPECT_LE(report.column_residuals[k], report.residual);
  }
  // As many iterations as the smallest shift alone.
  const auto alone = problem.b.like("alone");
  Counted<double> smallest = problem.A;
  smallest.square += 0.02;
  const int iterations = ConjugateGradient{.tolerance = 0.9 * tolerance}(smallest, problem.b, alone).iterations;
  EXPECT_NEAR(report.iterations, iterations, 1);
  EXPECT_LT(axpy_norm2(-1, problem.x[1], alone), 1e-18 * norm2(problem.x[1]));
}

INSTANTIATE_TEST_SUITE_P(Lattices, MultiShift, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

Lattice one_lattice() { return Lattice(Comm::world(), {4, 4, 4, 4}); }

/// Off by a millionth of the vector in its first applications.
struct Drifting {
  Counted<double> A;
  template <class F>
  void apply(const F& in, const F& out) const {
    A.apply(in, out);
    if (*A.applications <= 10) axpy(1e-6, in, out);
  }
};

TEST(MultiShiftSolver, SolvesFurtherWhereTheRecursionHasDrifted) {
  ShiftProblem problem(one_lattice(), 2);
  const std::vector<double> shifts{0, 0.5};
  const SolveReport report =
      MultiShiftConjugateGradient{.tolerance = 1e-11}(Drifting{problem.A}, shifts, problem.b, problem.x);
  EXPECT_TRUE(report.converged) << report.text();
  EXPECT_GE(report.restarts, 1);
  for (std::size_t k = 0; k < shifts.size(); ++k)
    EXPECT_LE(shift_residual(problem, gather(problem.x[k]), shifts[k]), 1e-11);
}

TEST(MultiShiftSolver, ReportsWhatCannotBeSolved) {
  ShiftProblem problem(one_lattice(), 2);
  MultiShiftConjugateGradient solve{.tolerance = 1e-10, .max_iterations = 3};
  const std::vector<double> shifts{0.5, 1}, negative{-30, 1};
  EXPECT_THROW(solve(problem.A, shifts, problem.b, problem.x), ConvergenceError);
  solve.on_failure = OnFailure::report;
  SolveReport report = solve(problem.A, shifts, problem.b, problem.x);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_NE(report.reason.find("limit of 3"), std::string::npos) << report.reason;
  solve.max_iterations = 100;
  report = solve(problem.A, negative, problem.b, problem.x);
  EXPECT_NE(report.reason.find("not positive"), std::string::npos) << report.reason;
  const auto not_a_number = problem.b.clone("not a number");
  scale(std::numeric_limits<double>::quiet_NaN(), not_a_number);
  report = solve(problem.A, shifts, not_a_number, problem.x);
  EXPECT_NE(report.reason.find("not finite"), std::string::npos) << report.reason;
  const auto nothing = problem.b.like("nothing");
  report = solve(problem.A, shifts, nothing, problem.x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(norm2(problem.x[0]), 0);
}

TEST(MultiShiftSolver, RefusesShiftsItCannotUse) {
  ShiftProblem problem(one_lattice(), 2);
  const MultiShiftConjugateGradient solve;
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THROW(solve(problem.A, std::vector<double>{1}, problem.b, problem.x), InputError);
  EXPECT_THROW(solve(problem.A, std::vector<double>{}, problem.b, {}), InputError);
  EXPECT_THROW(solve(problem.A, std::vector<double>{1, infinite}, problem.b, problem.x), InputError);
  const Comm comm = Comm::world();
  if (comm.size() == 1) return;
  const std::vector<double> of_rank{1, 2.0 + comm.rank()};
  EXPECT_TRUE(throws_everywhere([&] { solve(problem.A, of_rank, problem.b, problem.x); }));
}

}  // namespace multi_shift
}  // namespace
}  // namespace kov
