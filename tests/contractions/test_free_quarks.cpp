// SPDX-License-Identifier: MIT
//
// Free quarks move with the energy at which their operator has a pole.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/gauge_transformation.hpp"

#include <numbers>

namespace kov {
namespace {
namespace free_quarks {

using reference::gather;
using reference::GlobalArray;
using reference::Number;

constexpr double mass = 0.3, mu = 0.4;

/// With D = 1 + m + c sum of (1 - cos p_i) and c = nu / xi0, M^+ M of a wave is D^2 - 2 D cos p_4 + 1 + sum of (c sin
/// p_i)^2 + mu^2 times it: zero where p_4 = i E.
double cosh_of_energy(const Coord& extent, const Momentum& n, double twisted_mass, const Anisotropy& a) {
  double D = 1 + mass, squares = 1 + twisted_mass * twisted_mass;
  for (std::size_t i = 0; i < 3; ++i) {
    const double p = 2 * std::numbers::pi * n[i] / extent[i];
    D += a.space() * (1 - std::cos(p));
    squares += a.space() * a.space() * std::sin(p) * std::sin(p);
  }
  return (D * D + squares) / (2 * D);
}

class FreeQuarks : public ::testing::Test {
 protected:
  /// From a wave on one slice: S(t + 1) + S(t - 1) = 2 cosh(E) S(t) for every number two slices and more away.
  template <class M>
  void check(const std::string& name, const M& dirac, double twisted_mass, const Anisotropy& a) const {
    const Coord extent = lattice_.extent();
    for (const Momentum& p : {Momentum{0, 0, 0}, {1, 0, 0}, {1, -1, 2}}) {
      const auto source = momentum_source<double>(lattice_, 0, p);
      const GlobalArray s =
          gather(solve_propagator(EvenOdd(dirac, BiCgStab{.tolerance = 1e-14}), dirac, source).propagator);
      const double twice_cosh = 2 * cosh_of_energy(extent, p, twisted_mass, a);
      double worst = 0;
      reference::for_each_coordinate(extent, [&](const Coord& x) {
        if (x[3] < 2 || x[3] > extent[3] - 2) return;
        const Number *now = s.at(x), *before = s.at(reference::shifted(x, 3, -1)),
                     *after = s.at(reference::shifted(x, 3, 1));
        for (int i = 0; i < 144; ++i) worst = max_or_nan(worst, std::abs(before[i] + after[i] - twice_cosh * now[i]));
      });
      EXPECT_LT(worst, 1e-12 * reference::max_abs(s)) << name << ", p = " << to_string(p);
      EXPECT_GT(twice_cosh, 2);
    }
  }

  const Lattice lattice_{Comm::world(), {4, 4, 4, 12}};
  const GaugeField<double> gauge_ = reference::gauge_field(lattice_, reference::unit_gauge(lattice_.extent()));
  static BoundaryAngles antiperiodic() { return BoundaryAngles::antiperiodic_in_time(); }
};

TEST_F(FreeQuarks, HaveTheEnergyOfThePoleOfEveryOperator) {
  for (const Anisotropy& a : {Anisotropy{}, Anisotropy{.xi0 = 2.5, .nu = 0.9}}) {
    const std::string kind = a.xi0 == 1 ? "" : "anisotropic ";
    const GaugeLinks<double> links(gauge_, a.factors(antiperiodic()));
    check(kind + "Wilson", WilsonOperator<double>(links, MassTerm{mass, a}), 0, a);
    check(kind + "twisted mass", TwistedMassOperator<double>(links, {mass, mu, a}), mu, a);
    for (const double twisted : {0.0, mu})
      check(kind + "clover",
            WilsonCloverOperator<double>(gauge_, antiperiodic(),
                                         {.mass = mass, .c_sw = {1.3, 0.8}, .mu = twisted, .anisotropy = a}),
            twisted, a);
  }
}

}  // namespace free_quarks
}  // namespace
}  // namespace kov
