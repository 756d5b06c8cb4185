// SPDX-License-Identifier: MIT
//
// SU(3) matrices as eight reals: the accuracy of the way there and back, everywhere on the group.
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/site/su3_eight.hpp"
#include "tests/core/numbers.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace kov::test {
namespace {

using Matrix = ColorMatrix<double>;

/// A random matrix of SU(3) at about this distance from `centre`; from 0, any.
Matrix near(const Matrix& centre, double distance, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  Matrix u = centre;
  for (auto& z : u.z) z = {z.re + distance * normal(generator), z.im + distance * normal(generator)};
  reunitarise(u);
  return u;
}
Matrix diagonal(double p, double q) {
  Matrix u = zero<Matrix>();
  u(0, 0) = {std::cos(p), std::sin(p)};
  u(1, 1) = {std::cos(q), std::sin(q)};
  u(2, 2) = {std::cos(p + q), -std::sin(p + q)};
  return u;
}
/// Rows 0, 1, 2 of the result are these rows of the unit matrix, times sign.
Matrix permutation(int a, int b, int c, double sign) {
  Matrix u = zero<Matrix>();
  u(0, a).re = u(1, b).re = u(2, c).re = sign;
  return u;
}

/// The largest deviation of a number after to_eight() and back in T.
template <class T>
double deviation(const Matrix& meant) {
  ColorMatrix<T> u;
  for (int i = 0; i < 9; ++i) u.z[i] = {T(meant.z[i].re), T(meant.z[i].im)};
  const ColorMatrix<T> v = su3_of_eight(to_eight(u));
  double worst = 0;
  for (int i = 0; i < 9; ++i)
    for (const double d : {v.z[i].re - meant.z[i].re, v.z[i].im - meant.z[i].im})
      worst = max_or_nan(worst, std::abs(d));
  return worst;
}

template <class T>
class EightRealsOf : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EightRealsOf, Reals);

TYPED_TEST(EightRealsOf, GiveAnyMatrixBack) {
  const double most = (sizeof(TypeParam) == 4 ? 6 : 50) * std::numeric_limits<TypeParam>::epsilon();
  std::mt19937_64 generator(5);
  for (int i = 0; i < 100000; ++i) ASSERT_LT(deviation<TypeParam>(near(zero<Matrix>(), 1, generator)), most);
}

// The first row and the second have an antipode each, where the numbers are infinite; and the unit matrix, where those
// of other parametrisations are not determined.
TYPED_TEST(EightRealsOf, LoseNothingAtAntipodesAndTheUnitMatrix) {
  const double pi = std::acos(-1.0), most = 10 * std::numeric_limits<TypeParam>::epsilon();
  std::vector<Matrix> centres{permutation(1, 2, 0, 1), permutation(2, 0, 1, 1), permutation(0, 2, 1, -1),
                              permutation(1, 0, 2, -1)};
  for (const double p : {0.0, pi, 2 * pi / 3, pi / 2})
    for (const double q : {0.0, pi, 2 * pi / 3}) centres.push_back(diagonal(p, q));
  std::mt19937_64 generator(6);
  for (const Matrix& centre : centres) {
    ASSERT_LT(deviation<TypeParam>(centre), most);
    for (int i = 0; i < 3000; ++i)
      ASSERT_LT(deviation<TypeParam>(near(centre, std::pow(10, -17.0 * i / 3000), generator)), most);
  }
}

TYPED_TEST(EightRealsOf, ShowWhatIsNotANumber) {
  for (int i = 0; i < 6; ++i) {
    ColorMatrix<TypeParam> u = unit_matrix<TypeParam>();
    u.z[i].re = std::numeric_limits<TypeParam>::quiet_NaN();
    const auto v = su3_of_eight(to_eight(u));
    bool shown = false;
    for (const auto& z : v.z) shown = shown || std::isnan(z.re) || std::isnan(z.im);
    EXPECT_TRUE(shown) << i;
  }
}

}  // namespace
}  // namespace kov::test
