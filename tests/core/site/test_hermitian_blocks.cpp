// SPDX-License-Identifier: MIT
//
// Packed Hermitian 6 x 6 blocks against dense matrices.
#include "kov/core/site/hermitian_blocks.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/site/random.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {
namespace hermitian_blocks {

using Number = std::complex<double>;
using Dense = std::array<std::array<Number, 6>, 6>;
constexpr double eps = std::numeric_limits<double>::epsilon();

/// Random numbers, with `shift` on the diagonal.
HermitianBlocks<double> random_blocks(std::uint64_t seed, double shift) {
  SiteRandom random(seed, 0, 0);
  HermitianBlocks<double> a;
  for (auto& z : a.z) z = {2 * random.uniform() - 1, 2 * random.uniform() - 1};
  for (int block = 0; block < 2; ++block)
    for (int i = 0; i < 6; ++i) a.diagonal(block, i) += shift;
  return a;
}

Dense dense(const HermitianBlocks<double>& a, int block) {
  Dense m;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const Complex<double> z = a(block, i, j);
      m[std::size_t(i)][std::size_t(j)] = {z.re, z.im};
    }
  return m;
}

Dense product(const Dense& a, const Dense& b) {
  Dense c{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 6; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

double difference(const Dense& a, const Dense& b) {
  double worst = 0;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) worst = max_or_nan(worst, std::abs(a[i][j] - b[i][j]));
  return worst;
}

TEST(HermitianBlocks, EveryNumberIsOneEntry) {
  HermitianBlocks<double> a = zero<HermitianBlocks<double>>();
  int count = 0;
  for (int block = 0; block < 2; ++block)
    for (int i = 0; i < 6; ++i) {
      a.diagonal(block, i) = ++count;
      for (int j = 0; j < i; ++j) {
        a.lower(block, i, j).re = ++count;
        a.lower(block, i, j).im = ++count;
      }
    }
  double sum = 0;
  for (const auto& z : a.z) {
    EXPECT_NE(z.re, 0);
    EXPECT_NE(z.im, 0);
    sum += z.re + z.im;
  }
  EXPECT_EQ(count, 72);
  EXPECT_EQ(sum, 72 * 73 / 2) << "two entries share a number";
  EXPECT_EQ(a(1, 2, 4).im, -a(1, 4, 2).im) << "the upper triangle is the conjugate of the lower";
}

TEST(HermitianBlocks, ProductEqualsThatOfDenseMatrices) {
  const HermitianBlocks<double> a = random_blocks(1, 0);
  SiteRandom random(2, 0, 0);
  Spinor<double> psi;
  for (auto& z : psi.z) z = {2 * random.uniform() - 1, 2 * random.uniform() - 1};
  const Spinor<double> r = a * psi;
  for (int block = 0; block < 2; ++block) {
    const Dense m = dense(a, block);
    for (std::size_t i = 0; i < 6; ++i) {
      Number sum = 0;
      for (std::size_t j = 0; j < 6; ++j) sum += m[i][j] * Number(psi.z[6 * block + j].re, psi.z[6 * block + j].im);
      EXPECT_LT(std::abs(sum - Number(r.z[6 * block + i].re, r.z[6 * block + i].im)), 20 * eps);
    }
  }
}

// Positive, negative and, with pivots that are far from 0, indefinite matrices.
TEST(HermitianBlocks, InverseTimesMatrixIsOne) {
  for (const double shift : {7.0, -7.0, 0.0})
    for (std::uint64_t seed = 10; seed < 20; ++seed) {
      const HermitianBlocks<double> a = random_blocks(seed, shift), b = inverse(a);
      for (int block = 0; block < 2; ++block) {
        Dense one{};
        for (std::size_t i = 0; i < 6; ++i) one[i][i] = 1;
        EXPECT_LT(difference(product(dense(a, block), dense(b, block)), one), (shift == 0 ? 1e4 : 50) * eps);
      }
    }
}

TEST(HermitianBlocks, FactorsHaveTheDeterminantOfTheMatrix) {
  const HermitianBlocks<double> a = random_blocks(3, 5);
  for (int block = 0; block < 2; ++block) {
    const BlockFactors<double> factors(a, block);
    double det = 1;
    for (const double d : factors.d) det *= d;
    Dense m = dense(a, block);  // Gauss elimination
    Number expected = 1;
    for (std::size_t i = 0; i < 6; ++i) {
      expected *= m[i][i];
      for (std::size_t j = i + 1; j < 6; ++j) {
        const Number f = m[j][i] / m[i][i];
        for (std::size_t k = i; k < 6; ++k) m[j][k] -= f * m[i][k];
      }
    }
    EXPECT_LT(std::abs(det - expected), 100 * eps * std::abs(expected));
  }
}

TEST(HermitianBlocks, SquarePlusIsTheSquareOfTheDenseMatrix) {
  const HermitianBlocks<double> a = random_blocks(4, 2), b = square_plus(a, 0.25);
  for (int block = 0; block < 2; ++block) {
    Dense expected = product(dense(a, block), dense(a, block));
    for (std::size_t i = 0; i < 6; ++i) expected[i][i] += 0.25;
    EXPECT_LT(difference(dense(b, block), expected), 100 * eps);
  }
}

TEST(HermitianBlocks, ASingularMatrixHasNoFiniteInverse) {
  const HermitianBlocks<double> b = inverse(zero<HermitianBlocks<double>>());
  EXPECT_FALSE(std::isfinite(b.diagonal(0, 0)));
}

}  // namespace hermitian_blocks
}  // namespace
}  // namespace kov
