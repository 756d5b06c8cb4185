// SPDX-License-Identifier: MIT
//
// The tilings that traces take by themselves: that there are such, for which numbers of operators, and that their tiles
// fit into the scratch memory of a team.
#include "kov/contractions/kernels/trace_launch.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"
#include "tests/contractions/kernels/scratch_support.hpp"

#include <algorithm>

namespace kov {
namespace {
namespace trace_shapes {

using reference::HostNumbers;
using test::on_device;
using test::on_host;
using test::random_numbers;

/// What traces are made of, and whether their sums are in double though these numbers are not.
template <class Z_, bool wide_>
struct TraceNumbers {
  using Z = Z_;
  static constexpr bool wide = wide_, sums_in_double = wide || std::is_same_v<Z, Complex<double>>;
  using Sum = std::conditional_t<sums_in_double, Complex<double>, Complex<float>>;
  static TraceTiling best(int n_left, int n_right) {
    return detail::best_trace_tiling<Z, sums_in_double>(n_left, n_right);
  }
};
template <class Numbers>
class TraceTilings : public testing::Test {};
using TraceTypes = testing::Types<TraceNumbers<Complex<float>, false>, TraceNumbers<Complex<float>, true>,
                                  TraceNumbers<Complex<double>, false>>;
TYPED_TEST_SUITE(TraceTilings, TraceTypes);

bool by_tensor_cores(TraceTiling tiling) { return tiling >= TraceTiling::tensor8 && tiling <= TraceTiling::tensor64; }

TYPED_TEST(TraceTilings, FitIntoTheScratchMemoryOfATeam) {
  using Z = typename TypeParam::Z;
  int n_tilings = 0;
  for (const TraceTiling tiling : trace_tilings()) {
    if (tiling == TraceTiling::packs) continue;
    detail::with_trace_tiles<Z, typename TypeParam::Sum>(tiling, [&]<class Tiles>() {
      if constexpr (requires { Tiles::depth; }) {
        using Kernel = detail::TraceTiles<Z, Tiles>;
        test::expect_fits_scratch(Kernel::tile_bytes, Kernel::max_threads, name(tiling));
        ++n_tilings;
      }
    });
  }
  EXPECT_EQ(n_tilings, int(trace_tilings().size()) - (has_packs ? 1 : 0));
}

/// "33 x 33" is one tile for 33 operators on each side: 36 x 33 where threads have 6 x 3 results, and no larger one.
TYPED_TEST(TraceTilings, HoldTheOperatorsThatTheyAreNamedAfter) {
  for (const TraceTiling tiling : trace_tilings()) {
    if (tiling == TraceTiling::packs || by_tensor_cores(tiling)) continue;
    const int n = std::stoi(name(tiling));
    const auto least = [&](int of_thread) { return (n + of_thread - 1) / of_thread * of_thread; };
    detail::with_trace_tiles<typename TypeParam::Z, typename TypeParam::Sum>(tiling, [&]<class Tiles>() {
      if constexpr (requires { Tiles::rows; }) {
        EXPECT_EQ(int(Tiles::most_left), least(Tiles::rows)) << name(tiling);
        EXPECT_EQ(int(Tiles::most_right), least(Tiles::columns)) << name(tiling);
      }
    });
  }
}

TYPED_TEST(TraceTilings, ThatAreChosenAreThoseOfADevice) {
  const auto there = trace_tilings();
  for (int left = 1; left <= 140; ++left)
    for (int right = 1; right <= 140; ++right) {
      const TraceTiling chosen = TypeParam::best(left, right);
      ASSERT_TRUE(std::find(there.begin(), there.end(), chosen) != there.end()) << name(chosen);
      ASSERT_NE(chosen, TraceTiling::packs);
      // Tiles in registers are square, as the model has them.
      if (!detail::has_tensor_cores()) {
        ASSERT_EQ(chosen, TypeParam::best(right, left)) << left << " " << right;
      }
    }
}

TYPED_TEST(TraceTilings, ThatAreChosenCoverTheProblem) {
  using Z = typename TypeParam::Z;
  TraceWorkspace workspace;
  for (const auto& [left, right] : {std::pair<std::size_t, std::size_t>{1, 1},
                                    {1, 40},
                                    {3, 130},
                                    {17, 15},
                                    {36, 34},
                                    {49, 2},
                                    {65, 64},
                                    {66, 67},
                                    {97, 99}}) {
    constexpr std::size_t length = 9;
    const HostNumbers a = random_numbers<Z>(left * length, 1), b = random_numbers<Z>(right * length, 2);
    HostNumbers expected;
    for (std::size_t i = 0; i < left; ++i)
      for (std::size_t j = 0; j < right; ++j) {
        expected.push_back(0);
        for (std::size_t k = 0; k < length; ++k)
          expected.back() += reference::times(a[i * length + k], b[j * length + k]);
      }
    const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(b);
    const Buffer<Complex<double>> sums("sums", left * right);
    const TraceTiling chosen = TypeParam::best(int(left), int(right));
    traces<Z>({da.data(), db.data(), int(left), int(right), length}, {sums.data(), 0, 1}, workspace,
              {.tiling = chosen, .wide_sums = TypeParam::wide});
    EXPECT_LE(test::distance(on_host(sums), expected),
              test::tolerance<detail::MatrixReal<typename TypeParam::Sum>>(length))
        << name(chosen) << ": " << left << " " << right;
  }
}

/// docs/contractions.md has the table of what works by registers and what by tensor cores.
TEST(TraceTilings, OfFloatsSuitAsManyOperatorsAsTheDocumentationSays) {
  const auto best = [](int n) { return detail::best_trace_tiling<Complex<float>, false>(n, n); };
  using enum TraceTiling;
  struct Choice {
    int n;
    TraceTiling registers, with_tensor_cores;
  };
  for (const Choice& c : {Choice{4, of4, of4},
                          {8, of8, of8},
                          {12, of12, of12},
                          {16, of16, tensor16},
                          {17, of18, of18},
                          {18, of18, of18},
                          {24, of24, of24},
                          {32, of32, tensor32},
                          {33, of33, of33},
                          {48, of48, tensor48},
                          {64, of64, tensor64},
                          {65, of65, of65}})
    EXPECT_EQ(name(best(c.n)), name(detail::has_tensor_cores() ? c.with_tensor_cores : c.registers)) << c.n;
}

/// Teams for 128 multiprocessors, each with 256 numbers of the inner index at least, if there are any to share out.
TEST(TraceTilings, CutTheInnerIndexIntoNoMorePartsThanThereIsWorkFor) {
  for (const std::int64_t length : {0, 1, 255, 256, 257, 4096, 65536, 1000000})
    for (const int teams : {1, 2, 3, 4}) {
      int before = std::numeric_limits<int>::max();
      for (const int pairs : {1, 2, 3, 17, 128, 129, 100000}) {
        const int splits = detail::trace_splits(length, pairs, teams);
        EXPECT_GE(splits, 1);
        EXPECT_LE(splits, before) << "more pairs, and more parts of each";
        if (splits > 1) {
          EXPECT_GE(length / splits, 256);
          EXPECT_LT((splits - 1) * pairs, 128 * teams) << "a part more than there are teams";
        }
        if (length / (splits + 1) >= 256) {
          EXPECT_GE(splits * pairs, 128 * teams) << "teams are left without work: " << length << " " << pairs;
        }
        before = splits;
      }
    }
}

}  // namespace trace_shapes
}  // namespace
}  // namespace kov
