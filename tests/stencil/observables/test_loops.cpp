// SPDX-License-Identifier: MIT
//
// Wilson loops against products of links around rectangles, their exact facts, and the loops of other codes.
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/observables/loops.hpp"
#include "kov/stencil/observables/observables.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/constant_field.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/oracles.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>

namespace kov::test {
namespace {

using reference::GlobalArray;
using reference::Matrix3;

/// The mean of Re tr W / 3, link by link around the rectangle.
double naive_loop(const GlobalArray& u, int mu, int nu, int r, int s) {
  double sum = 0;
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    Coord at = x;
    Matrix3 w{1, 0, 0, 0, 1, 0, 0, 0, 1};
    const auto walk = [&](int direction, int sign, int steps) {
      for (int k = 0; k < steps; ++k) {
        if (sign < 0) at = reference::shifted(at, direction, -1);
        const Matrix3 link = reference::matrix(u, at, direction);
        w = reference::product(w, sign > 0 ? link : reference::dagger(link));
        if (sign > 0) at = reference::shifted(at, direction, 1);
      }
    };
    walk(mu, 1, r);
    walk(nu, 1, s);
    walk(mu, -1, r);
    walk(nu, -1, s);
    sum += reference::trace(w).real();
  });
  return sum / (3 * double(volume(u.extent)));
}

class Loops : public test::OnLattices {};

TEST_P(Loops, EqualTheirDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 81);
  const LoopSizes sizes{.space = 2, .time = 3};
  const WilsonLoops single = wilson_loops(gauge_field<float>(lattice, u), sizes),
                    exact = wilson_loops(gauge_field<double>(lattice, u), sizes, SumMode::exact);
  for (const auto& [mu, nu] : WilsonLoops::planes)
    for (int r = 1; r <= 2; ++r)
      for (int s = 1; s <= (nu == 3 ? 3 : 2); ++s) {
        const double expected = naive_loop(u, mu, nu, r, s);
        EXPECT_NEAR(single.loop(mu, nu, r, s), expected, 20 * eps<float>) << mu << nu << r << s;
        EXPECT_NEAR(exact.loop(mu, nu, r, s), expected, 20 * eps<double>) << mu << nu << r << s;
        EXPECT_EQ(exact.loop(nu, mu, s, r), exact.loop(mu, nu, r, s));
      }
  EXPECT_NEAR(exact.space_time(2, 3), (exact.loop(0, 3, 2, 3) + exact.loop(1, 3, 2, 3) + exact.loop(2, 3, 2, 3)) / 3,
              eps<double>);
  EXPECT_NEAR(exact.space_space(1, 2), exact.space_space(2, 1), eps<double>);
}

TEST_P(Loops, SmallestAreThePlaquettes) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GaugeField<double> gauge = gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 82));
  int counted = 0;
  const WilsonLoops loops = wilson_loops(gauge, {.space = 1, .time = 1}, SumMode::chunked, [&] { ++counted; });
  EXPECT_EQ(counted, loops.sizes().n_loops());
  const Plaquettes p = plaquettes(gauge);
  for (const auto& [mu, nu] : WilsonLoops::planes) EXPECT_NEAR(loops.loop(mu, nu, 1, 1), p.plane(mu, nu), eps<double>);
  EXPECT_NEAR(loops.space_time(1, 1), p.temporal(), eps<double>);
  EXPECT_NEAR(loops.space_space(1, 1), p.spatial(), eps<double>);
}

// W(r, s) = (1 + 2 cos(r s phi)) / 3, also around the lattice: an area law with an imaginary tension.
TEST_P(Loops, OfAConstantFieldKnowOnlyTheirArea) {
  const Lattice lattice = GetParam().make(Comm::world());
  const reference::ConstantField field{.extent = lattice.extent(), .n = {1, 2}};
  const int longest = lattice.extent()[0] + 1;
  const WilsonLoops loops =
      wilson_loops(gauge_field<double>(lattice, field.links()), {.space = longest, .time = lattice.extent()[3]});
  const double rounding = 100 * double(lattice.extent()[3]) * eps<double>;
  for (int r = 1; r <= longest; ++r) {
    for (int s = 1; s <= longest; ++s) {
      EXPECT_NEAR(loops.loop(0, 1, r, s), (1 + 2 * std::cos(r * s * field.phi())) / 3, rounding) << r << s;
      EXPECT_NEAR(loops.loop(0, 2, r, s), 1, rounding);
    }
    for (int t = 1; t <= lattice.extent()[3]; ++t)
      EXPECT_NEAR(loops.loop(2, 3, r, t), (1 + 2 * std::cos(r * t * field.psi())) / 3, rounding) << r << t;
  }
  EXPECT_NEAR(loops.effective_potential(1, 1), std::log(loops.space_time(1, 1) / loops.space_time(1, 2)), eps<double>);
}

TEST_P(Loops, SameBitsOnAnyDecomposition) {
  const Lattice together = GetParam().make(Comm::world()), alone(Comm::self(), together.extent());
  const GlobalArray u = reference::random_su3(together.extent(), 4, 83);
  const LoopSizes sizes{.space = 2, .time = 2};
  const WilsonLoops a = wilson_loops(gauge_field<float>(together, u), sizes, SumMode::exact),
                    b = wilson_loops(gauge_field<float>(alone, u), sizes, SumMode::exact);
  for (const auto& [mu, nu] : WilsonLoops::planes) EXPECT_EQ(a.loop(mu, nu, 2, 2), b.loop(mu, nu, 2, 2));
}

