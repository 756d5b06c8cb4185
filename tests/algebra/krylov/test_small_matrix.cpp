// SPDX-License-Identifier: MIT
//
// Small dense factorisations of block solvers: their products are what was factorised, dependent vectors are left out.
#include "kov/algebra/krylov/small_matrix.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/site/random.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {
namespace small_matrix {

using detail::SmallMatrix, detail::ThinFactors, detail::PositiveInverse, detail::positive_inverse, detail::thin_factors;
using Number = SmallMatrix::Number;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

SmallMatrix random_matrix(int rows, int columns, std::uint32_t seed) {
  SmallMatrix a(rows, columns);
  SiteRandom random(seed, 0, 0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) a(i, j) = {random.uniform() - 0.5, random.uniform() - 0.5};
  return a;
}

double max_difference(const SmallMatrix& a, const SmallMatrix& b) {
  double worst = 0;
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.columns(); ++j) worst = max_or_nan(worst, std::abs(a(i, j) - b(i, j)));
  return worst;
}

/// 1 in the first `rank` places of the diagonal.
SmallMatrix projector(int n, int rank) {
  SmallMatrix p(n, n);
  for (int i = 0; i < rank; ++i) p(i, i) = 1;
  return p;
}

TEST(SmallMatrices, MultiplyRowsByColumns) {
  const SmallMatrix a(2, 3, {1, 2, 3, 4, 5, {0, 6}}), b(3, 1, {1, {0, 1}, -1});
  EXPECT_EQ((a * b).numbers(), (std::vector<Number>{{-2, 2}, {4, -1}}));
  EXPECT_EQ(adjoint(a).numbers(), (std::vector<Number>{1, 4, 2, 5, 3, {0, -6}}));
  EXPECT_EQ((2.0 * b).numbers(), (std::vector<Number>{2, {0, 2}, -2}));
  EXPECT_EQ((b + b).numbers(), (2.0 * b).numbers());
  EXPECT_THROW(a * a, InputError);
  EXPECT_THROW(a + b, InputError);
  EXPECT_THROW(SmallMatrix(2, 2, {1}), InputError);
  EXPECT_TRUE(a.is_finite());
  EXPECT_FALSE((std::nan("") * a).is_finite());
}

TEST(SmallMatrices, VectorsAreOrthonormalTimesATriangle) {
  for (const int n : {1, 5, 33}) {
    const SmallMatrix y = random_matrix(50, n, 1);
    const ThinFactors factors = thin_factors(adjoint(y) * y, 1e-13);
    EXPECT_EQ(factors.rank(), n);
    const SmallMatrix q = y * factors.t;
    const double bound = 100 * n * epsilon / factors.smallest;
    EXPECT_LT(max_difference(adjoint(q) * q, projector(n, n)), bound);
    EXPECT_LT(max_difference(q * factors.r, y), bound);
  }
}

TEST(SmallMatrices, VectorsThatDependOnOthersAreLeftOutWhateverTheirLengths) {
  SmallMatrix y = random_matrix(50, 7, 2);
  for (int i = 0; i < 50; ++i) {
    y(i, 1) = 0;
    y(i, 2) *= 1e-9;
    y(i, 4) = 1e6 * y(i, 0);
    y(i, 5) = y(i, 3) + Number(0, 1e9) * y(i, 2);
  }
  const ThinFactors factors = thin_factors(adjoint(y) * y, 1e-13);
  EXPECT_EQ(factors.rank(), 4);
  for (const int k : factors.taken) EXPECT_NE(k, 1);
  const SmallMatrix q = y * factors.t;
  EXPECT_LT(max_difference(adjoint(q) * q, projector(7, 4)), 1e4 * epsilon / factors.smallest);
  const SmallMatrix back = q * factors.r;
  for (int k = 0; k < 7; ++k)
    for (int i = 0; i < 50; ++i) {
      const double size = k == 2 ? 1e-9 : k == 4 ? 1e6 : 1;
      EXPECT_NEAR(std::abs(back(i, k) - y(i, k)), 0, 1e-12 * size) << k;
    }
  EXPECT_EQ(thin_factors(SmallMatrix(3, 3), 1e-13).rank(), 0);
}

TEST(SmallMatrices, InverseTimesMatrixIsOneOnItsRank) {
  for (const int rank : {1, 4, 20}) {
    const SmallMatrix y = random_matrix(60, rank, 3);
    SmallMatrix padded(60, 20);
    for (int i = 0; i < 60; ++i)
      for (int j = 0; j < rank; ++j) padded(i, j) = y(i, j);
    const SmallMatrix a = adjoint(padded) * padded;
    const PositiveInverse inverse = positive_inverse(a, rank, epsilon);
    EXPECT_TRUE(inverse.direction.empty());
    EXPECT_LT(max_difference(a * inverse.inverse, projector(20, rank)), 1e4 * epsilon);
  }
}

TEST(SmallMatrices, WithoutInverseGiveAVectorThatShowsIt) {
  const SmallMatrix y = random_matrix(30, 6, 4);
  SmallMatrix sign = projector(30, 30);
  for (int i = 10; i < 30; ++i) sign(i, i) = -1;
  const SmallMatrix a = adjoint(y) * sign * y;
  const PositiveInverse none = positive_inverse(a, 6, epsilon);
  ASSERT_EQ(none.direction.size(), 6u);
  EXPECT_LT(none.curvature, 0);
  const SmallMatrix v(6, 1, none.direction);
  EXPECT_NEAR((adjoint(v) * a * v)(0, 0).real(), none.curvature, 1e3 * epsilon);
  const PositiveInverse zero = positive_inverse(SmallMatrix(2, 2), 2, epsilon);
  EXPECT_EQ(zero.curvature, 0);
  EXPECT_EQ(zero.direction, (std::vector<Number>{1, 0}));
  SmallMatrix not_a_number(1, 1);
  not_a_number(0, 0) = std::nan("");
  EXPECT_FALSE(positive_inverse(not_a_number, 1, epsilon).direction.empty());
}

}  // namespace small_matrix
}  // namespace
}  // namespace kov
