// SPDX-License-Identifier: MIT
//
// Smearing profiles: against Fourier sums on unit links, against dense modes on hot links, in limits, and with
// momentum.
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/smearing/momentum_smearing.hpp"
#include "kov/stencil/smearing/profile_smearing.hpp"
#include "tests/reference/fourier.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/laplacian_matrix.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using reference::Number;

GaugeLinks<double> links(const Lattice& lattice, const GlobalArray& u) {
  return GaugeLinks<double>(gauge_field(lattice, u));
}

double rms(const GlobalArray& a) {
  double sum = 0;
  for (const auto& z : a.data) sum += std::norm(z);
  return std::sqrt(sum / double(a.data.size()));
}

GlobalArray difference(const GlobalArray& a, const GlobalArray& b) {
  GlobalArray d = a;
  for (std::size_t i = 0; i < d.data.size(); ++i) d.data[i] -= b.data[i];
  return d;
}

/// Rounding of a series: each step of the recurrence rounds at the size of the input times the largest coefficients.
template <class T>
double tolerance(const ChebyshevSeries& series, double largest_profile, const GlobalArray& psi) {
  return (20 * std::numeric_limits<T>::epsilon() * (series.order() + 4) + 2 * series.error()) * largest_profile *
         reference::max_abs(psi);
}

class Profiles : public test::OnLattices {};

template <template <class> class SiteT, class T>
void check_free(const Lattice& lattice, const RealFunction& profile, Dimensions dimensions, double largest,
                const char* what) {
  const GlobalArray psi = reference::random_array(lattice.extent(), SiteT<T>::n_complex, 2);
  const GlobalArray expected = reference::free_profile(psi, int(dimensions), profile);
  const ProfileSmearing<T> smear(GaugeLinks<T>(gauge_field(lattice, reference::unit_gauge(lattice.extent()))), profile,
                                 {.accuracy = {.error = 1e-12}, .dimensions = dimensions});
  const Field<SiteT, T> in(lattice, "in");
  load(in, psi);
  EXPECT_LT(max_difference(smear(in), expected), tolerance<T>(smear.series(), largest, psi)) << what;
}

TEST_P(Profiles, OnUnitLinksAreTheirFourierSums) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_free<ColorVector, double>(lattice, gaussian_profile(1.3), Dimensions::space, 1, "Gaussian");
  check_free<Spinor, float>(lattice, gaussian_profile(1.3), Dimensions::spacetime, 1, "Gaussian in four dimensions");
  check_free<ColorVector, double>(lattice, node_profile(1.3), Dimensions::space, 1.5, "node");
  check_free<Spinor, double>(lattice, node_profile(1.1, 2.0), Dimensions::space, 1.5, "node at 2");
  check_free<ColorVector, double>(lattice, theta_profile(3, 0.4), Dimensions::space, 1, "theta");
  check_free<ColorVector, float>(lattice, theta_profile(5, 0.6), Dimensions::space, 1, "theta");
  check_free<ColorVector, double>(lattice, wuppertal_profile({.width = 2, .iterations = 9}), Dimensions::space, 1,
                                  "Wuppertal");
  check_free<ColorVector, double>(
      lattice, [](double p2) { return 1 / (1 + p2); }, Dimensions::space, 1, "a user's");
}

