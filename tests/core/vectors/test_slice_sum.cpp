// SPDX-License-Identifier: MIT
//
// Fourier sums over slices against naive ones, in blocks of any length, on any subset and along any direction.
#include "kov/core/vectors/slice_sum.hpp"
#include "tests/reference/global_array.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace test {

/// Number v of a site is component v of its spinor, in blocks of `size`.
template <class T, bool pairs = false>
struct SpinorNumbers {
  static constexpr int n_values = 12;
  static constexpr bool takes_pairs = pairs && FieldView<Spinor, T>::outers == 2;

  FieldView<Spinor, T> in;
  int n, size;

  template <class Site, class R>
  KOKKOS_FUNCTION void operator()(Site x, int b, Complex<R>* value) const {
    for (int v = b * size; v < n && v < (b + 1) * size; ++v) value[v - b * size] = in.element(x, 0, v);
  }
};

}  // namespace test

namespace {

using reference::GlobalArray;
using reference::Number;
using test::SpinorNumbers;

class SumsOverSlices : public test::OnLattices {};

const std::vector<Momentum> momenta_of_sums{{1, 0, -1}, {0, 0, 0}, {0, 2, 1}, {-1, 0, 1}, {3, -1, 2}};
constexpr Coord source_of_sums{1, 0, 3, 2};

/// [momentum][slice][value], and the largest sum of |value| over a slice.
std::pair<std::vector<Number>, double> naive_slice_sums(const GlobalArray& a, Subset subset, std::size_t direction,
                                                        int n_values) {
  const std::size_t n_slices = std::size_t(a.extent[direction]), n = std::size_t(n_values);
  std::vector<Number> sums(momenta_of_sums.size() * n_slices * n);
  std::vector<double> sizes(n_slices * n);
  reference::for_each_coordinate(a.extent, [&](const Coord& x) {
    if (subset != Subset::all && (parity(x) == 1) != (subset == Subset::odd)) return;
    const std::size_t slice = std::size_t(x[direction]);
    for (std::size_t v = 0; v < n; ++v) sizes[slice * n + v] += std::abs(a.at(x)[v]);
    for (std::size_t k = 0; k < momenta_of_sums.size(); ++k) {
      double turns = 0;
      for (std::size_t mu = 0; mu < 3; ++mu)
        turns += double(momenta_of_sums[k][mu] * (x[mu] - source_of_sums[mu])) / a.extent[mu];
      const Number phase = std::polar(1.0, 2 * std::numbers::pi * turns);
      for (std::size_t v = 0; v < n; ++v) sums[(k * n_slices + slice) * n + v] += phase * a.at(x)[v];
    }
  });
  return {sums, *std::max_element(sizes.begin(), sizes.end())};
}

template <class T, bool pairs>
void check_slice_sums(const Lattice& lattice) {
  constexpr int n_values = 7;
  const GlobalArray a = reference::random_array(lattice.extent(), 12, 5);
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    const SpinorField<T> field(lattice, "numbers", 1, subset);
    load(field, a);
    for (int direction = 0; direction < 4; ++direction) {
      const auto [expected, size] = naive_slice_sums(a, subset, std::size_t(direction), n_values);
      for (const int block : {3, 1, 5}) {
        SliceSums sums = slice_sums<T>("test", lattice, momenta_of_sums, source_of_sums,
                                       SpinorNumbers<T, pairs>{field.view(), n_values, block}, {n_values, block},
                                       SliceTable::of(lattice, subset, direction));
        sums.sum_over_ranks(lattice.comm());
        ASSERT_EQ(sums.z.size(), expected.size());
        double worst = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) worst = std::max(worst, std::abs(sums.z[i] - expected[i]));
        EXPECT_LE(worst, 16 * std::numeric_limits<T>::epsilon() * size)
            << "direction " << direction << " block " << block;
        EXPECT_EQ(sums.at(1, 2), sums.z.data() + (sums.n_slices + 2) * n_values);
      }
    }
  }
}

