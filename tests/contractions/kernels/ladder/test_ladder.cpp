// SPDX-License-Identifier: MIT
//
// Every rung of the ladder against the definition of products and traces.
#include "kov/contractions/kernels/ladder/ladder.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"

namespace kov {
namespace {
namespace ladder {

using reference::HostNumbers;
using test::on_device;
using test::on_host;
using test::random_numbers;

template <class T>
class Ladder : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Ladder, Precisions);

TYPED_TEST(Ladder, EveryRungMultipliesAnyNumberOfMatricesOfAnySize) {
  using Z = Complex<TypeParam>;
  constexpr std::size_t n_left = 7;  // no multiple of 2, 3 and 4
  for (const std::size_t n : {1, 15, 16, 17, 31, 33}) {
    const HostNumbers a = random_numbers<Z>(n_left * n * n, 1), b = random_numbers<Z>(n * n, 2);
    const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(b);
    const HostNumbers expected = reference::product(a, b, n_left * n, n, n);
    for (int rung = 0; rung < n_product_rungs; ++rung)
      for (const bool batched : {true, false}) {
        if (!batched && n != 17) continue;
        const Buffer<Z> dc("c", n_left * n * n);
        multiply_on_rung(ProductRung(rung), da.data(), db.data(), dc.data(), int(n), int(n_left), batched);
        EXPECT_LE(test::distance(on_host(dc), expected), test::tolerance<TypeParam>(n))
            << name(ProductRung(rung)) << " " << n;
      }
  }
}

TYPED_TEST(Ladder, EveryRungMultipliesLargerMatrices) {
  using Z = Complex<TypeParam>;
  for (const std::size_t n : {64, 65}) {
    const HostNumbers a = random_numbers<Z>(n * n, 1), b = random_numbers<Z>(n * n, 2);
    const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(b);
    const HostNumbers expected = reference::product(a, b, n, n, n);
    for (int rung = 0; rung < n_product_rungs; ++rung) {
      const Buffer<Z> dc("c", n * n);
      multiply_on_rung(ProductRung(rung), da.data(), db.data(), dc.data(), int(n), 1, true);
      EXPECT_LE(test::distance(on_host(dc), expected), test::tolerance<TypeParam>(n)) << name(ProductRung(rung));
    }
  }
}

TYPED_TEST(Ladder, EveryRungTracesAnyNumberOfOperators) {
  using Z = Complex<TypeParam>;
  for (const int c : {1, 15, 16, 17, 31, 33, 65}) {
    const std::size_t n = 9, length = n * n;
    const HostNumbers a = random_numbers<Z>(std::size_t(c) * length, 1), b = random_numbers<Z>(2 * length, 2);
    // The definition of a trace, with the right matrices transposed.
    HostNumbers transposed(2 * length), expected;
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t x = 0; x < n; ++x)
        for (std::size_t y = 0; y < n; ++y) transposed[j * length + x * n + y] = b[j * length + y * n + x];
    for (int i = 0; i < c; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        const auto matrix = [&](const HostNumbers& all, std::size_t k) {
          const auto begin = all.begin() + std::ptrdiff_t(k * length);
          return HostNumbers(begin, begin + std::ptrdiff_t(length));
        };
        expected.push_back(reference::trace_of_product(matrix(a, std::size_t(i)), matrix(b, j), n));
      }
    const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(transposed);
    TraceWorkspace workspace;
    for (int rung = 0; rung < n_trace_rungs; ++rung) {
      const Buffer<Complex<double>> sums("sums", expected.size());
      traces_on_rung<TypeParam>(TraceRung(rung), {da.data(), db.data(), c, 2, std::int64_t(length)}, sums.data(),
                                workspace);
      EXPECT_LE(test::distance(on_host(sums), expected), test::tolerance<TypeParam>(length))
          << name(TraceRung(rung)) << " " << c;
    }
  }
}

TEST(Ladder, RefusesSeveralPairs) {
  TraceWorkspace workspace;
  EXPECT_THROW(traces_on_rung<float>(TraceRung::tiled, {nullptr, nullptr, 1, 1, 1, 2}, nullptr, workspace), InputError);
  EXPECT_THROW(multiply_on_rung<double>(ProductRung::naive, nullptr, nullptr, nullptr, -1, 1, true), InputError);
}

}  // namespace ladder
}  // namespace
}  // namespace kov