INSTANTIATE_TEST_SUITE_P(Lattices, Profiles, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

TEST(ProfileSmearing, NodeVanishesAtItsRadius) {
  const Coord extent{16, 16, 16, 2};
  const Lattice lattice(Comm::world(), extent);
  const double sigma = 2, node = 4;
  const ProfileSmearing<double> smear(links(lattice, reference::unit_gauge(extent)), node_profile(sigma, node));
  const Field<ColorVector, double> point(lattice, "point");
  poke(point, {8, 8, 8, 0}, ColorVector<double>{{{1, 0}, {0, 0}, {0, 0}}});
  const GlobalArray psi = gather(smear(point));
  const auto at = [&](int r) { return psi.at({8 + r, 8, 8, 0})[0].real(); };
  EXPECT_GT(at(0), 0);
  EXPECT_GT(at(3), 0);
  EXPECT_LT(at(5), 0);
  EXPECT_LT(std::abs(at(4)), 0.02 * at(0));  // not exactly 0 because of lattice artefacts at sigma = 2
}

TEST(ProfileSmearing, NodeOfTheOscillatorMakesItOrthogonalToTheGaussian) {
  const Coord extent{16, 16, 16, 2};
  const Lattice lattice(Comm::world(), extent);
  const auto u = links(lattice, reference::unit_gauge(extent));
  const Field<ColorVector, double> point(lattice, "point");
  poke(point, {8, 8, 8, 0}, ColorVector<double>{{{1, 0}, {0, 0}, {0, 0}}});
  const auto s1 = ProfileSmearing<double>(u, gaussian_profile(2))(point);
  const auto s2 = ProfileSmearing<double>(u, node_profile(2))(point);
  EXPECT_LT(std::abs(inner_product(s1, s2)), 0.1 * std::sqrt(norm2(s1) * norm2(s2)));
  const auto other = ProfileSmearing<double>(u, node_profile(2, 4.0))(point);
  EXPECT_GT(std::abs(inner_product(s1, other)), 0.3 * std::sqrt(norm2(s1) * norm2(other)));
}

TEST(ProfileSmearing, WuppertalEqualsItsChebyshevForm) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto u = links(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const WuppertalParameters parameters{.width = 3, .iterations = 20};
  const ProfileSmearing<double> smear(u, wuppertal_profile(parameters), {.order = parameters.iterations});
  EXPECT_EQ(smear.series().order(), 20);
  const SpinorField<double> in(lattice, "in", 2);
  const GlobalArray psi = reference::random_array(lattice.extent(), 24, 3);
  load(in, psi);
  const GlobalArray expected = gather(WuppertalSmearing<double>(u, parameters)(in));
  EXPECT_LT(max_difference(smear(in), expected), tolerance<double>(smear.series(), 1, psi));
}

TEST(ProfileSmearing, WuppertalTendsToTheGaussian) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto u = links(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const double width = 2;
  const Field<ColorVector, double> in(lattice, "in");
  load(in, reference::random_array(lattice.extent(), 3, 3));
  const GlobalArray gaussian = gather(ProfileSmearing<double>(u, gaussian_profile(width / std::sqrt(2.0)))(in));
  double last = 0;
  for (const int n : {100, 200, 400}) {
    const GlobalArray psi = gather(WuppertalSmearing<double>(u, {.width = width, .iterations = n})(in));
    const double distance = rms(difference(psi, gaussian)) / rms(gaussian);
    if (last > 0) {
      EXPECT_NEAR(last / distance, 2, 0.05) << "the difference falls like 1 / N";
    }
    last = distance;
  }
  EXPECT_LT(last, 0.01);
}

TEST(ProfileSmearing, ThetaTendsToAPointAsItsThresholdGrows) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto u = links(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const Field<ColorVector, double> point(lattice, "point");
  poke(point, {1, 2, 3, 5}, ColorVector<double>{{{1, 0}, {0, 0}, {0, 0}}});
  const GlobalArray delta = gather(point);
  double last = 2 * rms(delta);
  for (const double p2_max : {2.0, 4.0, 6.0, 8.0, 10.0, 16.0}) {
    const ProfileSmearing<double> smear(u, theta_profile(p2_max, 0.5));
    const double distance = rms(difference(gather(smear(point)), delta));
    EXPECT_LT(distance, last) << p2_max;
    last = distance;
  }
  EXPECT_LT(last, 1e-10);
}

TEST(ProfileSmearing, EqualsTheSumOverDenseModesOnHotLinks) {
  const Lattice lattice(Comm::world(), {4, 4, 2, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1),
                    psi = reference::random_array(lattice.extent(), 12, 2);
  const SpinorField<double> in(lattice, "in");
  load(in, psi);
  for (const RealFunction& profile : {gaussian_profile(1.5), node_profile(1.2)}) {
    const ProfileSmearing<double> smear(links(lattice, u), profile);
    EXPECT_LT(max_difference(smear(in), reference::apply_to_modes(u, psi, profile)),
              tolerance<double>(smear.series(), 1.5, psi));
  }
}

TEST(ProfileSmearing, ThetaInAGapIsTheProjectionOnTheModesBelow) {
  const Lattice lattice(Comm::world(), {4, 4, 2, 4});
  // Links near 1, whose low modes come in groups with gaps between; the same on every time slice, so that one gap
  // serves all.
  GlobalArray u = reference::random_array(lattice.extent(), 36, 1);
  for (std::size_t i = 0; i < u.data.size(); ++i) u.data[i] = Number(i % 9 % 4 == 0) + 0.1 * u.data[i];
  reference::project_to_su3(u);
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    std::copy_n(u.at({x[0], x[1], x[2], 0}), 36, u.at(x));
  });
  const auto modes = reference::laplacian_modes(u, 0);
  std::size_t n = 6;  // the widest gap above the sixth to fortieth mode
  for (std::size_t k = 6; k < 40; ++k)
    if (modes.values[k] - modes.values[k - 1] > modes.values[n] - modes.values[n - 1]) n = k;
  const double gap = modes.values[n] - modes.values[n - 1], threshold = 0.5 * (modes.values[n] + modes.values[n - 1]);
  const GlobalArray psi = reference::random_array(lattice.extent(), 3, 2);
  const GlobalArray expected = reference::apply_to_modes(u, psi, [&](double p2) { return p2 < threshold ? 1.0 : 0.0; });
  const ProfileSmearing<double> smear(links(lattice, u), theta_profile(threshold, gap / 10),
                                      {.accuracy = {.error = 1e-11}});
  const Field<ColorVector, double> in(lattice, "in");
  load(in, psi);
  const auto projected = smear(in);
  EXPECT_LT(max_difference(projected, expected), tolerance<double>(smear.series(), 1, psi) + 1e-11);
  EXPECT_LT(max_difference(smear(projected), expected), tolerance<double>(smear.series(), 1, psi) + 2e-11)
      << "a projection, applied twice";
  EXPECT_NEAR(norm2(projected) / norm2(in), double(n) / double(modes.values.size()), 0.1);
}

