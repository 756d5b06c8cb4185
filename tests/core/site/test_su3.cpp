// SPDX-License-Identifier: MIT
//
// Colour matrices against plain loops, and the identities of SU(3).
#include "kov/core/site/su3.hpp"
#include "tests/core/numbers.hpp"

namespace kov::test {
namespace {

using Numbers = std::vector<Exact>;

Numbers product(const Numbers& u, const Numbers& v) {
  Numbers r(9);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t c = 0; c < 3; ++c) r[3 * a + b] += u[3 * a + c] * v[3 * c + b];
  return r;
}
Numbers adjoint(const Numbers& u) {
  Numbers r(9);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) r[3 * a + b] = std::conj(u[3 * b + a]);
  return r;
}
Exact trace_of(const Numbers& u) { return u[0] + u[4] + u[8]; }
/// By the six permutations.
Exact determinant_of(const Numbers& u) {
  return u[0] * u[4] * u[8] + u[1] * u[5] * u[6] + u[2] * u[3] * u[7] - u[2] * u[4] * u[6] - u[0] * u[5] * u[7] -
         u[1] * u[3] * u[8];
}
long double size_of(const Numbers& u) {
  long double sum = 0;
  for (const Exact& z : u) sum += std::norm(z);
  return std::sqrt(sum);
}

template <class R>
class ColorMatrices : public ::testing::Test {
 protected:
  ColorMatrix<R> u = random_site<ColorMatrix<R>>(21), v = random_site<ColorMatrix<R>>(22);
};
TYPED_TEST_SUITE(ColorMatrices, Reals);

TYPED_TEST(ColorMatrices, ProductsTracesAndDeterminantsArePlainLoops) {
  const auto &u = this->u, &v = this->v;
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane) {
    const Numbers a = exact(u, lane), b = exact(v, lane);
    const long double size = size_of(a) * size_of(b), cube = std::pow(size_of(a), 3.0L);
    EXPECT_EQ(exact(adj(u), lane), adjoint(a));
    expect_near(u * v, lane, product(a, b), size, "u v");
    expect_near(trace(u), lane, trace_of(a), size_of(a), "tr u");
    expect_near(real_trace_adj(u, v), lane, trace_of(product(a, adjoint(b))).real(), size, "Re tr u v^+", 16);
    expect_near(determinant(u), lane, determinant_of(a), cube, "det u");
    expect_near(determinant(u * v), lane, determinant_of(a) * determinant_of(b), cube * std::pow(size_of(b), 3.0L),
                "det u v = det u det v");
    expect_near(unit_matrix<TypeParam>() * u, lane, a, 0, "1 u = u");
    expect_near(adj(u * v), lane, exact(adj(v) * adj(u), lane), size, "(u v)^+ = v^+ u^+");
  }
}

TYPED_TEST(ColorMatrices, TheThirdRowIsTheConjugateCrossProduct) {
  ColorMatrix<TypeParam> u = this->u;
  complete_third_row(u);
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane) {
    const Numbers before = exact(this->u, lane), after = exact(u, lane);
    const long double size = std::pow(size_of(before), 2.0L);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(after[i], before[i]);
    for (std::size_t row = 0; row < 2; ++row) {  // orthogonal to both rows, whatever they are
      Exact overlap = 0;
      for (std::size_t a = 0; a < 3; ++a) overlap += std::conj(after[3 * row + a]) * after[6 + a];
      expect_near(Complex<TypeParam>{TypeParam(0), TypeParam(0)}, lane, overlap, size * size_of(before), "overlap");
    }
    // With orthonormal rows the determinant is 1; here it is the square of the parallelogram they span.
    long double area = 0;
    for (std::size_t a = 6; a < 9; ++a) area += std::norm(after[a]);
    expect_near(determinant(u), lane, area, size * size, "det u");
  }
}

