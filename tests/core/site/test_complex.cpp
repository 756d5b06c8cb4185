// SPDX-License-Identifier: MIT
//
// Complex numbers over plain numbers and packs against the standard library's in long double.
#include "kov/core/site/complex.hpp"
#include "tests/core/numbers.hpp"

namespace kov::test {
namespace {

template <class R>
class ComplexNumbers : public ::testing::Test {
 protected:
  SiteRandom random{11, 0, 0};
  Complex<R> a = random_complex<R>(random), b = random_complex<R>(random), c = random_complex<R>(random);
};
TYPED_TEST_SUITE(ComplexNumbers, Reals);

TYPED_TEST(ComplexNumbers, SumsAndPhasesAreExact) {
  using R = TypeParam;
  const auto &a = this->a, &b = this->b;
  for (int lane = 0; lane < lanes_of<R>; ++lane) {
    using T = scalar_t<R>;
    const auto part = [&](const R& r) { return LanesOf<R>::get(r, lane); };
    const Exact x = exact(a, lane);
    const Exact i(0, 1);
    const auto rounded = [&](T re, T im) { return Exact(re, im); };
    EXPECT_EQ(exact(a + b, lane), rounded(part(a.re) + part(b.re), part(a.im) + part(b.im)));
    EXPECT_EQ(exact(a - b, lane), rounded(part(a.re) - part(b.re), part(a.im) - part(b.im)));
    EXPECT_EQ(exact(-a, lane), -x);
    EXPECT_EQ(exact(conj(a), lane), std::conj(x));
    EXPECT_EQ(exact(times_i(a), lane), i * x);
    EXPECT_EQ(exact(times_minus_i(a), lane), -i * x);
    Complex<R> sum = a;
    EXPECT_EQ(exact(sum += b, lane), exact(a + b, lane));
    EXPECT_EQ(exact(sum -= b, lane), exact(a + b - b, lane));
    const auto d = to_double(a);
    EXPECT_EQ(exact(d, lane), x);
  }
}

TYPED_TEST(ComplexNumbers, PowersOfIAreExact) {
  using R = TypeParam;
  const auto& a = this->a;
  const Complex<R> fixed[] = {times_i_power<0>(a), times_i_power<1>(a), times_i_power<2>(a),
                              times_i_power<3>(a), times_i_power<4>(a), times_i_power<-1>(a)};
  const int powers[] = {0, 1, 2, 3, 4, -1};
  for (int lane = 0; lane < lanes_of<R>; ++lane) {
    const Exact cycle[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int k = 0; k < 6; ++k) {
      const Exact expected = cycle[powers[k] & 3] * exact(a, lane);
      EXPECT_EQ(exact(fixed[k], lane), expected);
      EXPECT_EQ(exact(times_i_power(powers[k], a), lane), expected);
    }
  }
}

TYPED_TEST(ComplexNumbers, ProductsAreThoseOfTheStandardLibrary) {
  using R = TypeParam;
  const auto &a = this->a, &b = this->b, &c = this->c;
  Complex<R> sum = c, conjugate = c;
  multiply_add(sum, a, b);
  conj_multiply_add(conjugate, a, b);
  for (int lane = 0; lane < lanes_of<R>; ++lane) {
    const Exact x = exact(a, lane), y = exact(b, lane), z = exact(c, lane);
    const long double size = std::abs(x) * std::abs(y);
    expect_near(a * b, lane, x * y, size, "a b");
    expect_near(a.re * b, lane, x.real() * y, size, "real a times b");
    expect_near(sum, lane, z + x * y, size + std::abs(z), "c + a b");
    expect_near(conjugate, lane, z + std::conj(x) * y, size + std::abs(z), "c + conj(a) b");
    expect_near(norm2(a), lane, std::norm(x), std::norm(x), "|a|^2");
  }
}

TYPED_TEST(ComplexNumbers, AFactorMayBeSharedByAllLanes) {
  using R = TypeParam;
  using T = scalar_t<R>;
  const auto &b = this->b, &c = this->c;
  const Complex<T> a = random_complex<T>(this->random);
  Complex<R> sum = c, conjugate = c;
  multiply_add(sum, a, b);
  conj_multiply_add(conjugate, a, b);
  for (int lane = 0; lane < lanes_of<R>; ++lane) {
    const Exact x = exact(a, 0), y = exact(b, lane), z = exact(c, lane);
    const long double size = std::abs(x) * std::abs(y) + std::abs(z);
    expect_near(a * b, lane, x * y, size, "a b");
    expect_near(sum, lane, z + x * y, size, "c + a b");
    expect_near(conjugate, lane, z + std::conj(x) * y, size, "c + conj(a) b");
  }
}

}  // namespace
}  // namespace kov::test
