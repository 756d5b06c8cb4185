// SPDX-License-Identifier: MIT
//
// What reliable updates refuse: steps in low precision that make b - A x larger, and normal equations of operators
// without an adjoint.
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "tests/support/wilson_problem.hpp"

#include <gtest/gtest.h>
#include <string>

namespace kov {
namespace {
namespace reliable_updates_refused {

using High = SpinorField<double>;
using Low = SpinorField<float>;

struct Problem : test::WilsonProblem {
  Problem()
      : WilsonProblem(Lattice(Comm::world(), {4, 4, 4, 4}), reference::random_su3({4, 4, 4, 4}, 4, 11),
                      BoundaryAngles::antiperiodic_in_time(), 0.3, 1, {}) {}
};

/// A Wilson operator times a number.
template <class T>
struct Scaled {
  WilsonOperator<T> M;
  double factor;
  template <class F>
  void apply(const F& in, const F& out) const {
    M.apply(in, out);
    scale(factor, out);
  }
  template <class F>
  void apply_adjoint(const F& in, const F& out) const {
    M.apply_adjoint(in, out);
    scale(factor, out);
  }
};

/// The operator in low precision is an eighth of A, so that steps are eight times too long, on normal equations 64
/// times.  The limit of iterations ends the solve with the first of them, which high precision cannot mend.
template <class Solver>
void expect_no_step(Solver solver) {
  const Problem problem;
  solver.max_iterations = 6;
  solver.on_failure = OnFailure::report;
  const auto solve = [&](double factor) {
    const Scaled<float> low{problem.low, factor};
    return ReliableUpdates<>(low, solver)(problem.high, problem.b, problem.x);
  };
  const SolveReport refused = solve(0.125);
  EXPECT_EQ(refused.iterations, 6);
  EXPECT_EQ(refused.residual, 1) << refused.text();
  EXPECT_EQ(norm2(problem.x), 0) << "a step was added that makes the residual larger";
  EXPECT_LT(solve(1).residual, 0.5);
  EXPECT_GT(norm2(problem.x), 0);
  // From a solution, too: it stays as it is.
  const High before = problem.x.clone("before");
  solve(0.125);
  axpy(-1, before, problem.x);
  EXPECT_EQ(norm2(problem.x), 0);
}

TEST(RefusedStep, IsNotAdded) {
  expect_no_step(BiCgStab{.tolerance = 1e-12});
  expect_no_step(NormalConjugateGradient{.tolerance = 1e-12});
}

/// Without an adjoint.
template <class F>
Operator<F> forward_only(const Operator<F>& A) {
  return [A](const F& in, const F& out) { A.apply(in, out); };
}

TEST(ReliableNormalEquations, OfAnOperatorWithoutAnAdjointAreRefusedInEitherPrecision) {
  const Problem problem;
  const Operator<High> high = problem.high, high_forward = forward_only<High>(problem.high);
  const Operator<Low> low = problem.low, low_forward = forward_only<Low>(problem.low);
  const auto refusal = [&](const Operator<Low>& in_low, const Operator<High>& A) -> std::string {
    try {
      ReliableUpdates<>(in_low, NormalConjugateGradient{.tolerance = 1e-6})(A, problem.b, problem.x);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  for (const std::string& text : {refusal(low, high_forward), refusal(low_forward, high)})
    EXPECT_NE(text.find("has no adjoint, which the solver needs: give it apply_adjoint(in, out)"), std::string::npos)
        << text;
  EXPECT_EQ(norm2(problem.x), 0);
  EXPECT_EQ(refusal(low, high), "");
}

}  // namespace reliable_updates_refused
}  // namespace
}  // namespace kov
