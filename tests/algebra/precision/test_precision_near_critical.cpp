// SPDX-License-Identifier: MIT
//
// 1000 random solves near and beyond the critical mass, in each way to mix precisions: none ends unconverged without an
// error, and none needs more than twice the iterations of all-double without saying so.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/core/site/random.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/near_unit_links.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {

constexpr double tolerance = 1e-10;

/// A solve that ended in one way or the other.
struct Ended {
  bool converged = true;
  SolveReport report = {};
};

template <class S>
Ended solve(const S& solver, const WilsonOperator<double>& M, const SpinorField<double>& b,
            const SpinorField<double>& x) {
  const SpinorField<double> r = b.like("residual");
  zero(x);
  Ended ended;
  try {
    ended.report = solver(M, b, x);
    EXPECT_TRUE(ended.report.converged) << ended.report.text();
    EXPECT_LE(std::sqrt(true_residual<SpinorField<double>>(M, b, x, r) / norm2(b)), 1.001 * tolerance);
  } catch (const ConvergenceError&) {
    ended.converged = false;
  }
  return ended;
}

TEST(NearCritical, AThousandRandomSolves) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const SpinorField<double> b(lattice, "b"), x(lattice, "x");
  const BiCgStab bicgstab{.tolerance = tolerance, .max_iterations = 2000};
  int solved = 0, slow = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    SiteRandom random(11, 0, i);
    const double mass = -0.4 - 0.5 * random.uniform();  // the lowest modes are at about -0.7
    const auto angles = BoundaryAngles::antiperiodic_in_time();
    const GaugeField<double> gauge =
        reference::gauge_field<double>(lattice, reference::near_unit_links(lattice.extent(), i));
    const WilsonOperator<double> M(GaugeLinks<double>(gauge, angles), mass);
    const WilsonOperator<float> low(GaugeLinks<float>(gauge, angles), mass);
    reference::load(b, reference::random_array(lattice.extent(), 12, i));
    const Ended in_double = solve(bicgstab, M, b, x);
    const auto check = [&](const auto& solver) {
      const Ended ended = solve(solver, M, b, x);
      if (!ended.converged) return;
      ++solved;
      const bool is_slow = in_double.converged && ended.report.iterations > 2 * in_double.report.iterations;
      if (is_slow) ++slow;
      EXPECT_FALSE(is_slow && ended.report.precision_switches == 0 && ended.report.restarts == 0)
          << "mass " << mass << ": " << ended.report.text() << " after " << in_double.report.text();
    };
    switch (i % 4) {
      case 0:
        check(MixedPrecision(low, bicgstab));
        break;
      case 1:
        check(ReliableUpdates(low, bicgstab));
        break;
      case 2:
        check(ReliableUpdates<Fixed16>(low, bicgstab));
        break;
      default:
        check(ReliableUpdates(low, bicgstab, 0.1));
    }
  }
  EXPECT_GT(solved, 500) << "near the critical mass, not beyond it";
  EXPECT_LT(slow, 50);
  RecordProperty("solved", solved);
}

}  // namespace
}  // namespace kov
