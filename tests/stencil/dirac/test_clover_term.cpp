// SPDX-License-Identifier: MIT
//
// The clover term, its inverse and its determinant against naive versions, on single fields, parities and columns.
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/clover_term.hpp"
#include "tests/reference/clover.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/stencil/dirac/site_term_support.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {
namespace clover_term {

using reference::DiracParameters;
using reference::gather;
using reference::GlobalArray;
using reference::Number;
using test::eps;

class CloverTerms : public test::OnLattices {};

CloverParameters ours(const DiracParameters& p) {
  return {.mass = p.mass, .c_sw = {p.c_space, p.c_time}, .mu = p.mu, .anisotropy = {p.xi0, p.nu}};
}

const std::vector<DiracParameters> kinds{
    {.mass = 0.2, .c_space = 1.3, .c_time = 1.3},
    {.mass = -0.4, .c_space = 1.1, .c_time = 1.1, .mu = 0.3},
    {.mass = 0.1, .c_space = 1.5, .c_time = 0.9, .xi0 = 2.5, .nu = 1.2},
};

/// A random configuration, a random spinor field and what they make.
struct Problem {
  explicit Problem(const Coord& extent)
      : u(reference::random_su3(extent, 4, 31)), psi(reference::random_array(extent, 12, 32)) {}
  GlobalArray u, psi;
};

template <class T>
void check_definition(const Lattice& lattice, const Problem& problem, const DiracParameters& p) {
  const CloverTerm<T> term(reference::gauge_field<T>(lattice, problem.u), ours(p));
  const SpinorField<T> in(lattice, "in"), out(lattice, "out");
  load(in, problem.psi);
  for (const int sign : {1, -1}) {
    const GlobalArray expected = reference::site_term(problem.u, problem.psi, p, sign);
    const double tolerance = 60 * eps<T> * reference::max_abs(expected);
    term.apply(in, out, sign < 0);
    EXPECT_LT(max_difference(out, expected), tolerance) << "all sites, " << sign;
    const SpinorField<T> even(lattice, "even", 1, Subset::even), odd(lattice, "odd", 1, Subset::odd);
    term.apply(in.even(), even, sign < 0);
    term.apply(in.odd(), odd, sign < 0);
    EXPECT_LT(max_difference(even, expected), tolerance) << "even, " << sign;
    EXPECT_LT(max_difference(odd, expected), tolerance) << "odd, " << sign;
  }
}

TEST_P(CloverTerms, EqualTheirDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Problem problem(lattice.extent());
  for (const DiracParameters& p : kinds) {
    check_definition<float>(lattice, problem, p);
    check_definition<double>(lattice, problem, p);
  }
}

/// condition: of the blocks, which random links make worse than those of any configuration.
template <class T>
void check_inverse(const Lattice& lattice, const Problem& problem, const DiracParameters& p) {
  constexpr double condition = 200;
  const CloverTerm<T> term(reference::gauge_field<double>(lattice, problem.u), ours(p));
  ASSERT_EQ(term.singular_sites(), 0);
  const SpinorField<T> in(lattice, "in"), there(lattice, "there"), back(lattice, "back");
  load(in, problem.psi);
  for (const bool adjoint : {false, true})
    for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
      const auto part = [&](const SpinorField<T>& f) { return subset == Subset::all ? f.alias() : f.half(subset); };
      term.apply(part(in), part(there), adjoint);
      term.apply_inverse(part(there), part(back), adjoint);
      EXPECT_LT(max_difference(part(back), problem.psi), condition * eps<T> * reference::max_abs(problem.psi));
      term.apply_inverse(part(in), part(there), adjoint);
      term.apply(part(there), part(back), adjoint);
      EXPECT_LT(max_difference(part(back), problem.psi), condition * eps<T> * reference::max_abs(problem.psi));
    }
}

TEST_P(CloverTerms, InverseTimesTermIsOne) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Problem problem(lattice.extent());
  for (const DiracParameters& p : kinds) {
    check_inverse<float>(lattice, problem, p);
    check_inverse<double>(lattice, problem, p);
  }
}

/// log |det| of a 12 x 12 matrix, column by column in `m`, by elimination with pivots.
double log_determinant(std::vector<std::array<Number, 12>> m) {
  double sum = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    std::size_t best = i;
    for (std::size_t k = i; k < 12; ++k)
      if (std::abs(m[k][i]) > std::abs(m[best][i])) best = k;
    std::swap(m[i], m[best]);
    sum += std::log(std::abs(m[i][i]));
    for (std::size_t k = i + 1; k < 12; ++k) {
      const Number f = m[k][i] / m[i][i];
      for (std::size_t l = i; l < 12; ++l) m[k][l] -= f * m[i][l];
    }
  }
  return sum;
}

