// SPDX-License-Identifier: MIT
//
// Solving in temporal gauge and in the non-relativistic basis: the transformation and its inverse, and solutions
// against those in the given gauge and the chiral basis.
#include "docs_solvers_basis.hpp"     // out of docs/solvers.md
#include "docs_solvers_temporal.hpp"  // likewise
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/algebra/preconditioning/transformed.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/quark_transformation.hpp"
#include "kov/stencil/gauge/temporal_gauge.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace kov {
namespace {
namespace transformed_solutions {

using reference::gather;
using reference::GlobalArray;
using test::eps;

class InTemporalGauge : public test::OnLattices {};

/// Of all directions, and not 0 or pi alone.
const BoundaryAngles boundary{{0.3, 0, -1.1, 2.5}};

/// g psi as in tests/reference, and back to psi, on sites and on columns.
template <class T, int W>
void check_transformation(const Lattice& lattice) {
  const GlobalArray g = reference::random_su3(lattice.extent(), 1, 81),
                    psi = reference::random_array(lattice.extent(), 36, 82), expected = transform_quarks(g, psi);
  const Field<ColorMatrix, double> matrices(lattice, "g");
  load(matrices, g);
  const QuarkTransformation<T> transformation(matrices, {.columns = true});
  const SpinorField<T> in(lattice, "in", 3), out = in.like("out");
  load(in, psi);
  const double tolerance = 10 * eps<T> * reference::max_abs(psi);
  transformation.apply(in, out);
  EXPECT_LT(max_difference(out, expected), tolerance);
  transformation.apply_adjoint(out, out);
  EXPECT_LT(max_difference(out, psi), tolerance);
  transformation.apply(in.odd(), out.odd());
  EXPECT_LT(max_difference(out.even(), gather(in.even())), tolerance) << "touched the other parity";
  transformation.apply(in.even(), out.even());
  EXPECT_LT(max_difference(out, expected), tolerance);
  const SpinorField<T, ColumnLanes<W>> columns(lattice, "columns", 3);
  convert(in, columns);
  transformation.apply(columns, columns);
  convert(columns, out);
  EXPECT_LT(max_difference(out, expected), tolerance);
  transformation.apply_adjoint(columns, columns);
  convert(columns, out);
  EXPECT_LT(max_difference(out, psi), tolerance);
}

TEST_P(InTemporalGauge, QuarksAreMultipliedByTheTransformation) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_transformation<double, 4>(lattice);
  check_transformation<double, 8>(lattice);
  check_transformation<float, 16>(lattice);
}

struct TransformedProblem {
  explicit TransformedProblem(const Lattice& lattice)
      : gauge(reference::gauge_field<double>(lattice, reference::near_unit_links(lattice.extent(), 83))),
        temporal(in_temporal_gauge(gauge)),
        g(temporal.transformation, {.columns = true}),
        b(lattice, "source"),
        x(lattice, "solution") {
    load(b, reference::random_array(lattice.extent(), 12, 84));
  }
  GaugeField<double> gauge;
  TemporalGauge<double> temporal;
  QuarkTransformation<double> g;
  SpinorField<double> b, x;

