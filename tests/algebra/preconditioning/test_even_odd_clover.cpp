// SPDX-License-Identifier: MIT
//
// Even-odd preconditioning of Wilson-clover, twisted-mass and twisted-clover operators: the solution of the full
// system, in any precision, and the Schur complement on columns.
#include "docs_solvers_clover.hpp"  // out of docs/solvers.md
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/reference/clover.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {
namespace clover_solution {

using reference::gather;
using reference::GlobalArray;
using test::eps;

const BoundaryAngles antiperiodic = BoundaryAngles::antiperiodic_in_time();

class CloverSolutions : public test::OnLattices {};

struct SolutionProblem {
  explicit SolutionProblem(const Lattice& lattice)
      : gauge(reference::gauge_field(lattice, reference::near_unit_links(lattice.extent(), 61))),
        b(lattice, "source"),
        x(lattice, "solution") {
    load(b, reference::random_array(lattice.extent(), 12, 62));
  }
  GaugeField<double> gauge;
  SpinorField<double> b, x;
};

const std::vector<CloverParameters> kinds{
    {.mass = 0.2, .c_sw = 1.2},
    {.mass = 0.1, .c_sw = 1.2, .mu = 0.3},
    {.mass = 0.2, .c_sw = {1.3, 0.9}, .anisotropy = {.xi0 = 2, .nu = 1.1}},
};

/// Solutions to 1e-12 with and without elimination agree.
template <class M>
void check_solution(const M& dirac, const SolutionProblem& problem) {
  const BiCgStab bicgstab{.tolerance = 1e-12};
  const SpinorField<double> direct = problem.x.like("without elimination");
  const int all_sites = bicgstab(dirac, problem.b, direct).iterations;
  zero(problem.x);
  const SolveReport report = EvenOdd(dirac, bicgstab)(dirac, problem.b, problem.x);
  EXPECT_LE(report.residual, 1e-12);
  EXPECT_LT(report.iterations, 0.8 * all_sites) << "elimination should about halve them";
  const auto expect_direct = [&] {
    const SpinorField<double> difference = direct.clone("difference");
    EXPECT_LT(axpy_norm2(-1, problem.x, difference), 1e-21 * norm2(problem.x));
  };
  expect_direct();
  zero(problem.x);
  EXPECT_LE(EvenOdd(dirac, NormalConjugateGradient{.tolerance = 1e-12})(dirac, problem.b, problem.x).residual, 1e-12);
  zero(problem.x);
  const EvenOdd symmetric(dirac, bicgstab, SchurForm::symmetric);
  const SolveReport of_symmetric = symmetric(dirac, problem.b, problem.x);
  EXPECT_LE(of_symmetric.residual, 1e-12);
  EXPECT_LE(of_symmetric.iterations, report.iterations + 1);
  expect_direct();
}

TEST_P(CloverSolutions, EvenOddEqualsFull) {
  const SolutionProblem problem(GetParam().make(Comm::world()));
  for (const CloverParameters& p : kinds)
    check_solution(WilsonCloverOperator<double>(problem.gauge, antiperiodic, p), problem);
  check_solution(WilsonCloverOperator<double>(problem.gauge, antiperiodic,
                                              {.mass = 0.2, .c_sw = {1.3, 0.9}, .mu = -0.3, .anisotropy = {2, 1.1}}),
                 problem);
  const GaugeLinks<double> links(problem.gauge, antiperiodic);
  check_solution(WilsonOperator<double>(links, 0.2), problem);
  check_solution(TwistedMassOperator<double>(links, {0.1, 0.4}), problem);
  const Anisotropy anisotropy{.xi0 = 2, .nu = 1.1};
  const GaugeLinks<double> anisotropic(problem.gauge, anisotropy.factors(antiperiodic));
  check_solution(WilsonOperator<double>(anisotropic, MassTerm{0.2, anisotropy}), problem);
  check_solution(TwistedMassOperator<double>(anisotropic, {0.1, 0.4, anisotropy}), problem);
}

// A goal on even sites that took D for 1 was missed by a factor 4 + m, and the solve began again.
TEST_P(CloverSolutions, OneSolveOnEvenSitesIsEnoughInBothForms) {
  const SolutionProblem problem(GetParam().make(Comm::world()));
  const auto check = [&](const auto& M) {
    for (const SchurForm form : {SchurForm::asymmetric, SchurForm::symmetric})
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
        zero(problem.x);
        const SolveReport report = EvenOdd(M, BiCgStab{.tolerance = tolerance}, form)(M, problem.b, problem.x);
        EXPECT_LE(report.residual, tolerance);
        EXPECT_EQ(report.restarts, 0) << report.text();
      }
  };
  check(WilsonOperator<double>(GaugeLinks<double>(problem.gauge, antiperiodic), 0.5));
  check(TwistedMassOperator<double>(GaugeLinks<double>(problem.gauge, antiperiodic), {0.5, 0.4}));
  for (const CloverParameters& p : kinds) check(WilsonCloverOperator<double>(problem.gauge, antiperiodic, p));
}

TEST_P(CloverSolutions, MixedPrecisionReachesDouble) {
  const SolutionProblem problem(GetParam().make(Comm::world()));
  for (const CloverParameters& p : kinds) {
    zero(problem.x);
    EXPECT_LE(solve_clover(problem.gauge, p, problem.b, problem.x).residual, 1e-12);  // as in docs/solvers.md
  }
}

// <a, M_e b> = <M_e^+ a, b>.
TEST_P(CloverSolutions, AdjointOfTheSchurComplementIsItsAdjoint) {
  const SolutionProblem problem(GetParam().make(Comm::world()));
  for (const CloverParameters& p : kinds) {
    const WilsonCloverOperator<double> dirac(problem.gauge, antiperiodic, p);
    load(problem.x, reference::random_array(problem.b.lattice().extent(), 12, 63));
    for (const SchurForm form : {SchurForm::asymmetric, SchurForm::symmetric}) {
      const SchurComplement S(dirac, 1, form);
      const SpinorField<double> a = problem.x.even(), b = problem.b.even(), Sb = b.like("S b"), Sa = b.like("S^+ a");
      S.apply(b, Sb);
      S.apply_adjoint(a, Sa);
      EXPECT_LT(std::abs(inner_product(a, Sb) - inner_product(Sa, b)),
                40 * eps<double> * std::sqrt(norm2(a) * norm2(Sb)));
    }
  }
}

TEST_P(CloverSolutions, WithoutTermsTheSchurComplementIsWilsonsBitForBit) {
  const SolutionProblem problem(GetParam().make(Comm::world()));
  const GaugeLinks<double> links(problem.gauge, antiperiodic);
  const SchurComplement wilson(WilsonOperator<double>(links, 0.1));
  const SchurComplement clover(WilsonCloverOperator<double>(problem.gauge, antiperiodic, {.mass = 0.1, .c_sw = 0}));
  const SchurComplement twisted(TwistedMassOperator<double>(links, {0.1, 0}));
  const SpinorField<double> one = problem.x.like("one"), other = problem.x.like("other");
  const auto expect_same = [&](const auto& S) {
    S.apply(problem.b.even(), other.even());
    wilson.apply(problem.b.even(), one.even());
    EXPECT_EQ(max_difference(other.even(), gather(one.even())), 0);
    S.reduce_source(problem.b, other.even());
    wilson.reduce_source(problem.b, one.even());
    EXPECT_EQ(max_difference(other.even(), gather(one.even())), 0);
    S.complete(problem.b, other);
    wilson.complete(problem.b, one);
    EXPECT_EQ(max_difference(other, gather(one)), 0);
  };
  expect_same(clover);
  expect_same(twisted);
}

/// Columns in lanes against each alone: the same bits on CPUs.
template <class T, int W>
void check_columns(const Lattice& lattice, const GaugeField<double>& gauge, const CloverParameters& p, SchurForm form) {
  constexpr int n = 5;
  using F = SpinorField<T, ColumnLanes<W>>;
  const WilsonCloverOperator<T> M(gauge, antiperiodic, p);
  const SchurComplement<T, CloverTerm<T>, F> together(M, n, form);
  const SchurComplement<T, CloverTerm<T>> alone(M, 1, form);
  const F in(lattice, "in", n), out = in.like("out");
  const SpinorField<T> column(lattice, "column"), one = column.like("one"), of_block = column.like("of block");
  const auto load_column = [&](int k) {
    load(column, reference::random_array(lattice.extent(), 12, 70 + std::uint64_t(k)));
  };
  for (int k = 0; k < n; ++k) {
    load_column(k);
    copy_components(column, 0, in, k, 1);
  }
  together.apply(in.even(), out.even());
  for (int k = 0; k < n; ++k) {
    load_column(k);
    alone.apply(column.even(), one.even());
    copy_components(out, k, of_block, 0, 1);
    const GlobalArray expected = gather(one.even());
    const double tolerance = has_packs ? 0 : 60 * eps<T> * reference::max_abs(expected);
    EXPECT_LE(max_difference(of_block.even(), expected), tolerance) << k;
  }
}

TEST_P(CloverSolutions, ColumnsAreThoseOfEachAlone) {
  const Lattice lattice = GetParam().make(Comm::world());
  const SolutionProblem problem(lattice);
  for (const CloverParameters& p : {kinds[0], kinds[1]}) {
    check_columns<double, 4>(lattice, problem.gauge, p, SchurForm::asymmetric);
    check_columns<double, 8>(lattice, problem.gauge, p, SchurForm::symmetric);
    check_columns<float, 16>(lattice, problem.gauge, p, SchurForm::asymmetric);
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, CloverSolutions, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

}  // namespace clover_solution
}  // namespace
}  // namespace kov
