// SPDX-License-Identifier: MIT
//
// Gauge fixing: an iteration against its definition, the remaining divergence, and gauge-invariant observables.
#include "kov/stencil/gauge/gauge_fixing.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/observables/loops.hpp"
#include "kov/stencil/observables/observables.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>

namespace kov::test {
namespace {

using reference::GlobalArray;
using reference::Matrix3;
using reference::Number;

constexpr GaugeCondition both_conditions[] = {GaugeCondition::coulomb, GaugeCondition::landau};
int directions(GaugeCondition condition) { return condition == GaugeCondition::coulomb ? 3 : 4; }

/// sum over mu of U'_mu(x) + U'_mu(x - mu)^+, U' = g U g^+.
Matrix3 around(const GlobalArray& u, const GlobalArray& g, const Coord& x, int d) {
  Matrix3 w{};
  for (int mu = 0; mu < d; ++mu) {
    const Coord up = reference::shifted(x, mu, 1), down = reference::shifted(x, mu, -1);
    const Matrix3 here = reference::matrix(g, x, 0);
    const Matrix3 ahead = reference::product(reference::product(here, reference::matrix(u, x, mu)),
                                             reference::dagger(reference::matrix(g, up, 0))),
                  behind =
                      reference::product(reference::product(here, reference::dagger(reference::matrix(u, down, mu))),
                                         reference::dagger(reference::matrix(g, down, 0)));
    for (std::size_t i = 0; i < 9; ++i) w[i] += ahead[i] + behind[i];
  }
  return w;
}

GaugeFixingPoint quality_reference(const GlobalArray& u, const GlobalArray& g, int d) {
  GaugeFixingPoint q;
  const double sites = double(volume(u.extent));
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    const Matrix3 w = around(u, g, x, d), back = reference::dagger(w);
    q.functional += reference::trace(w).real() / (6 * d * sites);
    const Number third = (reference::trace(w) - reference::trace(back)) / 6.0;
    for (std::size_t i = 0; i < 9; ++i)
      q.theta += std::norm(0.5 * (w[i] - back[i]) - (i % 4 == 0 ? third : Number(0))) / (3 * sites);
  });
  return q;
}

/// One even and one odd sweep in 2 x 2 subgroups.
void iterate_reference(const GlobalArray& u, GlobalArray& g, int d, double omega) {
  for (const int which : {0, 1})
    reference::for_each_coordinate(u.extent, [&](const Coord& x) {
      if (parity(x) != which) return;
      for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {0, 2}}) {
        const Matrix3 w = around(u, g, x, d);
        const auto at = [&](int a, int b) { return w[std::size_t(3 * a + b)]; };
        // The SU(2) part of w is [[a, b], [-b*, a*]]; its inverse maximises the trace.
        Number a = at(i, i) + std::conj(at(j, j)), b = at(i, j) - std::conj(at(j, i));
        double size = std::sqrt(std::norm(a) + std::norm(b));
        a = 1.0 - omega + omega * std::conj(a) / size;
        b = -omega * b / size;
        size = std::sqrt(std::norm(a) + std::norm(b));
        Matrix3 step{1, 0, 0, 0, 1, 0, 0, 0, 1};
        step[std::size_t(4 * i)] = a / size;
        step[std::size_t(4 * j)] = std::conj(a) / size;
        step[std::size_t(3 * i + j)] = b / size;
        step[std::size_t(3 * j + i)] = -std::conj(b) / size;
        const Matrix3 m = reference::product(step, reference::matrix(g, x, 0));
        std::copy(m.begin(), m.end(), g.at(x));
      }
    });
}

GlobalArray unit_array(const Coord& extent) {
  GlobalArray g(extent, 9);
  for (std::size_t i = 0; i < g.data.size(); i += 9)
    for (std::size_t a = 0; a < 9; a += 4) g.data[i + a] = 1;
  return g;
}

class GaugeFix : public test::OnLattices {};

template <class T>
void check_iterations(const Lattice& lattice, const GlobalArray& u, GaugeCondition condition) {
  const int d = directions(condition);
  GlobalArray g = unit_array(u.extent);
  GaugeFixer<T> fixer(gauge_field<T>(lattice, u), {.condition = condition, .overrelaxation = 1.6});
  for (int k = 0; k < 3; ++k) {
    const GaugeFixingPoint expected = quality_reference(u, g, d), got = fixer.measure();
    EXPECT_EQ(got.iteration, k);
    EXPECT_NEAR(got.functional, expected.functional, 20 * eps<T>);
    EXPECT_NEAR(got.theta, expected.theta, 200 * eps<T>);
    fixer.iterate();
    iterate_reference(u, g, d, 1.6);
    EXPECT_LT(max_difference(fixer.transformation(), g), 3e3 * eps<T>) << "roundings grow with every step";
  }
}