  template <class Storage>
  GaugeLinks<Storage> given(const LegFactors& factors) const {
    return GaugeLinks<Storage>(gauge, factors);
  }
  template <class Storage>
  GaugeLinks<Storage> there(const LegFactors& factors) const {
    return GaugeLinks<Storage>(temporal.links, temporal.factors(factors));
  }
};

/// |x - expected| <= tolerance |expected|
template <class F>
void expect_near(const F& x, const F& expected, double tolerance) {
  const F difference = expected.clone("difference");
  EXPECT_LT(axpy_norm2(-1, x, difference), tolerance * tolerance * norm2(expected));
}

/// B g psi = g A psi, and the same for the adjoints.
template <class A, class B>
void check_equivalence(const A& given, const B& there, const TransformedProblem& p) {
  const SpinorField<double> left = p.b.like("left"), right = p.b.like("right"), work = p.b.like("work");
  const double tolerance = 20 * p.b.lattice().extent()[3] * eps<double>;
  p.g.apply(p.b, work);
  there.apply(work, left);
  given.apply(p.b, right);
  p.g.apply(right, right);
  expect_near(left, right, tolerance);
  there.apply_adjoint(work, left);
  given.apply_adjoint(p.b, right);
  p.g.apply(right, right);
  expect_near(left, right, tolerance);
}

/// The solution of `solver`, which works there, is that in the given gauge.
template <class A, class Solver>
void check_solver(const A& given, const Solver& solver, const TransformedProblem& p) {
  const SpinorField<double> expected = p.x.like("expected");
  const int iterations = EvenOdd(given, BiCgStab{.tolerance = 1e-12})(given, p.b, expected).iterations;
  zero(p.x);
  const SolveReport report = solver(given, p.b, p.x);
  EXPECT_LE(report.residual, 1e-12);
  EXPECT_EQ(report.column_residuals.size(), 1u);
  EXPECT_EQ(report.solver.find("transformed"), 0u) << report.solver;
  EXPECT_LT(report.iterations, 2 * iterations + 4) << report.text();
  expect_near(p.x, expected, 1e-10);
  // From a guess that is the solution nothing is left to do.
  EXPECT_EQ(solver(given, p.b, p.x).iterations, 0);
}

TEST_P(InTemporalGauge, SolutionsAreThoseOfTheGivenGauge) {
  const TransformedProblem p(GetParam().make(Comm::world()));
  const Anisotropy anisotropy{.xi0 = 2, .nu = 1.1};
  const LegFactors factors = anisotropy.factors(boundary);
  const BiCgStab bicgstab{.tolerance = 1e-12};
  {
    const MassTerm mass{0.2, anisotropy};
    const WilsonOperator<double> given(p.given<double>(factors), mass), there(p.there<double>(factors), mass);
    check_equivalence(given, there, p);
    check_solver(given, Transformed(p.g, there, EvenOdd(there, bicgstab)), p);
  }
  {
    const TwistedMassTerm twisted{0.1, 0.4};
    const TwistedMassOperator<double> given(p.given<double>(boundary), twisted),
        there(p.there<double>(boundary), twisted);
    check_equivalence(given, there, p);
    check_solver(given, Transformed(p.g, there, EvenOdd(there, bicgstab, SchurForm::symmetric)), p);
  }
  for (const double mu : {0.0, 0.3}) {
    const CloverParameters clover{.mass = 0.2, .c_sw = {1.3, 0.9}, .mu = mu, .anisotropy = anisotropy};
    const WilsonCloverOperator<double> given(p.gauge, boundary, clover);
    const CloverTerm<double> term(p.temporal.links, clover);
    const CloverTerm<float> low_term(p.temporal.links, clover);
    const WilsonCloverOperator<double> there(p.there<double>(factors), term);
    const WilsonCloverOperator<float> low(p.there<float>(factors), low_term);
    const WilsonCloverOperator<Links12<float>> low12(p.there<Links12<float>>(factors), low_term);
    check_equivalence(given, there, p);
    zero(p.x);
    EXPECT_LE(solve_in_temporal_gauge(p.gauge, clover, p.b, p.x).residual, 1e-12);  // as in docs/solvers.md
    check_solver(given, Transformed(p.g, there, EvenOdd(there, MixedPrecision(SchurComplement(low), bicgstab))), p);
    check_solver(given,
                 Transformed(p.g, there,
                             EvenOdd(there, ReliableUpdates(SchurComplement<Links12<float>, CloverTerm<float>>(low12),
                                                            bicgstab))),
                 p);
  }
}

/// Solvers in the non-relativistic basis of `given`, and of `there`, which is in temporal gauge; low: `there` in float.
template <class A, class B, class Low>
void check_basis(const A& given, const B& there, const Low& low, SchurForm form, const TransformedProblem& p) {
  constexpr SpinBasis basis = SpinBasis::nonrelativistic;
  const BiCgStab bicgstab{.tolerance = 1e-12};
  const auto in_basis = given.with_basis(basis), both = there.with_basis(basis);
  const auto low_in_basis = low.with_basis(basis);
  const QuarkTransformation<double> to_basis(p.b.lattice(), basis), to_both(p.temporal.transformation, {}, basis);
  EXPECT_EQ(to_both.basis(), basis);
  check_solver(given, Transformed(to_basis, in_basis, EvenOdd(in_basis, bicgstab, form)), p);
  const auto reduced = [&] { return SchurComplement(low_in_basis, 1, form); };
  check_solver(given, Transformed(to_both, both, EvenOdd(both, MixedPrecision(reduced(), bicgstab), form)), p);
  check_solver(given, Transformed(to_both, both, EvenOdd(both, ReliableUpdates(reduced(), bicgstab), form)), p);
}

TEST_P(InTemporalGauge, SolutionsInTheNonrelativisticBasisAreThoseOfTheChiralOne) {
  const TransformedProblem p(GetParam().make(Comm::world()));
  const MassTerm mass{0.2, {}};
  check_basis(WilsonOperator<double>(p.given<double>(boundary), mass),
              WilsonOperator<double>(p.there<double>(boundary), mass),
              WilsonOperator<float>(p.there<float>(boundary), mass), SchurForm::asymmetric, p);
  const TwistedMassTerm twisted{0.1, 0.4};
  check_basis(TwistedMassOperator<double>(p.given<double>(boundary), twisted),
              TwistedMassOperator<double>(p.there<double>(boundary), twisted),
              TwistedMassOperator<float>(p.there<float>(boundary), twisted), SchurForm::symmetric, p);
  for (const double mu : {0.0, 0.3}) {
    const CloverParameters clover{.mass = 0.2, .c_sw = {1.3, 0.9}, .mu = mu};
    check_basis(WilsonCloverOperator<double>(p.gauge, boundary, clover),
                WilsonCloverOperator<double>(p.there<double>(boundary), CloverTerm<double>(p.temporal.links, clover)),
                WilsonCloverOperator<float>(p.there<float>(boundary), CloverTerm<float>(p.temporal.links, clover)),
                mu == 0 ? SchurForm::asymmetric : SchurForm::symmetric, p);
    zero(p.x);
    EXPECT_LE(solve_in_another_basis(p.gauge, clover, p.b, p.x).residual, 1e-12);  // as in docs/solvers.md
  }
}

// Columns in lanes, one of them zero and one solved already.
TEST_P(InTemporalGauge, ColumnsAreSystemsOfTheirOwn) {
  using Lanes = ColumnLanes<8>;
  using F = SpinorField<double, Lanes>;
  constexpr int n = 3;
  const Lattice lattice = GetParam().make(Comm::world());
  const TransformedProblem p(lattice);
  const LinkForms forms{.columns = true};
  const WilsonOperator<double> given(p.given<double>(boundary), 0.2, forms),
      there(p.there<double>(boundary), 0.2, forms);
  const BiCgStab bicgstab{.tolerance = 1e-11};
  const Transformed<F> solver(p.g, there, EvenOdd<double, Lanes>(there, bicgstab, SchurForm::asymmetric, n));
  bicgstab(given, p.b, p.x);
  const F b(lattice, "sources", n), x = b.like("solutions");
  copy_components(p.b, 0, b, 0, 1);
  copy_components(p.b, 0, b, 2, 1);
  copy_components(p.x, 0, x, 2, 1);
  const SolveReport report = solver(given, b, x);
  EXPECT_TRUE(report.converged);
  ASSERT_EQ(report.column_iterations.size(), std::size_t(n));
  EXPECT_GT(report.column_iterations[0], 3);
  EXPECT_EQ(report.column_iterations[1], 0);
  EXPECT_EQ(report.column_iterations[2], 0);
  const SpinorField<double> one = p.x.like("one");
  copy_components(x, 0, one, 0, 1);
  expect_near(one, p.x, 1e-9);
  copy_components(x, 2, one, 0, 1);
  EXPECT_EQ(max_difference(one, gather(p.x)), 0) << "a finished column was touched";
  copy_components(x, 1, one, 0, 1);
  EXPECT_EQ(norm2(one), 0);
}

TEST(Transformations, ThatCannotBeAreRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Field<ColorMatrix, double> two(lattice, "two", 2), g(lattice, "g");
  EXPECT_THROW(QuarkTransformation<double>{two}, InputError);
  const QuarkTransformation<double> alone(g);
  const SpinorField<double> psi(lattice, "psi"), more(lattice, "more", 2);
  EXPECT_THROW(alone.apply(psi, more), InputError);
  using F = SpinorField<double>;
  const auto without_adjoint = [](const F&, const F&) {};
  EXPECT_THROW(Transformed<F>(without_adjoint, without_adjoint, BiCgStab{}), InputError);
  const std::vector<Coord> steps{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 3}};
  EXPECT_THROW(
      GaugeLinks<double>(steps, Field<ColorMatrix, double>(lattice, "links", 4), TemporalGauge<double>::factors({})),
      InputError);
}

const std::vector<test::LatticeCase> lattices{
    {{4, 4, 4, 8}, {}, false}, {{4, 4, 4, 8}, Order::even_odd, true}, {{2, 6, 4, 10}, {}, true}};

INSTANTIATE_TEST_SUITE_P(Lattices, InTemporalGauge, ::testing::ValuesIn(lattices), test::case_name);

}  // namespace transformed_solutions
}  // namespace
}  // namespace kov
