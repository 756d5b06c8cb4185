// SPDX-License-Identifier: MIT
//
// The problem of the tests of reliable updates.
#pragma once

#include "kov/algebra/solve_report.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/wilson_problem.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov::reliable_problem {

using reference::gather;
using reference::GlobalArray;

inline constexpr std::array<double, 4> kAngles{0, 0, 0, 3.14159265358979323846};

/// |b - M x| / |b| with the naive Wilson operator.
inline double naive_residual(const GlobalArray& u, double mass, const GlobalArray& x, const GlobalArray& b) {
  return reference::wilson_residual(u, mass, x, b, kAngles);
}

/// Links that are hot to a degree, a random source, and Wilson operators on them.
struct Problem : test::WilsonProblem {
  Problem(const Lattice& l, double m, int n_columns = 1, const LinkForms& forms = {})
      : WilsonProblem(l, reference::random_su3(l.extent(), 4, 11), BoundaryAngles{kAngles}, m, n_columns, forms) {}
  /// The operator on links in another storage.
  template <class Storage>
  WilsonOperator<Storage> low_on() const {
    return {GaugeLinks<Storage>(reference::gauge_field<double>(lattice, u), BoundaryAngles{kAngles}), mass};
  }
  void expect_solved(const SolveReport& report, double tolerance) const {
    EXPECT_TRUE(report.converged) << report.text();
    EXPECT_LE(report.residual, tolerance);
    EXPECT_NEAR(report.residual, naive_residual(u, mass, gather(x), source),
                40 * std::numeric_limits<double>::epsilon());
    EXPECT_EQ(report.history.at(0).size(), std::size_t(report.iterations));
    EXPECT_LE(report.history.at(0).back(), 1.5 * tolerance);
  }
};

inline Lattice small_lattice() { return Lattice(Comm::world(), {4, 4, 4, 4}); }

}  // namespace kov::reliable_problem