TEST(ProfileSmearing, BoundsFromLanczosGiveTheSameWithALowerOrder) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto u = links(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const SpinorField<double> in(lattice, "in");
  const GlobalArray psi = reference::random_array(lattice.extent(), 12, 3);
  load(in, psi);
  const CovariantLaplacian<double> laplacian(u, Dimensions::space);
  const Interval bounds = spectral_bounds(momentum_squared<Spinor>(laplacian), in);
  const ProfileSmearing<double> wide(u, gaussian_profile(2)), narrow(u, gaussian_profile(2), {.bounds = bounds});
  EXPECT_LT(narrow.series().order(), wide.series().order());
  EXPECT_LT(max_difference(narrow(in), gather(wide(in))),
            tolerance<double>(wide.series(), 1, psi) + tolerance<double>(narrow.series(), 1, psi));
}

TEST(ProfileSmearing, OfTwelveColumnsIsThatOfEach) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const ProfileSmearing<double> smear(links(lattice, reference::random_su3(lattice.extent(), 4, 1)),
                                      gaussian_profile(2));
  const SpinorField<double> in(lattice, "in", 12), column(lattice, "column");
  const GlobalArray psi = reference::random_array(lattice.extent(), 144, 3);
  load(in, psi);
  const GlobalArray all = gather(smear(in));
  for (const int k : {0, 5, 11}) {
    load(column, part(psi, 12 * k, 12));
    EXPECT_LT(max_difference(smear(column), part(all, 12 * k, 12)),
              10 * std::numeric_limits<double>::epsilon() * reference::max_abs(psi));
  }
}

TEST(ProfileSmearing, CommutesWithGaugeTransformations) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1), g = reference::random_su3(u.extent, 1, 2),
                    psi = reference::random_array(u.extent, 12, 3);
  const SpinorField<double> in(lattice, "in");
  load(in, psi);
  const ProfileSmearing<double> smear(links(lattice, u), node_profile(1.5)),
      turned(links(lattice, transform_links(g, u)), node_profile(1.5));
  const GlobalArray expected = transform_quarks(g, gather(smear(in)));
  load(in, transform_quarks(g, psi));
  EXPECT_LT(max_difference(turned(in), expected), tolerance<double>(smear.series(), 1.5, psi));
}

TEST(ProfileSmearing, RefusesParametersWithoutMeaning) {
  EXPECT_THROW(gaussian_profile(-1), InputError);
  EXPECT_THROW(gaussian_profile(std::nan("")), InputError);
  EXPECT_THROW(node_profile(0), InputError);
  EXPECT_THROW(node_profile(1, -2.0), InputError);
  EXPECT_THROW(theta_profile(std::nan(""), 1), InputError);
  EXPECT_THROW(theta_profile(1, 0), InputError);
  EXPECT_THROW(wuppertal_profile({.width = 1, .iterations = 0}), InputError);
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const ProfileSmearing<double> smear(links(lattice, reference::unit_gauge(lattice.extent())), gaussian_profile(1));
  const SpinorField<double> in(lattice, "in"), wide(lattice, "wide", 2), even(lattice, "even", 1, Subset::even);
  EXPECT_THROW(smear.apply(in, wide), InputError);
  EXPECT_THROW(smear.apply(even, even), InputError);
  EXPECT_THROW(smear(SpinorField<double>(Lattice(Comm::world(), {4, 4, 4, 8}), "elsewhere")), InputError);
}