TEST_P(GaugeFix, IterationEqualsItsDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 111);
  for (const GaugeCondition condition : both_conditions) {
    check_iterations<float>(lattice, u, condition);
    check_iterations<double>(lattice, u, condition);
  }
}

template <class T>
void check_fixing(const Lattice& lattice, GaugeCondition condition, double tolerance) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 112);
  const GaugeField<T> gauge = gauge_field<T>(lattice, u);
  const FixedGauge<T> fixed = fix_gauge(gauge, {.condition = condition, .tolerance = tolerance});
  const GaugeField<T> links = gauge_transform(gauge, fixed.transformation);
  EXPECT_LT(max_difference(links, gauge_transform(u, reference::gather(fixed.transformation))), 20 * eps<T>);
  EXPECT_LE(fixed.result().theta, tolerance);
  const GaugeFixingPoint expected =
      quality_reference(reference::gather(links), unit_array(u.extent), directions(condition));
  EXPECT_NEAR(fixed.result().functional, expected.functional, 20 * eps<T>);
  EXPECT_LE(expected.theta, 2 * tolerance);
  EXPECT_LT(unitarity_deviation(links), 20 * eps<T>);
  // The functional never falls, and gauge-invariant observables stay.
  for (std::size_t k = 1; k < fixed.history.size(); ++k)
    EXPECT_GE(fixed.history[k].functional, fixed.history[k - 1].functional - 20 * eps<T>);
  EXPECT_GT(fixed.result().functional, fixed.history[0].functional + 0.3);
  const Plaquettes a = plaquettes(gauge), b = plaquettes(links);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(a.planes[k], b.planes[k], 20 * eps<T>);
  for (int mu = 0; mu < 4; ++mu)
    EXPECT_LT(std::abs(polyakov_loop(gauge, SumMode::chunked, mu) - polyakov_loop(links, SumMode::chunked, mu)),
              20 * eps<T>);
  const LoopSizes sizes{.space = 2, .time = 3};
  EXPECT_NEAR(wilson_loops(gauge, sizes).space_time(2, 3), wilson_loops(links, sizes).space_time(2, 3), 20 * eps<T>);
}

TEST_P(GaugeFix, ReachesItsToleranceAndKeepsTheObservables) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (const GaugeCondition condition : both_conditions) check_fixing<double>(lattice, condition, 1e-12);
  check_fixing<float>(lattice, GaugeCondition::coulomb, 1e-10);
}

TEST_P(GaugeFix, SameTransformationOnAnyDecomposition) {
  const Lattice together = GetParam().make(Comm::world()), alone(Comm::self(), together.extent());
  const GlobalArray u = reference::random_su3(together.extent(), 4, 113);
  for (const GaugeCondition condition : both_conditions) {
    const GaugeFixing parameters{.condition = condition, .tolerance = 1e-6, .check_every = 3};
    const GaugeField<double> a = gauge_field<double>(together, u), b = gauge_field<double>(alone, u);
    const auto first = fix_gauge(a, parameters), second = fix_gauge(b, parameters);
    EXPECT_EQ(first.result().iteration, second.result().iteration);
    EXPECT_EQ(first.result().theta, second.result().theta);
    EXPECT_EQ(describe_gauge(gauge_transform(a, first.transformation), "").links_checksum,
              describe_gauge(gauge_transform(b, second.transformation), "").links_checksum);
  }
}

// Unit links after a small gauge transformation: fixing undoes it and the functional reaches its maximum 1.
TEST(GaugeFixFacts, PureGaugeIsUndone) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  GlobalArray g = reference::random_array(lattice.extent(), 9, 114), unit(lattice.extent(), 36);
  for (std::size_t i = 0; i < g.data.size(); i += 9) {
    ColorMatrix<double> m;
    for (std::size_t k = 0; k < 9; ++k) {
      const Number z = 0.15 * g.data[i + k] + (k % 4 == 0 ? 1.0 : 0.0);
      m.z[k] = {z.real(), z.imag()};
    }
    reunitarise(m);
    for (std::size_t k = 0; k < 9; ++k) g.data[i + k] = {m.z[k].re, m.z[k].im};
  }
  for (std::size_t i = 0; i < unit.data.size(); ++i) unit.data[i] = i % 9 % 4 == 0 ? 1 : 0;
  const GaugeField<double> gauge = gauge_field<double>(lattice, gauge_transform(unit, g));
  EXPECT_LT(link_trace(gauge), 0.95);
  const auto fixed = fix_gauge(gauge, {.tolerance = 1e-26});
  EXPECT_NEAR(fixed.result().functional, 1, 100 * eps<double>);
  EXPECT_NEAR(link_trace(gauge_transform(gauge, fixed.transformation)), 1, 100 * eps<double>);
}

