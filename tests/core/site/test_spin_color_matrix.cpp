// SPDX-License-Identifier: MIT
//
// Matrices in spin and colour against plain loops over 12 rows and columns, and the identities of traces.
#include "kov/core/site/spin_color_matrix.hpp"
#include "tests/core/numbers.hpp"

namespace kov::test::matrices {
namespace {

/// m[row][column], row and column 3 spin + colour.
using Matrix12 = std::vector<std::vector<Exact>>;

Matrix12 zeros(std::size_t n = 12) { return Matrix12(n, std::vector<Exact>(n)); }

template <class R>
Matrix12 matrix12(const SpinColorMatrix<R>& m, int lane) {
  Matrix12 d = zeros();
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) d[std::size_t(i)][std::size_t(j)] = exact(m(i / 3, i % 3, j / 3, j % 3), lane);
  return d;
}
Matrix12 matrix12(const Gamma& g) {
  constexpr Exact power[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  Matrix12 d = zeros();
  for (std::size_t s = 0; s < 4; ++s)
    for (std::size_t a = 0; a < 3; ++a) d[3 * s + a][3 * std::size_t(g.column[s]) + a] = power[g.phase[s]];
  return d;
}
template <class R>
Matrix12 matrix12(const SpinMatrix<R>& m, int lane) {
  Matrix12 d = zeros();
  for (int s = 0; s < 4; ++s)
    for (int r = 0; r < 4; ++r)
      for (int a = 0; a < 3; ++a) d[std::size_t(3 * s + a)][std::size_t(3 * r + a)] = exact(m(s, r), lane);
  return d;
}
template <class R>
Matrix12 matrix12(const ColorMatrix<R>& m, int lane) {
  Matrix12 d = zeros();
  for (int s = 0; s < 4; ++s)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) d[std::size_t(3 * s + a)][std::size_t(3 * s + b)] = exact(m(a, b), lane);
  return d;
}
Matrix12 operator*(const Matrix12& a, const Matrix12& b) {
  Matrix12 r = zeros();
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j)
      for (std::size_t k = 0; k < 12; ++k) r[i][j] += a[i][k] * b[k][j];
  return r;
}
Matrix12 transposed(const Matrix12& a) {
  Matrix12 r = zeros();
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) r[i][j] = a[j][i];
  return r;
}
Matrix12 conjugate(Matrix12 a) {
  for (auto& row : a)
    for (Exact& z : row) z = std::conj(z);
  return a;
}
long double size_of(const Matrix12& a) {
  long double sum = 0;
  for (const auto& row : a)
    for (const Exact& z : row) sum += std::norm(z);
  return std::sqrt(sum);
}

template <class R>
void expect_equal(const SpinColorMatrix<R>& m, int lane, const Matrix12& expected, long double size, const char* what) {
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j)
      expect_near(m(i / 3, i % 3, j / 3, j % 3), lane, expected[std::size_t(i)][std::size_t(j)], size, what);
}

template <class R>
class SpinColorMatrices : public ::testing::Test {
 protected:
  SpinColorMatrix<R> m = random_site<SpinColorMatrix<R>>(31), n = random_site<SpinColorMatrix<R>>(32);
};
TYPED_TEST_SUITE(SpinColorMatrices, Reals);

TYPED_TEST(SpinColorMatrices, AreTheTwelveColumnsOfAPropagatorInOrder) {
  const auto& m = this->m;
  for (int column = 0; column < 12; ++column)
    for (int row = 0; row < 12; ++row) EXPECT_EQ(&m(row / 3, row % 3, column / 3, column % 3), m.z + 12 * column + row);
  auto copy = this->n;
  for (int s = 0; s < 4; ++s)
    for (int r = 0; r < 4; ++r) copy.set_block(s, r, m.block(s, r));
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane) EXPECT_EQ(exact(copy, lane), exact(m, lane));
}

