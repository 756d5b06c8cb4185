// SPDX-License-Identifier: MIT
//
// Propagators of gauge-transformed links are transformed propagators, and hadrons do not notice.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/gauge_links.hpp"

namespace kov {
namespace {
namespace covariant_propagators {

using reference::gather;
using reference::GlobalArray;
using reference::kSource;
using reference::Number;

/// g(x) S(x) g(y)^+, y being the source.
GlobalArray transformed(const GlobalArray& g, const GlobalArray& s) {
  const GlobalArray left = transform_quarks(g, s);
  GlobalArray out(s.extent, 144);
  const Number* at_source = g.at(kSource);
  reference::for_each_coordinate(s.extent, [&](const Coord& x) {
    for (int spin = 0; spin < 4; ++spin)
      for (int b = 0; b < 3; ++b)
        for (int c = 0; c < 3; ++c)
          for (int i = 0; i < 12; ++i)
            out.at(x)[12 * (3 * spin + b) + i] += left.at(x)[12 * (3 * spin + c) + i] * std::conj(at_source[3 * b + c]);
  });
  return out;
}

double largest_difference(const std::vector<Correlator>& a, const std::vector<Correlator>& b) {
  double worst = 0, most = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t t = 0; t < a[k].value.size(); ++t) {
      worst = max_or_nan(worst, std::abs(a[k].value[t] - b.at(k).value.at(t)));
      most = std::max(most, std::abs(a[k].value[t]));
    }
  return worst / most;
}

class CovariantPropagators : public ::testing::Test {
 protected:
  /// make(gauge): an operator on these links.
  template <class Make>
  void check(const std::string& name, const Make& make) const {
    SCOPED_TRACE(name);
    const auto solved = [&](const GlobalArray& links) {
      const auto M = make(reference::gauge_field(lattice_, links));
      const EvenOdd solver(M, BiCgStab{.tolerance = 1e-13}, SchurForm::symmetric);
      return solve_propagator(solver, M, point_source<double>(lattice_, kSource)).propagator;
    };
    const Propagator<double> s = solved(u_), of_transformed = solved(transform_links(g_, u_));
    const GlobalArray expected = transformed(g_, gather(s));
    // Both solutions are off by their residuals times the inverse of the smallest eigenvalue.
    EXPECT_LT(max_difference(of_transformed, expected), 1e-11 * reference::max_abs(expected));
    EXPECT_GT(max_difference(of_transformed, gather(s)), 0.1 * reference::max_abs(expected)) << "nothing changed";
    const std::vector<Momentum> momenta{{0, 0, 0}, {1, 0, -1}};
    EXPECT_LT(largest_difference(mesons(s, s, diagonal_mesons(), momenta),
                                 mesons(of_transformed, of_transformed, diagonal_mesons(), momenta)),
              1e-11);
    EXPECT_LT(largest_difference(baryons(s, s, standard_baryons(), momenta),
                                 baryons(of_transformed, of_transformed, standard_baryons(), momenta)),
              1e-11);
  }

  const Lattice lattice_{Comm::world(), {4, 4, 4, 8}};
  const GlobalArray u_ = reference::near_unit_links(lattice_.extent(), 21),
                    g_ = reference::random_su3(lattice_.extent(), 1, 22);
};

TEST_F(CovariantPropagators, OfTransformedLinksAreTransformedForEveryOperator) {
  const BoundaryAngles angles{test::kAngles};
  for (const Anisotropy& a : {Anisotropy{}, Anisotropy{.xi0 = 2, .nu = 1.1}}) {
    const std::string kind = a.xi0 == 1 ? "" : "anisotropic ";
    check(kind + "Wilson", [&](const GaugeField<double>& gauge) {
      return WilsonOperator<double>(GaugeLinks<double>(gauge, a.factors(angles)), MassTerm{0.1, a});
    });
    check(kind + "twisted mass", [&](const GaugeField<double>& gauge) {
      return TwistedMassOperator<double>(GaugeLinks<double>(gauge, a.factors(angles)), {0.1, 0.3, a});
    });
    for (const double mu : {0.0, 0.2})
      check(kind + "clover", [&](const GaugeField<double>& gauge) {
        return WilsonCloverOperator<double>(gauge, angles,
                                            {.mass = 0.2, .c_sw = {1.3, 1.1}, .mu = mu, .anisotropy = a});
      });
  }
}

}  // namespace covariant_propagators
}  // namespace
}  // namespace kov
