// SPDX-License-Identifier: MIT
//
// Sums over sites: every site once and no padding, the same bits every time, exact sums the same on any decomposition.
#include "kov/core/launch/exact_sums.hpp"
#include "kov/core/site/random.hpp"
#include "kov/core/vectors/reduce.hpp"
#include "tests/reference/global_array.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/parts_kernel.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::GlobalArray;

template <class T>
Field<Scalar, T> loaded(const Lattice& lattice, const GlobalArray& a, Subset subset = Subset::all) {
  const Field<Scalar, T> x(lattice, "x", 1, subset);
  load(x, a);
  return x;
}

template <class T>
std::array<double, 2> sum(const Field<Scalar, T>& x, SumMode mode) {
  return sum_sites<2>("sum", x.lattice(), x.subset(), test::PartsKernel<T>{x.view()}, mode);
}

/// Numbers that floats represent exactly, of very different sizes, so that sums depend on the order.
GlobalArray numbers(const Coord& extent) {
  GlobalArray a = reference::random_array(extent, 1, 31);
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    const int size = int(i % 21) - 30;
    a.data[i] = {std::ldexp(std::nearbyint(1e5 * a.data[i].real()), size),
                 std::ldexp(std::nearbyint(1e5 * a.data[i].imag()), size)};
  }
  return a;
}

class Sums : public test::OnLattices {};

template <class T>
void check(const Lattice& lattice) {
  const GlobalArray a = numbers(lattice.extent());
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    std::complex<long double> expected = 0;
    double size = 0;
    reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
      if (subset != Subset::all && (parity(x) == 1) != (subset == Subset::odd)) return;
      expected += std::complex<long double>(a.at(x)[0]);
      size += std::abs(a.at(x)[0]);
    });
    const Field<Scalar, T> x = loaded<T>(lattice, a, subset);
    for (const SumMode mode : {SumMode::chunked, SumMode::exact}) {
      const auto result = sum(x, mode);
      // Sums of doubles, whatever T is.
      const double tolerance = 10 * std::numeric_limits<double>::epsilon() * size;
      EXPECT_NEAR(result[0], double(expected.real()), tolerance);
      EXPECT_NEAR(result[1], double(expected.imag()), tolerance);
      for (int k = 0; k < 20; ++k) EXPECT_EQ(sum(x, mode), result) << "another sum gave other bits";
    }
  }
}

TEST_P(Sums, TakeEverySiteOnceAndGiveTheSameBitsAgain) {
  const Lattice lattice = GetParam().make(Comm::world());
  check<float>(lattice);
  check<double>(lattice);
}

TEST_P(Sums, ExactOnesHaveTheSameBitsOnAnyDecomposition) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray a = numbers(lattice.extent());
  for (const Order order : {Order::virtual_nodes, Order::even_odd}) {
    if (order == Order::virtual_nodes && !(has_packs && Layout::fits(lattice.extent(), default_lanes))) continue;
    const Lattice whole(Comm::self(), lattice.extent(), {.grid = {}, .order = order, .force_exchange = false});
    EXPECT_EQ(sum(loaded<double>(lattice, a), SumMode::exact), sum(loaded<double>(whole, a), SumMode::exact));
    EXPECT_EQ(sum(loaded<float>(lattice, a), SumMode::exact), sum(loaded<double>(whole, a), SumMode::exact));
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, Sums, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

/// Where kernels run, of several arrays at a time: the bits of exact_sum() on the host.
TEST(ExactSums, OfArraysAreThoseOfTheHost) {
  constexpr std::size_t n = 10001;
  constexpr int n_arrays = 5;
  std::vector<double> values(n_arrays * n);
  SiteRandom random(3, 0, std::uint64_t(Comm::world().rank()));
  for (std::size_t i = 0; i < n; ++i) {
    const auto z = random.normal_pair();
    values[i] = z.first;
    values[n + i] = std::ldexp(z.second, int(i % 60) - 30);
    values[3 * n + i] = std::ldexp(z.first, -1070);
    values[4 * n + i] = z.second;
  }
  values[4 * n + 77] = std::nan("");
  const Buffer<double> there("arrays", std::span<const double>(values));
  const std::vector<double> largest = detail::largest_sizes(there.data(), n_arrays, n);
  const auto array = [&](int k) { return std::span<const double>(values).subspan(std::size_t(k) * n, n); };
  for (int k = 0; k < 4; ++k) {
    double most = 0;
    for (const double v : array(k)) most = std::max(most, std::abs(v));
    EXPECT_EQ(largest[std::size_t(k)], most) << k;
  }
  EXPECT_TRUE(std::isinf(largest[4]));
  const std::int64_t n_global = std::int64_t(n) * Comm::world().size();
  const std::vector<double> sums = detail::exact_sums(Comm::world(), there.data(), n_arrays, n, n_global, largest);
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(sums[std::size_t(k)], detail::exact_sum(Comm::world(), array(k), n_global)) << k;
  EXPECT_EQ(sums[2], 0);
  EXPECT_NE(sums[3], 0);
  EXPECT_TRUE(std::isnan(sums[4]));
  EXPECT_EQ(detail::largest_sizes(nullptr, 2, 0), std::vector<double>(2));
}

TEST(SumsOfFieldsWithNaN, AreNaN) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  GlobalArray a = numbers(lattice.extent());
  a.data[77] = {std::nan(""), 0};
  const auto x = loaded<double>(lattice, a);
  for (const SumMode mode : {SumMode::chunked, SumMode::exact}) EXPECT_TRUE(std::isnan(sum(x, mode)[0]));
}

}  // namespace
}  // namespace kov