TYPED_TEST(SpinColorMatrices, GammasOnEitherSideAreTheirMatrices) {
  const auto& m = this->m;
  for (int k = 0; k < 16; ++k) {
    const Gamma gamma = Gamma::number(k);
    const auto left = gamma * m, right = m * gamma;
    for (int lane = 0; lane < lanes_of<TypeParam>; ++lane) {
      EXPECT_EQ(matrix12(left, lane), matrix12(gamma) * matrix12(m, lane)) << k;
      EXPECT_EQ(matrix12(right, lane), matrix12(m, lane) * matrix12(gamma)) << k;
    }
  }
}

TYPED_TEST(SpinColorMatrices, ProductsAndAdjointsArePlainLoops) {
  const auto &m = this->m, &n = this->n;
  const auto spin = random_site<SpinMatrix<TypeParam>>(33);
  const auto color = random_site<ColorMatrix<TypeParam>>(34);
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane) {
    const Matrix12 a = matrix12(m, lane), b = matrix12(n, lane), s = matrix12(spin, lane), u = matrix12(color, lane);
    expect_equal(m * n, lane, a * b, size_of(a) * size_of(b), "m n");
    expect_equal(spin * m, lane, s * a, size_of(s) * size_of(a), "spin m");
    expect_equal(m * spin, lane, a * s, size_of(s) * size_of(a), "m spin");
    expect_equal(color * m, lane, u * a, size_of(u) * size_of(a), "colour m");
    expect_equal(m * color, lane, a * u, size_of(u) * size_of(a), "m colour");
    EXPECT_EQ(matrix12(adj(m), lane), conjugate(transposed(a)));
    EXPECT_EQ(matrix12(transpose(m), lane), transposed(a));
  }
}

TYPED_TEST(SpinColorMatrices, TracesArePlainLoops) {
  const auto &m = this->m, &n = this->n;
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane) {
    const Matrix12 a = matrix12(m, lane), b = matrix12(n, lane), ab = a * b;
    Exact trace_a = 0, trace_ab = 0;
    std::vector<Exact> over_spin(9), over_color(16);
    for (std::size_t i = 0; i < 12; ++i) {
      trace_a += a[i][i];
      trace_ab += ab[i][i];
      for (std::size_t j = 0; j < 12; ++j) {
        if (i / 3 == j / 3) over_spin[3 * (i % 3) + j % 3] += a[i][j];
        if (i % 3 == j % 3) over_color[4 * (i / 3) + j / 3] += a[i][j];
      }
    }
    const long double size = size_of(a), product = size * size_of(b);
    expect_near(trace(m), lane, trace_a, size, "tr m");
    expect_near(trace_spin(m), lane, over_spin, size, "tr over spin");
    expect_near(trace_color(m), lane, over_color, size, "tr over colour");
    expect_near(trace(trace_spin(m)), lane, trace_a, size, "tr of the trace over spin");
    expect_near(trace_of_product(m, n), lane, trace_ab, product, "tr m n");
    expect_near(trace(m * n), lane, trace_ab, product, "tr of m n");
  }
}

/// All six permutations at either end.
TYPED_TEST(SpinColorMatrices, DiquarksAreTheirDefinition) {
  constexpr std::size_t permutation[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}};
  const auto &m = this->m, &n = this->n;
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane) {
    const Matrix12 x = matrix12(m, lane), y = matrix12(n, lane);
    Matrix12 expected = zeros();
    for (std::size_t p = 0; p < 6; ++p)
      for (std::size_t q = 0; q < 6; ++q)
        for (std::size_t s = 0; s < 4; ++s)
          for (std::size_t t = 0; t < 4; ++t)
            for (std::size_t r = 0; r < 4; ++r) {
              const auto &i = permutation[p], &j = permutation[q];
              expected[3 * s + j[2]][3 * t + i[2]] +=
                  ((p < 3) == (q < 3) ? 1.0L : -1.0L) * x[3 * r + i[0]][3 * s + j[0]] * y[3 * r + i[1]][3 * t + j[1]];
            }
    expect_equal(diquark(m, n), lane, expected, size_of(x) * size_of(y), "diquark");
  }
}

}  // namespace
}  // namespace kov::test::matrices
