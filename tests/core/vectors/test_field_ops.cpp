// SPDX-License-Identifier: MIT
//
// Vector algebra against the same sums over plain arrays: every site object, both precisions, columns and parities.
#include "kov/core/vectors/field_ops.hpp"
#include "kov/core/vectors/reduce.hpp"
#include "tests/core/vectors/vector_tolerance.hpp"
#include "tests/reference/global_array.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/slow_copy.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::GlobalArray;
using reference::Number;

/// out[i] = a x[i] + b y[i] + c z[i]
GlobalArray combine(Number a, const GlobalArray& x, Number b, const GlobalArray& y, Number c, const GlobalArray& z) {
  GlobalArray out = x;
  for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] = a * x.data[i] + b * y.data[i] + c * z.data[i];
  return out;
}

/// sum of conj(x) y over the sites of a subset, with no rounding to speak of
Number sum_product(const GlobalArray& x, const GlobalArray& y, Subset subset) {
  std::complex<long double> sum = 0;
  reference::for_each_coordinate(x.extent, [&](const Coord& at) {
    if (subset != Subset::all && (parity(at) == 1) != (subset == Subset::odd)) return;
    for (int k = 0; k < x.n; ++k)
      sum += std::complex<long double>(std::conj(x.at(at)[k])) * std::complex<long double>(y.at(at)[k]);
  });
  return Number(sum);
}

template <template <class> class SiteT, class T>
void check(const Lattice& lattice, int n_components, Subset subset) {
  const int n = SiteT<T>::n_complex * n_components;
  const GlobalArray a = reference::random_array(lattice.extent(), n, 1),
                    b = reference::random_array(lattice.extent(), n, 2),
                    c = reference::random_array(lattice.extent(), n, 3);
  // Columns of a wider field: what is not contiguous must work too, and neighbours must stay as they are.
  const Field<SiteT, T> wide(lattice, "wide", n_components + 2, subset);
  const Field<SiteT, T> x(lattice, "x", n_components, subset), y = wide.components(1, n_components), z = x.like("z");
  load(x, a);
  load(z, c);
  const Field<SiteT, T> fresh = x.like("fresh");
  load(fresh, b);
  const auto expect = [&](const Field<SiteT, T>& field, const GlobalArray& expected, const char* what) {
    EXPECT_LE(max_difference(field.contiguous() ? field.alias() : field.clone("clone"), expected),
              test::vector_tolerance<T>(reference::max_abs(expected)))
        << what << ", " << n_components << " components";
  };
  const auto reset = [&] { copy(fresh, y); };
  const Number w(0.3, -1.7);
  reset();
  expect(y, b, "copy");
  scale(1.5, y);
  expect(y, combine(0, a, 1.5, b, 0, c), "scale");
  reset();
  scale(w, y);
  expect(y, combine(0, a, w, b, 0, c), "complex scale");
  reset();
  axpy(-0.7, x, y);
  expect(y, combine(-0.7, a, 1, b, 0, c), "axpy");
  reset();
  axpy(w, x, y);
  expect(y, combine(w, a, 1, b, 0, c), "complex axpy");
  reset();
  axpbypz(w, x, 2.0 * w, z, y);
  expect(y, combine(w, a, 1, b, 2.0 * w, c), "axpbypz");
  reset();
  xpay(x, 3, y);
  expect(y, combine(1, a, 3, b, 0, c), "xpay");
  reset();
  xpay(x, w, y);
  expect(y, combine(1, a, w, b, 0, c), "complex xpay");
  reset();
  xpaypbz(x, -1.0 * w, z, w, y);
  expect(y, combine(1, a, w, b, -w, c), "xpaypbz");
  reset();
  const double updated = axpy_norm2(0.25, x, y);
  const GlobalArray sum = combine(0.25, a, 1, b, 0, c);
  expect(y, sum, "axpy_norm2");
  const double sites = double(lattice.volume()) * n;
  EXPECT_NEAR(updated, sum_product(sum, sum, subset).real(), test::vector_tolerance<T>(2 * sites));
  reset();
  EXPECT_NEAR(norm2(y), sum_product(b, b, subset).real(), test::vector_tolerance<T>(2 * sites));
  const Number product = inner_product(x, y), expected = sum_product(a, b, subset);
  EXPECT_LE(std::abs(product - expected), test::vector_tolerance<T>(2 * std::sqrt(sites) + 1));
  const auto [again, norm] = inner_product_norm2(x, y);
  // The same sums in another kernel: compilers may fuse other products and sums there.
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  EXPECT_LE(std::abs(again - product), rounding * std::sqrt(norm * norm2(y)));
  EXPECT_NEAR(norm, norm2(x), rounding * norm);
  zero(y);
  EXPECT_EQ(norm2(y), 0);
  EXPECT_EQ(norm2(wide), 0) << "components beside the ones named were written";
}

