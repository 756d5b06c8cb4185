// SPDX-License-Identifier: MIT
//
// Philox4x32-10 bit for bit, its statistics, and draws that depend on the site, not on the memory order.
#include "kov/core/field/field.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/site/random.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/lattices.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace kov {
namespace test {

/// A complex number of two uniform draws on every site.
struct NoiseKernel {
  FieldView<Scalar, double> out;
  Layout::View layout;
  Kokkos::Array<int, 4> origin, extent;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    const Coord local = layout.coordinate(x.outer, x.lane);
    std::int64_t site = 0;
    for (int mu = 3; mu >= 0; --mu) site = site * extent[mu] + local[mu] + origin[mu];
    SiteRandom random(99, 5, std::uint64_t(site));
    random.next();
    const auto pair = random.uniform_pair();
    out.set(x, Scalar<double>{{{pair.first, pair.second}}});
  }
};

}  // namespace test

namespace {

using Words = std::array<std::uint32_t, 4>;

Words words(const r123::Philox4x32::ctr_type& block) { return {block[0], block[1], block[2], block[3]}; }

TEST(Philox, GivesThePublishedAnswers) {
  // "philox4x32 10" of kat_vectors in Random123 1.x (Salmon et al.): counter, key, result.
  struct Answer {
    Words counter;
    std::array<std::uint32_t, 2> key;
    Words result;
  };
  const Answer answers[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                            {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                             {0xffffffff, 0xffffffff},
                             {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                            {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                             {0xa4093822, 0x299f31d0},
                             {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (const Answer& a : answers) {
    const r123::Philox4x32::ctr_type counter{{a.counter[0], a.counter[1], a.counter[2], a.counter[3]}};
    EXPECT_EQ(words(r123::Philox4x32()(counter, {{a.key[0], a.key[1]}})), a.result);
    // The same through SiteRandom: key = seed, counter = (draw, stream, site).
    SiteRandom random(std::uint64_t(a.key[1]) << 32 | a.key[0], a.counter[1],
                      std::uint64_t(a.counter[3]) << 32 | a.counter[2]);
    const Words first = words(random.next());
    EXPECT_EQ(first == a.result, a.counter[0] == 0);
    for (std::uint32_t draw = 1; draw < 4; ++draw) {
      const r123::Philox4x32::ctr_type next{{draw, a.counter[1], a.counter[2], a.counter[3]}};
      EXPECT_EQ(words(random.next()), words(r123::Philox4x32()(next, {{a.key[0], a.key[1]}})));
    }
  }
}

TEST(SiteRandoms, AreSmall) { EXPECT_EQ(sizeof(SiteRandom), 24u); }

TEST(SiteRandoms, EveryPartOfTheKeyMatters) {
  const auto first = [](std::uint64_t seed, std::uint32_t stream, std::uint64_t site) {
    return words(SiteRandom(seed, stream, site).next());
  };
  const Words base = first(1, 2, 3);
  EXPECT_EQ(first(1, 2, 3), base);
  EXPECT_NE(first(1 + (std::uint64_t(1) << 32), 2, 3), base);
  EXPECT_NE(first(2, 2, 3), base);
  EXPECT_NE(first(1, 3, 3), base);
  EXPECT_NE(first(1, 2, 4), base);
  EXPECT_NE(first(1, 2, 3 + (std::uint64_t(1) << 32)), base);
}

TEST(UniformDraws, UseBothWordsAndStayBelowOne) {
  SiteRandom random(8, 0, 1), copy = random;
  for (int k = 0; k < 100; ++k) {
    const Words w = words(copy.next());
    const auto pair = random.uniform_pair();
    EXPECT_EQ(std::ldexp(pair.first, 53), double((std::uint64_t(w[0]) << 32 | w[1]) >> 11));
    EXPECT_EQ(std::ldexp(pair.second, 53), double((std::uint64_t(w[2]) << 32 | w[3]) >> 11));
    EXPECT_TRUE(pair.first >= 0 && pair.first < 1 && pair.second >= 0 && pair.second < 1);
  }
}

/// Draws of many sites, streams or successive draws of one site: neighbours in each are what could be correlated.
enum class Along { sites, streams, draws, seeds };
constexpr int n_draws = 1 << 17;

template <class Draw>
std::vector<double> series(Along along, const Draw& draw) {
  std::vector<double> values;
  SiteRandom one(4, 0, 0);
  for (int i = 0; i < n_draws / 2; ++i) {
    const auto k = std::uint64_t(i);
    SiteRandom random = along == Along::sites     ? SiteRandom(4, 0, k)
                        : along == Along::streams ? SiteRandom(4, std::uint32_t(k), 17)
                                                  : SiteRandom(k, 0, 17);
    const auto pair = draw(along == Along::draws ? one : random);
    values.insert(values.end(), {pair.first, pair.second});
  }
  return values;
}

/// Means over the series; errors of a mean of n independent numbers of this variance.  The seeds are fixed, so that a
/// test that passes always does; five standard errors leave a wrong moment little room.
void expect_mean(const std::vector<double>& values, const auto& f, double mean, double variance, const char* what) {
  double sum = 0;
  for (std::size_t i = 0; i + 4 < values.size(); ++i) sum += f(&values[i]);
  const double n = double(values.size() - 4);
  EXPECT_NEAR(sum / n, mean, 5 * std::sqrt(variance / n)) << what;
}

TEST(UniformDraws, HaveTheirMomentsAndNoCorrelations) {
  for (const Along along : {Along::sites, Along::streams, Along::draws, Along::seeds}) {
    const auto u = series(along, [](SiteRandom& random) { return random.uniform_pair(); });
    expect_mean(
        u, [](const double* x) { return x[0]; }, 0.5, 1. / 12, "mean");
    expect_mean(
        u, [](const double* x) { return x[0] * x[0]; }, 1. / 3, 4. / 45, "second moment");
    expect_mean(
        u, [](const double* x) { return std::pow(x[0], 4); }, 1. / 5, 1. / 9 - 1. / 25, "fourth moment");
    for (const int lag : {1, 2, 3, 4})
      expect_mean(
          u, [&](const double* x) { return (x[0] - 0.5) * (x[lag] - 0.5); }, 0, 1. / 144, "correlation");
    // Chi squared of 256 bins: mean 255, variance 510.
    std::vector<double> bins(256);
    for (const double x : u) bins[std::size_t(256 * x)] += 1;
    double chi2 = 0;
    const double expected = double(u.size()) / 256;
    for (const double b : bins) chi2 += (b - expected) * (b - expected) / expected;
    EXPECT_NEAR(chi2, 255, 5 * std::sqrt(510.));
  }
}

TEST(NormalDraws, HaveTheirMomentsAndNoCorrelations) {
  for (const Along along : {Along::sites, Along::draws}) {
    const auto g = series(along, [](SiteRandom& random) { return random.normal_pair(); });
    expect_mean(
        g, [](const double* x) { return x[0]; }, 0, 1, "mean");
    expect_mean(
        g, [](const double* x) { return x[0] * x[0]; }, 1, 2, "variance");
    expect_mean(
        g, [](const double* x) { return std::pow(x[0], 3); }, 0, 15, "third moment");
    expect_mean(
        g, [](const double* x) { return std::pow(x[0], 4); }, 3, 96, "fourth moment");
    // 13.5905 % lie between one and two standard deviations above the mean.
    constexpr double p = 0.1359051219835;
    expect_mean(
        g, [](const double* x) { return x[0] > 1 && x[0] < 2; }, p, p * (1 - p), "between 1 and 2");
    expect_mean(
        g, [](const double* x) { return x[0] * x[1]; }, 0, 1, "correlation of neighbours");
    expect_mean(
        g, [](const double* x) { return x[0] * x[0] * x[1] * x[1]; }, 1, 8, "correlation of their squares");
  }
}

class Noise : public test::OnLattices {};

TEST_P(Noise, IsTheSameInAnyOrderAndDecomposition) {
  const Comm comm = Comm::world();
  const Lattice lattice = GetParam().make(comm);
  const Field<Scalar, double> field(lattice, "noise");
  const Coord origin = lattice.geometry().origin(), extent = lattice.extent();
  for_each_lane("noise", field.range(),
                test::NoiseKernel{field.view(),
                                  lattice.layout().view(),
                                  {origin[0], origin[1], origin[2], origin[3]},
                                  {extent[0], extent[1], extent[2], extent[3]}});
  const reference::GlobalArray noise = reference::gather(field);
  for (std::int64_t i = 0; i < volume(extent); ++i) {
    SiteRandom random(99, 5, std::uint64_t(i));
    random.uniform();  // takes a whole block, as next() does
    const auto pair = random.uniform_pair();
    ASSERT_EQ(noise.data[std::size_t(i)], reference::Number(pair.first, pair.second))
        << to_string(coordinate(i, extent));
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, Noise, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

}  // namespace
}  // namespace kov
