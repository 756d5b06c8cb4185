// SPDX-License-Identifier: MIT
//
// Tables of the gradient flow: scales, derivatives, thinned rows.
#include "kov/stencil/gauge/gradient_flow.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>
#include <string>

namespace kov::test {
namespace {

/// Rows whose t^2 E is a cubic in t.
FlowHistory cubic_table(double a, double b, double c) {
  FlowHistory history;
  for (const double t : {0.0, 0.2, 0.5, 0.7, 1.0, 1.4, 1.5, 2.0, 2.4, 3.0}) {
    const double e = t == 0 ? 1 : a / t + b + c * t;
    history.add(
        {.t = t, .plaquette_energy = 2 * e, .temporal_energy = 0.25 * e, .spatial_energy = 0.75 * e, .charge = 0});
  }
  return history;
}

// Interpolation and derivative are exact for cubics, whatever the distance of the rows.
TEST(FlowTable, ScalesOfACubicAreExact) {
  const double a = 0.1, b = 0.05, c = 0.02;
  const FlowHistory history = cubic_table(a, b, c);
  for (std::size_t k = 0; k < history.points().size(); ++k) {
    const double t = history.points()[k].t;
    EXPECT_NEAR(history.w(k), t * (a + 2 * b * t + 3 * c * t * t), 1e3 * eps<double>);
    EXPECT_NEAR(history.w(k, FlowEnergy::plaquette), 2 * history.w(k), 1e3 * eps<double>);
  }
  const double t0 = history.t0().value(), w0 = history.w0().value(), t = w0 * w0;
  EXPECT_NEAR(a * t0 + b * t0 * t0 + c * t0 * t0 * t0, 0.3, 1e3 * eps<double>);
  EXPECT_NEAR(t * (a + 2 * b * t + 3 * c * t * t), 0.3, 1e3 * eps<double>);
  EXPECT_NEAR(history.t0(FlowEnergy::plaquette, 0.6).value(), t0, 1e3 * eps<double>);
  EXPECT_LT(history.t0(FlowEnergy::clover, 0.2).value(), t0);
  EXPECT_FALSE(history.t0(FlowEnergy::clover, 10).has_value()) << "the table ends before";
  EXPECT_FALSE(history.w0(FlowEnergy::clover, 10).has_value());
}

// With the steps between rows the derivative is exact for polynomials of a higher degree than with rows alone.
TEST(FlowTable, WIsTheDerivativeOverEveryStep) {
  const auto point = [](double t) {
    return FlowPoint{.t = t, .plaquette_energy = std::pow(t, 4), .temporal_energy = std::pow(t, 4) / 2};
  };
  FlowHistory rows, steps;
  for (int k = 0; k <= 12; ++k) {
    const double t = 0.25 * k;
    if (k % 6 == 0) rows.add(point(t));
    k % 6 == 0 ? steps.add(point(t)) : steps.add_between(point(t));
  }
  ASSERT_EQ(steps.points().size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    const double t6 = std::pow(steps.points()[k].t, 6);  // t d/dt t^6 = 6 t^6
    EXPECT_NEAR(steps.w(k, FlowEnergy::plaquette), 6 * t6, 1e4 * eps<double> * t6);
    EXPECT_NEAR(steps.w(k), 3 * t6, 1e4 * eps<double> * t6);
    EXPECT_NEAR(steps.thinned().w(k / 2, FlowEnergy::plaquette), steps.w(k / 2 * 2, FlowEnergy::plaquette),
                1e4 * eps<double> * t6);
  }
  EXPECT_GT(std::abs(rows.w(1, FlowEnergy::plaquette) / steps.w(1, FlowEnergy::plaquette) - 1), 0.1);
  EXPECT_EQ(rows.t0(), steps.t0()) << "t0 is interpolated between rows, as before";
}

// On realistic links, whose short waves die out within a few steps.
TEST(FlowTable, WOfTheFirstRowsIsThatOfShortSteps) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeField<double> gauge = stout(gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 111)),
                                         {.rho = 0.1, .n = 1, .directions = all_directions});
  for (const FlowAction action : {FlowAction::wilson, FlowAction::symanzik}) {
    const FlowHistory usual = gradient_flow(gauge, {.action = action, .step = 0.02, .time = 0.3}),
                      fine = gradient_flow(gauge, {.action = action, .step = 0.005, .time = 0.3, .measure_every = 1});
    ASSERT_EQ(usual.points().size(), 4u);
    ASSERT_EQ(fine.points().size(), 61u);
    for (std::size_t k = 1; k < 4; ++k)
      for (const FlowEnergy kind : {FlowEnergy::clover, FlowEnergy::plaquette})
        EXPECT_NEAR(usual.w(k, kind) / fine.w(20 * k, kind), 1, 2e-3) << int(action) << " row " << k;
  }
}

TEST(FlowTable, EnergiesAreMeasuredNearRowsAlone) {
  const FlowParameters parameters{.step = 0.01, .time = 0.3, .measure_every = 12};
  std::string steps;
  for (int k = 0; k <= 30; ++k) steps += parameters.is_row(k) ? 'r' : parameters.is_near_row(k) ? 'n' : '.';
  EXPECT_EQ(steps, "rnnn.....nnnrnnn.....nnnrnnnnnr");
}

TEST(FlowTable, ThinnedRowsEndWithTheLast) {
  const FlowHistory history = cubic_table(0.1, 0.05, 0.02), half = history.thinned();
  ASSERT_EQ(half.points().size(), 5u);
  EXPECT_EQ(half.points().front().t, history.points()[1].t);
  EXPECT_EQ(half.points().back().t, history.points().back().t);
  EXPECT_EQ(half.thinned().points().size(), 3u);
  EXPECT_EQ(half.thinned().points().front().t, half.points().front().t);
  EXPECT_TRUE(FlowHistory().thinned().points().empty());
}

TEST(FlowTable, WithoutRowsHasNoScalesAndTimesRise) {
  FlowHistory history;
  EXPECT_FALSE(history.t0().has_value());
  EXPECT_FALSE(history.w0().has_value());
  history.add({.t = 0.5});
  EXPECT_THROW(history.w(0), InputError);
  EXPECT_THROW(history.add({.t = 0.5}), InputError);
}

}  // namespace
}  // namespace kov::test
