// SPDX-License-Identifier: MIT
//
// Packs do in every lane what plain numbers do, to the last bit; wide, narrow and single-lane packs alike.
#include "kov/core/site/pack.hpp"

#include <gtest/gtest.h>

#if !defined(KOKKOS_ENABLE_CUDA)

#include <cmath>
#include <limits>
#include <vector>

namespace kov {
namespace {

template <class P>
struct Parts;
template <class T, int N>
struct Parts<Pack<T, N>> {
  using Scalar = T;
  static constexpr int lanes = N;
};

template <class P>
class Packs : public ::testing::Test {
 protected:
  using T = typename Parts<P>::Scalar;
  static constexpr int N = Parts<P>::lanes;
  /// N numbers of both signs and very different sizes, zero among them, aligned as packs are.
  struct alignas(64) Numbers {
    T value[N];
  };
  static Numbers numbers(int which) {
    Numbers x;
    for (int i = 0; i < N; ++i) {
      const int k = i + N * which;
      x.value[i] = k % 5 == 4 ? T(0) : std::ldexp(T(1) + T(k) / 7, (k * 13) % 23 - 11) * (k % 2 ? -1 : 1);
    }
    return x;
  }
  Numbers a = numbers(0), b = numbers(1);
  P pa = P::load(a.value), pb = P::load(b.value);

