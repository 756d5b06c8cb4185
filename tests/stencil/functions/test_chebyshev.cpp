// SPDX-License-Identifier: MIT
//
// Chebyshev series of functions and of operators, and the Lanczos bounds that they need.
#include "kov/core/field/noise.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/functions/chebyshev.hpp"
#include "kov/stencil/smearing/profile_smearing.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/laplacian_matrix.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

TEST(ChebyshevSeries, OfAnExponentialHasBesselFunctionsAsCoefficients) {
  const auto series = ChebyshevSeries::of_order([](double x) { return std::exp(x); }, {-1, 1}, 20);
  for (int k = 0; k <= 20; ++k)
    EXPECT_NEAR(series.coefficients()[std::size_t(k)], (k == 0 ? 1 : 2) * std::cyl_bessel_i(double(k), 1.0),
                20 * kEpsilon)
        << k;
  EXPECT_LT(series.error(), 20 * kEpsilon);
}

TEST(ChebyshevSeries, OfAPolynomialIsExactAtItsDegree) {
  const auto f = [](double x) { return 3 - x + 0.5 * x * x * x; };
  const auto series = ChebyshevSeries::of_order(f, {-2, 5}, 3);
  for (const double x : {-2.0, -0.7, 0.0, 1.3, 5.0}) EXPECT_NEAR(series(x), f(x), 100 * kEpsilon * 60) << x;
  EXPECT_EQ(ChebyshevSeries::to_accuracy(f, {-2, 5}).order(), 3);
  EXPECT_EQ(ChebyshevSeries::to_accuracy([](double) { return 2.5; }, {0, 1}).order(), 0);
  EXPECT_GT(ChebyshevSeries::of_order(f, {-2, 5}, 2).error(), 0.01);
}

TEST(ChebyshevSeries, ReachesTheWantedAccuracyWithFewTerms) {
  const std::vector<RealFunction> functions{gaussian_profile(1), gaussian_profile(5), node_profile(2),
                                            theta_profile(3, 0.3), [](double x) { return 1 / (x + 0.1); }};
  for (const RealFunction& f : functions)
    for (const double error : {1e-2, 1e-6, 1e-12}) {
      const auto series = ChebyshevSeries::to_accuracy(f, {0, 12}, {.error = error});
      EXPECT_LE(series.error(), error);
      double worst = 0, most = 0;
      for (int i = 0; i <= 5000; ++i) {
        const double x = 12.0 * i / 5000;
        worst = max_or_nan(worst, std::abs(series(x) - f(x)));
        most = std::max(most, std::abs(f(x)));
      }
      EXPECT_LE(worst, 1.1 * error * most) << "at points that the series did not look at";
      if (series.order() > 8) {  // two thirds of the order are not enough
        EXPECT_GT(ChebyshevSeries::of_order(f, {0, 12}, series.order() * 2 / 3).error(), error);
      }
    }
}

TEST(ChebyshevSeries, RefusesWhatItCannotApproximate) {
  const RealFunction step = [](double x) { return x < 3 ? 1.0 : 0.0; };
  EXPECT_THROW(ChebyshevSeries::to_accuracy(step, {0, 12}, {.error = 1e-6, .max_order = 300}), InputError);
  EXPECT_THROW(ChebyshevSeries::to_accuracy(theta_profile(3, 0.05), {0, 12}, {.error = 1e-6, .max_order = 100}),
               InputError);
  EXPECT_THROW(ChebyshevSeries::to_accuracy(step, {0, 12}, {.error = 1e-15}), InputError);
  EXPECT_THROW(ChebyshevSeries::to_accuracy(step, {0, 12}, {.error = std::nan("")}), InputError);
  EXPECT_THROW(ChebyshevSeries::of_order(step, {1, 1}, 3), InputError);
  EXPECT_THROW(ChebyshevSeries::of_order(step, {2, 1}, 3), InputError);
  EXPECT_THROW(ChebyshevSeries::of_order(step, {0, std::nan("")}, 3), InputError);
  EXPECT_THROW(ChebyshevSeries::of_order(step, {0, 1}, -1), InputError);
  EXPECT_THROW(ChebyshevSeries::of_order(step, {0, 1}, 100001), InputError);
  EXPECT_THROW(ChebyshevSeries::to_accuracy([](double) { return 1e308; }, {0, 1}), InputError) << "sums overflow";
  EXPECT_THROW(ChebyshevSeries::to_accuracy(step, {0, 12}, {.max_order = -1}), InputError);
  EXPECT_THROW(ChebyshevSeries::to_accuracy(step, {0, 12}, {.max_order = 100001}), InputError);
  EXPECT_THROW(ChebyshevSeries::of_order([](double x) { return 1 / (x - x); }, {0, 1}, 3), InputError);
}

