// SPDX-License-Identifier: MIT
//
// Whole-lattice statements with gauge links: against operators of the library, and covariant.
#include "kov/stencil/observables/observables.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/statements.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using namespace test::statements;

class GaugeStatements : public test::OnLattices {};

TEST_P(GaugeStatements, PlaquetteIsOneExpression) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto U = reference::gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 6));
  const Plaquettes known = plaquettes(U);
  const double volume = double(lattice.volume());
  for (int mu = 0; mu < 4; ++mu)
    for (int nu = mu + 1; nu < 4; ++nu) {
      const auto a = U.column(mu), b = U.column(nu);
      const auto plaquette = real(trace(a * shift(b, mu, +1) * adj(shift(a, nu, +1)) * adj(b)));
      EXPECT_NEAR(sum(plaquette) / (3 * volume), known.plane(mu, nu), 1e3 * std::numeric_limits<double>::epsilon());
      double slices = 0;
      for (const double s : slice_sum(plaquette, mu)) slices += s;
      EXPECT_NEAR(slices / (3 * volume), known.plane(mu, nu), 1e3 * std::numeric_limits<double>::epsilon());
    }
}

template <class T>
void check_laplacian(const Lattice& lattice) {
  const auto U = reference::gauge_field<T>(lattice, reference::random_su3(lattice.extent(), 4, 7));
  const auto psi = random_field<Spinor, T>(lattice, 1, 8);
  const Field<Spinor, T> ours = psi.like("ours"), known = psi.like("known");
  const auto hop = [&](int mu) {
    const auto u = U.column(mu);
    return u * shift(psi, mu, +1) + shift(adj(u) * psi, mu, -1);
  };
  ours = hop(0) + hop(1) + hop(2) + hop(3) - 8 * psi;
  CovariantLaplacian<T>(GaugeLinks<T>(U)).apply(psi, known);
  EXPECT_LT(max_difference(ours, gather(known)), 500 * double(std::numeric_limits<T>::epsilon()));
}

TEST_P(GaugeStatements, LaplacianIsOneExpression) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_laplacian<double>(lattice);
  check_laplacian<float>(lattice);
}

/// Gauge transformations as statements equal the reference; scalars are invariant and the rest is covariant.
TEST_P(GaugeStatements, StatementsAreGaugeCovariant) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray g = reference::random_su3(lattice.extent(), 1, 18),
                    u = reference::random_su3(lattice.extent(), 4, 19);
  const Field<ColorMatrix, double> G(lattice, "G");
  load(G, g);
  const auto U = reference::gauge_field(lattice, u);
  const auto psi = random_field<Spinor, double>(lattice, 1, 21);
  const GaugeField<double> V = U.like("transformed links");
  const Field<Spinor, double> chi = psi.like("transformed psi"), D = psi.like("D psi"), E = psi.like("D chi");
  for (int mu = 0; mu < 4; ++mu) V.column(mu) = G * U.column(mu) * adj(shift(G, mu, +1));
  chi = G * psi;
  const double epsilon = std::numeric_limits<double>::epsilon();
  EXPECT_LT(max_difference(V, reference::transform_links(g, u)), 100 * epsilon);
  EXPECT_LT(max_difference(chi, reference::transform_quarks(g, gather(psi))), 100 * epsilon);
  for (int mu = 0; mu < 4; ++mu) {
    const auto a = U.column(mu), b = V.column(mu);
    D = a * shift(psi, mu, +1) - shift(adj(a) * psi, mu, -1);
    E = b * shift(chi, mu, +1) - shift(adj(b) * chi, mu, -1);
    EXPECT_GT(norm2(D), 0.1 * norm2(psi));
    EXPECT_LT(norm2(E - G * D), 1e4 * epsilon * epsilon * norm2(D));
    const auto before = slice_sum(dot(psi, D), z), after = slice_sum(dot(chi, E), z);
    for (std::size_t s = 0; s < before.size(); ++s)
      EXPECT_LT(std::abs(before[s] - after[s]), 100 * epsilon * norm2(psi)) << mu << ' ' << s;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GaugeStatements, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

}  // namespace
}  // namespace kov
