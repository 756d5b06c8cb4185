// SPDX-License-Identifier: MIT
//
// Noise fields: their distributions, and that they do not depend on the decomposition.
#include "kov/core/field/noise.hpp"
#include "kov/core/field/site_map.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/slow_copy.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using reference::Number;

GlobalArray noise(const Lattice& lattice, const Noise& which, int n_components = 1) {
  const Field<ColorVector, double> field(lattice, "noise", n_components);
  fill_noise(field, which);
  return gather(field);
}

class NoiseFields : public test::OnLattices {};

/// The expected numbers are drawn here, site by site, from nothing but the global index.
TEST_P(NoiseFields, AreTheDrawsOfTheGlobalSites) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (const NoiseKind kind : {NoiseKind::z2, NoiseKind::z4, NoiseKind::u1, NoiseKind::gaussian}) {
    GlobalArray expected(lattice.extent(), 6);
    for (std::int64_t i = 0; i < lattice.volume(); ++i) {
      SiteRandom random(11, 3, std::uint64_t(i));
      for (int k = 0; k < 6; ++k) {
        const Complex<double> z = noise_number(kind, random);
        expected.data[std::size_t(6 * i + k)] = {z.re, z.im};
      }
    }
    const Field<ColorVector, double> wide(lattice, "noise", 2);
    const Field<ColorVector, float> rounded(lattice, "noise", 2);
    fill_noise(wide, {.kind = kind, .seed = 11, .stream = 3});
    fill_noise(rounded, {.kind = kind, .seed = 11, .stream = 3});
    // Compilers may fuse operations differently in the two places; Z2 and Z4 need no rounding.
    const bool exact = kind == NoiseKind::z2 || kind == NoiseKind::z4;
    EXPECT_LE(max_difference(wide, expected), exact ? 0 : 20 * std::numeric_limits<double>::epsilon());
    EXPECT_LE(max_difference(rounded, expected), exact ? 0 : 20 * std::numeric_limits<float>::epsilon());
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, NoiseFields, ::testing::ValuesIn(test::small_lattice_cases(4000)), test::case_name);

TEST(Noise, IsOrderedOnTheInstanceThatIsGiven) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const Noise gaussian{.kind = NoiseKind::gaussian, .seed = 4};
  const Field<ColorVector, double> old(lattice, "old"), field(lattice, "noise");
  const Exec exec = test::own_instance();
  Kokkos::fence("fields are ready");
  test::slow_copy(old, field, exec);
  fill_noise(field, gaussian, exec);
  exec.fence("noise");
  EXPECT_EQ(gather(field).data, noise(lattice, gaussian).data);
}

TEST(Noise, HasTheBitsThatOneRankWouldMake) {
  const Coord extent{4, 4, 4, 8};
  for (const NoiseKind kind : {NoiseKind::z2, NoiseKind::z4, NoiseKind::u1, NoiseKind::gaussian}) {
    const GlobalArray all = noise(Lattice(Comm::world(), extent), {.kind = kind, .seed = 5, .stream = 1}),
                      one = noise(Lattice(Comm::self(), extent), {.kind = kind, .seed = 5, .stream = 1});
    EXPECT_EQ(all.data, one.data);
  }
}

TEST(Noise, IsWhatItsNameSays) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 8});
  std::array<int, 4> seen{};
  for (const Number& z : noise(lattice, {.kind = NoiseKind::z2}).data) {
    EXPECT_EQ(std::abs(z.real()), 1);
    EXPECT_EQ(z.imag(), 0);
  }
  for (const Number& z : noise(lattice, {.kind = NoiseKind::z4}).data) {
    EXPECT_EQ(std::abs(z.real()) + std::abs(z.imag()), 1);
    ++seen[z.imag() == 0 ? (z.real() > 0 ? 0 : 2) : (z.imag() > 0 ? 1 : 3)];
  }
  for (const int n : seen) EXPECT_NEAR(n, 8 * 8 * 8 * 8 * 3 / 4, 4 * std::sqrt(12288 * 0.1875));
  for (const Number& z : noise(lattice, {.kind = NoiseKind::u1}).data)
    EXPECT_NEAR(std::norm(z), 1, 4 * std::numeric_limits<double>::epsilon());
}

TEST(Noise, HasMeanZeroAndTheSquareThatItSays) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 8});
  for (const NoiseKind kind : {NoiseKind::z2, NoiseKind::z4, NoiseKind::u1, NoiseKind::gaussian}) {
    const GlobalArray a = noise(lattice, {.kind = kind, .seed = 2});
    Number mean = 0, square = 0;
    double size = 0;
    for (const Number& z : a.data) {
      mean += z;
      square += z * z;
      size += std::norm(z);
    }
    const double n = double(a.data.size()), want = kind == NoiseKind::gaussian ? 2 : 1;
    EXPECT_LT(std::abs(mean) / n, 4 * std::sqrt(want / n));
    EXPECT_NEAR(size / n, want, 4 * std::sqrt(4 / n));
    if (kind != NoiseKind::z2) {
      EXPECT_LT(std::abs(square) / n, 4 * std::sqrt(8 / n)) << "no preferred phase";
    }
  }
}

TEST(Noise, DiffersBySeedStreamAndComponent) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GlobalArray a = noise(lattice, {.kind = NoiseKind::u1, .seed = 1, .stream = 0}, 2);
  EXPECT_NE(a.data, noise(lattice, {.kind = NoiseKind::u1, .seed = 2, .stream = 0}, 2).data);
  EXPECT_NE(a.data, noise(lattice, {.kind = NoiseKind::u1, .seed = 1, .stream = 1}, 2).data);
  EXPECT_NE(part(a, 0, 3).data, part(a, 3, 3).data);
}

}  // namespace
}  // namespace kov
