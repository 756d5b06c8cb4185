// SPDX-License-Identifier: MIT
//
// Block conjugate gradients: small naive residuals, no more iterations than a solve of each column, and sources that
// are 0, equal, dependent, or become so.
#include "kov/algebra/krylov/block_conjugate_gradient.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/scalar_propagator.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "tests/algebra/column_systems.hpp"
#include "tests/reference/fourier.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <limits>

namespace kov {
namespace {
namespace block_conjugate_gradients {

using namespace column_systems;
using reference::gather;

/// M^+ M, for any M.
template <class F>
struct NormalOf {
  Operator<F> M;

  void apply(const F& in, const F& out) const {
    const F between = in.like("M in");
    M.apply(in, between);
    M.apply_adjoint(between, out);
  }
};

/// Column k of fields as a plain array.
template <class F>
GlobalArray column_of(const F& x, int k) {
  return reference::part(gather(x), F::n_complex * k, F::n_complex);
}

template <class F>
void set_random_columns(const F& b, std::uint64_t seed) {
  for (int k = 0; k < b.n_components(); ++k) set_random(b, k, seed + std::uint64_t(k), 1);
}

/// |b_k - A x_k| / |b_k| of every column, in the precision of the fields.
template <class F>
ByColumn<double> true_residuals(const Operator<F>& A, const F& b, const F& x) {
  return sqrt(true_residual_by_column<F>(A, b, x, x.like("residual")) / norm2_by_column(b));
}

const std::vector<test::LatticeCase> awkward{
    {{4, 6, 2, 8}, {}, false}, {{4, 6, 2, 8}, {}, true}, {{4, 4, 4, 4}, Order::even_odd, false}};

class BlockConjugateGradients : public test::OnLattices {};

TEST_P(BlockConjugateGradients, OnUnitLinksGiveTheFourierSumOfEachColumn) {
  const Lattice lattice = GetParam().make(Comm::world());
  const ScalarOperator<double> A(GaugeLinks<double>(gauge_field(lattice, reference::unit_gauge(lattice.extent()))),
                                 0.01);
  using F = Field<ColorVector, double>;
  const F b(lattice, "b", 5), x = b.like("x");
  set_random_columns(b, 3);
  const SolveReport report = BlockConjugateGradient{.tolerance = 1e-13}(A, b, x);
  EXPECT_LE(report.residual, 1e-13);
  for (int k = 0; k < 5; ++k) {
    const GlobalArray exact = reference::free_profile(column_of(b, k), 4, [](double p2) { return 1 / (p2 + 0.01); });
    EXPECT_LT(max_difference(alone(x, k), exact), 1e3 * 1e-13 * reference::max_abs(exact));
  }
}

TEST_P(BlockConjugateGradients, SolveForScalarsWithAlmostNoMass) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::near_unit_links(lattice.extent(), 5);
  const ScalarOperator<double> A(GaugeLinks<double>(gauge_field(lattice, u)), 1e-3);
  using F = Field<ColorVector, double>;
  const F b(lattice, "b", 6), x = b.like("x");
  set_random_columns(b, 3);
  const int alone = ConjugateGradient{.tolerance = 1e-11}(A, b, x).iterations;
  zero(x);
  const SolveReport report = BlockConjugateGradient{.tolerance = 1e-11}(A, b, x);
  EXPECT_LT(report.iterations, 0.8 * alone);
  for (int k = 0; k < 6; ++k) {
    const GlobalArray numbers = column_of(x, k), source = column_of(b, k), delta = reference::laplacian(u, numbers, 4);
    double rr = 0, bb = 0;
    for (std::size_t i = 0; i < source.data.size(); ++i) {
      rr += std::norm(source.data[i] + delta.data[i] - 1e-3 * numbers.data[i]);
      bb += std::norm(source.data[i]);
    }
    EXPECT_NEAR(std::sqrt(rr / bb), report.column_residuals.at(std::size_t(k)), 1e-14);
    EXPECT_LT(std::sqrt(rr / bb), 1.01e-11);
  }
}

TEST_P(BlockConjugateGradients, OnNormalEquationsSolveWilson) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 5);
  const WilsonOperator<double> M(GaugeLinks<double>(gauge_field(lattice, u)), 0.3);
  using F = SpinorField<double>;
  const F b(lattice, "b", 3), x = b.like("x");
  set_random_columns(b, 3);
  const auto check = [&](const SolveReport& report, double tolerance) {
    EXPECT_TRUE(report.converged) << report.text();
    for (int k = 0; k < 3; ++k) {
      const double residual = reference::wilson_residual(u, 0.3, column_of(x, k), column_of(b, k), {});
      EXPECT_LT(residual, tolerance) << k;
      EXPECT_NEAR(residual, report.column_residuals.at(std::size_t(k)), 40 * std::numeric_limits<double>::epsilon());
    }
  };
  check(NormalBlockConjugateGradient{.tolerance = 1e-12}(M, b, x), 1e-11);
  zero(x);
  const NormalOf<F> normal{M};
  const F source = b.like("M^+ b");
  Operator<F>(M).apply_adjoint(b, source);
  BlockConjugateGradient{.tolerance = 1e-12}(normal, source, x);
  for (int k = 0; k < 3; ++k)
    EXPECT_LT(reference::wilson_residual(u, 0.3, column_of(x, k), column_of(b, k), {}), 1e-11);
  zero(x);
  const EvenOdd<double> even_odd(M, NormalBlockConjugateGradient{.tolerance = 1e-11}, SchurForm::asymmetric, 3);
  check(even_odd(M, b, x), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Lattices, BlockConjugateGradients, ::testing::ValuesIn(awkward), test::case_name);

template <class F>
class BlockColumns : public testing::Test {};
TYPED_TEST_SUITE(BlockColumns, SpinorFields);

/// Sources of 0, guesses of all kinds, on an operator of Wilson type and on one that only knows apply().
TYPED_TEST(BlockColumns, NeedNoMoreIterationsThanAlone) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const auto check = [&](const Operator<F>& A) {
    const BlockConjugateGradient solver{.tolerance = tolerance_of<F>};
    const ConjugateGradient single{.tolerance = tolerance_of<F>};
    const Systems<F> systems(lattice, single, A);
    const F x = systems.x.like("x");
    copy(systems.x, x);
    const SolveReport report = solver(A, systems.b, x);
    expect_same_on_all_ranks(lattice, report);
    EXPECT_TRUE(report.converged) << report.text();
    const ByColumn<double> residuals = true_residuals(A, systems.b, x);
    copy(systems.x, x);
    const SolveReport apart = single(A, systems.b, x);
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      if (k == 1) continue;
      EXPECT_LE(residuals[k], solver.tolerance) << k;
      EXPECT_EQ(residuals[k], report.column_residuals.at(k));
      const int more = k == 4 ? 1 : 0;  // from a guess that is far away rounding takes a restart
      EXPECT_LE(report.column_iterations.at(k), apart.column_iterations.at(k) + more) << k;
      EXPECT_EQ(int(report.history.at(k).size()), report.column_iterations[k]);
    }
    EXPECT_EQ(report.column_iterations.at(1), 0);
    EXPECT_EQ(norm2(alone(x, 1)), 0);
    EXPECT_EQ(report.column_iterations.at(2), 0) << "a solution to begin with";
  };
  check(ByColour{});
  check(NormalOf<F>{wilson<typename F::Real>(lattice)});
}