/// (1 - u^2)^8, u = (x - center) / half_width, and exactly 0 where |u| > 1.
RealFunction bump(double center, double half_width) {
  return [center, half_width](double x) {
    const double u = (x - center) / half_width;
    return std::abs(u) < 1 ? std::pow(1 - u * u, 8) : 0;
  };
}

/// Whether the series from 0 to 12 is as accurate as it claims at 40001 points, or is refused.
bool is_followed_or_refused(const RealFunction& f, const ChebyshevAccuracy& accuracy) {
  try {
    const auto series = ChebyshevSeries::to_accuracy(f, {0, 12}, accuracy);
    double worst = 0, most = 0;
    for (int i = 0; i <= 40000; ++i) {
      const double x = 12.0 * i / 40000;
      worst = max_or_nan(worst, std::abs(series(x) - f(x)));
      most = std::max(most, std::abs(f(x)));
    }
    return worst <= 1.1 * accuracy.error * most;
  } catch (const InputError&) {
    return true;
  }
}

TEST(ChebyshevSeries, FollowsABumpBetweenTheFirstSamples) {
  // 16 samples, or 32 equidistant angles, have none between 4.8 and 5.4.
  const RealFunction f = bump(5.12, 0.25);
  const auto series = ChebyshevSeries::to_accuracy(f, {0, 12}, {.error = 1e-6});
  EXPECT_GT(series.order(), 100);
  for (int i = 0; i <= 5000; ++i) EXPECT_NEAR(series(12.0 * i / 5000), f(12.0 * i / 5000), 1.1e-6) << i;
  EXPECT_THROW(ChebyshevSeries::to_accuracy(f, {0, 12}, {.error = 1e-6, .max_order = 100}), InputError);
  EXPECT_GT(ChebyshevSeries::of_order(f, {0, 12}, 7).error(), 0.5);
}

TEST(ChebyshevSeries, OfNarrowBumpsIsRightOrRefused) {
  const RealFunction gaussian = [](double x) { return std::exp(-std::pow((x - 5.3) / 0.001, 2)); };
  EXPECT_THROW(ChebyshevSeries::to_accuracy(gaussian, {0, 12}), InputError);
  for (int i = 0; i < 40; ++i) {
    const double center = 12 * std::fmod(0.1 + 0.61803398874989485 * i, 1.0);
    const RealFunction box = [center](double x) { return std::abs(x - center) < 0.006 ? 1.0 : 0.0; };
    EXPECT_THROW(ChebyshevSeries::to_accuracy(box, {0, 12}, {.error = 0.1, .max_order = 100}), InputError) << center;
    for (const double half_width : {0.006, 0.02, 0.3})
      EXPECT_TRUE(is_followed_or_refused(bump(center, half_width), {.error = 1e-3, .max_order = 200}))
          << center << " " << half_width;
  }
}

TEST(ChebyshevSeries, OfABoxBetweenTheFirstSamplesIsRefused) {
  const RealFunction box = [](double x) { return x > 4.9 && x < 5.3 ? 1.0 : 0.0; };
  EXPECT_THROW(ChebyshevSeries::to_accuracy(box, {0, 12}), InputError);
  EXPECT_THROW(ChebyshevSeries::to_accuracy([&](double x) { return 1 + 1e-3 * box(x); }, {0, 12}, {.error = 1e-4}),
               InputError);
}

TEST(ChebyshevSeries, OfZeroIsZero) {
  const auto series = ChebyshevSeries::to_accuracy([](double) { return 0.0; }, {0, 12});
  EXPECT_EQ(series.order(), 0);
  EXPECT_EQ(series.error(), 0);
  EXPECT_EQ(series(3.7), 0);
}

