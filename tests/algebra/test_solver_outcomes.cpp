// SPDX-License-Identifier: MIT
//
// How every solver ends where it is given something that it cannot solve, or nothing to solve: with one column and with
// several, of which one is hopeless.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/block_conjugate_gradient.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/krylov/minimal_residual.hpp"
#include "kov/algebra/krylov/multi_shift.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/deflation.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/algebra/preconditioning/schwarz.hpp"
#include "kov/algebra/preconditioning/transformed.hpp"
#include "kov/stencil/gauge/quark_transformation.hpp"
#include "tests/algebra/column_systems.hpp"
#include "tests/reference/gauge_transformation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kov {
namespace {
namespace outcomes {

using column_systems::alone, column_systems::set_column;
template <class T>
using F = SpinorField<T>;

/// M^+ M
template <class T>
struct Squared {
  WilsonOperator<T> M;
  void apply(const F<T>& in, const F<T>& out) const {
    const F<T> work = in.like("M in");
    M.apply(in, work);
    M.apply_adjoint(work, out);
  }
};

/// Two shifts, of which the first is reported as if it were the only one.
struct OfTwoShifts : MultiShiftConjugateGradient {
  template <class T>
  SolveReport operator()(const Operator<F<T>>& A, const F<T>& b, const F<T>& x) const {
    const std::array shifts{0.0, 0.5};
    const std::array solutions{x.alias(), b.like("of the other shift")};
    return MultiShiftConjugateGradient::operator()(A, shifts, b, solutions);
  }
};

/// What a solver takes for A, M^+ M or M, and what it looks for.
enum class Takes { square, any, any_for_least_residual };

template <class T>
struct Case {
  Solver<F<T>> solver;
  Takes takes = Takes::any;
};

/// Wilson operators of some links, and the solvers for them.
template <class T>
struct Problem {
  Lattice lattice;
  WilsonOperator<T> M;
  std::vector<Case<T>> cases;

  Problem(const GaugeField<double>& gauge, double mass, int n_columns)
      : lattice(gauge.lattice()), M(GaugeLinks<T>(gauge), mass) {
    cases = {{ConjugateGradient{}, Takes::square},
             {OfTwoShifts{}, Takes::square},
             {BlockConjugateGradient{}, Takes::square},
             {NormalConjugateGradient{}, Takes::any_for_least_residual},
             {NormalErrorConjugateGradient{}},
             {NormalBlockConjugateGradient{}, Takes::any_for_least_residual},
             {BiCgStab{}},
             {BiCgStabL{}},
             {MinimalResidual{}},
             {Gcr{}}};
    cases.push_back({EvenOdd<T>(M, BiCgStab{}, SchurForm::asymmetric, n_columns)});
    cases.push_back({EvenOdd<T>(M, BiCgStab{}, SchurForm::symmetric, n_columns)});
    // Not eigenvectors, which it is allowed to be told.
    reference::GlobalArray numbers(lattice.extent(), 12);
    for (std::size_t i = 5; i < numbers.data.size(); i += 12) numbers.data[i] = 1.0 / 16;
    const F<T> constant(lattice, "constant");
    load(constant, numbers);
    cases.push_back({Deflated<F<T>>(constant, {2}, ConjugateGradient{}), Takes::square});
    cases.push_back({Deflated<F<T>>(constant, {2}, NormalConjugateGradient{}, EigenvectorsOf::normal_operator),
                     Takes::any_for_least_residual});
    const SpinBasis basis = SpinBasis::nonrelativistic;
    const QuarkTransformation<T> to_basis(lattice, basis);
    const Operator<F<T>> there = M.with_basis(basis);
    cases.push_back({Transformed<F<T>>(to_basis, there, BiCgStab{})});
    cases.push_back({Transformed<F<T>>(to_basis, there, NormalConjugateGradient{})});
    if constexpr (std::is_same_v<T, double>)
      add_mixed(gauge, mass, n_columns);
    else
      cases.push_back({ReliableUpdates<Fixed16, float>(M, BiCgStab{})});
  }

