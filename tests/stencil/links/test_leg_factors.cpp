// SPDX-License-Identifier: MIT
//
// Factors of legs against shifts over links without factors, and legs that cannot have them.
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/links/gauge_links.hpp"
#include "kov/stencil/links/leg_factors.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"

#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace kov {
namespace {

using reference::gather, reference::GlobalArray, reference::max_difference;

TEST(LegFactorsOfDirections, MultiplyEveryLeg) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1);
  const auto gauge = reference::gauge_field<double>(lattice, u);
  LegFactors factors;
  factors.direction = {1, std::polar(1.0, 0.4), 1, 2.5};
  const SpinorField<double> psi(lattice, "psi"), out(lattice, "out"), expected(lattice, "expected");
  load(psi, reference::random_array(lattice.extent(), 12, 2));
  CovariantLaplacian<double>(GaugeLinks<double>(gauge, factors)).combine(0, 1, psi, out);
  for (int mu = 0; mu < 4; ++mu)
    for (const int step : {+1, -1}) {
      const SpinorField<double> there = psi.like("there");
      covariant_shift(GaugeLinks<double>(gauge), psi, mu, step, there);
      const auto z = factors.direction[std::size_t(mu)];
      expected += (step > 0 ? z : std::conj(z)) * there;
    }
  EXPECT_LT(max_difference(out, gather(expected)), 1e-13);
}

TEST(LegFactors, AreOneButAcrossAnAntiperiodicBoundaryExactlyMinusOne) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  BoundaryAngles antiperiodic;
  antiperiodic.angle[3] = std::numbers::pi;
  const Stencil stencil = Stencil::of(lattice);
  const std::size_t lanes = std::size_t(stencil.winding_lanes());
  const auto phases = detail::crossing_phases<double>(stencil, antiperiodic, int(lanes));
  ASSERT_EQ(phases.size(), 2 * stencil.windings().size());
  std::vector<double> n_minus{0};
  for (std::size_t k = 0; k < stencil.windings().size(); ++k) {
    const std::size_t at = k / lanes * 2 * lanes + k % lanes;
    EXPECT_EQ(phases[at], stencil.windings()[k][3] % 2 == 0 ? 1.0 : -1.0) << k;
    EXPECT_EQ(phases[at + lanes], 0.0) << k;
    n_minus[0] += phases[at] == -1;
  }
  lattice.comm().sum(n_minus);
  EXPECT_GT(n_minus[0], 0);
}

TEST(LegFactors, AreRefusedForTooManyLegs) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const std::vector<Coord> eight(8, Coord{1, 0, 0, 0}), nine(9, Coord{1, 0, 0, 0});
  EXPECT_NO_THROW(GaugeLinks<double>(eight, Field<ColorMatrix, double>(lattice, "eight", 8)));
  EXPECT_THROW(GaugeLinks<double>(nine, Field<ColorMatrix, double>(lattice, "nine", 9)), InputError);
}

TEST(LegFactors, OfUnitLinksInTimeAreForNearestNeighbours) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  LegFactors factors;
  factors.time_links = TimeLinks::unit;
  EXPECT_NO_THROW(
      GaugeLinks<double>(reference::gauge_field<double>(lattice, reference::unit_gauge(lattice.extent())), factors));
  const Field<ColorMatrix, double> longer(lattice, "longer", 1);
  EXPECT_THROW(GaugeLinks<double>({Coord{0, 0, 0, 2}}, longer, factors), InputError);
}

}  // namespace
}  // namespace kov
