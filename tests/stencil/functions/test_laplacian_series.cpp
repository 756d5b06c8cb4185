// SPDX-License-Identifier: MIT
//
// Series of the Laplacian in one kernel against powers of the naive Laplacian, against the general recurrence, and
// slice by slice.
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/functions/laplacian_series.hpp"
#include "kov/stencil/functions/slice_steps.hpp"
#include "kov/stencil/smearing/profile_smearing.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using detail::worth_slices;
using reference::gather;
using reference::GlobalArray;

template <class T>
CovariantLaplacian<T> laplacian_on(const Lattice& lattice, const GlobalArray& u, Dimensions d) {
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, u);
  return CovariantLaplacian<T>(GaugeLinks<T>(gauge), d);
}

class LaplacianSeries : public test::OnLattices {};

/// 3 - x / 2 + x^2 / 20 - x^3 / 300 and its first orders, x = -Delta.
constexpr double kPower[] = {3, -0.5, 0.05, -1.0 / 300};

template <template <class> class SiteT, class T>
void check_polynomials(const Lattice& lattice, Dimensions d, int n_components) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1),
                    psi = reference::random_array(lattice.extent(), SiteT<T>::n_complex * n_components, 2);
  const auto laplacian = laplacian_on<T>(lattice, u, d);
  const Field<SiteT, T> in(lattice, "in", n_components), out = in.like("out");
  GlobalArray power = psi, expected(psi.extent, psi.n);
  for (int order = 0; order <= 3; ++order) {
    if (order > 0) {
      power = reference::laplacian(u, power, int(d));
      for (auto& z : power.data) z = -z;
    }
    for (std::size_t i = 0; i < psi.data.size(); ++i) expected.data[i] += kPower[order] * power.data[i];
    const auto series = ChebyshevSeries::of_order(
        [&](double x) {
          double sum = 0;
          for (int k = order; k >= 0; --k) sum = sum * x + kPower[k];
          return sum;
        },
        {0, 4.0 * int(d)}, order);
    load(in, psi);
    apply_laplacian_series(series, laplacian, in, out);
    const double tolerance = 100 * std::numeric_limits<T>::epsilon() * reference::max_abs(expected);
    EXPECT_LT(max_difference(out, expected), tolerance) << "order " << order;
    EXPECT_EQ(max_difference(in, gather(in)), 0);
    apply_laplacian_series(series, laplacian, in, in);
    EXPECT_LT(max_difference(in, expected), tolerance) << "in place, order " << order;
  }
}

TEST_P(LaplacianSeries, OfAPolynomialIsThePolynomial) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    check_polynomials<Spinor, double>(lattice, d, 1);
    check_polynomials<Spinor, float>(lattice, d, 2);
    check_polynomials<ColorVector, double>(lattice, d, 3);
    check_polynomials<ColorVector, float>(lattice, d, 1);
  }
}

TEST_P(LaplacianSeries, EqualsTheGeneralRecurrence) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto laplacian =
      laplacian_on<double>(lattice, reference::random_su3(lattice.extent(), 4, 1), Dimensions::space);
  const SpinorField<double> in(lattice, "in", 2), out = in.like("out"), expected = in.like("expected");
  load(in, reference::random_array(lattice.extent(), 24, 2));
  const auto series = ChebyshevSeries::to_accuracy(theta_profile(4, 1), {0, 12}, {.error = 1e-10});
  EXPECT_GT(series.order(), 20);
  apply_laplacian_series(series, laplacian, in, out);
  apply_series(series, momentum_squared<Spinor>(laplacian), in, expected);
  EXPECT_LT(max_difference(out, gather(expected)),
            20 * std::numeric_limits<double>::epsilon() * series.order() * reference::max_abs(gather(in)));
}

INSTANTIATE_TEST_SUITE_P(Lattices, LaplacianSeries, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

template <template <class> class SiteT, class T>
void check_slices(const Lattice& slices, const Lattice& steps, int n_components) {
  const GlobalArray u = reference::random_su3(slices.extent(), 4, 1);
  const auto by_slices = laplacian_on<T>(slices, u, Dimensions::space),
             by_steps = laplacian_on<T>(steps, u, Dimensions::space);
  const Field<SiteT, T> in(slices, "in", n_components), in_steps(steps, "in", n_components);
  ASSERT_TRUE(worth_slices(in));
  ASSERT_FALSE(worth_slices(in_steps));
  const GlobalArray psi = reference::random_array(slices.extent(), SiteT<T>::n_complex * n_components, 2);
  load(in_steps, psi);
  for (const int order : {0, 1, 2, 3, 6}) {
    const auto series = ChebyshevSeries::of_order(gaussian_profile(1), {0, 12}, order);
    const auto out = in.like("out"), expected = in_steps.like("expected");
    load(in, psi);
    apply_laplacian_series(series, by_steps, in_steps, expected);
    apply_laplacian_series(series, by_slices, in, out);
    EXPECT_EQ(max_difference(out, gather(expected)), 0) << "order " << order << ", components " << n_components;
    apply_laplacian_series(series, by_slices, in, in);
    EXPECT_EQ(max_difference(in, gather(expected)), 0) << "in place, order " << order;
  }
}

TEST(LaplacianSeriesBySlices, HasTheBitsOfStepByStep) {
  const LatticeOptions time{.grid = Coord{1, 1, 1, Comm::world().size()}};
  LatticeOptions forced = time;
  forced.force_exchange = true;
  const Lattice slices(Comm::world(), {8, 8, 8, 4}, time), steps(Comm::world(), {8, 8, 8, 4}, forced);
  if (!worth_slices(SpinorField<double>(slices, "psi")))
    GTEST_SKIP() << "NOT TESTED: no packs, or too few slices for the threads";
  check_slices<Spinor, double>(slices, steps, 1);
  check_slices<Spinor, float>(slices, steps, 12);
  check_slices<Spinor, double>(slices, steps, 12);
  check_slices<ColorVector, double>(slices, steps, 5);
  check_slices<ColorVector, float>(slices, steps, 7);
}

TEST(LaplacianSeriesOfFields, RefusesDifferentShapes) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const auto laplacian = laplacian_on<double>(lattice, reference::unit_gauge(lattice.extent()), Dimensions::space);
  const auto series = ChebyshevSeries::of_order(gaussian_profile(1), {0, 12}, 4);
  const Field<ColorVector, double> in(lattice, "in"), wide(lattice, "wide", 2), even(lattice, "even", 1, Subset::even),
      elsewhere(Lattice(Comm::world(), {4, 4, 4, 4}), "elsewhere");
  EXPECT_THROW(apply_laplacian_series(series, laplacian, in, wide), InputError);
  EXPECT_THROW(apply_laplacian_series(series, laplacian, even, even), InputError);
  EXPECT_THROW(apply_laplacian_series(series, laplacian, elsewhere, elsewhere), InputError);
  const Field<Spinor, double, ColumnLanes<8>> block(lattice, "block", 3), other(lattice, "other", 4);
  EXPECT_THROW(apply_laplacian_series(series, laplacian, block, other), InputError);
}

}  // namespace
}  // namespace kov
