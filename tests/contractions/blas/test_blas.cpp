// SPDX-License-Identifier: MIT
//
// Products and traces by the BLAS of the machine, and the tuner's choice between it and our own kernels.
#include "kov/contractions/engine/stream.hpp"
#include "kov/core/lattice/tune.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"

#include <filesystem>

namespace kov {
namespace {
namespace blas_tests {

using reference::HostNumbers;
using test::on_device;
using test::on_host;
using test::random_numbers;

class NeedsBlas : public testing::Test {
 protected:
  void SetUp() override {
    if (!blas.exists())
      GTEST_SKIP() << "NOT TESTED: this machine has no BLAS: install libopenblas0; " << blas.problem();
  }
  const Blas blas = Blas::load();
};

TEST_F(NeedsBlas, DescriptionNamesTheFileThatIsUsed) {
  const std::string text = blas.description();
  EXPECT_EQ(text.rfind(blas.name(), 0), 0u) << text;
  const std::string file = text.substr(text.rfind(", ") + 2);
  EXPECT_TRUE(std::filesystem::is_regular_file(file) && !std::filesystem::is_symlink(file)) << text;
  EXPECT_EQ(Blas::load(file).description(), text);
  EXPECT_EQ(Blas().description(), "no BLAS");
}

template <class Z>
class ByBlas : public NeedsBlas {};
using Types = testing::Types<float, double, Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(ByBlas, Types);

/// Some numbers of a batch in two directions with gaps between rows, gamma_5 and conjugates of all kinds: as our own
/// kernels have it, which are tested against the definition.
TYPED_TEST(ByBlas, ProductsAreThoseOfOurKernels) {
  using Z = TypeParam;
  const Blas& blas = this->blas;
  struct Case {
    int m, n, k;
    Gamma5Fold fold = Gamma5Fold::none;
  };
  for (const Case& s : {Case{1, 1, 1},
                        {33, 31, 65},
                        {70, 3, 2},
                        {2, 0, 3},
                        {34, 34, 40, Gamma5Fold::signs},
                        {34, 34, 5, Gamma5Fold::exchange}})
    for (const bool conjugate : {false, true})
      for (const int gap : {0, 3}) {
        const std::int64_t row_a = s.n + gap, row_b = s.k + gap, row_c = s.k + gap, of_a = s.m * row_a + gap,
                           of_b = s.n * row_b, of_c = s.m * row_c;
        constexpr int inner = 3, outer = 2;
        const Buffer<Z> a = on_device<Z>(random_numbers<Z>(std::size_t(1 + outer * of_a), 1)),
                        b = on_device<Z>(random_numbers<Z>(std::size_t(1 + inner * of_b), 2));
        const HostNumbers gaps = random_numbers<Z>(std::size_t(inner * outer * of_c), 3);
        const auto product = [&](ProductTiling tiling) {
          const Buffer<Z> c = on_device<Z>(gaps);
          multiply<Z>({a.data(), s.m, s.n, row_a, {0, of_a, 0, 0}}, {b.data(), s.n, s.k, row_b, {of_b, 0, 0, 0}},
                      {c.data(), s.m, s.k, row_c, {of_c, inner * of_c, 0, 0}}, {{inner, outer, 1, 1}},
                      {.gamma5 = s.fold, .conjugate = conjugate, .tiling = tiling, .blas = blas});
          return on_host(c);
        };
        EXPECT_LE(test::distance(product(ProductTiling::vendor), product(ProductTiling::automatic)),
                  2 * rounding_bound<Z>(s.n) * 2 * s.n)
            << s.m << " " << s.n << " " << s.k << " " << int(s.fold) << conjugate << gap;
      }
}

template <class Z>
class TracesByBlas : public NeedsBlas {};
using TraceTypes = testing::Types<Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(TracesByBlas, TraceTypes);

TYPED_TEST(TracesByBlas, AreThoseOfOurKernels) {
  using Z = TypeParam;
  const Blas& blas = this->blas;
  struct Case {
    int n_left, n_right, length, n_pairs, n_splits;
  };
  for (const Case& c :
       {Case{1, 1, 1, 1, 0}, {5, 17, 1000, 2, 7}, {33, 4, 300, 5, 1}, {3, 2, 9001, 3, 0}, {2, 2, 0, 1, 0}}) {
    const std::size_t length = std::size_t(c.length), pairs = std::size_t(c.n_pairs);
    const Buffer<Z> left = on_device<Z>(random_numbers<Z>(pairs * std::size_t(c.n_left) * length + 1, 1)),
                    right = on_device<Z>(random_numbers<Z>(pairs * std::size_t(c.n_right) * length + 1, 2));
    const TraceProblem<Z> problem{left.data(),         right.data(),        c.n_left, c.n_right, c.length, c.n_pairs,
                                  c.n_left * c.length, c.n_right * c.length};
    const auto sums_by = [&](TraceTiling tiling) {
      const Buffer<Complex<double>> sums("sums", pairs * std::size_t(c.n_left * c.n_right));
      TraceWorkspace workspace;
      traces(problem, {sums.data(), 0, c.n_pairs}, workspace, {.tiling = tiling, .n_splits = c.n_splits, .blas = blas});
      return on_host(sums);
    };
    EXPECT_LE(test::distance(sums_by(TraceTiling::vendor), sums_by(TraceTiling::automatic)),
              2 * rounding_bound<Z>(c.length) * 2 * c.length)
        << c.n_left << " " << c.n_right << " " << c.length;
  }
}

TEST(Blas, ThatIsNotThereDoesNothing) {
  using Z = Complex<float>;
  const Buffer<Z> a("a", 4), c("c", 4);
  const auto matrix = shared_matrix<const Z>(a.data(), 2, 2);
  EXPECT_THROW(multiply<Z>(matrix, matrix, shared_matrix(c.data(), 2, 2), {}, {.tiling = ProductTiling::vendor}),
               InputError);
  TraceWorkspace workspace;
  EXPECT_THROW(traces<Z>({a.data(), a.data(), 1, 1, 4}, {nullptr, 0, 1}, workspace, {.tiling = TraceTiling::vendor}),
               InputError);
  EXPECT_EQ(Blas().name(), "no BLAS");
  EXPECT_THROW(Blas::load("no_such_library.so"), InputError);
  EXPECT_THROW(Blas::load("libc.so.6"), InputError) << "it has no products";
  const Blas usual = Blas::load();
  EXPECT_EQ(usual.exists(), usual.problem().empty()) << usual.problem();
  EXPECT_EQ(Blas().problem(), "");
}

TEST_F(NeedsBlas, ForProductsWhoseSumsAreNotInDouble) {
  using Z = Complex<float>;
  const Buffer<Z> a("a", 4), c("c", 4);
  const auto matrix = shared_matrix<const Z>(a.data(), 2, 2);
  EXPECT_THROW(multiply<Z>(matrix, matrix, shared_matrix(c.data(), 2, 2), {},
                           {.wide_sums = true, .tiling = ProductTiling::vendor, .blas = blas}),
               InputError);
}

/// A clock by which the second of two candidates (the BLAS) is faster or slower.  For each shape a tuner asks it once
/// in each of two turns that warm up, and at the start and the end of 22 turns.
struct TestClock {
  bool prefers_second;
  int n_calls = 0;
  double now = 0;
  double operator()() {
    const int call = n_calls++ % 46 - 2;
    if (call > 0 && call % 2 == 1) now += (call / 2 % 2 == 1) == prefers_second ? 1 : 2;
    return now;
  }
};

TEST_F(NeedsBlas, OrOurKernelsAsTheTunerChooses) {
  if constexpr (!has_packs) GTEST_SKIP() << "does not apply: a GPU has more than two candidates";
  using Z = Complex<float>;
  constexpr int n = 24, c = 5, n_times = 3;
  const Buffer<Z> slices = on_device<Z>(random_numbers<Z>(n_times * c * n * n, 1)),
                  taus = on_device<Z>(random_numbers<Z>(n_times * n_times * n * n, 2));
  const auto correlators = [&](const EngineOptions& options) {
    DenseEngine<float> engine(c, n, n_times, options);
    add_correlators(engine, {slices.data(), taus.data()});
    return engine.correlators();
  };
  const auto ours = correlators({});
  int n_timed = 0;
  for (const bool prefers_blas : {false, true}) {
    auto clock = std::make_shared<TestClock>(TestClock{prefers_blas});
    Tuner tuner(Comm::self(), "no device", [clock] { return (*clock)(); });
    const auto tuned = correlators({.blas = blas, .tuner = &tuner});
    n_timed = clock->n_calls;
    EXPECT_GT(n_timed, 0);
    EXPECT_EQ(correlators({.blas = blas, .tuner = &tuner}), tuned) << "the choice stays";
    EXPECT_EQ(clock->n_calls, n_timed) << "and nothing is timed again";
    // Sums over n and n^2, of numbers of modulus sqrt(2) at most, and of n_times.
    const double bound =
        2 * (2 * rounding_bound<Z>(n) + rounding_bound<Z>(n * n)) * 4 * double(n) * n * n * n * n_times;
    EXPECT_LE(test::distance(tuned, ours), bound);
    if (!prefers_blas) {
      EXPECT_EQ(tuned, ours) << "our own kernels, to the last bit";
    }
  }
}

}  // namespace blas_tests
}  // namespace
}  // namespace kov
