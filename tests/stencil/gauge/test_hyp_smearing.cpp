// SPDX-License-Identifier: MIT
//
// HYP links against their definition, level by level.
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/hyp_smearing.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/observables/observables.hpp"
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

class HypLinks : public test::OnLattices {};

/// The matrix of SU(3) with the largest Re tr w v^+: ascents in SU(2) subgroups, from u.
Matrix3 project_reference(const Matrix3& u, const Matrix3& v) {
  Matrix3 w = u;
  double turn = 1;
  for (int sweep = 0; sweep < 400 && turn > 1e-14; ++sweep) {
    turn = 0;
    for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {0, 2}}) {
      const Matrix3 p = reference::product(w, reference::dagger(v));
      const auto at = [&](int a, int b) { return p[std::size_t(3 * a + b)]; };
      // Re tr g p over the subgroup is largest at g = conjugate of p's SU(2) part.
      Number a = at(i, i) + std::conj(at(j, j)), b = at(i, j) - std::conj(at(j, i));
      const double size = std::sqrt(std::norm(a) + std::norm(b));
      a /= size;
      b /= size;
      turn = std::max(turn, std::abs(a - 1.0) + std::abs(b));
      Matrix3 g{1, 0, 0, 0, 1, 0, 0, 0, 1};
      g[std::size_t(4 * i)] = std::conj(a);
      g[std::size_t(4 * j)] = a;
      g[std::size_t(3 * i + j)] = -b;
      g[std::size_t(3 * j + i)] = std::conj(b);
      w = reference::product(g, w);
    }
  }
  return w;
}

/// V(mu; S) of every site, by recursion from its definition.
GlobalArray hyp_reference(const GlobalArray& u, int mu, const Directions& set, const HypSmearing& smearing) {
  const auto size = std::count(set.begin(), set.end(), true);
  const double alpha = size == 1 ? smearing.alpha3 : size == 2 ? smearing.alpha2 : smearing.alpha1;
  std::vector<Matrix3> sum(std::size_t(volume(u.extent)));
  for (int nu = 0; nu < 4; ++nu) {
    if (!set[std::size_t(nu)]) continue;
    Directions rest = set;
    rest[std::size_t(nu)] = false;
    const GlobalArray carried = hyp_reference(u, mu, rest, smearing), along = hyp_reference(u, nu, rest, smearing);
    reference::for_each_of_share(u.extent, [&](const Coord& x) {
      const auto b = [&](const Coord& y) { return reference::matrix(carried, y, 0); };
      const auto a = [&](const Coord& y) { return reference::matrix(along, y, 0); };
      const Coord down = reference::shifted(x, nu, -1);
      const Matrix3 upper = reference::product(reference::product(a(x), b(reference::shifted(x, nu, 1))),
                                               reference::dagger(a(reference::shifted(x, mu, 1)))),
                    lower = reference::product(reference::product(reference::dagger(a(down)), b(down)),
                                               a(reference::shifted(down, mu, 1)));
      for (std::size_t i = 0; i < 9; ++i) sum[std::size_t(lexicographic(x, u.extent))][i] += upper[i] + lower[i];
    });
  }
  return reference::filled(u.extent, 9, [&](const Coord& x, Number* out) {
    Matrix3 link = reference::matrix(u, x, mu);
    if (size > 0) {
      Matrix3 v = sum[std::size_t(lexicographic(x, u.extent))];
      for (std::size_t i = 0; i < 9; ++i) v[i] = (1 - alpha) * link[i] + alpha / (2 * double(size)) * v[i];
      link = project_reference(link, v);
    }
    std::copy(link.begin(), link.end(), out);
  });
}

/// Smooth links, on which the projection has one maximum and finds it fast.
GlobalArray smooth_links(const Coord& extent, std::uint64_t seed) {
  const Lattice alone(Comm::self(), extent);
  return reference::gather(stout(gauge_field<double>(alone, reference::random_su3(extent, 4, seed)),
                                 {.rho = 0.1, .n = 2, .directions = all_directions}));
}

template <class T>
void check_hyp(const Lattice& lattice, const GlobalArray& u, const HypSmearing& smearing) {
  GlobalArray expected = u;
  for (int mu = 0; mu < 4; ++mu) {
    if (!smearing.directions[std::size_t(mu)]) continue;
    Directions others = smearing.directions;
    others[std::size_t(mu)] = false;
    const GlobalArray fat = hyp_reference(u, mu, others, smearing);
    reference::for_each_coordinate(u.extent,
                                   [&](const Coord& x) { std::copy_n(fat.at(x), 9, expected.at(x) + 9 * mu); });
  }
  // The projection stops when a sweep changes nothing; in slow directions the error then exceeds a rounding.
  EXPECT_LT(max_difference(hyp(gauge_field<T>(lattice, u), smearing), expected), 1e4 * eps<T>);
}

TEST_P(HypLinks, AreThoseOfTheDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = smooth_links(lattice.extent(), 73);
  check_hyp<double>(lattice, u, {.alpha1 = 0.7, .alpha2 = 0.5, .alpha3 = 0.35});
  check_hyp<float>(lattice, u, {.alpha1 = 0.7, .alpha2 = 0.5, .alpha3 = 0.35, .directions = space_directions});
  check_hyp<double>(lattice, u,
                    {.alpha1 = 0.7, .alpha2 = 0.5, .alpha3 = 0.35, .directions = {true, false, true, true}});
}

// With alpha1 = alpha2 = 0 nothing is smeared; with alpha2 = alpha3 = 0 HYP is APE.
TEST(HypLinksFacts, WithoutInnerLevelsTheyAreApe) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GlobalArray u = smooth_links(lattice.extent(), 74);
  const GaugeField<double> gauge = gauge_field<double>(lattice, u);
  const auto outer = hyp(gauge, {.alpha1 = 0.6, .alpha2 = 0, .alpha3 = 0, .n = 2}),
             ape_links = ape(gauge, ApeSmearing::with_fraction(0.6, 2, all_directions));
  const Plaquettes a = plaquettes(outer), b = plaquettes(ape_links);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(a.planes[k], b.planes[k], 1e3 * eps<double>);
  EXPECT_GT(a.mean(), plaquettes(gauge).mean() + 1e-3);
  EXPECT_LT(max_difference(hyp(gauge, {.alpha1 = 0, .alpha2 = 0.6, .alpha3 = 0.3}), u), 1e2 * eps<double>);
}

INSTANTIATE_TEST_SUITE_P(Lattices, HypLinks, ::testing::ValuesIn(small_lattice_cases(1100)), case_name);

}  // namespace
}  // namespace kov::test
