// SPDX-License-Identifier: MIT
//
// Site objects against plain loops over spins and colours, and against the algebra that they must obey.
#include "kov/core/site/color_spin.hpp"
#include "kov/core/site/su3.hpp"
#include "tests/core/numbers.hpp"

namespace kov::test {
namespace {

using Numbers = std::vector<Exact>;

Numbers combine(Exact a, const Numbers& x, Exact b, const Numbers& y) {
  Numbers r;
  for (std::size_t i = 0; i < x.size(); ++i) r.push_back(a * x[i] + b * y[i]);
  return r;
}
long double norm2_of(const Numbers& x) {
  long double sum = 0;
  for (const Exact& z : x) sum += std::norm(z);
  return sum;
}
/// Colour on the left of every spin: number 3 s + a is spin s, colour a.
Numbers multiply_colors(const Numbers& u, const Numbers& psi) {
  Numbers r(psi.size());
  for (std::size_t s = 0; s < psi.size() / 3; ++s)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) r[3 * s + a] += u[3 * a + b] * psi[3 * s + b];
  return r;
}

/// Vector-space operations of one kind of object.
template <class S>
void check_vector_space() {
  using R = typename S::Real;
  const S x = random_site<S>(1), y = random_site<S>(2);
  SiteRandom random(3, 0, 0);
  const R real = random_real<R>(random);
  const Complex<R> number = random_complex<R>(random);
  S added = x, subtracted = x, real_added = x, number_added = x;
  added += y;
  subtracted -= y;
  multiply_add(real_added, real, y);
  multiply_add(number_added, number, y);
  for (int lane = 0; lane < lanes_of<R>; ++lane) {
    const Numbers a = exact(x, lane), b = exact(y, lane);
    const Exact r = exact(real, lane), c = exact(number, lane);
    const long double size = 20;
    expect_near(zero<S>(), lane, Numbers(a.size()), 0, "zero");
    expect_near(x + y, lane, combine(1, a, 1, b), size, "x + y");
    expect_near(x - y, lane, combine(1, a, -1, b), size, "x - y");
    expect_near(added, lane, combine(1, a, 1, b), size, "+=");
    expect_near(subtracted, lane, combine(1, a, -1, b), size, "-=");
    expect_near(real * x, lane, combine(r, a, 0, b), size, "real factor");
    expect_near(number * x, lane, combine(c, a, 0, b), size, "complex factor");
    expect_near(real_added, lane, combine(1, a, r, b), size, "x + r y");
    expect_near(number_added, lane, combine(1, a, c, b), size, "x + c y");
    const long double norms = std::sqrt(norm2_of(a) * norm2_of(b));
    Exact product = 0;
    for (std::size_t i = 0; i < a.size(); ++i) product += std::conj(a[i]) * b[i];
    expect_near(inner_product(x, y), lane, product, norms, "<x, y>");
    expect_near(norm2(x), lane, norm2_of(a), norm2_of(a), "|x|^2");
    // Antilinear in the first argument.
    expect_near(inner_product(number * x, y), lane, std::conj(c) * product, std::abs(c) * norms, "<c x, y>");
  }
}

/// Objects with colour on which matrices act.
template <template <class> class SiteT, class R>
void check_color() {
  using S = SiteT<R>;
  using T = scalar_t<R>;
  const S psi = random_site<S>(5), phi = random_site<S>(6);
  const ColorMatrix<R> u = random_site<ColorMatrix<R>>(7), v = random_site<ColorMatrix<R>>(8);
  const ColorMatrix<T> shared = random_site<ColorMatrix<T>>(9);
  S sum = phi, shared_sum = phi;
  multiply_add(sum, u, psi);
  multiply_add(shared_sum, shared, psi);
  for (int lane = 0; lane < lanes_of<R>; ++lane) {
    const Numbers a = exact(psi, lane), b = exact(phi, lane), m = exact(u, lane), n = exact(v, lane);
    const long double size = std::sqrt(norm2_of(a) * norm2_of(m)) + 4;
    expect_near(u * psi, lane, multiply_colors(m, a), size, "u psi");
    expect_near(shared * psi, lane, multiply_colors(exact(shared, 0), a), size + 20, "u psi, one u for all lanes");
    expect_near(sum, lane, combine(1, b, 1, multiply_colors(m, a)), size, "phi + u psi");
    expect_near(shared_sum, lane, combine(1, b, 1, multiply_colors(exact(shared, 0), a)), size + 20,
                "phi + u psi, one u");
    const long double both = std::sqrt(norm2_of(m) * norm2_of(n) * norm2_of(a));
    expect_near(u * (v * psi), lane, exact((u * v) * psi, lane), both, "(u v) psi = u (v psi)");
    expect_near(inner_product(phi, u * psi), lane, exact(inner_product(adj(u) * phi, psi), lane),
                size * std::sqrt(norm2_of(b)), "<phi, u psi> = <u^+ phi, psi>");
  }
}

template <class R>
class SiteObjects : public ::testing::Test {};
TYPED_TEST_SUITE(SiteObjects, Reals);

TYPED_TEST(SiteObjects, AreVectorSpaces) {
  check_vector_space<Scalar<TypeParam>>();
  check_vector_space<ColorVector<TypeParam>>();
  check_vector_space<ColorMatrix<TypeParam>>();
  check_vector_space<Spinor<TypeParam>>();
  check_vector_space<HalfSpinor<TypeParam>>();
  check_vector_space<SpinMatrix<TypeParam>>();
}

TYPED_TEST(SiteObjects, ColorMatricesActOnEverySpin) {
  check_color<ColorVector, TypeParam>();
  check_color<HalfSpinor, TypeParam>();
  check_color<Spinor, TypeParam>();
}

TYPED_TEST(SiteObjects, AreNumberedRowsFirst) {
  using R = TypeParam;
  Spinor<R> psi = zero<Spinor<R>>();
  HalfSpinor<R> half = zero<HalfSpinor<R>>();
  ColorMatrix<R> u = zero<ColorMatrix<R>>();
  SpinMatrix<R> m = zero<SpinMatrix<R>>();
  ColorVector<R> v = zero<ColorVector<R>>();
  psi(2, 1).re = half(1, 2).re = u(2, 0).re = m(3, 1).re = v(1).re = R(1);
  EXPECT_EQ(exact(psi.z[7], 0), Exact(1));
  EXPECT_EQ(exact(half.z[5], 0), Exact(1));
  EXPECT_EQ(exact(u.z[6], 0), Exact(1));
  EXPECT_EQ(exact(m.z[13], 0), Exact(1));
  EXPECT_EQ(exact(v.z[1], 0), Exact(1));
  EXPECT_EQ(exact(element(psi, 7), 0), Exact(1));
}

}  // namespace
}  // namespace kov::test
