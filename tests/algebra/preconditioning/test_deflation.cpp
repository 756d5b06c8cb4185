// SPDX-License-Identifier: MIT
//
// Deflation with the plane waves of free fields, which are exact eigenvectors, and CGNE.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/preconditioning/deflation.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

namespace kov {
namespace {
namespace deflation {

using reference::gather, reference::GlobalArray;

constexpr double kSquare = 1e-3;

/// m^2 - Laplacian, which is its own adjoint.
template <class T>
struct Helmholtz {
  CovariantLaplacian<T> laplacian;
  explicit Helmholtz(const Lattice& l)
      : laplacian(GaugeLinks<T>(reference::gauge_field<double>(l, reference::unit_gauge(l.extent()))),
                  Dimensions::spacetime, {.doubled = true, .columns = true}) {}
  template <class F>
  void apply(const F& in, const F& out) const {
    laplacian.combine(kSquare + 8, -1, in, out);
  }
  template <class F>
  void apply_adjoint(const F& in, const F& out) const {
    apply(in, out);
  }
};

/// Waves of all momenta 0 and +-1 in units of 2 pi / L in each direction, in all colours, as columns.
struct Waves {
  std::vector<double> eigenvalues;
  GlobalArray columns;

  explicit Waves(const Coord& extent) : columns(extent, 0) {
    std::vector<std::array<int, 4>> momenta{{0, 0, 0, 0}};
    for (std::size_t mu = 0; mu < 4; ++mu)
      for (const int sign : {1, -1}) {
        if (extent[mu] == 2 && sign < 0) continue;  // the same wave
        momenta.push_back({0, 0, 0, 0});
        momenta.back()[mu] = sign;
      }
    columns = GlobalArray(extent, 9 * int(momenta.size()));
    const double norm = 1 / std::sqrt(double(volume(extent)));
    std::size_t at = 0;
    reference::for_each_coordinate(extent, [&](const Coord& x) {
      for (const auto& p : momenta) {
        double phase = 0;
        for (std::size_t mu = 0; mu < 4; ++mu) phase += 2 * std::numbers::pi * p[mu] * x[mu] / extent[mu];
        for (int colour = 0; colour < 9; ++colour, ++at)
          columns.data[at] = colour % 4 == 0 ? std::polar(norm, phase) : 0.0;
      }
    });
    for (const auto& p : momenta) {
      double eigenvalue = kSquare;
      for (std::size_t mu = 0; mu < 4; ++mu) {
        const double sine = std::sin(std::numbers::pi * p[mu] / extent[mu]);
        eigenvalue += 4 * sine * sine;
      }
      eigenvalues.insert(eigenvalues.end(), 3, eigenvalue);
    }
  }
  int size() const { return int(eigenvalues.size()); }
};

class Deflation : public test::OnLattices {};

template <class Lanes>
void check_lanes(const Lattice& lattice) {
  using F = Field<ColorVector, double, Lanes>;
  const Waves waves(lattice.extent());
  const F v(lattice, "waves", waves.size()), b(lattice, "b", 3), x = b.like("x");
  load(v, waves.columns);
  load(b, reference::random_array(lattice.extent(), 9, 3));
  const Helmholtz<double> A(lattice);
  const ConjugateGradient cg{.tolerance = 1e-10};
  const int alone = cg(A, b, x).iterations;
  const GlobalArray expected = gather(x);
  const auto check = [&](const auto& solver, int most, const std::string& name) {
    zero(x);
    const SolveReport report = solver(Operator<F>(A), b, x);
    EXPECT_TRUE(report.converged) << report.text();
    EXPECT_LE(report.iterations, most) << report.text();
    EXPECT_LE(report.residual, 1e-10);
    const GlobalArray found = gather(x);
    for (std::size_t i = 0; i < found.data.size(); ++i)
      ASSERT_LE(std::abs(found.data[i] - expected.data[i]), 3e-6) << i;  // |A^-1| is 1000
    EXPECT_EQ(report.solver, name);
  };
  check(Deflated<F>(v, waves.eigenvalues, cg), alone - 1, "deflated conjugate gradient");
  std::vector<double> squares;
  for (const double lambda : waves.eigenvalues) squares.push_back(lambda * lambda);
  const NormalConjugateGradient normal{.tolerance = 1e-12};
  zero(x);
  const int normal_alone = normal(A, b, x).iterations;
  check(Deflated<F>(v, squares, normal, EigenvectorsOf::normal_operator), normal_alone - 1,
        "deflated conjugate gradient on the normal equations");

  // A source and a guess in the space of the vectors need no iteration; nor does a source of zeros.
  copy_components(v, 1, b, 0, 1);
  copy_components(v, 4, b, 1, 1);
  F none(lattice, "zeros", 1);
  copy_components(none, 0, b, 2, 1);
  copy_components(v, 0, x, 0, 3);
  const SolveReport report = Deflated<F>(v, waves.eigenvalues, cg)(A, b, x);
  EXPECT_EQ(report.iterations, 0) << report.text();
  const GlobalArray found = gather(x);
  for (std::size_t i = 0; i < found.data.size(); ++i) {
    const std::size_t column = i % 9 / 3, site = i / 9;
    const std::complex<double> wave =
        waves.columns.data[site * std::size_t(3 * waves.size()) + 3 * (column == 0 ? 1 : 4) + i % 3];
    ASSERT_LE(std::abs(found.data[i] - (column == 2 ? 0.0 : wave / waves.eigenvalues[column == 0 ? 1 : 4])), 1e-10)
        << i;
  }
}

TEST_P(Deflation, TakesTheSpaceOfTheVectorsOutOfTheSolve) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_lanes<SiteLanes>(lattice);
  check_lanes<ColumnLanes<4>>(lattice);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Deflation, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

TEST(Deflations, RefuseWhatTheyCannotUse) {
  using F = Field<ColorVector, double>;
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Waves waves(lattice.extent());
  const F v(lattice, "waves", waves.size());
  load(v, waves.columns);
  const ConjugateGradient cg;
  auto values = waves.eigenvalues;
  values[2] = 0;
  EXPECT_THROW((Deflated<F>(v, values, cg)), InputError);
  values[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((Deflated<F>(v, values, cg)), InputError);
  values.pop_back();
  EXPECT_THROW((Deflated<F>(v, values, cg)), InputError);
  scale(1.01, v);
  EXPECT_THROW((Deflated<F>(v, waves.eigenvalues, cg)), InputError);
  scale(1 / 1.01, v);
  const Deflated<F> solver(v, waves.eigenvalues, cg);
  const F even(lattice, "even", 1, Subset::even), out = even.like("x");
  EXPECT_THROW(solver([](const F& in, const F& to) { copy(in, to); }, even, out), InputError);
}

/// CGNE on hot links, against the naive operator; its error falls from one iteration to the next.
TEST(NormalErrors, FallWithEveryIteration) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 11),
                    source = reference::random_array(lattice.extent(), 24, 12);
  const WilsonOperator<double> M(GaugeLinks<double>(reference::gauge_field<double>(lattice, u)), 0.2);
  const SpinorField<double> b(lattice, "b", 2), x = b.like("x"), exact = b.like("solution"), error = b.like("error");
  load(b, source);
  NormalErrorConjugateGradient solver{.tolerance = 1e-12};
  const SolveReport report = solver(M, b, exact);
  EXPECT_TRUE(report.converged) << report.text();
  const GlobalArray solutions = gather(exact);
  for (const int k : {0, 1}) {
    const GlobalArray one = reference::part(source, 12 * k, 12), solution = reference::part(solutions, 12 * k, 12),
                      hop = reference::wilson_hop(u, solution, {0, 0, 0, 0});
    for (std::size_t i = 0; i < one.data.size(); ++i)
      ASSERT_LE(std::abs(one.data[i] - 4.2 * solution.data[i] + 0.5 * hop.data[i]), 1e-10);
  }
  solver.on_failure = OnFailure::report;
  std::vector<double> before(2, std::numeric_limits<double>::infinity());
  for (solver.max_iterations = 1; solver.max_iterations < 20; ++solver.max_iterations) {
    zero(x);
    solver(M, b, x);
    copy(exact, error);
    axpy(-1, x, error);
    const ByColumn<double> now = norm2_by_column(error);
    for (const std::size_t k : {0, 1}) {
      EXPECT_LT(now[k], before[k]) << solver.max_iterations;
      before[k] = now[k];
    }
  }
}

}  // namespace deflation
}  // namespace
}  // namespace kov
