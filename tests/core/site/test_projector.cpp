// SPDX-License-Identifier: MIT
//
// The projections of Wilson's hop in both bases of spin against the gamma matrices, and the way from one basis to the
// other.
#include "kov/core/site/projector.hpp"
#include "tests/core/numbers.hpp"

#include <type_traits>

namespace kov::test::projections {
namespace {

template <class R>
class Projections : public ::testing::Test {};
TYPED_TEST_SUITE(Projections, Reals);

/// What a leg reads of psi: itself, or the two spins that a diagonal gamma leaves.
template <int left, class R>
auto spins_of(const Spinor<R>& psi) {
  if constexpr (left < 0) {
    return psi;
  } else {
    HalfSpinor<R> half;
    for (int i = 0; i < 6; ++i) half.z[i] = psi.z[3 * left + i];
    return half;
  }
}

template <class R>
void expect_same(const Spinor<R>& a, const Spinor<R>& b, long double size, const char* what) {
  for (int lane = 0; lane < lanes_of<R>; ++lane)
    for (int k = 0; k < 12; ++k) expect_near(a.z[k], lane, exact(b.z[k], lane), size, what);
}

template <int mu, int sign, SpinBasis basis, class R>
void check() {
  const auto psi = random_site<Spinor<R>>(41), start = random_site<Spinor<R>>(42);
  const auto u = random_site<ColorMatrix<R>>(43);
  const auto c = random_site<Scalar<R>>(44).z[0];
  const auto read = spins_of<spins_left<mu, sign, basis>>(psi);
  // (1 + sign gamma_mu) psi, which the projector's formula must give, and u times it.
  const Spinor<R> turned = multiply(Gamma::direction(mu, basis), psi), whole = psi + R(sign) * turned;
  Spinor<R> product = zero<Spinor<R>>();
  for (int s = 0; s < 4; ++s)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) product(s, a) += u(a, b) * whole(s, b);
  const HalfSpinor<R> h = projected<mu, sign, R, basis>(read), uh = multiply_projected<mu, sign, R, basis>(u, read);
  Spinor<R> sum = start;
  reconstruct_add<mu, sign, basis>(sum, h);
  expect_same(sum, start + whole, 10, "a projection");
  sum = start;
  reconstruct_add<mu, sign, basis>(sum, uh);
  expect_same(sum, start + product, 40, "a product");
  sum = start;
  reconstruct_add<mu, sign, basis>(sum, c.re, h);
  expect_same(sum, start + c.re * whole, 20, "a projection times a real number");
  sum = start;
  reconstruct_add<mu, sign, basis>(sum, c, h);
  expect_same(sum, start + c * whole, 40, "a projection times a complex number");
}

template <SpinBasis basis, class R, int... mu>
void check_directions(std::integer_sequence<int, mu...>) {
  (check<mu, +1, basis, R>(), ...);
  (check<mu, -1, basis, R>(), ...);
}

TYPED_TEST(Projections, AreThoseOfTheGammaMatrices) {
  check_directions<SpinBasis::chiral, TypeParam>(std::make_integer_sequence<int, 4>{});
  check_directions<SpinBasis::nonrelativistic, TypeParam>(std::make_integer_sequence<int, 4>{});
}

TYPED_TEST(Projections, AlongTimeLeaveTwoSpinsOfTheNonrelativisticBasis) {
  constexpr SpinBasis chiral = SpinBasis::chiral, there = SpinBasis::nonrelativistic;
  static_assert(spins_left<3, 1, there> == 0 && spins_left<3, -1, there> == 2 && spins_left<3, 1, chiral> == -1);
  static_assert(spins_left<0, 1, there> == -1 && spins_left<1, -1, there> == -1 && spins_left<2, 1, there> == -1);
}

// sqrt(2) S is its own adjoint, its square is 2, and it takes gamma_mu psi of one basis to that of the other.
TYPED_TEST(Projections, AreRotatedFromBasisToBasis) {
  using R = TypeParam;
  const auto psi = random_site<Spinor<R>>(45);
  expect_same(spin_sums(spin_sums(psi)), R(2) * psi, 10, "there and back");
  for (int n = 0; n < 16; ++n)
    expect_same(spin_sums(multiply(Gamma::number(n), psi)),
                multiply(Gamma::number(n, SpinBasis::nonrelativistic), spin_sums(psi)), 10, "a gamma matrix");
}

TYPED_TEST(Projections, HaveATwistInBothBases) {
  using R = TypeParam;
  const auto psi = random_site<Spinor<R>>(46), start = random_site<Spinor<R>>(47);
  const R a = random_site<Scalar<R>>(48).z[0].re;
  const auto check_twist = [&](auto basis) {
    Spinor<R> sum = start;
    add_twist<basis()>(sum, a, psi);
    const Spinor<R> g5 = multiply(Gamma::five(basis()), psi);
    expect_same(sum, start + Complex<R>{R(0), a} * g5, 10, "a twist");
  };
  check_twist(std::integral_constant<SpinBasis, SpinBasis::chiral>());
  check_twist(std::integral_constant<SpinBasis, SpinBasis::nonrelativistic>());
}

}  // namespace
}  // namespace kov::test::projections
