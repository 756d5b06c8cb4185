// SPDX-License-Identifier: MIT
//
// The 16 Dirac matrices: their algebra, their numbering and basis, and the names of mesons.
#include "kov/core/site/gamma.hpp"
#include "tests/core/numbers.hpp"

#include <bit>
#include <map>
#include <set>

namespace kov::test::gammas {
namespace {

using Dense = std::array<std::array<std::complex<int>, 4>, 4>;

Dense dense(const Gamma& g) {
  constexpr std::complex<int> phase[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  Dense m{};
  for (std::size_t row = 0; row < 4; ++row) m[row][std::size_t(g.column[row])] = phase[g.phase[row]];
  return m;
}
Dense operator*(const Dense& a, const Dense& b) {
  Dense r{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) r[i][j] += a[i][k] * b[k][j];
  return r;
}
Dense adjoint(const Dense& a) {
  Dense r{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) r[i][j] = std::conj(a[j][i]);
  return r;
}
Dense times(int factor, Dense a) {
  for (auto& row : a)
    for (auto& z : row) z *= factor;
  return a;
}
Dense sum(const Dense& a, const Dense& b) {
  Dense r = a;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) r[i][j] += b[i][j];
  return r;
}
const Dense one = dense(Gamma());

TEST(GammaMatrices, AreThoseOfDeGrandAndRossi) {
  constexpr std::complex<int> i(0, 1), j(0, -1), o(0), p(1), m(-1);
  EXPECT_EQ(dense(Gamma::direction(0)), (Dense{{{o, o, o, i}, {o, o, i, o}, {o, j, o, o}, {j, o, o, o}}}));
  EXPECT_EQ(dense(Gamma::direction(1)), (Dense{{{o, o, o, m}, {o, o, p, o}, {o, p, o, o}, {m, o, o, o}}}));
  EXPECT_EQ(dense(Gamma::direction(2)), (Dense{{{o, o, i, o}, {o, o, o, j}, {j, o, o, o}, {o, i, o, o}}}));
  EXPECT_EQ(dense(Gamma::direction(3)), (Dense{{{o, o, p, o}, {o, o, o, p}, {p, o, o, o}, {o, p, o, o}}}));
  EXPECT_EQ(dense(Gamma::five()), (Dense{{{p, o, o, o}, {o, p, o, o}, {o, o, m, o}, {o, o, o, m}}}));
}

TEST(GammaMatrices, AreHermitianAndAnticommute) {
  for (int mu = 0; mu < 4; ++mu) {
    const Dense a = dense(Gamma::direction(mu));
    EXPECT_EQ(adjoint(a), a);
    for (int nu = 0; nu < 4; ++nu) {
      const Dense b = dense(Gamma::direction(nu));
      EXPECT_EQ(sum(a * b, b * a), mu == nu ? times(2, one) : Dense{}) << mu << " " << nu;
    }
    const Dense five = dense(Gamma::five());
    EXPECT_EQ(sum(a * five, five * a), Dense{});
  }
}

TEST(GammaMatrices, AreNumberedByTheirFactorsInOrder) {
  for (int n = 0; n < 16; ++n) {
    Dense product = one;
    for (int mu = 0; mu < 4; ++mu)
      if (n >> mu & 1) product = product * dense(Gamma::direction(mu));
    EXPECT_EQ(dense(Gamma::number(n)), product) << n;
  }
  static_assert(Gamma::number(0) == Gamma() && Gamma::number(15) == Gamma::five());
}

TEST(GammaMatrices, MultiplyToEachOtherUpToTheSignOfTheirExchanges) {
  for (int n = 0; n < 16; ++n)
    for (int m = 0; m < 16; ++m) {
      const Gamma a = Gamma::number(n), b = Gamma::number(m);
      EXPECT_EQ(dense(a * b), dense(a) * dense(b));
      // Every factor of m passes the factors of n that come after it.
      int exchanges = 0;
      for (int mu = 0; mu < 4; ++mu)
        if (m >> mu & 1) exchanges += std::popcount(unsigned(n >> (mu + 1)));
      EXPECT_EQ(dense(a * b), times(exchanges % 2 ? -1 : 1, dense(Gamma::number(n ^ m)))) << n << " " << m;
    }
}

TEST(GammaMatrices, AreUnitaryAndOrthogonal) {
  for (int n = 0; n < 16; ++n) {
    const Gamma a = Gamma::number(n);
    EXPECT_EQ(dense(a.adjoint()), adjoint(dense(a)));
    EXPECT_EQ(a.adjoint() * a, Gamma());
    EXPECT_EQ(a * a.adjoint(), Gamma());
    for (int m = 0; m < 16; ++m) {
      const Dense product = dense(a.adjoint() * Gamma::number(m));
      std::complex<int> trace = 0;
      for (std::size_t s = 0; s < 4; ++s) trace += product[s][s];
      EXPECT_EQ(trace, std::complex<int>(n == m ? 4 : 0));
      EXPECT_EQ((a * Gamma::number(m)).adjoint(), Gamma::number(m).adjoint() * a.adjoint());
    }
  }
}

TEST(GammaMatrices, OfTheNonrelativisticBasisAreThoseOfTheChiralOneRotated) {
  constexpr std::complex<int> i(0, 1), j(0, -1), o(0), p(1), m(-1);
  constexpr SpinBasis there = SpinBasis::nonrelativistic;
  const Dense s{{{p, o, p, o}, {o, p, o, p}, {p, o, m, o}, {o, p, o, m}}};  // sqrt(2) S
  EXPECT_EQ(s * s, times(2, one));
  for (int n = 0; n < 16; ++n)
    EXPECT_EQ(times(2, dense(Gamma::number(n, there))), s * dense(Gamma::number(n)) * s) << n;
  EXPECT_EQ(dense(Gamma::direction(0, there)), (Dense{{{o, o, o, j}, {o, o, j, o}, {o, i, o, o}, {i, o, o, o}}}));
  EXPECT_EQ(dense(Gamma::direction(3, there)), (Dense{{{p, o, o, o}, {o, p, o, o}, {o, o, m, o}, {o, o, o, m}}}));
  EXPECT_EQ(dense(Gamma::five(there)), (Dense{{{o, o, p, o}, {o, o, o, p}, {p, o, o, o}, {o, p, o, o}}}));
}

template <class R>
class GammaTimesSpinor : public ::testing::Test {};
TYPED_TEST_SUITE(GammaTimesSpinor, Reals);

TYPED_TEST(GammaTimesSpinor, IsThatOfTheMatrixExactly) {
  const auto psi = random_site<Spinor<TypeParam>>(31);
  for (int n = 0; n < 16; ++n) {
    const auto product = multiply(Gamma::number(n), psi);
    const Dense matrix = dense(Gamma::number(n));
    for (int lane = 0; lane < lanes_of<TypeParam>; ++lane)
      for (int s = 0; s < 4; ++s)
        for (int a = 0; a < 3; ++a) {
          Exact expected = 0;
          for (int r = 0; r < 4; ++r) {
            const std::complex<int> z = matrix[std::size_t(s)][std::size_t(r)];
            expected += Exact(z.real(), z.imag()) * exact(psi(r, a), lane);
          }
          EXPECT_EQ(exact(product(s, a), lane), expected);
        }
  }
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane)
    EXPECT_EQ(exact(gamma5(psi), lane), exact(multiply(Gamma::five(), psi), lane));
}

TEST(MesonNames, SayWhichMatrixStandsBetweenTheQuarks) {
  const auto& names = meson_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 16u);
  const Gamma x = Gamma::direction(0), y = Gamma::direction(1), z = Gamma::direction(2), t = Gamma::direction(3),
              five = Gamma::five();
  const std::map<std::string, Gamma> meant{
      {"a0", Gamma()},    {"a0_g4", t},        {"rho_x", x},        {"rho_y", y},
      {"rho_z", z},       {"rho_x_g4", x * t}, {"rho_y_g4", y * t}, {"rho_z_g4", z * t},
      {"a1_x", five * x}, {"a1_y", five * y},  {"a1_z", five * z},  {"b1_x", y * z},
      {"b1_y", z * x},    {"b1_z", x * y},     {"pion", five},      {"pion_A4", five * t}};
  for (int n = 0; n < 16; ++n) {
    const auto found = meant.find(names[std::size_t(n)]);
    ASSERT_NE(found, meant.end()) << names[std::size_t(n)];
    const Dense g = dense(Gamma::number(n)), m = dense(found->second);
    EXPECT_TRUE(g == m || g == times(-1, m)) << names[std::size_t(n)];
  }
}

}  // namespace
}  // namespace kov::test::gammas
