// SPDX-License-Identifier: MIT
//
// Gradient flow: a step against its definition path by path, its order, exactly known flows, and the flows of other
// codes.  Scales from flow tables: test_flow_history.cpp.
#include "kov/stencil/gauge/gradient_flow.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/observables/observables.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/constant_field.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/oracles.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>

namespace kov::test {
namespace {

using reference::GlobalArray;
using reference::Matrix3;
using reference::Number;

constexpr FlowAction both_actions[] = {FlowAction::wilson, FlowAction::symanzik};
struct Hop {
  int direction, sign;
};

/// The product of the links along a path from x.
Matrix3 path(const GlobalArray& u, Coord x, const std::vector<Hop>& hops) {
  Matrix3 w{1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (const auto& [mu, sign] : hops) {
    if (sign < 0) x = reference::shifted(x, mu, -1);
    const Matrix3 link = reference::matrix(u, x, mu);
    w = reference::product(w, sign > 0 ? link : reference::dagger(link));
    if (sign > 0) x = reference::shifted(x, mu, 1);
  }
  return w;
}

/// c0 times the plaquette staples from x to x + mu, plus c1 times the rectangle staples.
Matrix3 staples(const GlobalArray& u, const Coord& x, int mu, double c0, double c1) {
  Matrix3 sum{};
  const auto add = [&](double weight, const std::vector<Hop>& hops) {
    const Matrix3 w = path(u, x, hops);
    for (std::size_t i = 0; i < 9; ++i) sum[i] += weight * w[i];
  };
  const Hop ahead{mu, 1}, back{mu, -1};
  for (int nu = 0; nu < 4; ++nu) {
    if (nu == mu) continue;
    for (const int sign : {1, -1}) {
      const Hop out{nu, sign}, in{nu, -sign};
      add(c0, {out, ahead, in});
      if (c1 == 0) continue;
      add(c1, {out, out, ahead, in, in});
      add(c1, {out, ahead, ahead, in, back});
      add(c1, {back, out, ahead, ahead, in});
    }
  }
  return sum;
}

/// The gradient Z of every link.
GlobalArray gradient(const GlobalArray& u, FlowAction action) {
  const double c1 = action == FlowAction::wilson ? 0 : -1.0 / 12;
  GlobalArray z(u.extent, 36);
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu) {
      const Matrix3 m = reference::product(staples(u, x, mu, 1 - 8 * c1, c1),
                                           reference::dagger(reference::matrix(u, x, mu))),
                    d = reference::dagger(m);
      const Number third = (reference::trace(m) - reference::trace(d)) / 6.0;
      for (std::size_t i = 0; i < 9; ++i)
        z.at(x)[9 * mu + int(i)] = 0.5 * (m[i] - d[i]) - (i % 4 == 0 ? third : Number(0));
    }
  });
  return z;
}

/// exp(sum of a_k Z_k) U on every link.
GlobalArray moved(const GlobalArray& u, const std::vector<std::pair<double, const GlobalArray*>>& terms) {
  GlobalArray v(u.extent, 36);
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu) {
      Matrix3 a{};
      for (const auto& [weight, z] : terms)
        for (std::size_t i = 0; i < 9; ++i) a[i] += weight * reference::matrix(*z, x, mu)[i];
      const Matrix3 m = reference::product(reference::exponential(a), reference::matrix(u, x, mu));
      std::copy(m.begin(), m.end(), v.at(x) + 9 * mu);
    }
  });
  return v;
}

GlobalArray step_reference(const GlobalArray& u, FlowAction action, double e) {
  const GlobalArray z0 = gradient(u, action), w1 = moved(u, {{e / 4, &z0}});
  const GlobalArray z1 = gradient(w1, action), w2 = moved(w1, {{8 * e / 9, &z1}, {-17 * e / 36, &z0}});
  const GlobalArray z2 = gradient(w2, action);
  return moved(w2, {{3 * e / 4, &z2}, {-8 * e / 9, &z1}, {17 * e / 36, &z0}});
}

class Flow : public test::OnLattices {};

template <class T>
void check_step(const Lattice& lattice, const GlobalArray& u, FlowAction action, const GlobalArray& expected) {
  GradientFlow<T> flow(gauge_field<T>(lattice, u), action);
  flow.step(0.05);
  EXPECT_LT(max_difference(flow.gauge(), expected), 60 * eps<T>);
  EXPECT_EQ(flow.time(), 0.05);
}

// Also for links slightly outside SU(3), as those of 32-bit files are.
TEST_P(Flow, StepEqualsItsDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  GlobalArray u = reference::random_su3(lattice.extent(), 4, 101);
  for (std::size_t i = 0; i < u.data.size(); i += 7) u.data[i] *= 1.0001;
  for (const FlowAction action : both_actions) {
    const GlobalArray expected = step_reference(u, action, 0.05);
    check_step<float>(lattice, u, action, expected);
    check_step<double>(lattice, u, action, expected);
  }
}