TEST_P(SumsOverSlices, EqualNaiveOnes) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_slice_sums<float, false>(lattice);
  check_slice_sums<float, true>(lattice);
  check_slice_sums<double, false>(lattice);
}

TEST(ChunksOfSlices, ArePairsUnlessTheseAreOnTwoSlices) {
  if constexpr (!has_packs) GTEST_SKIP() << "does not apply: GPUs have no pairs";
  const Lattice lattice(Comm::self(), {8, 8, 8, 16});
  const int along = lattice.layout().pair_direction();
  ASSERT_GE(along, 0);
  for (int direction = 0; direction < 4; ++direction)
    for (const Subset subset : {Subset::all, Subset::even, Subset::odd})
      EXPECT_EQ(SliceTable(lattice, subset, direction).has_pairs(), direction != along) << direction;
}

TEST_P(SumsOverSlices, HaveTheSameBitsInAnyBlocksOnAnyInstance) {
  if constexpr (!has_packs) GTEST_SKIP() << "does not apply: on GPUs a tile's sites are shared out by block";
  const Lattice lattice = GetParam().make(Comm::world());
  const SpinorField<float> field(lattice, "numbers");
  load(field, reference::random_array(lattice.extent(), 12, 6));
  const auto sums = [&](int block, const Exec& exec) {
    return slice_sums<float>("test", lattice, momenta_of_sums, source_of_sums,
                             SpinorNumbers<float>{field.view(), 12, block}, {12, block}, SliceTable::of(lattice), exec)
        .z;
  };
  const auto first = sums(5, Exec());
  EXPECT_EQ(sums(1, Exec()), first);
  EXPECT_EQ(sums(4, detail::instance_beside(Exec())), first);
  const SpinorNumbers<float> stated{field.view(), 12, slice_sum_block<SpinorNumbers<float>>};
  EXPECT_EQ(slice_sums<float>("test", lattice, momenta_of_sums, source_of_sums, stated).z, first);
}

TEST_P(SumsOverSlices, OfWholeNumbersAtRestAreExact) {
  const Lattice lattice = GetParam().make(Comm::world());
  const SpinorField<float> field(lattice, "numbers");
  GlobalArray a = reference::random_array(lattice.extent(), 12, 7);
  for (Number& z : a.data) z = {std::nearbyint(10 * z.real()), std::nearbyint(10 * z.imag())};
  load(field, a);
  const SpinorNumbers<float> numbers{field.view(), 12, slice_sum_block<SpinorNumbers<float>>};
  SliceSums sums = slice_sums<float>("test", lattice, {{0, 0, 0}}, {}, numbers);
  sums.sum_over_ranks(lattice.comm());
  std::vector<Number> expected(sums.z.size());
  reference::for_each_coordinate(a.extent, [&](const Coord& x) {
    for (int v = 0; v < 12; ++v) expected[std::size_t(x[3]) * 12 + std::size_t(v)] += a.at(x)[v];
  });
  EXPECT_EQ(sums.z, expected);
}

/// Hosts sum a chunk in batches of 16 outer sites; here chunks have 20 or 40.
TEST(SumsOverLongChunks, EqualNaiveOnes) {
  const Lattice lattice(Comm::world(), {32, 32, 32, 10});
  const GlobalArray a = reference::random_array(lattice.extent(), 12, 5);
  const SpinorField<double> field(lattice, "numbers");
  load(field, a);
  const auto [expected, size] = naive_slice_sums(a, Subset::all, 3, 3);
  SliceSums sums = slice_sums<double>("test", lattice, momenta_of_sums, source_of_sums,
                                      SpinorNumbers<double>{field.view(), 3, 2}, {3, 2}, SliceTable::of(lattice));
  sums.sum_over_ranks(lattice.comm());
  ASSERT_EQ(sums.z.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_LE(std::abs(sums.z[i] - expected[i]), 16 * std::numeric_limits<double>::epsilon() * size) << i;
}

INSTANTIATE_TEST_SUITE_P(Lattices, SumsOverSlices, ::testing::ValuesIn(test::small_lattice_cases(1300)),
                         test::case_name);

}  // namespace
}  // namespace kov