  /// f(lane): the expected number in that lane.
  template <class F>
  void expect_lanes(const P& p, const F& f, const char* what) const {
    Numbers expected;
    for (int i = 0; i < N; ++i) expected.value[i] = f(i);
    expect_numbers(p, expected, what);
  }
  void expect_numbers(const P& p, const Numbers& expected, const char* what) const {
    for (int i = 0; i < N; ++i) {
      if (std::isnan(expected.value[i]))
        EXPECT_TRUE(std::isnan(p.lane(i))) << what << ", lane " << i;
      else
        EXPECT_EQ(p.lane(i), expected.value[i]) << what << ", lane " << i;
    }
  }
};

using Types = ::testing::Types<Pack<float, 1>, Pack<double, 1>, Pack<float, 2>, Pack<double, 2>, Pack<float, 4>,
                               Pack<double, 4>, Pack<float, 8>, Pack<double, 8>, Pack<float, 16>, Pack<double, 16>>;
TYPED_TEST_SUITE(Packs, Types);

TYPED_TEST(Packs, FmaRoundsOnceWhereTheCpuHasIt) {
  using T = typename TestFixture::T;
#if defined(__FMA__) || defined(__FP_FAST_FMA)
  const auto in_lane = [](T a, T b, T c) { return std::fma(a, b, c); };
#else
  const auto in_lane = [](T a, T b, T c) { return T(a * b) + c; };
#endif
  const T tiny = std::numeric_limits<T>::epsilon();
  const TypeParam above(1 + tiny), below(1 - tiny), minus(T(-1));
  this->expect_lanes(
      fma(above, below, minus), [&](int) { return in_lane(1 + tiny, 1 - tiny, -1); }, "1 - tiny^2 - 1");
  this->expect_lanes(
      fma(this->pa, this->pb, this->pa),
      [&](int i) { return in_lane(this->a.value[i], this->b.value[i], this->a.value[i]); }, "fma");
}

TYPED_TEST(Packs, SquareRootsAreThoseOfTheLanes) {
  using T = typename Packs<TypeParam>::T;
  const auto& a = this->a.value;
  this->expect_lanes(
      sqrt(this->pa * this->pa), [&](int i) { return std::sqrt(T(a[i] * a[i])); }, "sqrt of a square");
  this->expect_lanes(
      sqrt(this->pa), [&](int i) { return std::sqrt(a[i]); }, "sqrt, not a number where negative");
}

// Comparisons with NaN are false, in packs as in plain numbers.
TYPED_TEST(Packs, LanesAreChosenByComparison) {
  using T = typename Packs<TypeParam>::T;
  const auto &a = this->a.value, &b = this->b.value;
  const TypeParam x(T(3)), y(T(-5)), roots = sqrt(this->pa);
  int greater = 0, positive_roots = 0;
  for (int i = 0; i < this->N; ++i) {
    greater += a[i] > b[i];
    positive_roots += a[i] > 0;
  }
  this->expect_lanes(
      where_greater(this->pa, this->pb, x, y), [&](int i) { return where_greater(a[i], b[i], T(3), T(-5)); }, "chosen");
  this->expect_lanes(
      where_greater(roots, TypeParam(T(0)), x, y), [&](int i) { return a[i] > 0 ? T(3) : T(-5); }, "no number");
  EXPECT_EQ(count_greater(this->pa, this->pb), greater);
  EXPECT_EQ(count_greater(roots, TypeParam(T(0))), positive_roots);
  EXPECT_EQ(count_greater(this->pa, this->pa), 0);
  EXPECT_EQ(count_greater(T(2), T(1)) + count_greater(T(1), T(1)), 1);
}

TYPED_TEST(Packs, LoadStoreStreamAndLanesMoveNumbersAsTheyAre) {
  const auto& a = this->a.value;
  this->expect_lanes(
      this->pa, [&](int i) { return a[i]; }, "load");
  typename Packs<TypeParam>::Numbers stored{}, streamed{};
  this->pa.store(stored.value);
  this->pa.stream(streamed.value);
  TypeParam p = this->pa;
  for (int i = 0; i < this->N; ++i) {
    EXPECT_EQ(stored.value[i], a[i]);
    EXPECT_EQ(streamed.value[i], a[i]);
    p.set_lane(i, a[i] + 1);
  }
  this->expect_lanes(
      p, [&](int i) { return a[i] + 1; }, "set_lane");
  p.set_lane(0, 99);
  this->expect_lanes(
      p, [&](int i) { return i == 0 ? 99 : a[i] + 1; }, "set_lane of one");
}

TYPED_TEST(Packs, ANumberFillsAllLanes) {
  using T = typename Packs<TypeParam>::T;
  for (const T value : {T(0), T(-2.5), std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN()})
    this->expect_lanes(
        TypeParam(value), [&](int) { return value; }, "broadcast");
}

TYPED_TEST(Packs, ArithmeticIsThatOfEveryLane) {
  using T = typename Packs<TypeParam>::T;
  const auto &a = this->a.value, &b = this->b.value;
  const TypeParam &pa = this->pa, &pb = this->pb;
  this->expect_lanes(
      pa + pb, [&](int i) { return T(a[i] + b[i]); }, "sum");
  this->expect_lanes(
      pa - pb, [&](int i) { return T(a[i] - b[i]); }, "difference");
  this->expect_lanes(
      pa * pb, [&](int i) { return T(a[i] * b[i]); }, "product");
  this->expect_lanes(
      pa / pb, [&](int i) { return T(a[i] / b[i]); }, "quotient, by zero as well");
  this->expect_lanes(
      -pa, [&](int i) { return -a[i]; }, "negative");
  TypeParam p = pa;
  this->expect_lanes(
      p += pb, [&](int i) { return T(a[i] + b[i]); }, "+=");
  this->expect_lanes(
      p = pa, [&](int i) { return a[i]; }, "assignment");
  this->expect_lanes(
      p -= pb, [&](int i) { return T(a[i] - b[i]); }, "-=");
  p = pa;
  this->expect_lanes(
      p *= pb, [&](int i) { return T(a[i] * b[i]); }, "*=");
  // A plain number stands for all lanes.
  this->expect_lanes(
      pa * TypeParam(T(3)), [&](int i) { return T(a[i] * 3); }, "times a number");
  this->expect_lanes(
      T(3) * pa, [&](int i) { return T(a[i] * 3); }, "a number times");
}

TYPED_TEST(Packs, ExchangingLanesFlipsBitsOfTheirNumber) {
  const auto& a = this->a.value;
  for (int mask = 0; mask < this->N; ++mask) {
    const LaneExchange<typename Parts<TypeParam>::Scalar, Parts<TypeParam>::lanes> exchanged(mask);
    const TypeParam p = exchanged(this->pa);
    this->expect_lanes(
        p, [&](int i) { return a[i ^ mask]; }, "exchange");
    this->expect_lanes(
        exchanged(p), [&](int i) { return a[i]; }, "exchange, twice");
  }
}

TYPED_TEST(Packs, HalvesExchangeLanesEachItsOwn) {
  using T = typename Parts<TypeParam>::Scalar;
  constexpr int N = Parts<TypeParam>::lanes;
  if constexpr (N > 1 && std::is_constructible_v<LaneExchange<T, N>, HalvesExchange>) {
    for (int lower = 0; lower < N; ++lower)
      for (int upper = 0; upper < N; ++upper)
        this->expect_lanes(
            LaneExchange<T, N>(HalvesExchange{lower, upper})(this->pa),
            [&](int i) { return this->a.value[i ^ (i < N / 2 ? lower : upper)]; }, "exchange of halves");
  } else {
    GTEST_SKIP() << "does not apply: a pack of several registers";
  }
}

TYPED_TEST(Packs, JoinedPacksHaveTheLanesOfBoth) {
  const auto &a = this->a.value, &b = this->b.value;
  constexpr int N = Packs<TypeParam>::N;
  const auto both = join(this->pa, this->pb);
  for (int i = 0; i < N; ++i) {
    EXPECT_EQ(both.lane(i), a[i]);
    EXPECT_EQ(both.lane(N + i), b[i]);
  }
}

TYPED_TEST(Packs, FloatsBecomeTheSameNumbersInDouble) {
  const auto p = to_double(this->pa);
  static_assert(std::is_same_v<std::remove_const_t<decltype(p)>, Pack<double, Packs<TypeParam>::N>>);
  for (int i = 0; i < this->N; ++i) EXPECT_EQ(p.lane(i), double(this->a.value[i]));
  static_assert(std::is_same_v<scalar_t<TypeParam>, typename Packs<TypeParam>::T>);
}

TEST(PackSizes, FillWholeRegisters) {
  EXPECT_EQ(sizeof(Pack<float, default_lanes>), default_lanes * sizeof(float));
  EXPECT_EQ(sizeof(Pack<double, default_lanes>), default_lanes * sizeof(double));
  static_assert(Pack<double, 8>::width * Pack<double, 8>::n_words == 8);
}

}  // namespace
}  // namespace kov

#else

namespace kov {
TEST(Packs, AreNotInBuildsForGpus) {
  static_assert(!has_packs && default_lanes == 32);
  static_assert(std::is_same_v<scalar_t<float>, float>);
}
}  // namespace kov

#endif