// The torus of constant field strength is a stationary point of both actions.
TEST_P(Flow, ConstantFieldStays) {
  const Lattice lattice = GetParam().make(Comm::world());
  const reference::ConstantField field{.extent = lattice.extent(), .n = {1, -1}};
  const GlobalArray u = field.links();
  for (const FlowAction action : both_actions) {
    GradientFlow<double> flow(gauge_field<double>(lattice, u), action);
    const FlowPoint before = flow.measure();
    for (int k = 0; k < 3; ++k) flow.step(0.01);
    EXPECT_LT(max_difference(flow.gauge(), u), 1e4 * eps<double>);
    EXPECT_NEAR(flow.measure().charge, before.charge, 1e4 * eps<double>);
    EXPECT_GT(std::abs(before.charge), 0.1);
  }
}

TEST_P(Flow, SameLinksOnAnyDecomposition) {
  const Lattice together = GetParam().make(Comm::world()), alone(Comm::self(), together.extent());
  const GlobalArray u = reference::random_su3(together.extent(), 4, 102);
  for (const FlowAction action : both_actions) {
    GradientFlow<float> a(gauge_field<float>(together, u), action), b(gauge_field<float>(alone, u), action);
    for (int k = 0; k < 2; ++k) {
      a.step(0.02);
      b.step(0.02);
    }
    EXPECT_EQ(describe_gauge(a.gauge(), "").links_checksum, describe_gauge(b.gauge(), "").links_checksum);
  }
}

/// Links on which the flow is smooth.
GaugeField<double> smooth(const Lattice& lattice, std::uint64_t seed) {
  return stout(gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, seed)),
               {.rho = 0.1, .n = 3, .directions = all_directions});
}

TEST(FlowFacts, HalfTheStepLeavesAnEighthOfTheError) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeField<double> gauge = smooth(lattice, 103);
  for (const FlowAction action : both_actions) {
    const auto energy = [&](int steps) {
      GradientFlow<double> flow(gauge, action);
      for (int k = 0; k < steps; ++k) flow.step(0.16 / steps);
      return flow.measure().energy();
    };
    const double best = energy(64), coarse = energy(4) - best, fine = energy(8) - best;
    EXPECT_GT(coarse / fine, 6.5);
    EXPECT_LT(coarse / fine, 10.0);
  }
}

TEST(FlowFacts, EnergyFallsAndLinksStayInTheGroup) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  for (const FlowAction action : both_actions) {
    GradientFlow<double> flow(gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 104)), action);
    double before = flow.measure().plaquette_energy;
    for (int k = 0; k < 5; ++k) {
      flow.step(0.03);
      const double now = flow.measure().plaquette_energy;
      EXPECT_LT(now, before);
      before = now;
    }
    EXPECT_LT(unitarity_deviation(flow.gauge()), 200 * eps<double>);
  }
}

TEST(FlowFacts, GaugeCovariance) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 105),
                    g = reference::random_su3(lattice.extent(), 1, 106);
  for (const FlowAction action : both_actions) {
    GradientFlow<double> a(gauge_field<double>(lattice, u), action),
        b(gauge_field<double>(lattice, gauge_transform(u, g)), action);
    a.step(0.04);
    b.step(0.04);
    EXPECT_LT(max_difference(b.gauge(), gauge_transform(reference::gather(a.gauge()), g)), 200 * eps<double>);
  }
}

TEST(FlowFacts, ThinLinksStayAsTheyAre) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 107);
  const GaugeField<double> gauge = gauge_field<double>(lattice, u);
  gradient_flow(gauge, {.step = 0.02, .time = 0.04});
  EXPECT_EQ(max_difference(gauge, u), 0);
}

TEST(GradientFlow, HasTheRowsThatWereAskedFor) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> gauge = smooth(lattice, 108);
  GradientFlow<double> flow(gauge);
  int steps = 0, rows = 0;
  const FlowHistory history =
      gradient_flow(flow, {.step = 0.03, .time = 0.2, .measure_every = 3}, [&](const FlowPoint* point) {
        ++steps;
        rows += point != nullptr;
      });
  EXPECT_EQ(steps, 7);
  EXPECT_EQ(rows, 3);
  ASSERT_EQ(history.points().size(), 4u);
  const double expected[] = {0, 0.2 * 3 / 7, 0.2 * 6 / 7, 0.2};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_DOUBLE_EQ(history.points()[k].t, expected[k]);
  EXPECT_EQ(history.points().back().charge, flow.measure().charge);
  EXPECT_NEAR(history.points()[0].plaquette_energy, 36 * (1 - plaquettes(gauge).mean()), 1e3 * eps<double>);
  EXPECT_EQ((FlowParameters{.step = 0.1, .time = 0.3}.n_steps()), 3) << "0.3 is three steps of 0.1";
}