// Overrelaxation saves iterations.
TEST(GaugeFixFacts, OverrelaxationIsFaster) {
  const Lattice lattice(Comm::world(), {8, 8, 4, 4});
  const GaugeField<double> gauge = gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 115));
  const auto iterations = [&](double omega) {
    return fix_gauge(gauge, {.condition = GaugeCondition::coulomb, .tolerance = 1e-8, .overrelaxation = omega})
        .result()
        .iteration;
  };
  EXPECT_LT(iterations(1.7), iterations(1.0));
}

template <class T>
void check_temporal(const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 116);
  const Coord& extent = lattice.extent();
  GlobalArray expected = unit_array(extent);
  reference::for_each_coordinate(extent, [&](const Coord& x) {
    if (x[3] == 0) return;
    const Coord before = reference::shifted(x, 3, -1);
    const Matrix3 m = reference::product(reference::matrix(expected, before, 0), reference::matrix(u, before, 3));
    std::copy(m.begin(), m.end(), expected.at(x));
  });
  const GaugeField<T> gauge = gauge_field<T>(lattice, u);
  const Field<ColorMatrix, T> g = temporal_gauge(gauge);
  EXPECT_LT(max_difference(g, expected), 10 * extent[3] * eps<T>);
  const GaugeField<T> fixed = gauge_transform(gauge, g);
  const GlobalArray links = reference::gather(fixed);
  reference::for_each_coordinate(extent, [&](const Coord& x) {
    if (x[3] == extent[3] - 1) return;
    const Matrix3 link = reference::matrix(links, x, 3);
    for (std::size_t i = 0; i < 9; ++i)
      ASSERT_LT(std::abs(link[i] - (i % 4 == 0 ? 1.0 : 0.0)), 10 * extent[3] * eps<T>) << to_string(x);
  });
  EXPECT_LT(std::abs(polyakov_loop(fixed) - polyakov_loop(gauge)), 20 * eps<T>);
  EXPECT_NEAR(plaquettes(fixed).mean(), plaquettes(gauge).mean(), 20 * eps<T>);
}

TEST_P(GaugeFix, TemporalGaugeLeavesLinksOfOneSliceAlone) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_temporal<float>(lattice);
  check_temporal<double>(lattice);
}

TEST(GaugeFixFacts, ImpossibleParametersAreRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4}), other(Comm::world(), {4, 4, 4, 8});
  const GaugeField<double> gauge = gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 117));
  EXPECT_THROW(fix_gauge(gauge, {.tolerance = 0}), InputError);
  EXPECT_THROW(fix_gauge(gauge, {.tolerance = std::nan("")}), InputError);
  EXPECT_THROW(fix_gauge(gauge, {.overrelaxation = 2}), InputError);
  EXPECT_THROW(fix_gauge(gauge, {.overrelaxation = 0}), InputError);
  EXPECT_THROW(fix_gauge(gauge, {.max_iterations = -1}), InputError);
  EXPECT_THROW(fix_gauge(gauge, {.check_every = 0}), InputError);
  EXPECT_THROW(fix_gauge(gauge, {.max_iterations = 3}), ConvergenceError);
  EXPECT_THROW(fix_gauge(GaugeField<double>(lattice, "one link", 1), {}), InputError);
  EXPECT_THROW(temporal_gauge(GaugeField<double>(lattice, "one link", 1)), InputError);
  EXPECT_THROW(gauge_transform(gauge, Field<ColorMatrix, double>(other, "of another lattice")), InputError);
  EXPECT_THROW(gauge_transform(gauge, Field<ColorMatrix, double>(lattice, "two matrices", 2)), InputError);
}

INSTANTIATE_TEST_SUITE_P(Lattices, GaugeFix, ::testing::ValuesIn(small_lattice_cases(600)), case_name);

}  // namespace
}  // namespace kov::test
