// SPDX-License-Identifier: MIT
//
// Products of every tiling, type and size against their definition.
#include "kov/contractions/kernels/cuda/tensor_cores.hpp"
#include "kov/contractions/kernels/product.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"
#include "tests/support/precision.hpp"

namespace kov {
namespace {
namespace products {

using reference::HostNumbers;
using test::on_device;
using test::on_host;
using test::random_numbers;

/// Rows of a and of the product, inner index, columns.
struct Shape {
  std::size_t m, n, k;
};
constexpr Shape shapes[] = {{1, 1, 1},    {15, 15, 15}, {16, 16, 16}, {17, 17, 17}, {31, 31, 31}, {33, 33, 33},
                            {64, 64, 64}, {65, 65, 65}, {3, 130, 7},  {129, 5, 66}, {2, 0, 3}};

template <class Z>
void check(const Shape& s, std::span<const ProductTiling> tilings) {
  const int m = int(s.m), n = int(s.n), k = int(s.k);
  const HostNumbers a = random_numbers<Z>(s.m * s.n, 1), b = random_numbers<Z>(s.n * s.k, 2);
  const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(b);
  const HostNumbers expected = reference::product(a, b, s.m, s.n, s.k);
  for (const ProductTiling tiling : tilings)
    for (const bool wide : {false, true}) {
      if (wide && !std::is_same_v<detail::MatrixReal<Z>, float>) continue;
      const Buffer<Z> dc("c", s.m * s.k);
      multiply<Z>(shared_matrix<const Z>(da.data(), m, n), shared_matrix<const Z>(db.data(), n, k),
                  shared_matrix(dc.data(), m, k), {}, {.wide_sums = wide, .tiling = tiling});
      EXPECT_LE(test::distance(on_host(dc), expected), test::tolerance<detail::MatrixReal<Z>>(s.n))
          << name(tiling) << " " << m << " " << n << " " << k;
    }
}

template <class Z>
class Products : public testing::Test {};
using Types = testing::Types<float, double, Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(Products, Types);

TYPED_TEST(Products, AreThoseOfTheDefinitionInEveryTilingAndSize) {
  for (const Shape& shape : shapes) check<TypeParam>(shape, product_tilings());
  const ProductTiling automatic[] = {ProductTiling::automatic};
  check<TypeParam>({65, 65, 65}, automatic);
  check<TypeParam>({250, 3, 260}, automatic);  // several blocks of rows and columns on CPUs
}

/// A number of a product in long double, and the sum of the moduli of its terms.
struct ExactNumber {
  std::size_t place;
  std::complex<long double> sum = 0;
  double moduli = 0;
};

/// Of two products beside each other: numbers in some rows and columns, the last ones and those around the 256th, where
/// CPUs begin another block, among them.
std::vector<ExactNumber> exact_numbers(const HostNumbers& a, const HostNumbers& b, const Shape& s) {
  const auto some = [](std::size_t size) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < size; ++i)
      if (i % 37 == 0 || i + 1 == size || (i > 253 && i < 266)) all.push_back(i);
    return all;
  };
  std::vector<ExactNumber> numbers;
  for (std::size_t product = 0; product < 2; ++product)
    for (const std::size_t row : some(s.m))
      for (const std::size_t column : some(s.k)) {
        ExactNumber exact{(product * s.m + row) * s.k + column};
        for (std::size_t inner = 0; inner < s.n; ++inner) {
          const std::complex<long double> x(a[(product * s.m + row) * s.n + inner]),
              y(b[(product * s.n + inner) * s.k + column]);
          exact.sum += std::complex<long double>{x.real() * y.real() - x.imag() * y.imag(),
                                                 x.real() * y.imag() + x.imag() * y.real()};
          exact.moduli += double(std::abs(x) * std::abs(y));
        }
        numbers.push_back(exact);
      }
  return numbers;
}

/// Within the bound for sums of this length, and the rounding of what is stored.
template <class Z>
void check_two(const Shape& s, std::span<const ProductTiling> tilings) {
  using R = detail::MatrixReal<Z>;
  using Wide = std::conditional_t<detail::is_complex_number<Z>, Complex<double>, double>;
  const HostNumbers a = random_numbers<Z>(2 * s.m * s.n, 1), b = random_numbers<Z>(2 * s.n * s.k, 2);
  const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(b);
  const std::vector<ExactNumber> expected = exact_numbers(a, b, s);
  for (const ProductTiling tiling : tilings)
    for (const bool wide : {false, true}) {
      if (wide && !std::is_same_v<R, float>) continue;
      const Buffer<Z> dc("c", 2 * s.m * s.k);
      multiply<Z>(packed_matrices<const Z>(da.data(), int(s.m), int(s.n)),
                  packed_matrices<const Z>(db.data(), int(s.n), int(s.k)),
                  packed_matrices(dc.data(), int(s.m), int(s.k)), {{2, 1, 1, 1}},
                  {.wide_sums = wide, .tiling = tiling});
      const auto n = std::int64_t(s.n);
      const bool by_tensor_cores =
          tiling == ProductTiling::tensor || (tiling == ProductTiling::automatic && detail::has_tensor_cores());
      const double bound = wide ? rounding_bound<Wide>(n) : by_tensor_cores ? tensor_bound<Z>(n) : rounding_bound<Z>(n);
      const HostNumbers c = on_host(dc);
      for (const ExactNumber& exact : expected)
        EXPECT_LE(double(std::abs(std::complex<long double>(c[exact.place]) - exact.sum)),
                  bound * exact.moduli + test::eps<R> * double(std::abs(exact.sum)))
            << name(tiling) << (wide ? ", wide, " : ", ") << s.m << " x " << s.n << " times " << s.n << " x " << s.k
            << ", row " << exact.place / s.k << ", column " << exact.place % s.k;
    }
}

TYPED_TEST(Products, OfMoreThanOneBlockAreThoseOfTheDefinition) {
  for (const Shape& shape : {Shape{385, 261, 3}, {513, 3, 261}, {2, 513, 385}})
    check_two<TypeParam>(shape, product_tilings());
  const ProductTiling automatic[] = {ProductTiling::automatic};
  check_two<TypeParam>({261, 513, 385}, automatic);
}

/// Rows with gaps between them, at an address that is not aligned, a shared left factor, a batch in two directions.
TYPED_TEST(Products, OfABatchWithStridesLeaveTheGapsAlone) {
  using Z = TypeParam;
  constexpr std::size_t m = 9, n = 10, k = 11, row = 13, matrix = m * row + 2, first = 1, batch = 6;
  const HostNumbers a = random_numbers<Z>(m * n, 3), b = random_numbers<Z>(3 * n * k, 4);
  const HostNumbers gaps = random_numbers<Z>(first + batch * matrix, 5);
  for (const ProductTiling tiling : product_tilings()) {
    const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(b), dc = on_device<Z>(gaps);
    multiply<Z>(shared_matrix<const Z>(da.data(), m, n), {db.data(), n, k, k, {0, n * k, 0, 0}},
                {dc.data() + first, m, k, row, {3 * matrix, matrix, 0, 0}}, {{2, 3, 1, 1}}, {.tiling = tiling});
    HostNumbers expected = gaps;
    for (std::size_t i = 0; i < batch; ++i) {
      const auto from = b.begin() + std::ptrdiff_t(i % 3 * n * k);
      const HostNumbers c = reference::product(a, HostNumbers(from, from + n * k), m, n, k);
      for (std::size_t r = 0; r < m; ++r)
        for (std::size_t s = 0; s < k; ++s)
          expected[first + i / 3 * 3 * matrix + i % 3 * matrix + r * row + s] = c[r * k + s];
    }
    EXPECT_LE(test::distance(on_host(dc), expected), test::tolerance<detail::MatrixReal<Z>>(n)) << name(tiling);
  }
}

/// gamma_5 as an n x n matrix.
HostNumbers gamma5_matrix(Gamma5Fold fold, std::size_t n) {
  HostNumbers g(n * n);
  for (std::size_t i = 0; i < n; ++i)
    if (fold == Gamma5Fold::signs)
      g[i * n + i] = i < n / 2 ? 1 : -1;
    else
      g[i * n + (i + n / 2) % n] = 1;
  return g;
}

/// What a correlator needs: the transpose of Phi^+ tau(t, t'), made of tau(t', t) alone.
template <class Z>
void check_right_factor(std::size_t n, Gamma5Fold fold) {
  const HostNumbers tau = random_numbers<Z>(n * n, 6), phi = random_numbers<Z>(n * n, 7), g5 = gamma5_matrix(fold, n);
  const Buffer<Z> dtau = on_device<Z>(tau), dphi = on_device<Z>(phi);
  const HostNumbers backward =
      reference::product(reference::product(g5, reference::adjoint(tau, n), n, n, n), g5, n, n, n);
  const HostNumbers right = reference::product(reference::adjoint(phi, n), backward, n, n, n);
  HostNumbers transposed(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) transposed[j * n + i] = right[i * n + j];
  for (const ProductTiling tiling : product_tilings())
    for (const bool wide : {false, true}) {
      if (wide && !std::is_same_v<detail::MatrixReal<Z>, float>) continue;
      const Buffer<Z> dc("c", n * n);
      const auto matrix = [&](const Buffer<Z>& m) { return shared_matrix<const Z>(m.data(), int(n), int(n)); };
      multiply<Z>(matrix(dtau), matrix(dphi), shared_matrix(dc.data(), int(n), int(n)), {},
                  {.gamma5 = fold, .conjugate = true, .wide_sums = wide, .tiling = tiling});
      EXPECT_LE(test::distance(on_host(dc), transposed), test::tolerance<detail::MatrixReal<Z>>(n))
          << name(tiling) << n;
    }
}

TYPED_TEST(Products, WithGamma5AndConjugateAreTheTransposedRightFactors) {
  for (const Gamma5Fold fold : {Gamma5Fold::signs, Gamma5Fold::exchange})
    for (const std::size_t n : {2, 12, 30, 34, 64, 130}) check_right_factor<TypeParam>(n, fold);
}

/// Whatever blocks of rows a host makes of one matrix and of many.
TYPED_TEST(Products, DoNotDependOnHowManyThereAre) {
  using Z = TypeParam;
  struct Square {
    int n, batch;
  };
  for (const auto& [n, batch] : {Square{70, 40}, {261, 5}, {385, 2}}) {
    const std::size_t matrix = std::size_t(n) * std::size_t(n), all = std::size_t(batch) * matrix, last = all - matrix;
    const Buffer<Z> a = on_device<Z>(random_numbers<Z>(all, 1)), b = on_device<Z>(random_numbers<Z>(all, 2)),
                    c("c", all), one("one", matrix);
    multiply<Z>(packed_matrices<const Z>(a.data(), n, n), packed_matrices<const Z>(b.data(), n, n),
                packed_matrices(c.data(), n, n), {{batch, 1, 1, 1}});
    multiply<Z>(shared_matrix<const Z>(a.data() + last, n, n), shared_matrix<const Z>(b.data() + last, n, n),
                shared_matrix(one.data(), n, n));
    const HostNumbers products = on_host(c);
    EXPECT_EQ(HostNumbers(products.begin() + std::ptrdiff_t(last), products.end()), on_host(one)) << n;
  }
}

TEST(Products, OfShapesThatDoNotFitAreRefused) {
  using Z = Complex<double>;
  const Buffer<Z> memory("memory", 100);
  const auto matrix = [&](int m, int n) { return shared_matrix<const Z>(memory.data(), m, n); };
  const auto into = shared_matrix(memory.data() + 50, 3, 3);
  EXPECT_THROW(multiply<Z>(matrix(3, 4), matrix(5, 3), into), InputError);
  EXPECT_THROW(multiply<Z>(matrix(2, 4), matrix(4, 3), into), InputError);
  EXPECT_THROW(multiply<Z>(matrix(3, 3), matrix(3, 3), into, {{2, 1, 1, 1}}), InputError) << "overwritten";
  EXPECT_THROW(multiply<Z>(matrix(3, 3), matrix(3, 3), into, {{-1, 1, 1, 1}}), InputError);
  EXPECT_THROW(multiply<Z>(matrix(3, 3), matrix(3, 3), into, {}, {.gamma5 = Gamma5Fold::signs}), InputError);
  const auto shifted = reinterpret_cast<const Z*>(reinterpret_cast<const double*>(memory.data()) + 1);
  EXPECT_THROW(multiply<Z>(shared_matrix(shifted, 3, 3), matrix(3, 3), into), InputError) << "not aligned";
  multiply<Z>(matrix(3, 3), matrix(3, 3), into, {{0, 1, 1, 1}});
}

}  // namespace products
}  // namespace
}  // namespace kov