TEST(LoopFacts, AreGaugeInvariant) {
  const Lattice lattice(Comm::world(), {4, 4, 8, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 84),
                    g = reference::random_su3(lattice.extent(), 1, 85);
  const LoopSizes sizes{.space = 3, .time = 2};
  const WilsonLoops a = wilson_loops(gauge_field<double>(lattice, u), sizes),
                    b = wilson_loops(gauge_field<double>(lattice, gauge_transform(u, g)), sizes);
  for (const auto& [mu, nu] : WilsonLoops::planes)
    EXPECT_NEAR(a.loop(mu, nu, 3, 2), b.loop(mu, nu, 3, 2), 20 * eps<double>);
}

TEST(LoopFacts, WhatWasNotMeasuredIsRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> gauge = gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 86));
  EXPECT_THROW(wilson_loops(gauge, {.space = 0, .time = 1}), InputError);
  EXPECT_THROW(wilson_loops(gauge, {.space = 1, .time = 0}), InputError);
  EXPECT_THROW(wilson_loops(GaugeField<double>(lattice, "one link", 1), {}), InputError);
  EXPECT_THROW(polyakov_loop(gauge, SumMode::chunked, 4), InputError);
  const WilsonLoops loops = wilson_loops(gauge, {.space = 2, .time = 1});
  EXPECT_THROW(loops.loop(0, 3, 1, 2), InputError);
  EXPECT_THROW(loops.loop(0, 1, 3, 1), InputError);
  EXPECT_THROW(loops.loop(0, 1, 0, 1), InputError);
  EXPECT_THROW(loops.loop(1, 1, 1, 1), InputError);
  EXPECT_THROW(loops.effective_potential(1, 1), InputError);
}

TEST(PublishedLoops, Chroma) {
  KOV_SKIP_WITHOUT_DATA("oracles/chroma_wilson_loops.json", "qlua/random-gauge.nersc");
  const auto all = oracle("chroma_wilson_loops.json");
  const double tolerance = all["tolerance"]["abs"];
  const auto gauge =
      read_gauge<double>(Lattice(Comm::world(), {4, 4, 4, 8}), data_folder() / "qlua" / "random-gauge.nersc");
  const WilsonLoops loops = wilson_loops(gauge, {.space = 4, .time = 4});
  const auto& values = all["values"];
  int compared = 0;
  for (int r = 1; r <= 4; ++r)
    for (int s = 1; s <= 4; ++s, ++compared) {
      const auto row = std::size_t(r - 1), column = std::size_t(s - 1);
      EXPECT_NEAR(loops.space_time(r, s), values["space_time_rows_R_1to4_cols_T_1to4"][row][column].get<double>(),
                  tolerance);
      const double chroma = (loops.loop(1, 0, r, s) + loops.loop(2, 0, r, s) + loops.loop(2, 1, r, s)) / 3;
      EXPECT_NEAR(chroma, values["space_space"][row][column].get<double>(), tolerance);
    }
  EXPECT_EQ(compared, 16);
  for (int mu = 0; mu < 4; ++mu) {
    const auto& line = values["polyakov_per_direction_mu0to3"][std::size_t(mu)];
    const auto ours = polyakov_loop(gauge, SumMode::chunked, mu);
    EXPECT_NEAR(ours.real(), line[0].get<double>(), tolerance);
    EXPECT_NEAR(ours.imag(), line[1].get<double>(), tolerance);
  }
}

TEST(PublishedLoops, MilcConfiguration) {
  KOV_SKIP_WITHOUT_DATA("oracles/reference_lq_milc_l4448.json", "milc/lat.sample.l4448");
  const auto all = oracle("reference_lq_milc_l4448.json");
  const double relative = all["tolerance"]["rel"];
  const auto gauge =
      read_gauge<double>(Lattice(Comm::world(), {4, 4, 4, 8}), data_folder() / "milc" / "lat.sample.l4448");
  const WilsonLoops loops = wilson_loops(gauge, {.space = 3, .time = 3});
  int compared = 0;
  for (const auto& [name, expected] : all["values"]["wilson_loops_spacetime_R_T"].items()) {
    const double value = expected;
    EXPECT_NEAR(loops.space_time(name[0] - '0', name[2] - '0'), value, relative * value) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 9);
  const auto& expected = all["values"]["gauge"];
  for (const auto& [name, plane] : expected["planes"].items())
    EXPECT_NEAR(loops.loop(name[0] - '0', name[1] - '0', 1, 1), plane.get<double>(), relative) << name;
  const auto line = polyakov_loop(gauge);
  EXPECT_NEAR(line.real(), expected["polyakov_re_im"][0].get<double>(), relative * std::abs(line));
  EXPECT_NEAR(line.imag(), expected["polyakov_re_im"][1].get<double>(), relative * std::abs(line));
  EXPECT_NEAR(link_trace(gauge), expected["link_trace_over_3"].get<double>(), relative);
  EXPECT_NEAR(plaquettes(gauge).mean(), expected["w_plaq"].get<double>(), relative);
  EXPECT_NEAR(plaquettes(gauge).spatial(), expected["s_plaq"].get<double>(), relative);
  EXPECT_NEAR(plaquettes(gauge).temporal(), expected["t_plaq"].get<double>(), relative);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Loops, ::testing::ValuesIn(small_lattice_cases(1100)), case_name);

}  // namespace
}  // namespace kov::test