// The shortest waves shrink with steps up to the largest one and grow with longer ones.  Links near 1 have waves of
// every length, and hardly any but the shortest after steps of nearly that size.
TEST(GradientFlow, LargestStepIsWhereTheShortestWavesBeginToGrow) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> near_unit =
      reference::gauge_field(lattice, reference::near_unit_links(lattice.extent(), 110));
  for (const FlowAction action : {FlowAction::wilson, FlowAction::symanzik}) {
    const double largest = largest_flow_step(action);
    GradientFlow<double> rough(near_unit, action);
    for (int k = 0; k < 10; ++k) rough.step(0.98 * largest);
    const double before = rough.measure().plaquette_energy;
    EXPECT_LT(before, 0.01);
    for (const double factor : {0.98, 1.03}) {
      GradientFlow<double> flow(rough.gauge(), action);
      for (int k = 0; k < 40; ++k) flow.step(factor * largest);
      const double energy = std::abs(flow.measure().plaquette_energy);
      if (factor < 1)
        EXPECT_LT(energy, 0.1 * before) << int(action);
      else
        EXPECT_GT(energy, 0.1) << int(action);
    }
    EXPECT_THROW(gradient_flow(smooth(lattice, 110), {.action = action, .step = 1.3 * largest, .time = 100 * largest}),
                 ConvergenceError);
  }
}

TEST(GradientFlow, ImpossibleParametersAreRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> gauge = smooth(lattice, 109);
  EXPECT_THROW(GradientFlow<double>(GaugeField<double>(lattice, "one link", 1)), InputError);
  GradientFlow<double> flow(gauge);
  EXPECT_THROW(flow.step(0), InputError);
  EXPECT_THROW(flow.step(HUGE_VAL), InputError);
  EXPECT_THROW(gradient_flow(gauge, {.step = -0.1}), InputError);
  EXPECT_THROW(gradient_flow(gauge, {.time = 0}), InputError);
  EXPECT_THROW(gradient_flow(gauge, {.measure_every = 0}), InputError);
  EXPECT_THROW(gradient_flow(flow, {.action = FlowAction::symanzik}), InputError);
}

GaugeField<double> milc_gauge() {
  return read_gauge<double>(Lattice(Comm::world(), {4, 4, 4, 8}), data_folder() / "milc" / "lat.sample.l4448");
}

// MILC's numbers have six digits: ours must round to them.
TEST(PublishedFlow, MilcSymanzik) {
  KOV_SKIP_WITHOUT_DATA("oracles/milc_symanzik_flow_l4448.json", "milc/lat.sample.l4448");
  const auto all = oracle("milc_symanzik_flow_l4448.json");
  const FlowHistory history =
      gradient_flow(milc_gauge(), {.action = FlowAction::symanzik, .step = 0.1, .time = 1, .measure_every = 1});
  ASSERT_EQ(history.points().size(), all["values"].size());
  constexpr double half_a_digit = 5.0e-6;  // of six digits, relative to the leading one
  ASSERT_LE(half_a_digit, all["tolerance"]["rel"].get<double>());
  for (std::size_t k = 0; k < history.points().size(); ++k) {
    const FlowPoint& p = history.points()[k];
    const auto& row = all["values"][k];
    EXPECT_NEAR(p.t, row[0].get<double>(), 1e-12);
    EXPECT_NEAR(p.temporal_energy, row[1].get<double>(), half_a_digit * p.temporal_energy);
    EXPECT_NEAR(p.spatial_energy, row[2].get<double>(), half_a_digit * p.spatial_energy);
    EXPECT_NEAR(p.charge, row[3].get<double>(), all["tolerance"]["charge_abs"].get<double>());
  }
}

void compare_rows(const nlohmann::json& rows, FlowAction action, double step, double relative) {
  GradientFlow<double> flow(milc_gauge(), action);
  for (const auto& row : rows) {
    const double t = row[0];
    while (flow.time() < t - step / 2) flow.step(step);
    const FlowPoint p = flow.measure();
    EXPECT_NEAR(p.temporal_energy, row[1].get<double>(), relative * p.temporal_energy) << t;
    EXPECT_NEAR(p.spatial_energy, row[2].get<double>(), relative * p.spatial_energy) << t;
    EXPECT_NEAR(p.charge, row[3].get<double>(), relative * std::abs(p.charge)) << t;
    EXPECT_NEAR(plaquettes(flow.gauge()).mean(), row[4].get<double>(), relative) << t;
    EXPECT_NEAR(p.plaquette_energy, 36 * (1 - row[4].get<double>()), 36 * relative) << t;
  }
}

TEST(PublishedFlow, MilcConfigurationToNineDigits) {
  KOV_SKIP_WITHOUT_DATA("oracles/reference_lq_milc_l4448.json", "milc/lat.sample.l4448");
  const auto all = oracle("reference_lq_milc_l4448.json");
  const double relative = all["tolerance"]["rel"];
  compare_rows(all["values"]["wilson_flow_eps0.02_rows_t_Et_Es_Q_wplaq"], FlowAction::wilson, 0.02, relative);
  compare_rows(all["values"]["symanzik_flow_c1_-1/12_eps0.05_rows_t_Et_Es_Q_wplaq"], FlowAction::symanzik, 0.05,
               relative);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Flow, ::testing::ValuesIn(small_lattice_cases(600)), case_name);

}  // namespace
}  // namespace kov::test
