// SPDX-License-Identifier: MIT
//
// Dirac operators with site terms as users write them: a twisted mass, and a mass that does not tell that it is a
// number.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;

constexpr std::complex<double> i_unit(0, 1);

/// 4 + m + i mu g5.
struct TwistedMass {
  double mass, mu;

  template <class F>
  void apply(const F& in, const F& out, bool adjoint, const Exec& exec) const {
    assign((4 + mass) * in + (adjoint ? -mu : mu) * i_unit * (Gamma::five() * in), out, exec);
  }
  template <class F>
  void apply_inverse(const F& in, const F& out, bool adjoint, const Exec& exec) const {
    const double square = (4 + mass) * (4 + mass) + mu * mu;
    assign((4 + mass) / square * in + (adjoint ? mu : -mu) / square * i_unit * (Gamma::five() * in), out, exec);
  }
};

struct HiddenMass {
  double mass;

  template <class F>
  void apply(const F& in, const F& out, bool /*adjoint*/, const Exec& exec) const {
    copy(in, out, exec);
    scale(4 + mass, out, exec);
  }
  template <class F>
  void apply_inverse(const F& in, const F& out, bool /*adjoint*/, const Exec& exec) const {
    copy(in, out, exec);
    scale(1 / (4 + mass), out, exec);
  }
};

class SiteTerms : public test::OnLattices {};

struct TermProblem {
  explicit TermProblem(const Lattice& lattice)
      : u(reference::random_su3(lattice.extent(), 4, 51)),
        source(reference::random_array(lattice.extent(), 12, 52)),
        gauge(lattice, "gauge", 4),
        b(lattice, "source"),
        x(lattice, "solution") {
    load(gauge, u);
    load(b, source);
  }
  Hop<double> hop() const { return Hop<double>(GaugeLinks<double>(gauge)); }
  GlobalArray u, source;
  GaugeField<double> gauge;
  SpinorField<double> b, x;
};

TEST_P(SiteTerms, TwistedMassEqualsItsDefinition) {
  const TermProblem problem(GetParam().make(Comm::world()));
  const double m = 0.2, mu = 0.7;
  const DiracOperator<double, TwistedMass> M(problem.hop(), {m, mu});
  M.apply(problem.b, problem.x);
  const GlobalArray x = gather(problem.x), hop = reference::wilson_hop(problem.u, problem.source, {0, 0, 0, 0});
  double worst = 0;
  for (std::size_t i = 0; i < x.data.size(); ++i) {
    const double g5 = i % 12 < 6 ? 1 : -1;  // chiral basis: diag(+, +, -, -) or its negative, as Gamma says
    const std::complex<double> plus = (4 + m + i_unit * mu * g5) * problem.source.data[i] - 0.5 * hop.data[i];
    const std::complex<double> minus = (4 + m - i_unit * mu * g5) * problem.source.data[i] - 0.5 * hop.data[i];
    const bool upper_is_plus = spin_matrix(Gamma::five())(0, 0).re > 0;
    worst = max_or_nan(worst, std::abs(x.data[i] - (upper_is_plus ? plus : minus)));
  }
  EXPECT_LT(worst, 1e-13);
}

// <a, M b> = <M^+ a, b>, for the operator and for its Schur complement on the even sites.
TEST_P(SiteTerms, AdjointsAreAdjoint) {
  const TermProblem problem(GetParam().make(Comm::world()));
  const DiracOperator<double, TwistedMass> M(problem.hop(), {0.2, 0.7});
  const auto check = [](const auto& A, const SpinorField<double>& a, const SpinorField<double>& b) {
    const SpinorField<double> Ab = b.like("A b"), Aa = a.like("A^+ a");
    A.apply(b, Ab);
    A.apply_adjoint(a, Aa);
    const std::complex<double> one = inner_product(a, Ab), other = inner_product(Aa, b);
    EXPECT_LT(std::abs(one - other), 1e-13 * std::sqrt(norm2(a) * norm2(Ab)));
    EXPECT_GT(std::abs(one), 1e-6);
  };
  load(problem.x, reference::random_array(problem.b.lattice().extent(), 12, 53));
  check(M, problem.x, problem.b);
  for (const SchurForm form : {SchurForm::asymmetric, SchurForm::symmetric})
    check(SchurComplement(M, 1, form), problem.x.even(), problem.b.even());
}

