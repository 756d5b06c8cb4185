// SPDX-License-Identifier: MIT
//
// g5 M(mu) g5 = M(-mu)^+ for every Dirac operator with every storage of links and spinors, on all sites and on the even
// ones after the odd ones were eliminated.
#include "kov/algebra/preconditioning/schur_complement.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {
namespace gamma5_hermiticity {

using reference::gather;
using reference::GlobalArray;

const Anisotropy anisotropic{.xi0 = 2, .nu = 1.1};

template <class Storage>
WilsonOperator<Storage> wilson(const GaugeField<double>& gauge, const Anisotropy& a, const LinkForms& forms) {
  const BoundaryAngles angles{test::kAngles};
  return {GaugeLinks<Storage>(gauge, a.factors(angles)), MassTerm{0.2, a}, forms};
}

/// Calls work(name, M(mu), M(-mu)) for every operator with links in Storage.
template <class Storage, class Work>
void for_each_pair(const GaugeField<double>& gauge, const LinkForms& forms, const Work& work) {
  const BoundaryAngles angles{test::kAngles};
  const auto both = [&](const std::string& name, double mu, const auto& make) { work(name, make(mu), make(-mu)); };
  for (const Anisotropy& a : {Anisotropy{}, anisotropic}) {
    const std::string kind = a.xi0 == 1 ? "" : "anisotropic ";
    const GaugeLinks<Storage> links(gauge, a.factors(angles));
    both(kind + "Wilson", 0, [&](double) { return wilson<Storage>(gauge, a, forms); });
    both(kind + "twisted mass", 0.4, [&](double mu) {
      return TwistedMassOperator<Storage>(links, {0.2, mu, a}, forms);
    });
    for (const double mu_of_clover : {0.0, 0.3})
      both(kind + (mu_of_clover == 0 ? "clover" : "twisted clover"), mu_of_clover, [&](double mu) {
        return WilsonCloverOperator<Storage>(gauge, angles,
                                             {.mass = 0.1, .c_sw = {1.3, 0.9}, .mu = mu, .anisotropy = a}, forms);
      });
  }
}

GlobalArray times_gamma5(GlobalArray a) {
  for (std::size_t i = 0; i < a.data.size(); ++i)
    if (i % 12 >= 6) a.data[i] = -a.data[i];
  return a;
}

/// Spinors as F stores them, and back.
template <class F>
F stored(const Lattice& lattice, const GlobalArray& psi, Subset subset) {
  const SpinorField<double> all(lattice, "all", psi.n / 12);
  load(all, psi);
  const F f(lattice, "stored", psi.n / 12, subset);
  convert(subset == Subset::all ? all : all.half(subset), f);
  return f;
}
template <class F>
GlobalArray numbers(const F& f) {
  const SpinorField<double> wide(f.lattice(), "numbers", f.n_components(), f.subset());
  convert(f, wide);
  return gather(wide);
}

/// g5 one(g5 psi) = other(psi), up to this error relative to the largest number.
template <class F, class One, class Other>
void expect_conjugate(const F& psi, const One& one, const Other& other, double tolerance, const std::string& what) {
  const F turned = stored<F>(psi.lattice(), times_gamma5(numbers(psi)), psi.subset()), left = psi.like("left"),
          right = psi.like("right");
  one(turned, left);
  other(psi, right);
  const GlobalArray is = times_gamma5(numbers(left)), expected = numbers(right);
  double worst = 0;
  for (std::size_t i = 0; i < is.data.size(); ++i) worst = max_or_nan(worst, std::abs(is.data[i] - expected.data[i]));
  EXPECT_GT(reference::max_abs(expected), 0) << what;
  EXPECT_LE(worst, tolerance * reference::max_abs(expected)) << what;
}

/// out = D^-1 in, or with the adjoint of D; not for numbers, which commute with everything.
template <class Term, class F>
void divide(const Term& term, const F& in, const F& out, bool adjoint) {
  if constexpr (!NumberTerm<Term>)
    if (!kov::detail::number_of(term)) return term.apply_inverse(in, out, adjoint);
  copy(in, out);
}

/// M on all sites and both Schur complements.  rounding: the error of storing a number, relative to the largest one of
/// its site.
template <class F, class M>
void check_operator(const F& psi, const M& plus, const M& minus, double rounding, const std::string& name) {
  expect_conjugate(
      psi, [&](const F& in, const F& out) { plus.apply(in, out); },
      [&](const F& in, const F& out) { minus.apply_adjoint(in, out); }, 40 * rounding, name);
  expect_conjugate(
      psi, [&](const F& in, const F& out) { plus.apply_adjoint(in, out); },
      [&](const F& in, const F& out) { minus.apply(in, out); }, 40 * rounding, name + ", dagger");
  const F even = stored<F>(psi.lattice(), numbers(psi), Subset::even), divided = even.like("divided");
  using Schur = SchurComplement<typename M::Storage, std::decay_t<decltype(plus.site_term())>, F>;
  const Schur of_plus(plus, psi.n_components()), of_minus(minus, psi.n_components());
  expect_conjugate(
      even, [&](const F& in, const F& out) { of_plus.apply(in, out); },
      [&](const F& in, const F& out) { of_minus.apply_adjoint(in, out); }, 80 * rounding, name + ", asymmetric form");
  // The symmetric form S is the asymmetric one with D_ee^-1 on its left, so what is hermitian so is S D_ee^-1.
  const Schur symmetric_plus(plus, psi.n_components(), SchurForm::symmetric),
      symmetric_minus(minus, psi.n_components(), SchurForm::symmetric);
  expect_conjugate(
      even,
      [&](const F& in, const F& out) {
        divide(plus.site_term(), in, divided, false);
        symmetric_plus.apply(divided, out);
      },
      [&](const F& in, const F& out) {
        symmetric_minus.apply_adjoint(in, divided);
        divide(minus.site_term(), divided, out, true);
      },
      160 * rounding, name + ", symmetric form");
}

class Gamma5Hermiticity : public test::OnLattices {
 public:
  template <class LinkStorage, class Storage, class Lanes = SiteLanes>
  void check(double rounding) const {
    using F = SpinorField<Storage, Lanes>;
    const Lattice lattice = GetParam().make(Comm::world());
    const F psi = random<F>(lattice, Lanes::holds_columns ? 5 : 2);  // no multiple of a width
    const LinkForms forms{.doubled = !Lanes::holds_columns, .columns = Lanes::holds_columns};
    for_each_pair<LinkStorage>(gauge_on(lattice), forms,
                               [&](const std::string& name, const auto& plus, const auto& minus) {
                                 check_operator(psi, plus, minus, rounding, name);
                               });
  }
  template <class LinkStorage, class Storage>
  void check_wilson(double rounding) const {
    const Lattice lattice = GetParam().make(Comm::world());
    const auto psi = random<SpinorField<Storage>>(lattice, 2);
    for (const Anisotropy& a : {Anisotropy{}, anisotropic}) {
      const auto M = wilson<LinkStorage>(gauge_on(lattice), a, {.doubled = true});
      check_operator(psi, M, M, rounding, a.xi0 == 1 ? "Wilson" : "anisotropic Wilson");
    }
  }