/// The lowest modes, which the others do not see, are in all columns.
TYPED_TEST(BlockColumns, NeedManyFewerIterationsThanAloneNearTheCriticalMass) {
  using F = TypeParam;
  using T = typename F::Real;
  const Lattice lattice(Comm::world(), {4, 6, 2, 8});
  const GaugeField<double> gauge = gauge_field(lattice, reference::near_unit_links(lattice.extent(), 3));
  const WilsonOperator<T> M(GaugeLinks<T>(gauge, BoundaryAngles::antiperiodic_in_time()), -0.6, {.columns = true});
  const F b(lattice, "b", 12), x = b.like("x");
  set_random_columns(b, 3);
  const double tolerance = tolerance_of<F>;
  const SolveReport alone = NormalConjugateGradient{.tolerance = tolerance}(M, b, x);
  zero(x);
  const SolveReport report = NormalBlockConjugateGradient{.tolerance = tolerance}(M, b, x);
  EXPECT_LE(report.stopping_residual, tolerance);
  EXPECT_LT(report.iterations, (std::is_same_v<T, double> ? 0.6 : 0.8) * alone.iterations);
}

TYPED_TEST(BlockColumns, MayBeEqualDependentOrSmall) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> A = ByColour{};
  const F b(lattice, "b", 7), x = b.like("x");
  for (const int k : {0, 3, 5}) set_random(b, k, 40 + std::uint64_t(k), k == 5 ? 1e-6 : 1);
  const F first = alone(b, 0), fourth = alone(b, 3), sum = alone(b, 0), twice = alone(b, 0), nearly = alone(b, 0);
  set_column(b, 2, first);
  scale(2.0, twice);
  set_column(b, 4, twice);
  axpy(std::complex<double>(0, 1), fourth, sum);
  set_column(b, 6, sum);
  const BlockConjugateGradient solver{.tolerance = tolerance_of<F>};
  const SolveReport report = solver(A, b, x);
  EXPECT_TRUE(report.converged) << report.text();
  EXPECT_LE(report.restarts, 1);
  const ByColumn<double> residuals = true_residuals(A, b, x);
  for (const std::size_t k : {0, 2, 3, 4, 5, 6}) EXPECT_LE(residuals[k], solver.tolerance) << k;
  EXPECT_EQ(norm2(alone(x, 1)), 0);
  // Sources whose difference is lost in their inner products.
  axpy(1e-9 / std::sqrt(norm2(fourth)) * std::sqrt(norm2(first)), fourth, nearly);
  set_column(b, 1, nearly);
  zero(x);
  EXPECT_EQ(solver(A, b, x).restarts, 0) << "directions of such differences are kept too";
  EXPECT_LE(true_residuals(A, b, x)[1], solver.tolerance);
}