/// |sum_x e^{-i p.x} psi|^2 over colours on a time slice.
double overlap(const GlobalArray& modes, const Coord& p) {
  double sum = 0;
  for (int a = 0; a < modes.n; ++a) sum += std::norm(modes.at(p)[a]);
  return sum;
}

TEST(MomentumSmearing, OverlapPeaksAtTheChosenMomentum) {
  const Coord extent{8, 8, 8, 2};
  const Lattice lattice(Comm::world(), extent);
  const auto gauge = gauge_field(lattice, reference::unit_gauge(extent));
  const Field<ColorVector, double> point(lattice, "point");
  poke(point, {3, 1, 6, 1}, ColorVector<double>{{{1, 0}, {0, 0}, {0, 0}}});
  const double unit = 2 * reference::pi / 8;
  // Momenta that are not whole peak at the nearest one.
  for (const std::array<double, 3>& n : {std::array<double, 3>{0, 0, 0}, {1, 0, 0}, {0, -1, 2}, {1.2, 0.3, -2.1}}) {
    const std::array<double, 3> k{n[0] * unit, n[1] * unit, n[2] * unit};
    const GaugeLinks<double> u(gauge, momentum_factors(k));
    const WuppertalParameters wuppertal{.width = 3, .iterations = 30};
    const Coord nearest{int(std::lround(n[0]) + 8) % 8, int(std::lround(n[1]) + 8) % 8, int(std::lround(n[2]) + 8) % 8,
                        1};
    for (const auto& smeared :
         {ProfileSmearing<double>(u, gaussian_profile(2))(point), WuppertalSmearing<double>(u, wuppertal)(point)}) {
      const GlobalArray modes = reference::fourier(gather(smeared), 3);
      reference::for_each_coordinate({8, 8, 8, 1}, [&](Coord p) {
        p[3] = 1;
        if (p != nearest) {
          EXPECT_LT(overlap(modes, p), overlap(modes, nearest)) << to_string(p);
        }
      });
    }
    // Not only the peak: the whole profile, F((p - k)^2).
    const RealFunction profile = gaussian_profile(2);
    const ProfileSmearing<double> smear(u, profile);
    const GlobalArray expected = reference::free_profile(gather(point), 3, profile, {k[0], k[1], k[2], 0});
    EXPECT_LT(max_difference(smear(point), expected), tolerance<double>(smear.series(), 1, gather(point)));
  }
}

TEST(MomentumSmearing, IsSmearingBetweenTwoPhaseRotations) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1), psi = reference::random_array(u.extent, 12, 2);
  const std::array<double, 3> k{reference::pi / 2, 0, -reference::pi / 2};  // whole momenta on extent 4
  const auto rotated = [&](const GlobalArray& a, int sign) {
    GlobalArray b = a;
    reference::for_each_coordinate(a.extent, [&](const Coord& x) {
      for (int i = 0; i < a.n; ++i) b.at(x)[i] *= std::polar(1.0, sign * (k[0] * x[0] + k[1] * x[1] + k[2] * x[2]));
    });
    return b;
  };
  const auto gauge = gauge_field(lattice, u);
  const ProfileSmearing<double> plain(GaugeLinks<double>(gauge), gaussian_profile(1.5)),
      boosted(GaugeLinks<double>(gauge, momentum_factors(k)), gaussian_profile(1.5));
  const SpinorField<double> in(lattice, "in");
  load(in, rotated(psi, -1));
  const GlobalArray expected = rotated(gather(plain(in)), +1);
  load(in, psi);
  EXPECT_LT(max_difference(boosted(in), expected), tolerance<double>(plain.series(), 1, psi));
}

TEST(MomentumSmearing, MomentumZeroChangesNothingAndTimeLinksNeverChange) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1);
  const auto gauge = gauge_field(lattice, u);
  const auto psi = reference::random_field<Spinor, double>(lattice, 1, 2);
  const auto laplacian = [&](const LegFactors& factors) {
    const SpinorField<double> out(lattice, "out");
    CovariantLaplacian<double>(GaugeLinks<double>(gauge, factors)).apply(psi, out);
    return gather(out);
  };
  EXPECT_EQ(laplacian(momentum_factors({0, 0, 0})).data, laplacian({}).data);
  EXPECT_NE(laplacian(momentum_factors({0.3, -1, 2})).data, laplacian({}).data);
  EXPECT_EQ(momentum_factors({0.3, -1, 2}).direction[3], 1.0);
  EXPECT_THROW(momentum_factors({0, std::nan(""), 0}), InputError);
  EXPECT_THROW(GaugeLinks<double>(GaugeField<double>(lattice, "two", 2)), InputError);
}

}  // namespace
}  // namespace kov