  Operator<F<T>> operator_of(const Case<T>& c) const {
    return c.takes == Takes::square ? Operator<F<T>>(Squared<T>{M}) : Operator<F<T>>(M);
  }

 private:
  void add_mixed(const GaugeField<double>& gauge, double mass, int n_columns) {
    const WilsonOperator<float> low(GaugeLinks<float>(gauge), mass);
    cases.push_back({MixedPrecision(low, BiCgStab{})});
    cases.push_back({MixedPrecision(low, Gcr{})});
    cases.push_back({MixedPrecision(Operator<F<float>>(Squared<float>{low}), ConjugateGradient{}), Takes::square});
    cases.push_back({ReliableUpdates(low, BiCgStab{})});
    cases.push_back({ReliableUpdates<>(Operator<F<float>>(Squared<float>{low}), ConjugateGradient{}), Takes::square});
    cases.push_back({ReliableUpdates<Fixed16>(low, BiCgStab{})});
    cases.push_back({ReliableUpdates(low, NormalConjugateGradient{}), Takes::any_for_least_residual});
    cases.push_back({ReliableUpdates<Fixed16>(low, NormalConjugateGradient{}), Takes::any_for_least_residual});
    const SchwarzParameters blocks{.block = {4, 4, 2, 2}, .cycles = 1, .steps = 2};
    cases.push_back({Gcr{.preconditioner = Schwarz<float>(low, gauge, BoundaryAngles{}, blocks, n_columns)}});
  }
};

template <class T>
class Outcomes : public testing::Test {
 protected:
  const Lattice lattice = column_systems::small_lattice();
  const GaugeField<double> hot = reference::gauge_field<double>(lattice, column_systems::hot_links());
  static constexpr double tolerance = std::is_same_v<T, double> ? 1e-10 : 2e-5;

  F<T> sources(int n) const {
    const F<T> b(lattice, "b", n);
    load(b, reference::random_array(lattice.extent(), 12 * n, 5));
    return b;
  }

  /// The report, after the same solve has thrown, or not thrown, an error that says the same.
  SolveReport solve(const Case<T>& c, const Operator<F<T>>& A, const F<T>& b, const F<T>& x, double to = tolerance,
                    int max_iterations = 300) const {
    Solver<F<T>> solver = c.solver;
    solver.tolerance = to;
    solver.max_iterations = max_iterations;
    const F<T> guess = x.clone("guess");
    std::string thrown;
    try {
      solver(A, b, x);
    } catch (const ConvergenceError& error) {
      thrown = error.what();
    }
    copy(guess, x);
    solver.on_failure = OnFailure::report;
    const SolveReport report = solver(A, b, x);
    EXPECT_EQ(report.converged, thrown.empty()) << report.text();
    EXPECT_EQ(report.converged, report.reason.empty()) << report.text();
    EXPECT_NE(thrown.find(report.reason), std::string::npos) << report.text() << " but " << thrown;
    EXPECT_LE(report.iterations, max_iterations) << report.text();
    EXPECT_EQ(report.column_ends.size(), report.column_reasons.size()) << report.text();
    for (std::size_t k = 0; k < report.column_ends.size(); ++k)
      EXPECT_EQ(report.column_ends[k] == SolveEnd::converged, report.column_reasons[k].empty()) << report.text();
    return report;
  }

