// SPDX-License-Identifier: MIT
//
// The scalar propagator: equal to its Fourier sum on unit links, a small naive residual on hot links, gauge covariance.
#include "kov/algebra/krylov/scalar_propagator.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "tests/reference/fourier.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/slow_copy.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;

constexpr double kMassSquared = 0.25;

ScalarOperator<double> scalar(const Lattice& lattice, const GlobalArray& u, Dimensions d = Dimensions::spacetime) {
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, u);
  return {GaugeLinks<double>(gauge), kMassSquared, d};
}

/// |b - A x| / |b| with the naive Laplacian.
double residual(const GlobalArray& u, const GlobalArray& x, const GlobalArray& b, int n_dimensions) {
  const GlobalArray delta = reference::laplacian(u, x, n_dimensions);
  double rr = 0, bb = 0;
  for (std::size_t i = 0; i < b.data.size(); ++i) {
    rr += std::norm(b.data[i] + delta.data[i] - kMassSquared * x.data[i]);
    bb += std::norm(b.data[i]);
  }
  return std::sqrt(rr / bb);
}

class ScalarPropagator : public test::OnLattices {};

TEST_P(ScalarPropagator, OnUnitLinksIsItsFourierSum) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::unit_gauge(lattice.extent());
  for (const Dimensions d : {Dimensions::spacetime, Dimensions::space}) {
    const auto A = scalar(lattice, u, d);
    const Field<ColorVector, double> point(lattice, "point"), phi(lattice, "phi");
    poke(point, {1, 0, 1, 2}, ColorVector<double>{{{1, 0}, {0, -0.5}, {0, 0}}});
    const SolveReport report = solve_scalar(A, point, phi, {.tolerance = 1e-14, .on_failure = OnFailure::report});
    EXPECT_LT(report.residual, 1e-13);
    const GlobalArray expected =
        reference::free_profile(gather(point), int(d), [](double p2) { return 1 / (p2 + kMassSquared); });
    EXPECT_LT(max_difference(phi, expected), 1e-12 * reference::max_abs(expected));
  }
}

TEST_P(ScalarPropagator, OnHotLinksHasTheResidualThatItReports) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1);
  const auto A = scalar(lattice, u);
  const GlobalArray b = reference::random_array(lattice.extent(), 24, 2), c = reference::random_array(b.extent, 3, 3);
  const SpinorField<double> source(lattice, "source", 2), phi = source.like("phi");
  load(source, b);
  const SolveReport report = solve_scalar(A, source, phi, {.tolerance = 1e-11});
  EXPECT_TRUE(report.converged);
  EXPECT_GT(report.iterations, 3);
  double worst = 0;
  for (const int k : {0, 1})
    worst = max_or_nan(worst, residual(u, reference::part(gather(phi), 12 * k, 12), reference::part(b, 12 * k, 12), 4));
  EXPECT_LT(worst, 1e-11);
  EXPECT_NEAR(worst, report.residual, 1e-14);
  const Field<ColorVector, double> quark(lattice, "quark"), solution(lattice, "solution");
  load(quark, c);
  solve_scalar(A, quark, solution, {.tolerance = 1e-11});
  EXPECT_LT(residual(u, gather(solution), c, 4), 1e-11);
}

/// The bits of A x in each of 5 columns, and on an instance of its own; and those of the solutions.
template <class T, class Lanes>
void check_columns(const Lattice& lattice) {
  const int n = 5;
  const ScalarOperator<T> A(
      GaugeLinks<T>(reference::gauge_field<T>(lattice, reference::random_su3(lattice.extent(), 4, 1))), kMassSquared,
      Dimensions::spacetime, {.columns = true});
  const ConjugateGradient solver{.tolerance = 1e-4, .on_failure = OnFailure::report};
  const Field<ColorVector, T> one(lattice, "one"), image = one.like("image"), of_columns = one.like("of columns");
  const Field<ColorVector, T, Lanes> x(lattice, "x", n), y = x.like("y"), phi = x.like("phi"), late = x.like("late");
  load(x, reference::random_array(lattice.extent(), 3 * n, 4));
  A.apply(x, y);
  const Exec exec = test::own_instance();
  Kokkos::fence("fields are ready");
  test::slow_copy(x, late, exec);
  A.apply(late, phi, exec);
  exec.fence("A x");
  EXPECT_EQ(gather(phi).data, gather(y).data) << "on an instance";
  zero(phi);
  const SolveReport report = solve_scalar(A, x, phi, solver);
  EXPECT_TRUE(report.converged) << report.text();
  for (int k = 0; k < n; ++k) {
    copy_components(x, k, one, 0, 1);
    A.apply(one, image);
    copy_components(y, k, of_columns, 0, 1);
    EXPECT_EQ(gather(of_columns).data, gather(image).data) << "A x, column " << k;
    if (lattice.comm().size() > 1) continue;  // products of columns are added over ranks in another order
    const Field<ColorVector, T, Lanes> alone(lattice, "alone"), solution = alone.like("solution");
    convert(one, alone);
    solve_scalar(A, alone, solution, solver);
    copy_components(phi, k, of_columns, 0, 1);
    EXPECT_EQ(gather(of_columns).data, gather(solution).data) << "the solution, column " << k;
  }
}

TEST_P(ScalarPropagator, OfColumnsHasTheBitsOfEachAlone) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_columns<double, ColumnLanes<4>>(lattice);
  check_columns<float, ColumnLanes<16>>(lattice);
}

INSTANTIATE_TEST_SUITE_P(Lattices, ScalarPropagator, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

TEST(ScalarPropagators, CommuteWithGaugeTransformations) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1), g = reference::random_su3(u.extent, 1, 2),
                    b = reference::random_array(u.extent, 3, 3);
  const Field<ColorVector, double> source(lattice, "source"), phi(lattice, "phi"), turned(lattice, "turned");
  load(source, b);
  solve_scalar(scalar(lattice, u), source, phi, {.tolerance = 1e-13});
  load(source, transform_quarks(g, b));
  solve_scalar(scalar(lattice, transform_links(g, u)), source, turned, {.tolerance = 1e-13});
  const GlobalArray expected = transform_quarks(g, gather(phi));
  EXPECT_LT(max_difference(turned, expected), 1e-11 * reference::max_abs(expected));
}

TEST(ScalarPropagators, RefuseTachyonsAndFieldsWithoutSolution) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, reference::unit_gauge(lattice.extent()));
  const GaugeLinks<double> links(gauge);
  EXPECT_THROW(ScalarOperator<double>(links, -0.1), InputError);
  EXPECT_THROW(ScalarOperator<double>(links, std::nan("")), InputError);
  // On unit links without a mass, A x has no constant part for any x, so a constant source has no solution.
  GlobalArray constant(lattice.extent(), 3);
  for (auto& z : constant.data) z = 1;
  const Field<ColorVector, double> source(lattice, "source"), phi(lattice, "phi");
  load(source, constant);
  EXPECT_THROW(solve_scalar(ScalarOperator<double>(links, 0), source, phi, {.max_iterations = 100}), ConvergenceError);
}

}  // namespace
}  // namespace kov
