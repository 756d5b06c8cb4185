// SPDX-License-Identifier: MIT
//
// Defect correction where single precision is of no use: it goes on in double, with the columns that need it alone.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/wilson_problem.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace kov {
namespace {
namespace mixed_precision {

using reference::gather;
using reference::GlobalArray;

constexpr std::array<double, 4> kPeriodic{};
/// The lowest eigenvalue of free quarks; 4 + mass is 4 in single precision, where the operator is singular then.
constexpr double kLostMass = 2e-7;
static_assert(float(4 + kLostMass) == 4.0f);
/// b - A x is off by the rounding of x, which is 1 / kLostMass times b.
constexpr double kTolerance = 20 * std::numeric_limits<double>::epsilon() * 8 / kLostMass;

/// Adds a constant to, or leaves out the constant part of, the numbers of component k of 12.
void set_constant_part(GlobalArray& a, int k, double constant) {
  const std::size_t stride = std::size_t(a.n), n_sites = a.data.size() / stride;
  for (std::size_t i = std::size_t(12 * k); i < std::size_t(12 * k + 12); ++i) {
    std::complex<double> sum = 0;
    for (std::size_t x = 0; x < n_sites; ++x) sum += a.data[x * stride + i];
    for (std::size_t x = 0; x < n_sites; ++x) a.data[x * stride + i] += constant - sum / double(n_sites);
  }
}

/// Links, Wilson operators on them and random sources.
struct Problem : test::WilsonProblem {
  Problem(const Lattice& l, const GlobalArray& links, double m, int n_columns = 1)
      : WilsonProblem(l, links, BoundaryAngles{kPeriodic}, m, n_columns, {.columns = true}) {}
  void expect_solved(const SolveReport& report, double tolerance, int switches, const std::string& what) const {
    const std::string text = what + ": " + report.text();
    EXPECT_TRUE(report.converged) << text;
    EXPECT_LE(report.residual, tolerance) << text;
    EXPECT_LE(reference::wilson_residual(u, mass, gather(x), source, kPeriodic), 1.1 * tolerance) << text;
    EXPECT_EQ(report.precision_switches, switches) << text;
    EXPECT_EQ(report.text().find("went on in higher precision") != std::string::npos, switches > 0) << text;
    EXPECT_EQ(report.history.at(0).size(), std::size_t(report.iterations)) << text;
  }
};

Lattice small_lattice() { return Lattice(Comm::world(), {4, 4, 4, 4}); }
GlobalArray hot_links() { return reference::random_su3({4, 4, 4, 4}, 4, 11); }

/// Free quarks so light that single precision does not see their mass.
Problem near_critical(const Lattice& lattice, int n_columns = 1) {
  return {lattice, reference::unit_gauge(lattice.extent()), kLostMass, n_columns};
}

class Lattices : public test::OnLattices {};

TEST_P(Lattices, DefectCorrectionGoesOnInDoubleWhereSinglePrecisionLosesTheMass) {
  const Problem problem = near_critical(GetParam().make(Comm::world()));
  const auto check = [&](const auto& solver, const std::string& what) {
    zero(problem.x);
    const SolveReport report = solver(problem.high, problem.b, problem.x);
    problem.expect_solved(report, kTolerance, 1, what);
  };
  const BiCgStab bicgstab{.tolerance = kTolerance, .max_iterations = 400};
  check(MixedPrecision(problem.low, bicgstab), "BiCGstab");
  check(MixedPrecision(problem.low, BiCgStabL{.tolerance = kTolerance, .max_iterations = 400}), "BiCGstab(l)");
  // Solvers that take no fields in double: BiCGstab goes on, or what is given.
  const Solver<SpinorField<float>> single = bicgstab;
  check(MixedPrecision(problem.low, single), "a solver for floats");
  check(MixedPrecision(problem.low, single, BiCgStabL{}), "BiCGstab(l) for doubles");
  const SpinorField<float> b(problem.lattice, "b"), x(problem.lattice, "x");
  load(b, problem.source);
  const SolveReport report = single.within(1e-3, 500, {})(problem.low, b, x);
  EXPECT_FALSE(report.converged) << "single precision solves alone, so this tests nothing: " << report.text();
}

INSTANTIATE_TEST_SUITE_P(Precision, Lattices, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

TEST(DefectCorrection, GoesOnInDoubleAround16BitsAndOnEvenSites) {
  const Problem problem = near_critical(small_lattice());
  const BiCgStab bicgstab{.tolerance = kTolerance, .max_iterations = 400};
  const ReliableUpdates<Fixed16, float> sixteen(problem.low, bicgstab);
  const SolveReport around_16 = MixedPrecision(problem.low, sixteen)(problem.high, problem.b, problem.x);
  EXPECT_TRUE(around_16.converged) << around_16.text();
  EXPECT_GE(around_16.precision_switches, 2) << "from 16 bits to single precision, and to double: " << around_16.text();
  EXPECT_LE(reference::wilson_residual(problem.u, problem.mass, gather(problem.x), problem.source, kPeriodic),
            1.1 * kTolerance);
  zero(problem.x);
  const EvenOdd even(problem.high, MixedPrecision(SchurComplement(problem.low), bicgstab));
  problem.expect_solved(even(problem.high, problem.b, problem.x), kTolerance, 1, "even sites");
}

/// A source without a constant part does not meet the lowest eigenvalue.
template <class Lanes>
void check_columns() {
  using High = SpinorField<double, Lanes>;
  constexpr int n = 7, bad = 5, zeros = 2;
  Problem problem = near_critical(small_lattice(), n);
  for (int k = 0; k < n; ++k) set_constant_part(problem.source, k, k == bad ? 0.1 : 0);
  load(problem.b, problem.source);
  zero(problem.b.column(zeros));
  const High b(problem.lattice, "b", n), x(problem.lattice, "x", n);
  convert(problem.b, b);
  int columns = 0;
  const Operator<High> counting = [&](const High& in, const High& out) {
    columns += in.n_components();
    problem.high.apply(in, out);
  };
  const MixedPrecision<Lanes> solver(problem.low, BiCgStab{.tolerance = kTolerance, .max_iterations = 400});
  const SolveReport report = solver(counting, b, x);
  EXPECT_TRUE(report.converged) << report.text();
  EXPECT_EQ(report.precision_switches, 1) << report.text();
  const int most_iterations = report.column_iterations.at(bad), width = std::min(Lanes::columns, n);
  EXPECT_LE(columns, 16 * n + (2 * most_iterations + 16) * width) << "others took part in high precision";
  const GlobalArray solved = gather(x), sources = gather(problem.b);
  for (int k = 0; k < n; ++k) {
    const std::size_t i = std::size_t(k);
    EXPECT_LE(report.column_residuals.at(i), kTolerance) << k;
    EXPECT_EQ(report.history.at(i).size(), std::size_t(report.column_iterations.at(i))) << k;
    if (k == zeros) {
      EXPECT_EQ(report.column_iterations.at(i), 0);
      continue;
    }
    EXPECT_LE(reference::wilson_residual(problem.u, problem.mass, reference::part(solved, 12 * k, 12),
                                         reference::part(sources, 12 * k, 12), kPeriodic),
              1.1 * kTolerance)
        << k;
    const High one_b(problem.lattice, "b", 1), one_x(problem.lattice, "x", 1);
    copy_components(b, k, one_b, 0, 1);
    const SolveReport alone = solver(problem.high, one_b, one_x);
    EXPECT_EQ(alone.precision_switches, k == bad) << alone.text();
    EXPECT_TRUE(k == bad || report.column_iterations.at(i) < most_iterations) << k;
  }
}

TEST(DefectCorrection, GoesOnInDoubleWithTheColumnsThatNeedItAlone) {
  check_columns<SiteLanes>();
  check_columns<ColumnLanes<4>>();
  check_columns<ColumnLanes<8>>();
}

/// Single precision with operators that are others: no residual falls for long, and double solves alone.
TEST(DefectCorrection, GoesOnInDoubleWhereSinglePrecisionIsOfNoUse) {
  using Low = SpinorField<float>;
  const Problem problem(small_lattice(), hot_links(), 0.3);
  const auto check = [&](double factor, const std::string& what) {
    const auto low = [&, factor](const Low& in, const Low& out) {
      problem.low.apply(in, out);
      scale(factor, out);
    };
    zero(problem.x);
    const MixedPrecision<> solver(Operator<Low>(low), BiCgStab{.tolerance = 1e-12});
    problem.expect_solved(solver(problem.high, problem.b, problem.x), 1e-12, 1, what);
  };
  check(-1, "minus the operator");
  check(0.125, "too small an operator");
  check(0.4, "an operator whose corrections overshoot");
  check(std::numeric_limits<double>::quiet_NaN(), "not a number");
  zero(problem.x);
  const MixedPrecision useful(problem.low, BiCgStab{.tolerance = 1e-12});
  problem.expect_solved(useful(problem.high, problem.b, problem.x), 1e-12, 0, "the operator");
}

/// What fails in double as well is an error that says so; nothing is left for double at the limit of iterations.
TEST(DefectCorrection, FailsWhereDoubleFailsToo) {
  const Problem problem(small_lattice(), hot_links(), 0.3);
  const auto minus = [](const auto& in, const auto& out) {
    copy(in, out);
    scale(-1, out);
  };
  MixedPrecision<> negative(Operator<SpinorField<float>>(minus), ConjugateGradient{});
  EXPECT_THROW(negative(Operator<SpinorField<double>>(minus), problem.b, problem.x), ConvergenceError);
  negative.on_failure = OnFailure::report;
  zero(problem.x);
  const SolveReport report = negative(Operator<SpinorField<double>>(minus), problem.b, problem.x);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.precision_switches, 1) << report.text();
  EXPECT_NE(report.reason.find("in double precision conjugate gradient found no correction"), std::string::npos)
      << report.reason;
  EXPECT_NE(report.reason.find("not positive definite"), std::string::npos) << report.reason;
  EXPECT_EQ(norm2(problem.x), 0) << "no correction was found, but one was added";

  // Each column has its own reason, in which it has no other number.
  const SpinorField<double> b(problem.b.lattice(), "b", 2), x = b.like("x");
  load(b, reference::random_array(b.lattice().extent(), 24, 6));
  for (const std::string& reason : negative(Operator<SpinorField<double>>(minus), b, x).column_reasons) {
    EXPECT_NE(reason.find("not positive definite"), std::string::npos) << reason;
    EXPECT_EQ(reason.find("column"), std::string::npos) << reason;
  }

  const MixedPrecision few(problem.low, BiCgStab{.max_iterations = 3, .on_failure = OnFailure::report});
  const SolveReport limited = few(problem.high, problem.b, problem.x);
  EXPECT_FALSE(limited.converged);
  EXPECT_EQ(limited.iterations, 3);
  EXPECT_EQ(limited.precision_switches, 0) << limited.text();
  EXPECT_NE(limited.reason.find("limit of 3 iterations"), std::string::npos) << limited.reason;
  EXPECT_EQ(limited.reason.find("restarts"), std::string::npos) << "stages are no restarts: " << limited.reason;
}

}  // namespace mixed_precision
}  // namespace
}  // namespace kov