TEST(Tridiagonal, HasTheEigenvaluesOfTheSecondDifference) {
  const std::size_t n = 9;
  const std::vector<double> diagonal(n, 2.0), off(n - 1, -1.0);
  for (std::size_t k = 0; k < n; ++k) {
    const double angle = 3.14159265358979323846 * double(k + 1) / double(n + 1);
    const double value = detail::tridiagonal_eigenvalue(diagonal, off, int(k));
    EXPECT_NEAR(value, 2 - 2 * std::cos(angle), 40 * kEpsilon);
    EXPECT_NEAR(detail::tridiagonal_last_component(diagonal, off, int(k)),
                std::sqrt(2.0 / double(n + 1)) * std::abs(std::sin(double(n) * angle)), 1000 * kEpsilon);
  }
}

template <template <class> class SiteT, class T>
void check_bounds(const Lattice& lattice, const GlobalArray& u, Dimensions dimensions, double low, double high) {
  const CovariantLaplacian<T> laplacian(GaugeLinks<T>(gauge_field(lattice, u)), dimensions);
  const Interval found =
      spectral_bounds(momentum_squared<SiteT>(laplacian), Field<SiteT, T>(lattice, "shape"), LanczosBounds{});
  EXPECT_LE(found.low, low);
  EXPECT_GE(found.high, high);
  EXPECT_LT(found.high - found.low, 1.08 * (high - low)) << "wasteful";
}

TEST(SpectralBounds, HoldTheFreeSpectrumAndLittleMore) {
  for (const Coord& extent : {Coord{4, 4, 4, 4}, {8, 8, 8, 4}}) {
    const Lattice lattice(Comm::world(), extent);
    const GlobalArray u = reference::unit_gauge(extent);
    check_bounds<ColorVector, double>(lattice, u, Dimensions::space, 0, 12);
    check_bounds<Spinor, float>(lattice, u, Dimensions::space, 0, 12);
    check_bounds<Spinor, double>(lattice, u, Dimensions::spacetime, 0, 16);
  }
}

TEST(SpectralBounds, HoldTheSpectrumOnHotLinks) {
  const Lattice lattice(Comm::world(), {4, 4, 2, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1);
  double low = 100, high = -100;
  for (int t = 0; t < 4; ++t) {
    const auto system = reference::laplacian_modes(u, t);
    low = std::min(low, system.values.front());
    high = std::max(high, system.values.back());
  }
  check_bounds<ColorVector, double>(lattice, u, Dimensions::space, low, high);
  check_bounds<Spinor, float>(lattice, u, Dimensions::space, low, high);
}

TEST(SpectralBounds, OfAMultipleOfOneAreThatNumber) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Field<ColorVector, double> shape(lattice, "shape");
  const auto twice = [](const auto& in, const auto& out) {
    copy(in, out);
    scale(2.5, out);
  };
  const Interval found = spectral_bounds(Operator<Field<ColorVector, double>>(twice), shape);
  EXPECT_LE(found.low, 2.5);
  EXPECT_GE(found.high, 2.5);
  EXPECT_LT(found.high - found.low, 1e-10);
}

/// The bounds of `factor` times one, and exp(-x) of it by a series on them.
template <template <class> class SiteT, class T>
void check_multiple_of_one(T factor) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Field<SiteT, T> in(lattice, "in"), out = in.like("out");
  fill_noise(in, {.kind = NoiseKind::gaussian, .seed = 3, .stream = 0});
  const AnyOperator<Field<SiteT, T>> A = Operator<Field<SiteT, T>>([factor](const auto& x, const auto& y) {
    copy(x, y);
    scale(factor, y);
  });
  const double resolution = 40 * std::numeric_limits<T>::epsilon();
  const Interval found = spectral_bounds(A, in);
  EXPECT_LT(found.low, found.high);
  EXPECT_LE(found.low, factor);
  EXPECT_GE(found.high, factor);
  EXPECT_LT(found.high - found.low, resolution);
  const auto series = ChebyshevSeries::to_accuracy([](double x) { return std::exp(-x); }, found, {.error = 1e-4});
  apply_series(series, A, in, out);
  axpy(T(-std::exp(-factor)), in, out);
  EXPECT_LT(std::sqrt(norm2(out)), 2 * resolution * std::sqrt(norm2(in)));
}

TEST(SpectralBounds, OfZeroAndOfOneAreAnIntervalForASeries) {
  check_multiple_of_one<ColorVector, double>(0);
  check_multiple_of_one<Spinor, float>(0);
  check_multiple_of_one<ColorVector, double>(1);
  check_multiple_of_one<Spinor, float>(1);
  check_multiple_of_one<Spinor, float>(1e-37f);
}