TEST_P(CloverTerms, TraceOfTheLogIsTheLogOfTheDeterminant) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Problem problem(lattice.extent());
  for (const DiracParameters& p : kinds) {
    std::vector<GlobalArray> columns;
    for (int k = 0; k < 12; ++k) {
      GlobalArray unit(lattice.extent(), 12);
      for (std::size_t i = std::size_t(k); i < unit.data.size(); i += 12) unit.data[i] = 1;
      columns.push_back(reference::site_term(problem.u, unit, p));
    }
    double even = 0, odd = 0;
    reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
      std::vector<std::array<Number, 12>> m(12);
      for (std::size_t k = 0; k < 12; ++k) std::copy_n(columns[k].at(x), 12, m[k].begin());
      (parity(x) == 0 ? even : odd) += log_determinant(m);
    });
    const auto check = [&](const auto& term, double tolerance) {
      EXPECT_NEAR(term.trace_log(Subset::even), even, tolerance * std::abs(even));
      EXPECT_NEAR(term.trace_log(Subset::odd), odd, tolerance * std::abs(odd));
      EXPECT_NEAR(term.trace_log(), even + odd, tolerance * std::abs(even + odd));
      EXPECT_NEAR(term.trace_log(Subset::all, SumMode::exact), even + odd, tolerance * std::abs(even + odd));
    };
    const GaugeField<double> gauge = reference::gauge_field(lattice, problem.u);
    check(CloverTerm<double>(gauge, ours(p)), 100 * eps<double>);
    check(CloverTerm<float>(gauge, ours(p)), 10 * eps<float>);
  }
}

TEST_P(CloverTerms, CommuteWithGaugeTransformations) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Problem problem(lattice.extent());
  const GlobalArray g = reference::random_su3(lattice.extent(), 1, 33);
  const SpinorField<double> in(lattice, "in"), out(lattice, "out");
  for (const bool inverse : {false, true})
    for (const DiracParameters& p : kinds) {
      const auto apply = [&](const GlobalArray& u, const GlobalArray& psi) {
        const CloverTerm<double> term(reference::gauge_field(lattice, u), ours(p));
        load(in, psi);
        inverse ? term.apply_inverse(in, out) : term.apply(in, out);
      };
      apply(problem.u, problem.psi);
      const GlobalArray expected = transform_quarks(g, gather(out));
      apply(transform_links(g, problem.u), transform_quarks(g, problem.psi));
      EXPECT_LT(max_difference(out, expected), 500 * eps<double> * reference::max_abs(expected));
    }
}

TEST_P(CloverTerms, AreTheMassOnUnitLinks) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GaugeField<double> gauge = reference::gauge_field(lattice, reference::unit_gauge(lattice.extent()));
  const CloverTerm<double> term(gauge, {.mass = 0.25, .c_sw = 2});
  GlobalArray psi = reference::random_array(lattice.extent(), 12, 34);
  const SpinorField<double> in(lattice, "in"), out(lattice, "out");
  load(in, psi);
  term.apply(in, out);
  for (Number& z : psi.data) z *= 4.25;
  EXPECT_EQ(max_difference(out, psi), 0);
  EXPECT_NEAR(term.trace_log(), 12 * double(lattice.volume()) * std::log(4.25), 1e-12 * double(lattice.volume()));
  EXPECT_FALSE(term.number()) << "only c_sw = mu = 0 makes it a number";
  EXPECT_EQ(CloverTerm<double>(gauge, {.mass = 0.25, .c_sw = 0}).number(), 4.25);
}

/// n components, or columns in lanes, against each alone.
template <class T, class Lanes>
void check_columns(const Lattice& lattice, const Problem& problem, const DiracParameters& p) {
  constexpr int n = 5;
  using F = SpinorField<T, Lanes>;
  const CloverTerm<T> term(reference::gauge_field<T>(lattice, problem.u), ours(p), {.columns = true});
  const F in(lattice, "in", n);
  const SpinorField<T> column(lattice, "column"), of_block = column.like("of block");
  const auto load_column = [&](int k) {
    load(column, reference::random_array(lattice.extent(), 12, 40 + std::uint64_t(k)));
  };
  for (int k = 0; k < n; ++k) {
    load_column(k);
    copy_components(column, 0, in, k, 1);
  }
  for (const bool inverse : {false, true}) {
    const auto apply = [&](const auto& from, const auto& to) {
      inverse ? term.apply_inverse(from.odd(), to.odd(), true) : term.apply(from, to, true);
    };
    const F out = in.like("out");
    apply(in, out);
    for (const int k : {0, n - 1}) {
      const SpinorField<T> one = column.like("one");
      load_column(k);
      apply(column, one);
      copy_components(out, k, of_block, 0, 1);
      EXPECT_EQ(max_difference(of_block, gather(one)), 0) << "column " << k;
    }
  }
}