 private:
  static GaugeField<double> gauge_on(const Lattice& lattice) {
    return reference::gauge_field(lattice, reference::near_unit_links(lattice.extent(), 41));
  }
  template <class F>
  static F random(const Lattice& lattice, int n) {
    return stored<F>(lattice, reference::random_array(lattice.extent(), 12 * n, 42), Subset::all);
  }
};

TEST_P(Gamma5Hermiticity, OfEveryFormInDouble) {
  check<double, double>(test::eps<double>);
  check<Links12<double>, double>(test::eps<double>);
}

TEST_P(Gamma5Hermiticity, OfEveryFormInFloat) {
  check<float, float>(test::eps<float>);
  check<Links12<float>, float>(test::eps<float>);
}

// M and its adjoint read the same links, so that an error of storing these is not one of hermiticity.
TEST_P(Gamma5Hermiticity, OfEveryFormOnLinksOf8Reals) {
  check<Links8<double>, double>(test::eps<double>);
  check<Links8<float>, float>(test::eps<float>);
}

// Each of up to four operators in turn rounds to 16 bits, and a hop adds eight neighbours.
constexpr double rounding_to_16_bits = 0.25 / 32767;

TEST_P(Gamma5Hermiticity, OfEveryFormInSixteenBits) {
  check<float, Fixed16>(rounding_to_16_bits);
  check<Links12<float>, Fixed16>(rounding_to_16_bits);
  check<Links8<float>, Fixed16>(rounding_to_16_bits);
}

TEST_P(Gamma5Hermiticity, OfEveryFormOnLinksIn16Bits) {
  check<Fixed16, Fixed16>(rounding_to_16_bits);
  check<Links12<Fixed16>, Fixed16>(rounding_to_16_bits);
  check<Links8<Fixed16>, Fixed16>(rounding_to_16_bits);
}

// A hop is all there is in 8 bits, so of the operators that of Wilson.
TEST_P(Gamma5Hermiticity, OfWilsonsOperatorInEightBits) { check_wilson<Links12<Fixed16>, Fixed8>(0.25 / 127); }

TEST_P(Gamma5Hermiticity, OfEveryFormOnColumns) {
  check<double, double, ColumnLanes<8>>(test::eps<double>);
  check<Links12<double>, double, ColumnLanes<4>>(test::eps<double>);
  check<float, float, ColumnLanes<16>>(test::eps<float>);
  check<Links12<float>, float, ColumnLanes<8>>(test::eps<float>);
}

// Either memory order, with halos and without.
INSTANTIATE_TEST_SUITE_P(Lattices, Gamma5Hermiticity,
                         ::testing::Values(test::LatticeCase{{4, 4, 4, 8}, {}, false},
                                           test::LatticeCase{{4, 4, 4, 4}, {}, true},
                                           test::LatticeCase{{2, 6, 4, 10}, {}, false}),
                         test::case_name);

}  // namespace gamma5_hermiticity
}  // namespace
}  // namespace kov
