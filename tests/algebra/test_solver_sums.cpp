// SPDX-License-Identifier: MIT
//
// How often an iteration of a solver waits for sums over ranks, by the kernels that make the numbers:
// test_solver_collectives.cpp counts what goes over the network.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/multi_shift.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "tests/algebra/hot_wilson_problem.hpp"
#include "tests/support/launches.hpp"

namespace kov::test::solver_sums {
namespace {

using namespace hot_wilson;

/// The sums over ranks of 12 iterations more than 4.
template <class S>
int sums_of_eight_iterations(const S& solve) {
  const auto sums = [&](int iterations) {
    int n = 0;
    for (const std::string& name : test::launches([&] { solve(iterations); }))
      for (const char* sum : {"sums", "norm2", "inner_product"})
        if (name.find(sum) != std::string::npos) {
          ++n;
          break;
        }
    return n;
  };
  return sums(12) - sums(4);
}

TEST(SolverSums, AnIterationWaitsForOne) {
  const Problem problem(small_lattice());
  const auto sums = [&](auto solver, const Operator<SpinorField<double>>& A) {
    solver.tolerance = 1e-30;
    solver.on_failure = OnFailure::report;
    return sums_of_eight_iterations([&](int iterations) {
      solver.max_iterations = iterations;
      zero(problem.x);
      EXPECT_EQ(solver(A, problem.b, problem.x).iterations, iterations);
    });
  };
  const Operator<SpinorField<double>> M = problem.M(), square = problem.square();
  EXPECT_EQ(sums(ConjugateGradient{}, square), 8);
  EXPECT_EQ(sums(NormalConjugateGradient{}, M), 8);
  EXPECT_EQ(sums(NormalErrorConjugateGradient{}, M), 8);
  EXPECT_EQ(sums(BiCgStab{}, M), 8);
  EXPECT_EQ(sums(BiCgStab{}, problem.without_adjoint()), 16);
  const std::array shifts{0.0, 0.5};
  const std::array solutions{problem.x.alias(), problem.x.like("of the other shift")};
  EXPECT_EQ(sums_of_eight_iterations([&](int iterations) {
              MultiShiftConjugateGradient{.tolerance = 1e-30,
                                          .max_iterations = iterations,
                                          .on_failure = OnFailure::report}(square, shifts, problem.b, solutions);
            }),
            8);
}

/// With the adjoint an iteration waits for fewer sums; in exact arithmetic its numbers are the same.
TEST(SolverSums, BiCgStabNeedsNoAdjoint) {
  const Problem problem(small_lattice());
  const BiCgStab solver{.tolerance = 1e-12};
  const int iterations = solver(problem.wilson, problem.b, problem.x).iterations;
  zero(problem.x);
  const Operator<SpinorField<double>> no_adjoint = [&](const auto& in, const auto& out) {
    problem.wilson.apply(in, out);
  };
  const SolveReport report = solver(no_adjoint, problem.b, problem.x);
  expect_solved(problem, report, 1e-12);
  EXPECT_NEAR(report.iterations, iterations, 2);
}

}  // namespace
}  // namespace kov::test::solver_sums
