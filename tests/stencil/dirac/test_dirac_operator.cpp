// SPDX-License-Identifier: MIT
//
// Wilson-clover, twisted-mass, twisted-clover and anisotropic operators against naive versions and exact facts.
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/reference/clover.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/stencil/dirac/site_term_support.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace kov {
namespace {
namespace dirac_operators {

using reference::DiracParameters;
using reference::gather;
using reference::GlobalArray;
using reference::Number;
using test::eps;

class DiracOperators : public test::OnLattices {};

/// Calls work(M, parameters) for every operator on the links u, with boundary angles all different.
template <class T, class Work>
void for_each_operator(const Lattice& lattice, const GlobalArray& u, const Work& work, double sign_of_mu = 1) {
  const GaugeField<double> gauge = reference::gauge_field(lattice, u);
  const BoundaryAngles angles{test::kAngles};
  const auto with_clover = [&](DiracParameters p) {
    p.mu *= sign_of_mu;
    p.angle = test::kAngles;
    work(WilsonCloverOperator<T>(
             gauge, angles,
             {.mass = p.mass, .c_sw = {p.c_space, p.c_time}, .mu = p.mu, .anisotropy = {.xi0 = p.xi0, .nu = p.nu}}),
         p);
  };
  with_clover({.mass = 0.1, .c_space = 1.2, .c_time = 1.2});
  with_clover({.mass = -0.3, .c_space = 1.7, .c_time = 1.7, .mu = 0.4});
  with_clover({.mass = 0.2, .c_space = 1.5, .c_time = 0.8, .mu = -0.2, .xi0 = 3, .nu = 1.1});
  const auto with_number = [&](DiracParameters p) {
    p.mu *= sign_of_mu;
    p.angle = test::kAngles;
    const Anisotropy a{.xi0 = p.xi0, .nu = p.nu};
    const GaugeLinks<T> links(gauge, a.factors(angles));
    if (p.mu == 0)
      work(WilsonOperator<T>(links, MassTerm{p.mass, a}), p);
    else
      work(TwistedMassOperator<T>(links, {p.mass, p.mu, a}), p);
  };
  with_number({.mass = 0.3});
  with_number({.mass = 0.3, .mu = 0.7});
  with_number({.mass = 0.3, .mu = 0.7, .xi0 = 2, .nu = 0.9});
  with_number({.mass = 0.1, .xi0 = 2, .nu = 0.9});
}

/// Storage: of the links.  expected: what the naive versions make of psi, filled in by the first call.
template <class Storage>
void check_definitions(const Lattice& lattice, const GlobalArray& u, const GlobalArray& psi,
                       std::vector<GlobalArray>& expected) {
  using T = real_of_storage_t<ColorMatrix, Storage>;
  std::size_t k = 0;
  const SpinorField<T> in(lattice, "in"), out(lattice, "out");
  load(in, psi);
  for_each_operator<Storage>(lattice, u, [&](const auto& M, const DiracParameters& p) {
    for (const int sign : {1, -1}) {
      sign > 0 ? M.apply(in, out) : M.apply_adjoint(in, out);
      if (k == expected.size()) expected.push_back(reference::dirac(u, psi, p, sign));
      EXPECT_LT(max_difference(out, expected[k]), 60 * eps<T> * reference::max_abs(expected[k]));
      ++k;
    }
  });
}

TEST_P(DiracOperators, EqualTheirDefinitions) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 3),
                    psi = reference::random_array(lattice.extent(), 12, 4);
  std::vector<GlobalArray> expected;
  check_definitions<float>(lattice, u, psi, expected);
  check_definitions<double>(lattice, u, psi, expected);
  check_definitions<Links12<float>>(lattice, u, psi, expected);
  check_definitions<Links12<double>>(lattice, u, psi, expected);
}

/// Three columns in lanes against each alone: the same bits on CPUs.
template <class Storage, int W>
void check_columns(const Lattice& lattice, const GlobalArray& u) {
  using T = real_of_storage_t<ColorMatrix, Storage>;
  constexpr int n = 3;
  const LinkForms forms{.columns = true};
  const SpinorField<T, ColumnLanes<W>> in(lattice, "in", n), out = in.like("out");
  const SpinorField<T> column(lattice, "column"), one = column.like("one"), of_columns = column.like("of columns");
  load(in, reference::random_array(lattice.extent(), 12 * n, 20));
  for_each_operator<Storage>(lattice, u, [&](const auto& single, const DiracParameters& p) {
    using Term = std::decay_t<decltype(single.site_term())>;
    const DiracOperator<Storage, Term> M(single.hop().with(forms), detail::term_with(single.site_term(), forms));
    for (const bool adjoint : {false, true}) {
      const auto apply = [&](const auto& from, const auto& to) {
        adjoint ? M.apply_adjoint(from, to) : M.apply(from, to);
      };
      apply(in, out);
      for (int k = 0; k < n; ++k) {
        copy_components(in, k, column, 0, 1);
        apply(column, one);
        copy_components(out, k, of_columns, 0, 1);
        const GlobalArray expected = gather(one);
        EXPECT_LE(max_difference(of_columns, expected), has_packs ? 0 : 60 * eps<T> * reference::max_abs(expected))
            << "column " << k << " in " << W << ", mass " << p.mass << ", adjoint " << adjoint;
      }
    }
  });
}

TEST_P(DiracOperators, GiveColumnsTheBitsOfEachAlone) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 21);
  check_columns<double, 4>(lattice, u);
  check_columns<double, 8>(lattice, u);
  check_columns<float, 8>(lattice, u);
  check_columns<float, 16>(lattice, u);
  check_columns<Links12<double>, 4>(lattice, u);
  check_columns<Links12<float>, 4>(lattice, u);
}

