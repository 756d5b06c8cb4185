// SPDX-License-Identifier: MIT
//
// Eigenvalues and eigenvectors of dense Hermitian matrices.
#include "kov/algebra/eigen/hermitian_matrix.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/site/random.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov::detail {
namespace hermitian_matrix_test {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;
constexpr double eps = std::numeric_limits<double>::epsilon();

Numbers random_hermitian(int n, std::uint64_t seed) {
  SiteRandom random(seed, 0, 0);
  Numbers a(std::size_t(n * n));
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      const auto z = random.normal_pair();
      a[std::size_t(i * n + j)] = i == j ? Number(z.first) : Number(z.first, z.second);
      a[std::size_t(j * n + i)] = std::conj(a[std::size_t(i * n + j)]);
    }
  return a;
}

/// A v = lambda v, V unitary, values rising, and the same without vectors.
void check_system(const Numbers& a, int n) {
  const HermitianSystem found = hermitian_system(a, n, "numbers");
  ASSERT_EQ(found.values.size(), std::size_t(n));
  ASSERT_EQ(found.vectors.size(), std::size_t(n * n));
  EXPECT_TRUE(std::is_sorted(found.values.begin(), found.values.end()));
  double size = 0, trace = 0, sum = 0;
  for (const Number& z : a) size += std::norm(z);
  for (int i = 0; i < n; ++i) {
    trace += a[std::size_t(i * n + i)].real();
    sum += found.values[std::size_t(i)];
  }
  const double tolerance = 20 * n * eps;
  EXPECT_NEAR(sum, trace, tolerance * std::sqrt(size));
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      Number image = 0, product = 0;
      for (int j = 0; j < n; ++j) {
        image += a[std::size_t(i * n + j)] * found.vector(j, k);
        product += std::conj(found.vector(j, i)) * found.vector(j, k);
      }
      EXPECT_LE(std::abs(image - found.values[std::size_t(k)] * found.vector(i, k)), tolerance * std::sqrt(size));
      EXPECT_LE(std::abs(product - double(i == k)), tolerance);
    }
  const std::vector<double> alone = hermitian_eigenvalues(a, n, "numbers");
  ASSERT_EQ(alone.size(), found.values.size());
  for (int k = 0; k < n; ++k)
    EXPECT_NEAR(alone[std::size_t(k)], found.values[std::size_t(k)], tolerance * std::sqrt(size));
}

TEST(HermitianMatrix, EigenvectorsAreUnitaryAndSolveTheEquation) {
  for (const int n : {1, 2, 3, 7, 24}) check_system(random_hermitian(n, std::uint64_t(n)), n);
}

TEST(HermitianMatrix, OneRowIsItsOwnEigenvalue) {
  const HermitianSystem found = hermitian_system(Numbers{{-2.5, 7}}, 1, "numbers");
  EXPECT_EQ(found.values[0], -2.5) << "the imaginary part of a diagonal does not count";
  EXPECT_NEAR(std::abs(found.vector(0, 0)), 1, eps);
}

/// U diag(-1, 2, 2, 2, 5, 5) U^+ with vectors U of another matrix; zero and the unit matrix.
TEST(HermitianMatrix, DegenerateEigenvaluesHaveOrthogonalVectors) {
  constexpr int n = 6;
  const double values[n] = {-1, 2, 2, 2, 5, 5};
  const HermitianSystem u = hermitian_system(random_hermitian(n, 9), n, "numbers");
  Numbers a(n * n), unit(n * n);
  for (int i = 0; i < n; ++i) {
    unit[std::size_t(i * n + i)] = 1;
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) a[std::size_t(i * n + j)] += values[k] * u.vector(i, k) * std::conj(u.vector(j, k));
  }
  check_system(a, n);
  const std::vector<double> found = hermitian_eigenvalues(a, n, "numbers");
  for (int k = 0; k < n; ++k) EXPECT_NEAR(found[std::size_t(k)], values[k], 100 * eps);
  check_system(unit, n);
  check_system(Numbers(n * n), n);
}

TEST(HermitianMatrix, TheUpperTriangleCounts) {
  constexpr int n = 5;
  const Numbers a = random_hermitian(n, 3);
  Numbers upper = a;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) upper[std::size_t(i * n + j)] = {17, 4};
  EXPECT_EQ(hermitian_system(upper, n, "numbers").values, hermitian_system(a, n, "numbers").values);
}

TEST(HermitianMatrix, WhatIsNotFiniteIsRefused) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (const Number& z : {Number(bad, 0), Number(0, bad)}) {
      Numbers a = random_hermitian(3, 1);
      a[1] = z;
      try {
        hermitian_system(a, 3, "Lanczos vectors");
        ADD_FAILURE() << bad;
      } catch (const ConvergenceError& error) {
        EXPECT_NE(std::string(error.what()).find("Lanczos vectors"), std::string::npos) << error.what();
      }
      EXPECT_THROW(hermitian_eigenvalues(a, 3, "correlators"), ConvergenceError);
    }
}

}  // namespace hermitian_matrix_test
}  // namespace kov::detail
