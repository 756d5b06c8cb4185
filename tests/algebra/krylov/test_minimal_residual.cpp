// SPDX-License-Identifier: MIT
//
// MR and GCR, alone and with preconditioners that change from call to call, judged by the naive operator.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/krylov/minimal_residual.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/slow_copy.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {
namespace minimal_residuals {

using reference::gather, reference::GlobalArray;

using F = SpinorField<double>;
constexpr double mass = 0.3;

struct WilsonProblem {
  GlobalArray u, source;
  WilsonOperator<double> M;
  F b, x;

  explicit WilsonProblem(const Lattice& l)
      : u(reference::near_unit_links(l.extent(), 31)),
        source(reference::random_array(l.extent(), 12, 32)),
        M(GaugeLinks<double>(reference::gauge_field<double>(l, u)), mass),
        b(l, "source"),
        x(l, "solution") {
    load(b, source);
  }
  /// |b - M x| / |b| with the naive operator.
  double residual() const { return reference::wilson_residual(u, mass, gather(x), source, {0, 0, 0, 0}); }
  template <class S>
  SolveReport solved_by(const S& solver, double tolerance) const {
    zero(x);
    const SolveReport report = solver(M, b, x);
    EXPECT_TRUE(report.converged) << report.text();
    EXPECT_LE(report.residual, tolerance);
    EXPECT_NEAR(report.residual, residual(), 40 * std::numeric_limits<double>::epsilon()) << report.text();
    return report;
  }
};

Lattice small_lattice() { return Lattice(Comm::world(), {4, 4, 4, 4}); }

class MinimalResiduals : public test::OnLattices {};

TEST_P(MinimalResiduals, SolveWilson) {
  const WilsonProblem problem(GetParam().make(Comm::world()));
  const int steepest = problem.solved_by(MinimalResidual{.tolerance = 1e-11}, 1e-11).iterations;
  problem.solved_by(MinimalResidual{.tolerance = 1e-11, .omega = 1.1}, 1e-11);
  const int gcr = problem.solved_by(Gcr{.tolerance = 1e-11}, 1e-11).iterations;
  const int one = problem.solved_by(Gcr{.tolerance = 1e-11, .directions = 1}, 1e-11).iterations;
  EXPECT_LT(gcr, 0.8 * steepest) << "more directions make the residual smaller";
  EXPECT_NEAR(one, steepest, 1) << "GCR with one direction is MR";
}

TEST_P(MinimalResiduals, ArePreconditionedByAnythingThatIsAboutTheInverse) {
  const WilsonProblem problem(GetParam().make(Comm::world()));
  const int alone = problem.solved_by(Gcr{.tolerance = 1e-11}, 1e-11).iterations;
  const MinimalResidualSteps steps(problem.M, problem.b, 4);
  const SolveReport by_steps = problem.solved_by(Gcr{.tolerance = 1e-11, .preconditioner = steps}, 1e-11);
  EXPECT_EQ(by_steps.solver, "GCR preconditioned by 4 minimal residual steps");
  EXPECT_LT(by_steps.iterations, 0.5 * alone);
  // Another solver in single precision, to another accuracy in every call.
  const WilsonOperator<float> low(GaugeLinks<float>(reference::gauge_field<float>(problem.b.lattice(), problem.u)),
                                  mass);
  const auto calls = std::make_shared<int>(0);
  const auto rough = [=](const F& in, const F& out) {
    const SpinorField<float> from(in.lattice(), "from"), to = from.like("to");
    const double size = std::sqrt(norm2(in));
    copy(in, out);
    scale(1 / size, out);
    convert(out, from);
    BiCgStab{.tolerance = ++*calls % 2 == 0 ? 0.1 : 0.01, .on_failure = OnFailure::report}(low, from, to);
    convert(to, out);
    scale(size, out);
  };
  const SolveReport by_solver =
      problem.solved_by(Gcr{.tolerance = 1e-11, .preconditioner = on_vectors(Operator<F>(rough))}, 1e-11);
  EXPECT_EQ(by_solver.solver, "preconditioned GCR") << "a function has no name";
  EXPECT_LE(by_solver.iterations, 9);
  EXPECT_EQ(by_solver.iterations, *calls);
}

TEST_P(MinimalResiduals, SolveTheEvenSites) {
  const WilsonProblem problem(GetParam().make(Comm::world()));
  problem.solved_by(EvenOdd(problem.M, Gcr{.tolerance = 1e-11}), 1e-11);
  problem.solved_by(EvenOdd(problem.M, MinimalResidual{.tolerance = 1e-11}), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Lattices, MinimalResiduals, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

template <class S>
SolveReport failure(S solver, const Operator<F>& A, const F& b, const F& x) {
  zero(x);
  EXPECT_THROW(solver(A, b, x), ConvergenceError);
  solver.on_failure = OnFailure::report;
  zero(x);
  const SolveReport report = solver(A, b, x);
  EXPECT_FALSE(report.converged);
  return report;
}

TEST(MinimalResidualPreconditioner, IsOrderedOnTheInstanceThatIsGiven) {
  const WilsonProblem problem(small_lattice());
  const MinimalResidualSteps steps(problem.M, problem.b, 3);
  const auto result = [&](const Exec& exec) {
    const F in = problem.b.like("in"), out = problem.b.like("out");
    Kokkos::fence("fields are ready");
    test::slow_copy(problem.b, in, exec);
    steps.apply(in, out, exec);
    exec.fence("steps");
    return gather(out);
  };
  const GlobalArray expected = result(Exec());
  EXPECT_GT(reference::max_abs(expected), 0);
  EXPECT_EQ(result(test::own_instance()).data, expected.data);
}

TEST(MinimalResidualFailures, SayWhatHappened) {
  const WilsonProblem problem(small_lattice());
  const auto contains = [](const SolveReport& report, const std::string& what) {
    EXPECT_NE(report.reason.find(what), std::string::npos) << report.text();
  };
  contains(failure(MinimalResidual{.max_iterations = 3}, problem.M, problem.b, problem.x), "limit of 3");
  contains(failure(Gcr{.max_iterations = 3}, problem.M, problem.b, problem.x), "limit of 3");
  const auto nothing = [](const F&, const F& out) { zero(out); };
  contains(failure(MinimalResidual{}, nothing, problem.b, problem.x), "orthogonal");
  contains(failure(Gcr{}, nothing, problem.b, problem.x), "makes 0");
  const auto not_a_number = [](const F& in, const F& out) {
    copy(in, out);
    scale(std::numeric_limits<double>::quiet_NaN(), out);
  };
  contains(failure(MinimalResidual{}, not_a_number, problem.b, problem.x), "not finite");
  contains(failure(Gcr{}, not_a_number, problem.b, problem.x), "not finite");
}

TEST(MinimalResidualFailures, ZeroSourceGivesZeroAndBadParametersAreRefused) {
  const WilsonProblem problem(small_lattice());
  const F none = problem.b.like("nothing");
  for (const Solver<F>& solve : {Solver<F>(MinimalResidual{}), Solver<F>(Gcr{})}) {
    copy(problem.b, problem.x);
    EXPECT_EQ(solve(problem.M, none, problem.x).iterations, 0);
    EXPECT_EQ(norm2(problem.x), 0);
  }
  EXPECT_THROW(MinimalResidual{.omega = 2}(problem.M, problem.b, problem.x), InputError);
  EXPECT_THROW(Gcr{.directions = 0}(problem.M, problem.b, problem.x), InputError);
  EXPECT_THROW(MinimalResidualSteps(problem.M, problem.b, 0), InputError);
  EXPECT_THROW(MinimalResidualSteps(problem.M, problem.b, 1, 0), InputError);
}

}  // namespace minimal_residuals
}  // namespace
}  // namespace kov