SpinorField<double> times_gamma5(const SpinorField<double>& in) {
  const SpinorField<double> out = in.like("gamma5");
  GlobalArray a = gather(in);
  for (std::size_t i = 0; i < a.data.size(); ++i)
    if (i % 12 >= 6) a.data[i] = -a.data[i];
  load(out, a);
  return out;
}

// g5 M(mu) g5 = M(-mu)^+, and <phi, M psi> = <M^+ phi, psi>.
TEST_P(DiracOperators, AreGamma5HermitianWithTheSignOfMu) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 5);
  const SpinorField<double> phi(lattice, "phi"), psi(lattice, "psi"), out(lattice, "out"), adjoint(lattice, "adjoint");
  load(phi, reference::random_array(lattice.extent(), 12, 6));
  load(psi, reference::random_array(lattice.extent(), 12, 7));
  std::vector<GlobalArray> rotated;
  for_each_operator<double>(lattice, u, [&](const auto& M, const DiracParameters&) {
    M.apply(psi, out);
    M.apply_adjoint(phi, adjoint);
    EXPECT_LT(std::abs(inner_product(phi, out) - inner_product(adjoint, psi)),
              20 * eps<double> * std::sqrt(norm2(phi) * norm2(out)));
    M.apply(times_gamma5(psi), out);
    rotated.push_back(gather(times_gamma5(out)));
  });
  std::size_t k = 0;
  const auto compare = [&](const auto& M, const DiracParameters&) {
    M.apply_adjoint(psi, out);
    const GlobalArray& expected = rotated.at(k++);
    EXPECT_LT(max_difference(out, expected), 40 * eps<double> * reference::max_abs(expected)) << "operator " << k;
  };
  for_each_operator<double>(lattice, u, compare, -1);
}

TEST_P(DiracOperators, CommuteWithGaugeTransformations) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 8),
                    g = reference::random_su3(lattice.extent(), 1, 9),
                    psi = reference::random_array(lattice.extent(), 12, 10);
  const SpinorField<double> in(lattice, "in"), out(lattice, "out");
  std::vector<GlobalArray> expected;
  load(in, psi);
  for_each_operator<double>(lattice, u, [&](const auto& M, const DiracParameters&) {
    M.apply(in, out);
    expected.push_back(transform_quarks(g, gather(out)));
  });
  std::size_t k = 0;
  load(in, transform_quarks(g, psi));
  for_each_operator<double>(lattice, transform_links(g, u), [&](const auto& M, const DiracParameters&) {
    M.apply(in, out);
    EXPECT_LT(max_difference(out, expected.at(k)), 60 * eps<double> * reference::max_abs(expected[k]));
    ++k;
  });
}

/// The same bits, forward and adjoint.
template <class A, class B, class F>
void expect_same(const A& a, const B& b, const F& in) {
  const F one = in.like("one"), other = in.like("other");
  a.apply(in, one);
  b.apply(in, other);
  EXPECT_EQ(max_difference(one, gather(other)), 0);
  a.apply_adjoint(in, one);
  b.apply_adjoint(in, other);
  EXPECT_EQ(max_difference(one, gather(other)), 0);
}