/// Two sources that differ in colour 0 only, where A is 1: one step removes the difference.
TYPED_TEST(BlockColumns, MayBecomeDependent) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> A = ByColour{};
  const F b(lattice, "b", 3), x = b.like("x");
  for (const int k : {0, 1}) {
    GlobalArray numbers = reference::random_array(lattice.extent(), 12, 60);
    const GlobalArray others = reference::random_array(lattice.extent(), 12, 61 + std::uint64_t(k));
    for (std::size_t i = 0; i < numbers.data.size(); i += 3) numbers.data[i] = others.data[i];
    F one(lattice, "one", 1);
    load(one, numbers);
    set_column(b, k, one);
  }
  const F third = alone(b, 0);
  axpy(-1, alone(b, 1), third);
  set_column(b, 2, third);
  const BlockConjugateGradient solver{.tolerance = tolerance_of<F>};
  const SolveReport report = solver(A, b, x);
  EXPECT_TRUE(report.converged) << report.text();
  EXPECT_LE(report.column_iterations.at(2), 1);
  for (const double residual : true_residuals(A, b, x)) EXPECT_LE(residual, solver.tolerance);
}

TYPED_TEST(BlockColumns, WithNaNEndAndTheOthersAreSolved) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const Operator<F> A = ByColour{};
  const F b(lattice, "b", 5), x = b.like("x");
  set_random_columns(b, 50);
  for (const int k : {1, 3}) {
    const F broken = alone(k == 1 ? b : x, k);
    if (k == 3) set_random(broken, 0, 1, 1);
    scale(std::nan(""), broken);
    set_column(k == 1 ? b : x, k, broken);
  }
  const BlockConjugateGradient solver{.tolerance = tolerance_of<F>};
  const SolveReport report = solve_quietly(solver, A, b, x);
  expect_same_on_all_ranks(lattice, report);
  EXPECT_EQ(report.reason, "columns 1, 3 of 5: the residual is not finite");
  const ByColumn<double> residuals = true_residuals(A, b, x);
  for (const std::size_t k : {0, 2, 4}) EXPECT_LE(residuals[k], solver.tolerance) << k;
  for (const std::size_t k : {1, 3}) EXPECT_EQ(report.column_iterations[k], 0);
  expect_failure(solver, A, b, x, "columns 1, 3 of 5: the residual is not finite");
}

TYPED_TEST(BlockColumns, ForWhichTheOperatorIsNotPositiveEndAndTheOthersAreSolved) {
  using F = TypeParam;
  const Lattice lattice = small_lattice();
  const BlockConjugateGradient solver{.tolerance = tolerance_of<F>};
  const F b = sources_by_colour<F>(lattice), x = b.like("x");
  for (const double colour_0 : {-1.0, 0.0}) {
    zero(x);
    const Operator<F> A = ByColour{.colour_0 = colour_0};
    const SolveReport report = solve_quietly(solver, A, b, x);
    expect_same_on_all_ranks(lattice, report);
    EXPECT_NE(report.reason.find("column 1 of 3: p^+ A p = "), std::string::npos) << report.reason;
    EXPECT_NE(report.reason.find("is not positive"), std::string::npos) << report.reason;
    EXPECT_EQ(report.column_residuals[1], 1);
    for (const std::size_t k : {0, 2}) EXPECT_LE(report.column_residuals[k], solver.tolerance) << k;
  }
  // A source with colours of both signs beside one of the good ones.
  const F mixed = alone(b, 0);
  axpy(1, alone(b, 1), mixed);
  set_column(b, 0, mixed);
  zero(x);
  const Operator<F> A = ByColour{.colour_0 = -1};
  const SolveReport report = solve_quietly(solver, A, b, x);
  for (const std::size_t k : {0, 1})
    EXPECT_NE(report.column_reasons[k].find("p^+ A p = -"), std::string::npos) << report.reason;
  EXPECT_LE(report.column_residuals[2], solver.tolerance);
}

