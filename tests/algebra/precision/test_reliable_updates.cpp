// SPDX-License-Identifier: MIT
//
// Mixed precision by reliable updates: solutions in every combination of precisions, what they cost beside double, and
// what happens where low precision does not get there.
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/algebra/precision/reliable_problem.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/every_rank.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <utility>

namespace kov {
namespace {
namespace reliable_updates {

using namespace reliable_problem;

/// M^+ M.
template <class T>
struct Squared {
  WilsonOperator<T> M;
  template <class F>
  void apply(const F& in, const F& out) const {
    const F between = in.like("M in");
    M.apply(in, between);
    M.apply_adjoint(between, out);
  }
};

/// An operator that counts its applications.
template <class F>
Operator<F> counted(const Operator<F>& A, int& applications) {
  return [A, &applications](const F& in, const F& out) {
    ++applications;
    A.apply(in, out);
  };
}

class ReliableUpdate : public test::OnLattices {};

TEST_P(ReliableUpdate, SolvesToDoubleTolerancesInOneKrylovSpace) {
  const Problem problem(GetParam().make(Comm::world()), 0.1);
  const BiCgStab bicgstab{.tolerance = 1e-12};
  const int in_double = bicgstab(problem.high, problem.b, problem.x).iterations;
  const auto check = [&](const auto& solver, double most, int least_renewals = 2) {
    zero(problem.x);
    int in_high = 0;
    const SolveReport report = solver(counted<SpinorField<double>>(problem.high, in_high), problem.b, problem.x);
    problem.expect_solved(report, 1e-12);
    EXPECT_EQ(report.solver, "BiCGstab with reliable updates");
    EXPECT_EQ(report.precision_switches, 0) << report.text();
    EXPECT_LE(report.iterations, most * in_double + 2) << report.text() << " in double " << in_double;
    // Renewals: one for each factor delta, a few restarts, and the true residual at both ends.
    EXPECT_LE(in_high, std::log(1e-12) / std::log(solver.delta) + 6) << report.text();
    EXPECT_GE(in_high, least_renewals + 2);
    EXPECT_GE(report.renewals, least_renewals) << report.text();
    EXPECT_LE(report.renewals, in_high);
  };
  check(ReliableUpdates(problem.low, bicgstab), 1.15);
  check(ReliableUpdates(problem.low, bicgstab, 0.1), 1.15);
  check(ReliableUpdates(problem.low, bicgstab, 1e-3), 1.15);
  check(ReliableUpdates<Fixed16>(problem.low, bicgstab), 1.3);
  check(ReliableUpdates<Fixed16>(problem.low_on<Fixed16>(), bicgstab), 1.3);
  check(ReliableUpdates<Fixed16>(problem.low_on<Links12<Fixed16>>(), bicgstab), 1.3);
  check(ReliableUpdates<Fixed16>(problem.low_on<Links8<Fixed16>>(), bicgstab), 1.3);
  check(ReliableUpdates<float>(problem.low_on<Links8<float>>(), bicgstab), 1.15);
  // One precision has nothing to renew while the recursion's residual is as good as b - A x.
  check(ReliableUpdates<double>(problem.high, bicgstab, 1e-3), 1.1, 0);
}

// Far away the residual is much larger than the source, and so is the rounding of the recursion.
TEST_P(ReliableUpdate, ReplacesResidualsOfADistantGuess) {
  const Problem problem(GetParam().make(Comm::world()), 0.3);
  load(problem.x, reference::random_array(problem.lattice.extent(), 12, 13));
  scale(1e6, problem.x);
  const SolveReport report =
      ReliableUpdates<double>(problem.high, BiCgStab{.tolerance = 1e-13}, 1e-3)(problem.high, problem.b, problem.x);
  EXPECT_TRUE(report.converged) << report.text();
  EXPECT_GE(report.renewals, 2) << report.text();
  EXPECT_EQ(report.restarts, 0) << report.text();
  EXPECT_EQ(report.precision_switches, 0) << report.text();
  EXPECT_LE(naive_residual(problem.u, problem.mass, gather(problem.x), problem.source), 1.1e-13);
}

TEST_P(ReliableUpdate, ConjugateGradientsKeepTheirDirections) {
  const Problem problem(GetParam().make(Comm::world()), 0.3);
  const Squared<double> A{problem.high};
  const Squared<float> low{problem.low};
  const ConjugateGradient cg{.tolerance = 1e-11};
  const int in_double = cg(A, problem.b, problem.x).iterations;
  const SpinorField<double> solution = problem.x.clone("solution");
  const auto check = [&](const auto& solver, double most) {
    zero(problem.x);
    const SolveReport report = solver(A, problem.b, problem.x);
    EXPECT_TRUE(report.converged) << report.text();
    EXPECT_LE(report.residual, 1e-11);
    EXPECT_EQ(report.precision_switches, 0) << report.text();
    EXPECT_LE(report.iterations, most * in_double) << report.text() << in_double;
    axpy(-1, solution, problem.x);
    EXPECT_LE(std::sqrt(norm2(problem.x) / norm2(solution)), 1e-9);
  };
  check(ReliableUpdates(low, cg), 1.1);
  check(ReliableUpdates(low, cg, 0.1), 1.1);
  check(ReliableUpdates(low, cg, 1e-6), 1.5);  // where the recursion has drifted away before it is renewed
  check(ReliableUpdates<double>(A, cg, 1e-3), 1.1);
  check(ReliableUpdates<Fixed16>(low, cg), 1.5);
}

TEST_P(ReliableUpdate, SolvesNormalEquations) {
  const Problem problem(GetParam().make(Comm::world()), 0.3);
  const NormalConjugateGradient cgnr{.tolerance = 1e-12};
  const int in_double = cgnr(problem.high, problem.b, problem.x).iterations;
  const SpinorField<double> image = problem.b.like("M^+ b"), defect = problem.b.like("b - M x");
  problem.high.apply_adjoint(problem.b, image);
  const double size = std::sqrt(norm2(image));
  const auto check = [&](const auto& solver, double most, int least_renewals = 2) {
    zero(problem.x);
    const SolveReport report = solver(problem.high, problem.b, problem.x);
    EXPECT_TRUE(report.converged) << report.text();
    EXPECT_EQ(report.solver, "conjugate gradient on the normal equations with reliable updates");
    EXPECT_EQ(report.precision_switches, 0) << report.text();
    EXPECT_LE(report.iterations, most * in_double) << report.text() << " in double " << in_double;
    if (least_renewals == 0)
      EXPECT_EQ(report.renewals, 0) << report.text();
    else
      EXPECT_GE(report.renewals, least_renewals) << report.text();
    EXPECT_NEAR(report.residual, naive_residual(problem.u, problem.mass, gather(problem.x), problem.source), 1e-14);
    true_residual<SpinorField<double>>(problem.high, problem.b, problem.x, defect);
    problem.high.apply_adjoint(defect, image);
    EXPECT_NEAR(report.stopping_residual, std::sqrt(norm2(image)) / size, 1e-14);
    EXPECT_LE(report.stopping_residual, 1e-12);
  };
  check(ReliableUpdates(problem.low, cgnr), 1.1);
  check(ReliableUpdates(problem.low, cgnr, 0.1), 1.1);
  check(ReliableUpdates(problem.low_on<Links12<float>>(), cgnr), 1.1);
  check(ReliableUpdates<Fixed16>(problem.low, cgnr), 1.6);
  check(ReliableUpdates<Fixed16>(problem.low_on<Links12<Fixed16>>(), cgnr), 1.6);
  check(ReliableUpdates<double>(problem.high, cgnr, 1e-3), 1.1, 0);
}

INSTANTIATE_TEST_SUITE_P(Lattices, ReliableUpdate, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

TEST(ReliableUpdate, GoesFrom16BitsToSinglePrecision) {
  const Problem problem(small_lattice(), 0.3);
  const SpinorField<float> b(problem.lattice, "b"), x(problem.lattice, "x");
  load(b, problem.source);
  const SolveReport report =
      ReliableUpdates<Fixed16, float>(problem.low, BiCgStab{.tolerance = 1e-5})(problem.low, b, x);
  EXPECT_TRUE(report.converged) << report.text();
  EXPECT_LE(naive_residual(problem.u, problem.mass, gather(x), problem.source), 1.1e-5);
}

TEST(ReliableUpdate, SolvesTheEvenSites) {
  const Problem problem(small_lattice(), 0.1);
  const ReliableUpdates even(SchurComplement(problem.low), BiCgStab{.tolerance = 1e-12}, 1e-2);
  const SolveReport report = EvenOdd(problem.high, even)(problem.high, problem.b, problem.x);
  problem.expect_solved(report, 1e-12);
  EXPECT_EQ(report.solver, "even-odd BiCGstab with reliable updates");
}

/// Sources of any size: the low precision sees them divided by their norms.
TEST(ReliableUpdate, SolvesSmallAndLargeSources) {
  for (const double size : {1e-60, 1e50}) {
    const Problem problem(small_lattice(), 0.3);
    scale(size, problem.b);
    const SolveReport report =
        ReliableUpdates<Fixed16>(problem.low, BiCgStab{.tolerance = 1e-10})(problem.high, problem.b, problem.x);
    EXPECT_TRUE(report.converged) << report.text();
    scale(1 / size, problem.x);
    EXPECT_LE(naive_residual(problem.u, problem.mass, gather(problem.x), problem.source), 1.1e-10);
  }
}

/// Low precision with operators that are others: no residual falls for long, and high precision solves alone.
TEST(ReliableUpdate, GoesOnInHighPrecisionWhereTheLowOneIsOfNoUse) {
  using Low = SpinorField<float>;
  const Problem problem(small_lattice(), 0.3);
  const BiCgStab bicgstab{.tolerance = 1e-12};
  const int plain = bicgstab(problem.high, problem.b, problem.x).iterations;
  const auto check = [&](double factor, const std::string& what) {
    const auto low = [&, factor](const Low& in, const Low& out) {
      problem.low.apply(in, out);
      scale(factor, out);
    };
    zero(problem.x);
    const SolveReport report = ReliableUpdates<>(Operator<Low>(low), bicgstab, 0.1)(problem.high, problem.b, problem.x);
    problem.expect_solved(report, 1e-12);
    EXPECT_EQ(report.precision_switches, 1) << what;
    EXPECT_LE(report.iterations, 2 * plain) << what;
    EXPECT_NE(report.text().find("went on in higher precision"), std::string::npos) << report.text();
  };
  check(-1, "minus the operator");
  check(0.125, "too small an operator");
  check(0.4, "an operator whose corrections overshoot");
  check(std::numeric_limits<double>::quiet_NaN(), "not a number");

  // Near the limit of precision itself no stage gets there, and says so.
  const SpinorField<float> b(problem.lattice, "b"), x(problem.lattice, "x");
  load(b, problem.source);
  for (const bool cg : {false, true}) {
    zero(x);
    const ConjugateGradient gradient{.tolerance = 1e-9, .on_failure = OnFailure::report};
    const BiCgStab stab{.tolerance = 1e-9, .on_failure = OnFailure::report};
    const Squared<float> A{problem.low};
    const SolveReport report = cg ? ReliableUpdates<Fixed16, float>(A, gradient)(A, b, x)
                                  : ReliableUpdates<Fixed16, float>(problem.low, stab)(problem.low, b, x);
    EXPECT_FALSE(report.converged);
    EXPECT_LT(report.iterations, 20 * plain) << report.text();
    EXPECT_EQ(report.precision_switches, 1) << report.text();
    EXPECT_NE(report.reason.find("rounding"), std::string::npos) << report.reason;
    EXPECT_LT(report.residual, 1e-5);
  }
}

TEST(ReliableUpdate, FailsAsItsRecursionDoes) {
  const Problem problem(small_lattice(), 0.3);
  const ReliableUpdates few(problem.low, BiCgStab{.tolerance = 1e-12, .max_iterations = 3});
  EXPECT_THROW(few(problem.high, problem.b, problem.x), ConvergenceError);
  zero(problem.x);
  const ReliableUpdates reporting(problem.low, BiCgStab{.max_iterations = 3, .on_failure = OnFailure::report});
  const SolveReport report = reporting(problem.high, problem.b, problem.x);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(report.precision_switches, 0) << "there was nothing left for high precision";
  EXPECT_NE(report.reason.find("limit of 3 iterations"), std::string::npos) << report.reason;

  zero(problem.x);
  const auto minus = [&](const auto& in, const auto& out) {
    copy(in, out);
    scale(-1, out);
  };
  const ReliableUpdates<> negative(Operator<SpinorField<float>>(minus), ConjugateGradient{});
  try {
    negative(Operator<SpinorField<double>>(minus), problem.b, problem.x);
    FAIL() << "solved with an operator that is not positive";
  } catch (const ConvergenceError& e) {
    EXPECT_NE(std::string(e.what()).find("not positive definite"), std::string::npos) << e.what();
  }
  const SpinorField<double> bad = problem.b.clone("NaN");
  scale(std::numeric_limits<double>::quiet_NaN(), bad);
  zero(problem.x);
  EXPECT_THROW(ReliableUpdates(problem.low, BiCgStab{})(problem.high, bad, problem.x), ConvergenceError);
  for (const double delta : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(ReliableUpdates(problem.low, BiCgStab{}, delta)(problem.high, problem.b, problem.x), InputError);
}

TEST(ReliableUpdate, SolvesASourceOfZeros) {
  const Problem problem(small_lattice(), 0.3);
  zero(problem.b);
  load(problem.x, problem.source);
  const SolveReport report = ReliableUpdates(problem.low, BiCgStab{})(problem.high, problem.b, problem.x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(norm2(problem.x), 0);
}

/// The modes and deltas of R. Babich, M. A. Clark and B. Joo, SC10, arXiv:1011.0024: each reaches the tolerance of its
/// high precision.
TEST(ReliableUpdate, ReachesTheTolerancesOfTheTableOfModes) {
  const Problem problem(small_lattice(), 0.05);
  const SpinorField<float> b(problem.lattice, "b"), x(problem.lattice, "x");
  load(b, problem.source);
  const auto check = [&](const auto& solver, const auto& A, const auto& source, const auto& solution) {
    zero(solution);
    const SolveReport report = solver(A, source, solution);
    EXPECT_TRUE(report.converged) << report.text();
    EXPECT_EQ(report.precision_switches, 0) << report.text();
  };
  const BiCgStab single{.tolerance = least_tolerance_in_single}, twice{.tolerance = least_tolerance_in_double};
  check(ReliableUpdates<float, float>(problem.low, single, 1e-3), problem.low, b, x);
  check(ReliableUpdates<Fixed16, float>(problem.low, single, 1e-1), problem.low, b, x);
  check(ReliableUpdates<double>(problem.high, twice, 1e-5), problem.high, problem.b, problem.x);
  check(ReliableUpdates<Fixed16>(problem.low, twice, 1e-2), problem.high, problem.b, problem.x);
  check(ReliableUpdates(problem.low, twice), problem.high, problem.b, problem.x);
}

}  // namespace reliable_updates
}  // namespace
}  // namespace kov