TYPED_TEST(ColorMatrices, TracelessAntihermitianPartIsAProjection) {
  const auto& u = this->u;
  const ColorMatrix<TypeParam> x = traceless_antihermitian(u);
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane) {
    const Numbers a = exact(u, lane), h = adjoint(a);
    Numbers expected(9);
    for (std::size_t i = 0; i < 9; ++i) expected[i] = (a[i] - h[i]) / 2.0L;
    const Exact third = trace_of(expected) / 3.0L;
    for (std::size_t i = 0; i < 9; i += 4) expected[i] -= third;
    const long double size = size_of(a);
    expect_near(x, lane, expected, size, "(A - A^+) / 2 - tr / 3");
    expect_near(traceless_antihermitian(x), lane, exact(x, lane), size, "a projection");
    expect_near(trace(x), lane, 0, size, "traceless");
    expect_near(adj(x), lane, exact(zero<ColorMatrix<TypeParam>>() - x, lane), size, "antihermitian");
    // Hermitian matrices and multiples of i have none.
    expect_near(traceless_antihermitian(u + adj(u)), lane, Numbers(9), size, "hermitian");
    const Complex<TypeParam> i{TypeParam(0), TypeParam(1)};
    expect_near(traceless_antihermitian(i * unit_matrix<TypeParam>()), lane, Numbers(9), 1, "multiple of i");
  }
}

template <class T>
class Reunitarised : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Reunitarised, Scalars);

TYPED_TEST(Reunitarised, MatricesAreInSu3AndKeepTheDirectionOfTheirFirstRow) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto before = random_site<ColorMatrix<T>>(seed);
    ColorMatrix<T> u = before;
    reunitarise(u);
    // The second row loses what it shares with the first; little may be left, hence the condition number.
    const Numbers a = exact(before, 0);
    const auto dot = [&](std::size_t i, std::size_t j) {
      return std::conj(a[3 * i]) * a[3 * j] + std::conj(a[3 * i + 1]) * a[3 * j + 1] +
             std::conj(a[3 * i + 2]) * a[3 * j + 2];
    };
    const long double first = dot(0, 0).real(), second = dot(1, 1).real();
    const long double condition = std::sqrt(second / (second - std::norm(dot(0, 1)) / first));
    const auto one = exact(unit_matrix<T>(), 0);
    expect_near(u * adj(u), 0, one, condition, "u u^+ = 1");
    expect_near(adj(u) * u, 0, one, condition, "u^+ u = 1");
    expect_near(determinant(u), 0, 1, condition, "det u = 1", 16);
    const long double length = std::sqrt(first);
    for (std::size_t k = 0; k < 3; ++k) expect_near(u(0, int(k)), 0, a[k] / length, 1, "first row");
    ColorMatrix<T> again = u;
    reunitarise(again);
    expect_near(again, 0, exact(u, 0), condition, "done twice");
  }
}

TYPED_TEST(Reunitarised, ASmallErrorIsRemovedByASmallChange) {
  using T = TypeParam;
  auto u = random_site<ColorMatrix<T>>(77);
  reunitarise(u);
  ColorMatrix<T> disturbed = u;
  const T step = std::sqrt(std::numeric_limits<T>::epsilon());
  const auto noise = random_site<ColorMatrix<T>>(78);
  for (int i = 0; i < 9; ++i) disturbed.z[i] += step * noise.z[i];
  reunitarise(disturbed);
  for (int i = 0; i < 9; ++i) EXPECT_LE(norm2(disturbed.z[i] - u.z[i]), 100 * step * step);
}

#if !defined(KOKKOS_ENABLE_CUDA)
TYPED_TEST(Reunitarised, PacksOfMatricesAreDoneLaneByLane) {
  using T = TypeParam;
  using P = Pack<T, default_lanes>;
  ColorMatrix<P> packed;
  for (int lane = 0; lane < default_lanes; ++lane) {
    auto one = random_site<ColorMatrix<T>>(std::uint64_t(80 + lane));
    for (int i = 0; i < 3; ++i) one(i, i).re += 4;  // well conditioned
    for (int i = 0; i < 9; ++i) {
      packed.z[i].re.set_lane(lane, one.z[i].re);
      packed.z[i].im.set_lane(lane, one.z[i].im);
    }
  }
  const ColorMatrix<P> before = packed;
  reunitarise(packed);
  for (int lane = 0; lane < default_lanes; ++lane) {
    ColorMatrix<T> one;
    for (int i = 0; i < 9; ++i) one.z[i] = {before.z[i].re.lane(lane), before.z[i].im.lane(lane)};
    reunitarise(one);
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(packed.z[i].re.lane(lane), one.z[i].re, 20 * std::numeric_limits<T>::epsilon());
      EXPECT_NEAR(packed.z[i].im.lane(lane), one.z[i].im, 20 * std::numeric_limits<T>::epsilon());
    }
  }
}
#endif

}  // namespace
}  // namespace kov::test
