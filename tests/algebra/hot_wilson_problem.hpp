// SPDX-License-Identifier: MIT
//
// A Wilson operator on hot links with a random source, and solutions judged by the naive operator in double.
#pragma once

#include "kov/algebra/solve_report.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/operators.hpp"

#include <array>
#include <gtest/gtest.h>
#include <limits>

namespace kov::test::hot_wilson {

inline constexpr std::array<double, 4> kAngles{0, 0, 0, 3.14159265358979323846};
inline constexpr double kMass = 0.3;

/// |b - M x| / |b| with the naive Wilson operator.
inline double wilson_residual(const reference::GlobalArray& u, const reference::GlobalArray& x,
                              const reference::GlobalArray& b) {
  return reference::wilson_residual(u, kMass, x, b, kAngles);
}

/// Hot links, a random source, and the operators on them.
struct Problem {
  Lattice lattice;
  reference::GlobalArray u, source;
  GaugeField<double> gauge;
  WilsonOperator<double> wilson;
  WilsonOperator<float> wilson_float;
  SpinorField<double> b, x;

  explicit Problem(const Lattice& l)
      : lattice(l),
        u(reference::random_su3(l.extent(), 4, 11)),
        source(reference::random_array(l.extent(), 12, 12)),
        gauge(loaded(l, u)),
        wilson(GaugeLinks<double>(gauge, BoundaryAngles{kAngles}), kMass),
        wilson_float(GaugeLinks<float>(gauge, BoundaryAngles{kAngles}), kMass),
        b(l, "source"),
        x(l, "solution") {
    load(b, source);
  }
  /// M, and what is made of it: M^+ M, and M whose adjoint nobody knows.
  Operator<SpinorField<double>> M() const { return wilson; }
  Operator<SpinorField<double>> square() const {
    return [M = M()](const auto& in, const auto& out) {
      const SpinorField<double> between = in.like("M in");
      M.apply(in, between);
      M.apply_adjoint(between, out);
    };
  }
  Operator<SpinorField<double>> without_adjoint() const {
    return [M = M()](const auto& in, const auto& out) { M.apply(in, out); };
  }
  static GaugeField<double> loaded(const Lattice& l, const reference::GlobalArray& u) {
    const GaugeField<double> gauge(l, "gauge", 4);
    load(gauge, u);
    return gauge;
  }
};

inline Lattice small_lattice() { return Lattice(Comm::world(), {4, 4, 4, 4}); }

inline void expect_solved(const Problem& problem, const SolveReport& report, double tolerance) {
  EXPECT_TRUE(report.converged);
  EXPECT_GT(report.iterations, 3);
  EXPECT_GE(report.seconds, 0);
  EXPECT_LE(report.stopping_residual, tolerance);
  const double residual = wilson_residual(problem.u, reference::gather(problem.x), problem.source);
  // Two evaluations of b - M x differ by the rounding of M x, of the size of b.
  EXPECT_NEAR(report.residual, residual, 40 * std::numeric_limits<double>::epsilon()) << report.text();
}

}  // namespace kov::test::hot_wilson
