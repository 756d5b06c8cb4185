// SPDX-License-Identifier: MIT
//
// Every implementation of products and traces is as accurate as its bound says: number by number, against sums in a
// wider type.  Two of them, or a CPU and a GPU, then differ by the sum of their bounds at most.
#include "kov/contractions/kernels/ladder/ladder.hpp"
#include "kov/contractions/kernels/product.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"

namespace kov {
namespace {
namespace accuracy {

using reference::HostNumbers;
using test::on_device;
using test::on_host;

/// Numbers that use all digits of Z.
template <class Z>
HostNumbers full_numbers(std::size_t n, std::uint32_t stream) {
  HostNumbers numbers = test::random_numbers<Z>(n, stream);
  for (auto& z : numbers) z = test::host_number(test::number_of<Z>(z / 3.0));
  return numbers;
}

/// Sums of products with their errors' bounds, which grow with the moduli of the products.
struct Expected {
  HostNumbers sums;
  std::vector<double> moduli;
};
/// Products of rows of a and columns of b, or of rows of both.
Expected expected_sums(const HostNumbers& a, const HostNumbers& b, std::size_t rows, std::size_t n, std::size_t columns,
                       bool of_rows) {
  Expected e;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      std::complex<long double> sum = 0;
      double moduli = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const std::complex<long double> x(a[i * n + k]), y(of_rows ? b[j * n + k] : b[k * columns + j]);
        sum += std::complex<long double>{x.real() * y.real() - x.imag() * y.imag(),
                                         x.real() * y.imag() + x.imag() * y.real()};
        moduli += double(std::abs(x) * std::abs(y));
      }
      e.sums.emplace_back(double(sum.real()), double(sum.imag()));
      e.moduli.push_back(moduli);
    }
  return e;
}

/// The largest error in units of bound sum |a| |b| + rounding |sum|.  At most 1, or a number is not what it should be.
double largest_error(const HostNumbers& found, const Expected& e, double bound, double rounding) {
  if (found.size() != e.sums.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double ratio = std::abs(found[i] - e.sums[i]) / (bound * e.moduli[i] + rounding * std::abs(e.sums[i]));
    if (!(ratio <= worst)) worst = ratio;
  }
  return worst;
}

/// Half an epsilon: what rounding a number changes.
template <class R>
constexpr double half_epsilon = double(std::numeric_limits<R>::epsilon()) / 2;
template <class Z>
using Wide = std::conditional_t<detail::is_complex_number<Z>, Complex<double>, double>;

template <class Z>
class Accuracy : public testing::Test {};
using Types = testing::Types<float, double, Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(Accuracy, Types);

TYPED_TEST(Accuracy, OfEveryProductIsThatOfItsBound) {
  using Z = TypeParam;
  using R = detail::MatrixReal<Z>;
  for (const std::size_t n : {1, 34, 515}) {
    constexpr std::size_t rows = 34, columns = 37;
    const HostNumbers a = full_numbers<Z>(rows * n, 1), b = full_numbers<Z>(n * columns, 2);
    const Expected expected = expected_sums(a, b, rows, n, columns, false);
    const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(b), c("c", rows * columns);
    const Blas blas = Blas::load();
    std::vector<ProductTiling> tilings(product_tilings().begin(), product_tilings().end());
    if (blas.exists()) tilings.push_back(ProductTiling::vendor);
    for (const ProductTiling tiling : tilings)
      for (const bool wide : {false, true}) {
        if (wide && (!std::is_same_v<R, float> || tiling == ProductTiling::vendor)) continue;
        multiply<Z>(shared_matrix<const Z>(da.data(), rows, int(n)), shared_matrix<const Z>(db.data(), int(n), columns),
                    shared_matrix(c.data(), rows, columns), {}, {.wide_sums = wide, .tiling = tiling, .blas = blas});
        const double bound = wide                              ? rounding_bound<Wide<Z>>(std::int64_t(n))
                             : tiling == ProductTiling::tensor ? tensor_bound<Z>(std::int64_t(n))
                                                               : rounding_bound<Z>(std::int64_t(n));
        EXPECT_LE(largest_error(on_host(c), expected, bound, 1.01 * half_epsilon<R>), 1)
            << name(tiling) << (wide ? " wide " : " ") << n;
      }
  }
}

template <class Z>
class TraceAccuracy : public testing::Test {};
using TraceTypes = testing::Types<Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(TraceAccuracy, TraceTypes);

TYPED_TEST(TraceAccuracy, OfEveryTilingIsThatOfItsBound) {
  using Z = TypeParam;
  constexpr std::size_t operators = 5, length = 6001;
  const HostNumbers left = full_numbers<Z>(operators * length, 1), right = full_numbers<Z>(operators * length, 2);
  const Expected expected = expected_sums(left, right, operators, length, operators, true);
  const Buffer<Z> dl = on_device<Z>(left), dr = on_device<Z>(right);
  const Buffer<Complex<double>> sums("sums", operators * operators);
  TraceWorkspace workspace;
  const Blas blas = Blas::load();
  std::vector<TraceTiling> tilings(trace_tilings().begin(), trace_tilings().end());
  if (blas.exists()) tilings.push_back(TraceTiling::vendor);
  for (const TraceTiling tiling : tilings)
    for (const bool wide : {false, true}) {
      if (wide && (!std::is_same_v<Z, Complex<float>> || tiling == TraceTiling::vendor)) continue;
      traces<Z>({dl.data(), dr.data(), operators, operators, length}, {sums.data(), 0, 1}, workspace,
                {.tiling = tiling, .wide_sums = wide, .blas = blas});
      const bool by_tensor_cores = tiling >= TraceTiling::tensor8 && tiling <= TraceTiling::tensor64;
      const double bound = wide              ? rounding_bound<Complex<double>>(length)
                           : by_tensor_cores ? tensor_bound<Z>(length)
                                             : rounding_bound<Z>(length);
      EXPECT_LE(largest_error(on_host(sums), expected, bound, half_epsilon<double>), 1)
          << name(tiling) << (wide ? " wide" : "");
    }
}

TYPED_TEST(TraceAccuracy, OfEveryRungIsThatOfItsBound) {
  using Z = TypeParam;
  using R = detail::MatrixReal<Z>;
  constexpr std::size_t n = 34;
  const HostNumbers a = full_numbers<Z>(n * n, 1), b = full_numbers<Z>(n * n, 2);
  const Expected of_product = expected_sums(a, b, n, n, n, false), of_trace = expected_sums(a, b, 1, n * n, 1, true);
  const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(b), c("c", n * n);
  for (int rung = 0; rung < n_product_rungs; ++rung) {
    multiply_on_rung(ProductRung(rung), da.data(), db.data(), c.data(), n, 1, true);
    EXPECT_LE(largest_error(on_host(c), of_product, rounding_bound<Z>(n), half_epsilon<R>), 1)
        << name(ProductRung(rung));
  }
  const Buffer<Complex<double>> sum("sum", 1);
  TraceWorkspace workspace;
  for (int rung = 0; rung < n_trace_rungs; ++rung) {
    traces_on_rung<R>(TraceRung(rung), {da.data(), db.data(), 1, 1, n * n}, sum.data(), workspace);
    EXPECT_LE(largest_error(on_host(sum), of_trace, rounding_bound<Z>(n * n), half_epsilon<R>), 1)
        << name(TraceRung(rung));
  }
}

/// Equal terms, whose rounding errors add up: a sum in float is further away than the bound of wide sums allows.
TEST(Accuracy, OfWideSumsIsNotThatOfFloat) {
  using Z = Complex<float>;
  constexpr std::size_t n = 4096;
  const HostNumbers ones(n, {1, 0}), tenths(n, {double(0.1f), 0});
  const Expected expected = expected_sums(ones, tenths, 1, n, 1, true);
  const Buffer<Z> a = on_device<Z>(ones), b = on_device<Z>(tenths), c("c", 1);
  const Buffer<Complex<double>> sum("sum", 1);
  TraceWorkspace workspace;
  for (const bool wide : {false, true}) {
    multiply<Z>(shared_matrix<const Z>(a.data(), 1, n), shared_matrix<const Z>(b.data(), n, 1),
                shared_matrix(c.data(), 1, 1), {}, {.wide_sums = wide});
    const double of_product =
        largest_error(on_host(c), expected, rounding_bound<Complex<double>>(n), half_epsilon<float>);
    traces<Z>({a.data(), b.data(), 1, 1, n}, {sum.data(), 0, 1}, workspace, {.wide_sums = wide});
    const double of_trace =
        largest_error(on_host(sum), expected, rounding_bound<Complex<double>>(n), half_epsilon<double>);
    if (wide) {
      EXPECT_LE(of_product, 1);
      EXPECT_LE(of_trace, 1);
    } else {
      EXPECT_GT(of_product, 1);
      EXPECT_GT(of_trace, 1);
    }
  }
}

}  // namespace accuracy
}  // namespace
}  // namespace kov