class FieldOps : public test::OnLattices {};

TEST_P(FieldOps, EqualsPlainArrays) {
  const Lattice lattice = GetParam().make(Comm::world());
  check<Spinor, double>(lattice, 1, Subset::all);
  check<Spinor, float>(lattice, 1, Subset::all);
  check<Spinor, double>(lattice, 1, Subset::even);
  check<Spinor, float>(lattice, 3, Subset::odd);
  check<ColorVector, double>(lattice, 2, Subset::all);
  check<ColorVector, float>(lattice, 1, Subset::even);
  check<ColorMatrix, double>(lattice, 4, Subset::all);
  check<ColorMatrix, float>(lattice, 1, Subset::all);
  check<HalfSpinor, double>(lattice, 1, Subset::odd);
  check<HalfSpinor, float>(lattice, 1, Subset::all);
  check<SpinMatrix, double>(lattice, 1, Subset::all);
  check<Scalar, double>(lattice, 5, Subset::all);
  check<Scalar, float>(lattice, 1, Subset::all);
}

INSTANTIATE_TEST_SUITE_P(Lattices, FieldOps, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

TEST(FieldOpsErrors, FieldsOfDifferentShapesAreRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const SpinorField<double> x(lattice, "x"), wide(lattice, "wide", 2), even(lattice, "even", 1, Subset::even);
  const SpinorField<double> other(Lattice(Comm::world(), {4, 4, 4, 8}), "other");
  EXPECT_THROW(axpy(1, wide, x), InputError);
  EXPECT_THROW(copy(x, even), InputError);
  EXPECT_THROW(inner_product(x, other), InputError);
  EXPECT_THROW(axpy_norm2(1, wide, x), InputError);
}

TEST(FieldOpsInstances, OneOfTheCallersGivesTheSameNumbers) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto exec = Kokkos::Experimental::partition_space(Kokkos::DefaultExecutionSpace(), 1)[0];
  const SpinorField<double> x(lattice, "x"), y(lattice, "y"), z(lattice, "z");
  load(x, reference::random_array(lattice.extent(), 12, 1));
  load(y, reference::random_array(lattice.extent(), 12, 2));
  Kokkos::fence();
  copy(y, z, exec);
  axpy(0.5, x, z, exec);
  const double norm = axpy_norm2(Number(0, 1), x, z, exec);
  EXPECT_EQ(norm2(z, exec), norm2(z));
  EXPECT_EQ(inner_product(x, z, exec), inner_product(x, z));
  axpy(0.5, x, y);
  EXPECT_EQ(axpy_norm2(Number(0, 1), x, y), norm);
}

TEST(FieldOpsInstances, AFieldToWorkInIsZeroAfterWhatUsedItsMemory) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const Exec exec = test::own_instance();
  const SpinorField<double> x(lattice, "x");
  load(x, reference::random_array(lattice.extent(), 12, 1));
  Kokkos::fence();
  for (int k = 0; k < 3; ++k) {
    const SpinorField<double> y = x.like("y", exec);
    EXPECT_TRUE(y.conforms(x));
    EXPECT_EQ(norm2(y, exec), 0);
    axpy(1.0, x, y, exec);
    EXPECT_EQ(norm2(y, exec), norm2(x));
    test::slow_copy(x, y, exec);  // not done when the field goes
  }
}

TEST(FieldOpsSums, FloatFieldsAreSummedInDouble) {
  // A float cannot hold 2^24 + 1: a sum in single precision would lose the small numbers.
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const Field<Scalar, float> x(lattice, "x");
  GlobalArray a(lattice.extent(), 1);
  for (Number& z : a.data) z = 1;
  a.data[0] = 4096;
  load(x, a);
  EXPECT_EQ(norm2(x), 4096. * 4096. + double(lattice.volume() - 1));
}

}  // namespace
}  // namespace kov