TEST(SpectralBounds, RefuseOperatorsWithoutThem) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Field<ColorVector, double> shape(lattice, "shape");
  const Operator<Field<ColorVector, double>> turn = [](const auto& in, const auto& out) {
    copy(in, out);
    scale(std::complex<double>(0, 1), out);
  };
  const Operator<Field<ColorVector, double>> broken = [](const auto& in, const auto& out) {
    copy(in, out);
    scale(std::nan(""), out);
  };
  EXPECT_THROW(spectral_bounds(turn, shape), InputError);
  EXPECT_THROW(spectral_bounds(broken, shape), InputError);
  EXPECT_THROW(spectral_bounds(turn, shape, {.steps = 1}), InputError);
}

class Chebyshev : public test::OnLattices {};

/// A cubic of -Laplacian, against the naive Laplacian applied three times.
template <template <class> class SiteT, class T>
void check_cubic(const Lattice& lattice, int n_components) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1),
                    psi = reference::random_array(lattice.extent(), SiteT<T>::n_complex * n_components, 2);
  const GlobalArray one = reference::laplacian(u, psi, 4),
                    three = reference::laplacian(u, reference::laplacian(u, one, 4), 4);
  GlobalArray expected = psi;
  for (std::size_t i = 0; i < psi.data.size(); ++i)
    expected.data[i] = 3.0 * psi.data[i] + one.data[i] - 0.01 * three.data[i];
  const CovariantLaplacian<T> laplacian(GaugeLinks<T>(gauge_field(lattice, u)));
  const auto series =
      ChebyshevSeries::of_order([](double x) { return 3 - x + 0.01 * x * x * x; }, {0, 16}, 3);  // x = -Delta
  const Field<SiteT, T> in(lattice, "in", n_components), out = in.like("out");
  load(in, psi);
  apply_series(series, momentum_squared<SiteT>(laplacian), in, out);
  const double tolerance = 100 * std::numeric_limits<T>::epsilon() * reference::max_abs(expected);
  EXPECT_LT(max_difference(out, expected), tolerance);
  apply_series(series, momentum_squared<SiteT>(laplacian), in, in);
  EXPECT_LT(max_difference(in, expected), tolerance) << "in place";
}

TEST_P(Chebyshev, SeriesOfAnOperatorIsTheOperatorsPolynomial) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_cubic<Spinor, double>(lattice, 1);
  check_cubic<Spinor, float>(lattice, 2);
  check_cubic<ColorVector, double>(lattice, 3);
  check_cubic<ColorVector, float>(lattice, 1);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Chebyshev, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

TEST(ChebyshevOfAnOperator, OfOrderZeroScalesAndOfOrderOneShifts) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1), psi = reference::random_array(u.extent, 3, 2);
  const CovariantLaplacian<double> laplacian(GaugeLinks<double>(gauge_field(lattice, u)), Dimensions::space);
  const Field<ColorVector, double> in(lattice, "in"), out = in.like("out");
  load(in, psi);
  const auto A = momentum_squared<ColorVector>(laplacian);
  GlobalArray expected = psi;
  for (auto& z : expected.data) z *= 1.5;
  apply_series(ChebyshevSeries::of_order([](double) { return 1.5; }, {0, 12}, 0), A, in, out);
  EXPECT_LT(max_difference(out, expected), 10 * kEpsilon * reference::max_abs(expected));
  const GlobalArray delta = reference::laplacian(u, psi, 3);
  for (std::size_t i = 0; i < psi.data.size(); ++i) expected.data[i] = psi.data[i] - 0.5 * delta.data[i];
  apply_series(ChebyshevSeries::of_order([](double x) { return 1 + 0.5 * x; }, {0, 12}, 1), A, in, out);
  EXPECT_LT(max_difference(out, expected), 40 * kEpsilon * reference::max_abs(expected));
}

TEST(ChebyshevOfAnOperator, RefusesFieldsOfDifferentShape) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Field<ColorVector, double> in(lattice, "in"), wide(lattice, "wide", 2);
  const Operator<Field<ColorVector, double>> one = [](const auto& x, const auto& y) { copy(x, y); };
  EXPECT_THROW(apply_series(ChebyshevSeries::of_order(gaussian_profile(1), {0, 12}, 4), one, in, wide), InputError);
}

}  // namespace
}  // namespace kov