// So is its reduced source.
TEST_P(SiteTerms, SymmetricFormIsTheOtherDividedByTheTerm) {
  const TermProblem problem(GetParam().make(Comm::world()));
  const auto check = [&](const auto& M, const auto& term) {
    const SchurComplement symmetric(M, 1, SchurForm::symmetric);
    const SchurComplement asymmetric(M);
    const SpinorField<double> in = problem.b.even(), one = in.like("one"), other = in.like("other");
    symmetric.apply(in, one);
    asymmetric.apply(in, other);
    const SpinorField<double> divided = other.like("divided");
    term.apply_inverse(other, divided, false, Exec());
    EXPECT_LT(axpy_norm2(-1, one, divided), 1e-28 * norm2(one));
    symmetric.reduce_source(problem.b, one);
    asymmetric.reduce_source(problem.b, other);
    term.apply_inverse(other, divided, false, Exec());
    EXPECT_LT(axpy_norm2(-1, one, divided), 1e-28 * norm2(one));
  };
  check(DiracOperator<double, TwistedMass>(problem.hop(), {0.2, 0.7}), TwistedMass{0.2, 0.7});
  check(DiracOperator<double, MassTerm>(problem.hop(), {0.3}), HiddenMass{0.3});
}

TEST_P(SiteTerms, EvenOddSolvesWithAnyTerm) {
  const TermProblem problem(GetParam().make(Comm::world()));
  const DiracOperator<double, TwistedMass> M(problem.hop(), {0.2, 0.7});
  const BiCgStab bicgstab{.tolerance = 1e-12};
  const SpinorField<double> x = problem.x.like("without elimination");
  const int all_sites = bicgstab(M, problem.b, x).iterations;
  const SolveReport report = EvenOdd(M, bicgstab)(M, problem.b, problem.x);
  EXPECT_LE(report.residual, 1e-12);
  EXPECT_LT(report.iterations, 0.75 * all_sites) << "elimination should about halve them";
  EXPECT_LT(axpy_norm2(-1, problem.x, x), 1e-20 * norm2(problem.x));
  zero(problem.x);
  EXPECT_LE(EvenOdd(M, NormalConjugateGradient{.tolerance = 1e-12})(M, problem.b, problem.x).residual, 1e-12);
  zero(x);
  const EvenOdd symmetric(M, bicgstab, SchurForm::symmetric);
  EXPECT_EQ(symmetric.name(), "symmetric even-odd " + bicgstab.name());
  const SolveReport of_symmetric = symmetric(M, problem.b, x);
  EXPECT_LE(of_symmetric.residual, 1e-12);
  EXPECT_LT(of_symmetric.iterations, 0.75 * all_sites);
  EXPECT_LT(axpy_norm2(-1, problem.x, x), 1e-20 * norm2(problem.x));
}

// A mass applied inside the hop kernel and one applied to whole fields give the same up to rounding.
TEST_P(SiteTerms, NumbersInsideTheHopEqualAFieldwiseTerm) {
  const TermProblem problem(GetParam().make(Comm::world()));
  const DiracOperator<double, MassTerm> number(problem.hop(), {0.3});
  const DiracOperator<double, HiddenMass> fields(problem.hop(), {0.3});
  const SpinorField<double> other = problem.x.like("other");
  const auto expect_same = [&](const SpinorField<double>& a, const SpinorField<double>& b) {
    EXPECT_GT(norm2(a), 0);
    EXPECT_LT(axpy_norm2(-1, a, b), 1e-28 * norm2(a));
  };
  number.apply(problem.b, problem.x);
  fields.apply(problem.b, other);
  expect_same(problem.x, other);
  const SchurComplement short_one(number);
  const SchurComplement long_one(fields);
  short_one.apply(problem.b.even(), problem.x.even());
  long_one.apply(problem.b.even(), other.even());
  expect_same(problem.x.even(), other.even());
  short_one.reduce_source(problem.b, problem.x.even());
  long_one.reduce_source(problem.b, other.even());
  expect_same(problem.x.even(), other.even());
  copy(problem.x.even(), other.even());
  short_one.complete(problem.b, problem.x);
  long_one.complete(problem.b, other);
  expect_same(problem.x.odd(), other.odd());
}

INSTANTIATE_TEST_SUITE_P(Lattices, SiteTerms, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

}  // namespace
}  // namespace kov