template <class T>
void check_wilson_limit(const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 11);
  const GaugeField<double> gauge = reference::gauge_field(lattice, u);
  const BoundaryAngles angles{test::kAngles};
  const GaugeLinks<T> links(gauge, angles);
  const WilsonOperator<T> wilson(links, 0.17);
  const SpinorField<T> in(lattice, "in", 2);
  load(in, reference::random_array(lattice.extent(), 24, 12));
  expect_same(wilson, WilsonCloverOperator<T>(gauge, angles, {.mass = 0.17, .c_sw = 0}), in);
  expect_same(wilson, TwistedMassOperator<T>(links, {0.17, 0}), in);
  expect_same(wilson, WilsonOperator<T>(links, MassTerm{0.17, Anisotropy{}}), in);
}

TEST_P(DiracOperators, WithoutTheirTermsAreWilsonBitForBit) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_wilson_limit<float>(lattice);
  check_wilson_limit<double>(lattice);
}

// On unit links M^+ M of a plane wave is [(D - sum c_mu cos p_mu)^2 + sum (c_mu sin p_mu)^2 + mu^2] times it, with D =
// 1 + 3 c + m and c_mu = c = nu / xi0 in space, 1 in time; the clover term vanishes.
TEST_P(DiracOperators, HaveTheFreeDispersionRelation) {
  using std::numbers::pi;
  const Lattice lattice = GetParam().make(Comm::world());
  const Coord extent = lattice.extent(), n{1, 2, -1, 1};
  std::array<double, 4> p;
  for (std::size_t mu = 0; mu < 4; ++mu) p[mu] = (2 * pi * n[int(mu)] + test::kAngles[mu]) / extent[int(mu)];
  // The boundary's phase is at the end of the lattice, so that a wave of momentum (2 pi n + angle) / L is an
  // eigenvector once the angle is spread over all links.
  GlobalArray u = reference::unit_gauge(extent), wave(extent, 12);
  reference::for_each_coordinate(extent, [&](const Coord& x) {
    double phase = 0;
    for (int mu = 0; mu < 4; ++mu) phase += p[std::size_t(mu)] * x[mu];
    for (int i = 0; i < 12; ++i) wave.at(x)[i] = std::polar(1.0 + 0.1 * i, phase + 0.3 * i);
  });
  const SpinorField<double> in(lattice, "in"), half = in.like("half"), out = in.like("out");
  load(in, wave);
  for_each_operator<double>(lattice, u, [&](const auto& M, const DiracParameters& q) {
    M.apply(in, half);
    M.apply_adjoint(half, out);
    const double c = q.nu / q.xi0;
    double diagonal = 1 + 3 * c + q.mass, sines = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const double c_mu = mu < 3 ? c : 1;
      diagonal -= c_mu * std::cos(p[mu]);
      sines += c_mu * c_mu * std::sin(p[mu]) * std::sin(p[mu]);
    }
    GlobalArray expected = wave;
    for (Number& z : expected.data) z *= diagonal * diagonal + sines + q.mu * q.mu;
    EXPECT_LT(max_difference(out, expected), 1000 * eps<double> * reference::max_abs(wave));
  });
}

TEST_P(DiracOperators, TwistedMassTimesItsInverseIsOne) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray psi = reference::random_array(lattice.extent(), 12, 13);
  const SpinorField<double> in(lattice, "in"), there = in.like("there"), back = in.like("back");
  load(in, psi);
  const TwistedMassTerm term{0.2, 0.7};
  for (const bool adjoint : {false, true}) {
    term.apply(in, there, adjoint);
    term.apply_inverse(there, back, adjoint);
    EXPECT_LT(max_difference(back, psi), 10 * eps<double> * reference::max_abs(psi));
  }
}

TEST_P(DiracOperators, TwistedMassWorksOnSpinorsInSixteenBits) {
  const Lattice lattice = GetParam().make(Comm::world());
  test::expect_works_in_16_bits(TwistedMassTerm{0.2, 0.7}, lattice, reference::random_array(lattice.extent(), 12, 14));
}

INSTANTIATE_TEST_SUITE_P(Lattices, DiracOperators, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

TEST(TwistedMass, RefusesFieldsThatDoNotFitAndAZeroWithoutInverse) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const SpinorField<double> a(lattice, "a"), two(lattice, "two", 2), b = a.like("b");
  EXPECT_THROW((TwistedMassTerm{0.1, 0.2}.apply(a, two)), InputError);
  EXPECT_THROW((TwistedMassTerm{-4, 0}.apply_inverse(a, b)), InputError);
  EXPECT_NO_THROW((TwistedMassTerm{-4, 0.1}.apply_inverse(a, b)));
}

}  // namespace dirac_operators
}  // namespace
}  // namespace kov
