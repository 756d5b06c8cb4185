// SPDX-License-Identifier: MIT
//
// Traces of every tiling, precision and number of operators against their definition.
#include "kov/contractions/kernels/trace.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"

#include <algorithm>

namespace kov {
namespace {
namespace trace_tests {

using reference::HostNumbers;
using test::on_device;
using test::on_host;
using test::random_numbers;

struct Case {
  int n_left, n_right;
  std::int64_t length;
  int n_pairs = 1;
};

HostNumbers expected_traces(const HostNumbers& left, const HostNumbers& right, const Case& c) {
  HostNumbers sums;
  const auto length = std::size_t(c.length);
  for (int pair = 0; pair < c.n_pairs; ++pair)
    for (int i = 0; i < c.n_left; ++i)
      for (int j = 0; j < c.n_right; ++j) {
        std::complex<double> sum = 0;
        for (std::size_t k = 0; k < length; ++k)
          sum += reference::times(left[std::size_t(pair * c.n_left + i) * length + k],
                                  right[std::size_t(pair * c.n_right + j) * length + k]);
        sums.push_back(sum);
      }
  return sums;
}

template <class Z>
struct Vectors {
  explicit Vectors(const Case& c)
      : left(random_numbers<Z>(std::size_t(c.n_left * c.n_pairs) * std::size_t(c.length), 1)),
        right(random_numbers<Z>(std::size_t(c.n_right * c.n_pairs) * std::size_t(c.length), 2)),
        device_left(on_device<Z>(left)),
        device_right(on_device<Z>(right)),
        problem{device_left.data(),  device_right.data(), c.n_left, c.n_right, c.length, c.n_pairs,
                c.n_left * c.length, c.n_right * c.length} {}
  HostNumbers left, right;
  Buffer<Z> device_left, device_right;
  TraceProblem<Z> problem;
};

/// All of these options; tolerance: 0 for that of Z.
template <class Z>
void check(const Case& c, const std::vector<TraceOptions>& all_options, double tolerance = 0) {
  const Vectors<Z> v(c);
  const HostNumbers expected = expected_traces(v.left, v.right, c);
  if (tolerance == 0) tolerance = test::tolerance<detail::MatrixReal<Z>>(std::size_t(c.length));
  TraceWorkspace workspace;
  for (const TraceOptions& options : all_options) {
    const Buffer<Complex<double>> sums("sums", expected.size());
    traces(v.problem, {sums.data(), 0, c.n_pairs}, workspace, options);
    EXPECT_LE(test::distance(on_host(sums), expected), tolerance)
        << name(options.tiling) << ": " << c.n_left << " " << c.n_right << " " << c.length;
  }
}

std::vector<TraceOptions> every_tiling(bool wide_sums = false) {
  std::vector<TraceOptions> all;
  for (const TraceTiling tiling : trace_tilings()) all.push_back({.tiling = tiling, .wide_sums = wide_sums});
  return all;
}

template <class Z>
class Traces : public testing::Test {};
using TraceTypes = testing::Types<Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(Traces, TraceTypes);

TYPED_TEST(Traces, AreThoseOfTheDefinitionInEveryTilingAndSize) {
  for (const int c : {1, 15, 16, 17, 31, 33, 64, 65}) check<TypeParam>({c, c, 11 * 11}, every_tiling());
  for (const int c : {1, 4, 65}) check<TypeParam>({c, c, 300}, {{}});
}

TYPED_TEST(Traces, OfUnequalNumbersOfOperatorsAndOfAnyLength) {
  for (const Case& c : {Case{3, 7, 1, 3}, {7, 3, 2}, {70, 5, 129, 2}, {2, 67, 300}, {5, 6, 4097}, {3, 3, 0}})
    check<TypeParam>(c, every_tiling());
}

TYPED_TEST(Traces, CutIntoAnyNumberOfPartsAreTheSame) {
  std::vector<TraceOptions> all;
  const auto there = trace_tilings();
  for (const TraceTiling tiling : {TraceTiling::of16, TraceTiling::of64, TraceTiling::tensor8, TraceTiling::tensor48})
    for (const int n_splits : {1, 2, 7, 50}) {
      if (std::find(there.begin(), there.end(), tiling) == there.end()) continue;
      all.push_back({.tiling = tiling, .n_splits = n_splits});
    }
  check<TypeParam>({5, 17, 1000, 2}, all);
}

/// As many teams as 128 multiprocessors run at a time, each with 256 numbers of the inner index at least.
TEST(Traces, AreCutIntoAsManyPartsAsFillAGpu) {
  EXPECT_EQ(detail::trace_splits(65536, 32, 4), 16);
  EXPECT_EQ(detail::trace_splits(65536, 32, 3), 12);
  EXPECT_EQ(detail::trace_splits(65536, 7, 2), 37);
  EXPECT_EQ(detail::trace_splits(65536, 1000, 4), 1);
  EXPECT_EQ(detail::trace_splits(1024, 1, 4), 4);
  EXPECT_EQ(detail::trace_splits(0, 1, 4), 1);
}

/// Products of two floats are exact in double.
TEST(Traces, WithWideSumsAreThoseOfDoubles) {
  check<Complex<float>>({17, 16, 2000}, every_tiling(true), test::tolerance<double>(2000));
}

/// A large number, many small ones and the large one's opposite.
TEST(Traces, WithWideSumsKeepSmallTermsBesideLargeOnes) {
  using Z = Complex<float>;
  constexpr std::size_t length = 4096;
  HostNumbers left(length, {1, 0}), right(length, {1e-3, 0});
  right.front() = 1e6;
  right.back() = -1e6;
  const Buffer<Z> dl = on_device<Z>(left), dr = on_device<Z>(right);
  const Buffer<Complex<double>> sum("sum", 1);
  TraceWorkspace workspace;
  for (const TraceTiling tiling : trace_tilings()) {
    traces<Z>({dl.data(), dr.data(), 1, 1, length}, {sum.data(), 0, 1}, workspace, {tiling, true});
    EXPECT_NEAR(on_host(sum)[0].real(), (length - 2) * double(1e-3f), 1e-8) << name(tiling);
  }
}

TEST(Traces, GoWhereTheyShallAndAreAdded) {
  using Z = Complex<double>;
  const Case c{2, 3, 50, 3};
  const Vectors<Z> v(c);
  const HostNumbers all = expected_traces(v.left, v.right, c), before = random_numbers<Z>(4 * 6, 3);
  const Buffer<Complex<double>> sums = on_device<Complex<double>>(before);
  TraceWorkspace workspace;
  HostNumbers expected = before;
  for (const bool add : {true, false}) {
    traces(v.problem, {sums.data(), 2, 4, add}, workspace);
    for (std::size_t pair = 0; pair < 3; ++pair)
      for (std::size_t i = 0; i < 6; ++i) {
        std::complex<double>& to = expected[(2 + pair) % 4 * 6 + i];
        to = (add ? to : 0) + all[pair * 6 + i];
      }
    EXPECT_LE(test::distance(on_host(sums), expected), test::tolerance<double>(50));
  }
}

TEST(Traces, OfNonsenseAreRefused) {
  using Z = Complex<float>;
  TraceWorkspace workspace;
  EXPECT_THROW(traces<Z>({nullptr, nullptr, -1, 1, 1}, {nullptr, 0, 1}, workspace), InputError);
  EXPECT_THROW(traces<Z>({nullptr, nullptr, 1, 1, 1, 2}, {nullptr, 0, 1}, workspace), InputError)
      << "one place for two";
  const auto shifted = reinterpret_cast<const Z*>(std::uintptr_t(4));
  EXPECT_THROW(traces<Z>({shifted, nullptr, 1, 1, 1}, {nullptr, 0, 1}, workspace), InputError) << "not aligned";
  traces<Z>({nullptr, nullptr, 0, 1, 1}, {nullptr, 0, 1}, workspace);
}

}  // namespace trace_tests
}  // namespace
}  // namespace kov