  void expect_others_solved(const SolveReport& report, int bad) const {
    for (int k = 0; k < int(report.column_reasons.size()); ++k) {
      if (k == bad) continue;
      EXPECT_LE(report.column_residuals.at(std::size_t(k)), 1e3 * tolerance) << report.text();
      EXPECT_TRUE(report.column_reasons.at(std::size_t(k)).empty()) << report.text();
    }
  }
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Outcomes, Precisions);

TYPED_TEST(Outcomes, NaNInASourceIsSaid) {
  using T = TypeParam;
  for (const int n : {1, 3}) {
    const F<T> b = this->sources(n), broken = alone(b, n / 2);
    scale(std::nan(""), broken);
    set_column(b, n / 2, broken);
    const Problem<T> problem(this->hot, 0.3, n);
    for (const Case<T>& c : problem.cases) {
      const F<T> x = b.like("x");
      const SolveReport report = this->solve(c, problem.operator_of(c), b, x);
      const std::string column = n == 1 ? "" : sentence("column", n / 2, "of", n) + ": ";
      EXPECT_EQ(report.reason, column + "the residual is not finite") << report.text();
      EXPECT_EQ(report.column_iterations.at(std::size_t(n / 2)), 0) << report.text();
      this->expect_others_solved(report, n / 2);
    }
  }
}

TYPED_TEST(Outcomes, NaNInTheOperatorIsSaid) {
  using T = TypeParam;
  auto u = column_systems::hot_links();
  u.data[5] = std::nan("");
  const GaugeField<double> gauge = reference::gauge_field<double>(this->lattice, u);
  for (const int n : {1, 3}) {
    const Problem<T> problem(gauge, 0.3, n);
    for (const Case<T>& c : problem.cases) {
      const F<T> b = this->sources(n), x = b.like("x");
      const SolveReport report = this->solve(c, problem.operator_of(c), b, x);
      EXPECT_NE(report.reason.find("not finite"), std::string::npos) << report.text();
      EXPECT_LT(report.iterations, 3) << report.text();
    }
  }
}

TYPED_TEST(Outcomes, ASourceOfZerosIsSolvedByZeros) {
  using T = TypeParam;
  for (const int n : {1, 3}) {
    const Problem<T> problem(this->hot, 0.3, n);
    for (const Case<T>& c : problem.cases) {
      const F<T> b = this->sources(n), nothing = alone(b, 0).like("nothing"), x = this->sources(n);
      set_column(b, n / 2, nothing);
      const SolveReport report = this->solve(c, problem.operator_of(c), b, x);
      EXPECT_TRUE(report.converged) << report.text();
      EXPECT_EQ(report.column_residuals.at(std::size_t(n / 2)), 0) << report.text();
      EXPECT_EQ(report.column_iterations.at(std::size_t(n / 2)), 0) << report.text();
      EXPECT_EQ(norm2(alone(x, n / 2)), 0) << report.text();
      if (n == 1) {
        EXPECT_EQ(report.iterations, 0) << report.text();
      }
    }
  }
}

/// Without mass and interactions constants are zero modes: only sources without them have solutions.
TYPED_TEST(Outcomes, ASingularOperatorSolvesWhatItCan) {
  using T = TypeParam;
  const auto unit = reference::gauge_field<double>(this->lattice, reference::unit_gauge(this->lattice.extent()));
  for (const int n : {1, 3}) {
    const int bad = n / 2;
    const F<T> b = this->sources(n);
    double constant_part = 0;
    for (int k = 0; k < n; ++k) {
      auto numbers = reference::random_array(this->lattice.extent(), 12, 70 + std::uint64_t(k));
      constexpr double volume = 256;
      for (std::size_t i = 0; i < 12; ++i) {
        std::complex<double> sum = 0;
        for (std::size_t at = i; at < numbers.data.size(); at += 12) sum += numbers.data[at];
        if (k == bad) constant_part += std::norm(sum) / volume;
        for (std::size_t at = i; k != bad && at < numbers.data.size(); at += 12) numbers.data[at] -= sum / volume;
      }
      const F<T> one = alone(b, k);
      load(one, numbers);
      set_column(b, k, one);
    }
    const double least = std::sqrt(constant_part / norm2(alone(b, bad)));
    const Problem<T> problem(unit, 0, n);
    constexpr int iterations = 250;
    for (const Case<T>& c : problem.cases) {
      const F<T> x = b.like("x");
      const SolveReport report = this->solve(c, problem.operator_of(c), b, x, TestFixture::tolerance, iterations);
      this->expect_others_solved(report, bad);
      if (c.takes == Takes::any_for_least_residual) {
        EXPECT_TRUE(report.converged) << report.text();
        EXPECT_NEAR(report.residual, least, TestFixture::tolerance) << report.text();
        continue;
      }
      EXPECT_FALSE(report.converged) << report.text();
      EXPECT_GE(report.residual, 0.99 * least) << report.text();
      if (c.takes == Takes::square && report.solver.find("block") == std::string::npos) {
        EXPECT_NE(report.reason.find("the operator is singular"), std::string::npos) << report.text();
        EXPECT_LT(report.iterations, iterations) << report.text();
      }
    }
  }
}

/// Its residual is larger than any that a singular operator is told by.
TYPED_TEST(Outcomes, AGuessFarFromTheSolutionIsForgotten) {
  using T = TypeParam;
  for (const int n : {1, 3}) {
    const Problem<T> problem(this->hot, 0.3, n);
    for (const Case<T>& c : problem.cases) {
      if (c.solver.name().find("conjugate gradient") == std::string::npos) continue;
      const F<T> b = this->sources(n), x = this->sources(n);
      const F<T> far = alone(x, n / 2);
      scale(10.0 / double(std::numeric_limits<T>::epsilon()), far);
      set_column(x, n / 2, far);
      const SolveReport report = this->solve(c, problem.operator_of(c), b, x, TestFixture::tolerance, 2000);
      EXPECT_TRUE(report.converged) << report.text();
    }
  }
}

/// Among columns that take long, one whose source is an eigenvector: conjugate gradients end there after one step, and
/// the sums before that step say nothing of the residual after it.
template <class Columns, class S>
void solve_beside_an_eigenvector(const GaugeField<double>& unit, const S& solver, double tolerance) {
  using T = typename Columns::Real;
  const int n = Columns::Lanes::columns + 2, easy = 1;
  const WilsonOperator<T> M(GaugeLinks<T>(unit), 0.3, {.columns = true});
  const auto square = [&](const Columns& in, const Columns& out) {
    const Columns work = in.like("M in");
    M.apply(in, work);
    M.apply_adjoint(work, out);
  };
  const Columns b(unit.lattice(), "b", n), x = b.like("x");
  load(b, reference::random_array(unit.lattice().extent(), 12 * n, 5));
  const Columns constant = alone(b, easy);
  reference::GlobalArray numbers(unit.lattice().extent(), 12);
  for (std::size_t i = 5; i < numbers.data.size(); i += 12) numbers.data[i] = 1.0 / 16;
  load(constant, numbers);
  set_column(b, easy, constant);
  S mine = solver;
  mine.tolerance = tolerance;
  const SolveReport report = mine(Operator<Columns>(square), b, x);
  for (int k = 0; k < n; ++k) {
    EXPECT_LE(report.column_residuals.at(std::size_t(k)), tolerance) << k;
    if (k == easy)
      EXPECT_LE(report.column_iterations.at(std::size_t(k)), 2) << k;
    else
      EXPECT_GT(report.column_iterations.at(std::size_t(k)), 5) << k;
  }
}

TYPED_TEST(Outcomes, ASystemThatIsSolvedAtOnceLeavesOthersAlone) {
  using T = TypeParam;
  const auto unit = reference::gauge_field<double>(this->lattice, reference::unit_gauge(this->lattice.extent()));
  solve_beside_an_eigenvector<F<T>>(unit, ConjugateGradient{}, TestFixture::tolerance);
  solve_beside_an_eigenvector<Field<Spinor, T, ColumnLanes<4>>>(unit, ConjugateGradient{}, TestFixture::tolerance);
  solve_beside_an_eigenvector<Field<Spinor, T, ColumnLanes<8>>>(unit, ConjugateGradient{}, TestFixture::tolerance);
}

/// Whether a column ended like this; always, where the report does not say how columns ended.
bool has_end(const SolveReport& report, SolveEnd end) {
  return report.column_ends.empty() || std::count(report.column_ends.begin(), report.column_ends.end(), end) > 0;
}

/// It names the least that the precision reaches, and nothing that the solve has already.
void expect_remedy_of_rounding(const SolveReport& report, bool in_double) {
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string& remedy = report.remedy;
  EXPECT_TRUE(has(remedy, in_double ? "double precision reaches about 1e-15 at best"
                                    : "single precision reaches about 1e-06 at best"))
      << report.failure();
  EXPECT_EQ(has(remedy, "solve in double or mixed precision"), !in_double) << report.failure();
  const bool squares = has(report.solver, "normal equations") && !has(report.solver, "of the error");
  EXPECT_EQ(has(remedy, "CGNE or even sites"), squares) << report.solver << ": " << report.failure();
  EXPECT_FALSE(has(remedy, "iterations")) << report.failure();
  EXPECT_TRUE(has(report.failure(), "; the solution is not usable: " + remedy)) << report.failure();
}

TYPED_TEST(Outcomes, ATolerancePastThePrecisionIsSaidAfterTheBestSolution) {
  using T = TypeParam;
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  for (const int n : {1, 3}) {
    const Problem<T> problem(this->hot, 0.3, n);
    for (const Case<T>& c : problem.cases) {
      const F<T> b = this->sources(n), x = b.like("x");
      const SolveReport report = this->solve(c, problem.operator_of(c), b, x, 1e-3 * epsilon, 2000);
      EXPECT_FALSE(report.converged) << report.text();
      EXPECT_NE(report.reason.find("rounding dominates"), std::string::npos) << report.text();
      EXPECT_TRUE(has_end(report, SolveEnd::by_rounding)) << report.text();
      EXPECT_LE(report.residual, 100 * epsilon) << report.text();
      expect_remedy_of_rounding(report, std::is_same_v<T, double>);
    }
  }
}

/// Recursions that fall for ever end at the limit of iterations, which is not to blame.
TYPED_TEST(Outcomes, AToleranceThatNothingReachesIsSaidWhateverTheSolveEndsBy) {
  using T = TypeParam;
  const Problem<T> problem(this->hot, 0.3, 1);
  for (const Case<T>& c : problem.cases) {
    const F<T> b = this->sources(1), x = b.like("x");
    const SolveReport report = this->solve(c, problem.operator_of(c), b, x, 1e-300, 150);
    EXPECT_FALSE(report.converged) << report.text();
    EXPECT_NE(report.text().find("(tolerance 1e-300)"), std::string::npos) << report.text();
    expect_remedy_of_rounding(report, std::is_same_v<T, double>);
  }
}

TYPED_TEST(Outcomes, TooFewIterationsAreSaid) {
  using T = TypeParam;
  for (const int n : {1, 3}) {
    const Problem<T> problem(this->hot, 0.3, n);
    for (const Case<T>& c : problem.cases) {
      const F<T> b = this->sources(n), x = b.like("x");
      const SolveReport report = this->solve(c, problem.operator_of(c), b, x, TestFixture::tolerance, 3);
      EXPECT_FALSE(report.converged) << report.text();
      EXPECT_NE(report.reason.find("limit of 3 iterations"), std::string::npos) << report.text();
      EXPECT_TRUE(has_end(report, SolveEnd::at_limit)) << report.text();
      EXPECT_EQ(report.remedy, "allow more iterations, ask for less, or check the operator and the links");
      EXPECT_TRUE(std::isfinite(norm2(x))) << report.text();
    }
  }
}

}  // namespace outcomes
}  // namespace
}  // namespace kov