/// The sources span the space of all fields, so that one iteration solves for all.
TEST(BlockSources, MayBeMoreThanTheirSpaceHasDimensions) {
  const Lattice lattice(Comm::world(), {4, 2, 2, 2});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 5);
  const ScalarOperator<double> A(GaugeLinks<double>(gauge_field(lattice, u)), 0.1);
  const Field<ColorVector, double> b(lattice, "b", 100), x = b.like("x");
  set_random_columns(b, 3);
  const SolveReport report = BlockConjugateGradient{.tolerance = 1e-10}(A, b, x);
  EXPECT_LE(report.iterations, 2);
  EXPECT_LE(report.residual, 1e-10);
}

using F = SpinorField<double>;

TEST(BlockFailures, SayWhatHappened) {
  const Lattice lattice = small_lattice();
  const Operator<F> A = ByColour{};
  const F b(lattice, "b", 4), x = b.like("x");
  set_random_columns(b, 70);
  const auto expect_reason = [&](const BlockConjugateGradient& solver, const Operator<F>& op, const std::string& why) {
    zero(x);
    expect_failure(solver, op, b, x, why);
    EXPECT_TRUE(std::isfinite(norm2(x)));
  };
  expect_reason({.max_iterations = 3}, A, "columns 0, 1, 2, 3 of 4: the limit of 3 iterations was reached");
  expect_reason({.tolerance = 1e-18}, A, "restarts no longer reduce the true residual");
  expect_reason(
      {}, [](const F&, const F& out) { zero(out); }, "p^+ A p = 0");
  const auto negative = [](const F& in, const F& out) {
    copy(in, out);
    scale(-1, out);
  };
  expect_reason({}, negative, "is not positive");
  const auto not_a_number = [](const F& in, const F& out) {
    copy(in, out);
    if (norm2(in) > 0) scale(std::nan(""), out);
  };
  expect_reason({}, not_a_number, "not finite");
  const SpinorField<Fixed16> stored(lattice, "stored", 2), other = stored.like("other");
  load(stored, reference::random_array(lattice.extent(), 24, 1));
  EXPECT_THROW(
      BlockConjugateGradient{}(Operator<SpinorField<Fixed16>>([](const auto& in, const auto& out) { copy(in, out); }),
                               stored, other),
      InputError);
}

TEST(BlockFailures, TheLimitIsThatOfEachColumn) {
  const Lattice lattice = small_lattice();
  const Operator<F> A = ByColour{};
  BlockConjugateGradient solver{.tolerance = 1e-10};
  const Systems<F> systems(lattice, ConjugateGradient{.tolerance = 1e-10}, A);
  const F x = systems.x.like("x");
  copy(systems.x, x);
  const int needed = solver(A, systems.b, x).column_iterations.at(3);
  solver.max_iterations = needed;
  copy(systems.x, x);
  const SolveReport report = solve_quietly(solver, A, systems.b, x);
  EXPECT_EQ(report.iterations, needed);
  EXPECT_NE(report.reason.find("columns 0, 4, 5 of 6: the limit of"), std::string::npos) << report.reason;
  for (const std::size_t k : {1, 2, 3}) EXPECT_LE(report.column_residuals[k], solver.tolerance) << k;
}

TEST(BlockSolves, AreSolversLikeAnyOther) {
  const Lattice lattice = small_lattice();
  const Operator<F> M = wilson<double>(lattice);
  const F b(lattice, "b", 4), x = b.like("x"), one = alone(b, 0), one_x = one.like("x");
  set_random_columns(b, 70);
  // One column is a system of ordinary conjugate gradients.
  set_random(one, 0, 1, 1);
  const int alone = NormalConjugateGradient{.tolerance = 1e-10}(M, one, one_x).iterations;
  zero(one_x);
  EXPECT_NEAR((NormalBlockConjugateGradient{.tolerance = 1e-10}(M, one, one_x).iterations), alone, 1);
  // One application an iteration, one for the residual to begin with, and one for that at the end.
  const auto applications = std::make_shared<int>(0);
  const Operator<F> counted([=](const F& in, const F& out) {
    ++*applications;
    ByColour{}.apply(in, out);
  });
  const int iterations = BlockConjugateGradient{.tolerance = 1e-10}(counted, b, x).iterations;
  EXPECT_EQ(*applications, iterations + 2);
  zero(x);
  int calls = 0;
  const Solver<F> solver = NormalBlockConjugateGradient{
      .tolerance = 1e-10, .progress = [&](const SolveProgress& p) { EXPECT_EQ(p.iteration, ++calls); }};
  const SolveReport report = solver(M, b, x);
  EXPECT_EQ(report.solver, "block conjugate gradient on the normal equations");
  EXPECT_EQ(calls, report.iterations);
  zero(x);
  const MixedPrecision mixed(wilson<float>(lattice), NormalBlockConjugateGradient{.tolerance = 1e-11});
  EXPECT_TRUE(mixed(M, b, x).converged);
  for (const double residual : true_residuals(M, b, x)) EXPECT_LE(residual, 1e-11);
}

}  // namespace block_conjugate_gradients
}  // namespace
}  // namespace kov