TEST_P(CloverTerms, ColumnsGiveTheBitsOfEach) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Problem problem(lattice.extent());
  for (const DiracParameters& p : {kinds[0], kinds[1]}) {
    check_columns<double, SiteLanes>(lattice, problem, p);
    check_columns<float, SiteLanes>(lattice, problem, p);
    check_columns<double, ColumnLanes<4>>(lattice, problem, p);
    check_columns<double, ColumnLanes<8>>(lattice, problem, p);
    check_columns<float, ColumnLanes<16>>(lattice, problem, p);
  }
}

TEST_P(CloverTerms, WorkOnSpinorsInSixteenBits) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Problem problem(lattice.extent());
  const auto gauge = reference::gauge_field<double>(lattice, problem.u);
  for (const DiracParameters& p : kinds)
    test::expect_works_in_16_bits(CloverTerm<float>(gauge, ours(p)), lattice, problem.psi);
}

TEST_P(CloverTerms, SameBitsOnAnyDecomposition) {
  const Lattice together = GetParam().make(Comm::world()), alone(Comm::self(), GetParam().extent);
  const Problem problem(GetParam().extent);
  const auto results = [&](const Lattice& lattice, const DiracParameters& p) {
    const CloverTerm<double> term(reference::gauge_field(lattice, problem.u), ours(p));
    SpinorField<double> in(lattice, "in"), out = in.like("out");
    load(in, problem.psi);
    term.apply_inverse(in, out);
    return out;
  };
  for (const DiracParameters& p : kinds) EXPECT_EQ(max_difference(results(together, p), gather(results(alone, p))), 0);
}

INSTANTIATE_TEST_SUITE_P(Lattices, CloverTerms, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

class CloverErrors : public ::testing::Test {
 protected:
  CloverErrors()
      : lattice(Comm::world(), {4, 4, 4, 4}),
        gauge(reference::gauge_field(lattice, reference::unit_gauge(lattice.extent()))) {}

  template <class Call>
  void expect_refusal(const Call& call, const std::string& words) const {
    try {
      call();
      ADD_FAILURE() << "nothing was refused; expected: " << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }

  Lattice lattice;
  GaugeField<double> gauge;
};

TEST_F(CloverErrors, ParametersThatDescribeNoActionAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refusal([&] { CloverTerm<double>(gauge, {.mass = nan}); }, "give finite numbers");
  expect_refusal([&] { CloverTerm<double>(gauge, {.c_sw = nan}); }, "give finite numbers");
  expect_refusal([&] { CloverTerm<double>(gauge, {.mu = nan}); }, "give finite numbers");
  expect_refusal([&] { CloverTerm<double>(gauge, {.anisotropy = {.xi0 = 0}}); }, "two positive numbers");
  expect_refusal([&] { CloverTerm<double>(gauge, {.anisotropy = {.xi0 = 2, .nu = -1}}); }, "two positive numbers");
}

TEST_F(CloverErrors, FieldsThatDoNotFitAreRefused) {
  const CloverTerm<double> term(gauge, {.mass = 0.1});
  const SpinorField<double> a(lattice, "a"), two(lattice, "two", 2), b = a.like("b");
  expect_refusal([&] { term.apply(a, two); }, "two fields of one shape");
  expect_refusal([&] { term.apply(a.even(), b.odd()); }, "two fields of one shape");
  expect_refusal([&] { term.apply(a, a); }, "cannot work in place on a");
  expect_refusal([&] { term.apply_inverse(a, a); }, "cannot work in place on a");
  if (!has_packs) return;
  const SpinorField<double, ColumnLanes<4>> columns(lattice, "columns", 4), result = columns.like("result");
  expect_refusal([&] { term.apply(columns, result); }, "LinkForms{.columns = true}");
  EXPECT_NO_THROW(term.with({.columns = true}).apply(columns, result));
  expect_refusal([&] { term.apply(columns, result); }, "LinkForms{.columns = true}");
}

TEST_F(CloverErrors, ATermWithoutInverseIsAppliedButNotInverted) {
  const CloverTerm<double> term(gauge, {.mass = -4, .c_sw = 1});
  EXPECT_EQ(term.singular_sites(), lattice.volume());
  const SpinorField<double> a(lattice, "a"), b = a.like("b");
  EXPECT_NO_THROW(term.apply(a, b));
  expect_refusal([&] { term.apply_inverse(a, b); }, "without even-odd preconditioning");
  EXPECT_EQ(CloverTerm<double>(gauge, {.mass = -4, .c_sw = 1, .mu = 0.1}).singular_sites(), 0);
}

}  // namespace clover_term
}  // namespace
}  // namespace kov
