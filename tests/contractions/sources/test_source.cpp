// SPDX-License-Identifier: MIT
//
// Sources against their definitions site by site, their bits on any decomposition, and the sequential source against
// the two-point function that it closes to.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/hadrons/three_point.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/smearing/profile_smearing.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"
#include "tests/support/slow_copy.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

namespace kov {
namespace {

using reference::for_each_coordinate;
using reference::gather;
using reference::GlobalArray;
using reference::Number;

using std::numbers::pi;

Number wave(const Momentum& p, const Coord& x, const Coord& origin, const Coord& extent) {
  double angle = 0;
  for (std::size_t mu = 0; mu < 3; ++mu) angle += 2 * pi * p[mu] * (x[mu] - origin[mu]) / extent[mu];
  return std::polar(1.0, angle);
}

/// The unit matrix times z(x).
template <class Z>
GlobalArray unit_times(const Coord& extent, const Z& z) {
  GlobalArray a(extent, 144);
  for_each_coordinate(extent, [&](const Coord& x) {
    for (int k = 0; k < 12; ++k) a.at(x)[13 * k] = z(x);
  });
  return a;
}

/// The random numbers of site x.
std::vector<Number> draws(const Noise& noise, const Coord& x, const Coord& extent, int n) {
  SiteRandom random(noise.seed, noise.stream, std::uint64_t(lexicographic(x, extent)));
  std::vector<Number> z;
  for (int k = 0; k < n; ++k) {
    const Complex<double> c = noise_number(noise.kind, random);
    z.push_back({c.re, c.im});
  }
  return z;
}

class Sources : public test::OnLattices {};

TEST_P(Sources, WallsHaveTheUnitMatrixAndTheirMomentum) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Coord extent = lattice.extent();
  const int t = extent[3] - 2;
  const auto on = [&](const Coord& x) { return x[3] == t ? Number(1) : Number(0); };
  EXPECT_EQ(max_difference(wall_source<double>(lattice, t), unit_times(extent, on)), 0);
  EXPECT_EQ(max_difference(wall_source<float>(lattice, t), unit_times(extent, on)), 0);
  EXPECT_EQ(max_difference(wall_source<double>(lattice, t, 2, 1), part(unit_times(extent, on), 12 * 7, 12)), 0);
  const Momentum p{1, -2, 1};
  const auto boosted = unit_times(extent, [&](const Coord& x) { return on(x) * wave(p, x, {}, extent); });
  EXPECT_LT(max_difference(momentum_source<double>(lattice, t, p), boosted), 40 * test::eps<double>);
  EXPECT_LT(max_difference(momentum_source<float>(lattice, t, p), boosted), 1e-6);
  EXPECT_EQ(max_difference(momentum_source<double>(lattice, t, {0, 0, 0}), unit_times(extent, on)), 0);
}

TEST_P(Sources, NoiseIsTheDrawsOfItsSites) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Coord extent = lattice.extent();
  for (const NoiseKind kind : {NoiseKind::z2, NoiseKind::z4, NoiseKind::u1})
    for (const std::optional<int> t : {std::optional<int>{}, std::optional<int>{1}}) {
      const Noise noise{.kind = kind, .seed = 7, .stream = 2};
      GlobalArray all(extent, 12), spins(extent, 48), units(extent, 144);
      for_each_coordinate(extent, [&](const Coord& x) {
        if (t && x[3] != *t) return;
        const auto z = draws(noise, x, extent, 12);
        for (std::size_t k = 0; k < 12; ++k) {
          all.at(x)[k] = z[k];
          spins.at(x)[12 * (k / 3) + k] = z[k % 3];
          units.at(x)[13 * k] = z[0];
        }
      });
      const auto check = [&](Dilution dilution, const GlobalArray& expected) {
        const auto source = noise_source<double>(lattice, {.noise = noise, .t = t, .dilution = dilution});
        EXPECT_EQ(12 * source.n_components(), expected.n);
        EXPECT_LE(max_difference(source, expected), kind == NoiseKind::u1 ? 20 * test::eps<double> : 0);
        EXPECT_LE(
            max_difference(noise_source<float>(lattice, {.noise = noise, .t = t, .dilution = dilution}), expected),
            kind == NoiseKind::u1 ? 1e-6 : 0);
      };
      check(Dilution::none, all);
      check(Dilution::spin, spins);
      check(Dilution::spin_color, units);
    }
}

TEST_P(Sources, GridsArePointsEverySoMany) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Coord extent = lattice.extent();
  const PointGrid grid{.origin = {1, 1, 0, 2}, .spacing = {2, extent[1] / 2, extent[2]}};
  const auto on = [&](const Coord& x) {
    return x[3] == 2 && (x[0] + 1) % 2 == 0 && (x[1] - 1 + extent[1]) % (extent[1] / 2) == 0 && x[2] == 0;
  };
  EXPECT_EQ(max_difference(grid_source<double>(lattice, grid),
                           unit_times(extent, [&](const Coord& x) { return Number(on(x)); })),
            0);
  const Noise noise{.kind = NoiseKind::z4, .seed = 3, .stream = 1};
  const auto noisy = unit_times(extent, [&](const Coord& x) { return on(x) ? draws(noise, x, extent, 1)[0] : 0; });
  EXPECT_EQ(max_difference(grid_source<double>(lattice, {grid.origin, grid.spacing, noise}), noisy), 0);
  EXPECT_EQ(
      max_difference(grid_source<double>(lattice, {grid.origin, grid.spacing, noise}, 3, 2), part(noisy, 132, 12)), 0);
}

TEST_P(Sources, SequentialIsGammaTimesThePropagatorAtTheSink) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Coord extent = lattice.extent(), origin{1, 0, 3, 1};
  const GlobalArray s = reference::random_array(extent, 144, 5);
  const Propagator<double> propagator(lattice, "S", {.origin = origin});
  load(propagator.columns(), s);
  const Momentum p{0, 1, -1};
  for (const int n : {15, 0, 6}) {
    const Gamma gamma = Gamma::number(n);
    GlobalArray expected(extent, 144);
    for_each_coordinate(extent, [&](const Coord& x) {
      if (x[3] != 2) return;
      for (int k = 0; k < 12; ++k)
        for (std::size_t row = 0; row < 4; ++row)
          for (int a = 0; a < 3; ++a)
            expected.at(x)[12 * k + 3 * int(row) + a] = wave(p, x, origin, extent) *
                                                        std::pow(Number(0, 1), gamma.phase[row]) *
                                                        s.at(x)[12 * k + 3 * gamma.column[row] + a];
    });
    EXPECT_LT(max_difference(sequential_source(propagator, 2, gamma, p), expected),
              40 * test::eps<double> * reference::max_abs(s));
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, Sources, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

/// The same source on all ranks together and on this rank alone.
template <class Make>
void expect_same_bits(const Make& make) {
  const Coord extent{4, 4, 4, 8};
  EXPECT_EQ(gather(make(Lattice(Comm::world(), extent))).data, gather(make(Lattice(Comm::self(), extent))).data);
}

TEST(Source, IsTheSameOnAnInstanceOfTheCallers) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto s = test::make_propagator<double>(lattice, reference::random_array(lattice.extent(), 144, 6));
  const PointGrid grid{.origin = {1, 0, 1, 2}, .spacing = {2, 2, 2}, .noise = Noise{.seed = 5}};
  const ProfileSmearing<double> smear(
      GaugeLinks<double>(reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 7))),
      gaussian_profile(1));
  const auto results = [&](const Exec& exec) {
    const Propagator<double> q = s.like("q");
    Kokkos::fence("propagators are ready");
    test::slow_copy(s.columns(), q.columns(), exec);
    multiply_phase(q.columns(), {1, 0, -1}, {0, 1, 0, 0}, exec);
    std::vector<SpinorField<double>> fields;
    fields.push_back(sequential_source(q, 3, Gamma::five(), {0, 1, 0}, exec).columns().alias());
    fields.push_back(meson_sequential_source(q, 2, Gamma::number(7), {0, 1, 0}, exec).columns().alias());
    fields.push_back(baryon_sequential_source(q, q, nucleon(), true, 1, {1, 0, 0}, exec).columns().alias());
    fields.push_back(point_source<double>(lattice, {1, 2, 3, 4}, exec).columns().alias());
    fields.push_back(momentum_source<double>(lattice, 3, {1, 0, 0}, exec).columns().alias());
    fields.push_back(grid_source<double>(lattice, grid, exec).columns().alias());
    fields.push_back(point_source<double>(lattice, {1, 2, 3, 4}, 2, 1, exec));
    fields.push_back(wall_source<double>(lattice, 5, 2, 1, exec));
    fields.push_back(grid_source<double>(lattice, grid, 2, 1, exec));
    fields.push_back(noise_source<double>(lattice, {.t = 1, .dilution = Dilution::spin}, exec));
    fields.push_back(smeared(q, smear, exec).columns().alias());
    fields.push_back(smear(q.columns(), exec));
    exec.fence("sources");
    std::vector<std::vector<Number>> numbers;
    for (const auto& field : fields) numbers.push_back(gather(field).data);
    return numbers;
  };
  EXPECT_TRUE(results(test::own_instance()) == results(Exec()));
}

TEST(Source, HasTheSameBitsOnAnyDecomposition) {
  for (const NoiseKind kind : {NoiseKind::z2, NoiseKind::z4, NoiseKind::u1, NoiseKind::gaussian})
    for (const Dilution dilution : {Dilution::none, Dilution::spin, Dilution::spin_color})
      for (const std::optional<int> t : {std::optional<int>{}, std::optional<int>{5}})
        expect_same_bits([&](const Lattice& lattice) {
          return noise_source<double>(lattice, {.noise = {.kind = kind, .seed = 9}, .t = t, .dilution = dilution});
        });
  expect_same_bits([](const Lattice& lattice) { return momentum_source<double>(lattice, 3, {1, 2, 3}); });
  expect_same_bits([](const Lattice& lattice) {
    return grid_source<float>(lattice, {{1, 2, 3, 4}, {2, 2, 4}, Noise{.kind = NoiseKind::u1, .seed = 4}});
  });
}

TEST(Source, SmearedGridIsTheSumOfItsSmearedPoints) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, reference::random_su3(lattice.extent(), 4, 1));
  const ProfileSmearing<double> smear(GaugeLinks<double>(gauge), gaussian_profile(1));
  const PointGrid grid{.origin = {1, 0, 2, 3}, .spacing = {2, 4, 4}};
  const GlobalArray whole = gather(smeared(grid_source<double>(lattice, grid), smear));
  GlobalArray sum(lattice.extent(), 144);
  for (const int x : {1, 3}) {
    const GlobalArray point = gather(smeared(point_source<double>(lattice, {x, 0, 2, 3}), smear));
    for (std::size_t i = 0; i < sum.data.size(); ++i) sum.data[i] += point.data[i];
  }
  double worst = 0;
  for (std::size_t i = 0; i < sum.data.size(); ++i) worst = max_or_nan(worst, std::abs(sum.data[i] - whole.data[i]));
  EXPECT_LT(worst, 200 * test::eps<double>);
}

/// Tr[Gamma_source M^-1 eta] at the source is the two-point function at the sink's time.
TEST(SequentialSource, ClosesToTheTwoPointFunction) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const Coord origin{1, 2, 0, 3};
  const Momentum p{1, 0, 0};
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, reference::random_su3(lattice.extent(), 4, 1));
  const WilsonOperator<double> M(GaugeLinks<double>(gauge, BoundaryAngles::antiperiodic_in_time()), 0.4);
  const auto solve = EvenOdd(M, BiCgStab{.tolerance = 1e-13});
  const auto s = solve_propagator(solve, M, point_source<double>(lattice, origin)).propagator;
  const int distance = 3, t_sink = (origin[3] + distance) % 8;
  for (const auto& [sink, source] : {std::pair{15, 15}, std::pair{1, 1}, std::pair{7, 15}}) {
    // C = Tr[(g5 S g5)^+ G_snk S G_src], and (g5 S(x, 0) g5)^+ = S(0, x): so C = Tr[G_src S(0, x) G_snk S(x, 0)].
    const auto eta = sequential_source(s, t_sink, Gamma::number(sink), p);
    const GlobalArray closed = gather(solve_propagator(solve, M, eta).propagator);
    const Gamma gamma = Gamma::number(source);
    Number trace = 0;
    for (std::size_t row = 0; row < 4; ++row)
      for (int a = 0; a < 3; ++a)
        trace += std::pow(Number(0, 1), gamma.phase[row]) *
                 closed.at(origin)[12 * (3 * int(row) + a) + 3 * gamma.column[row] + a];
    const auto correlator = mesons(s, s, {MesonChannel{sink, source}}, {p}).front();
    EXPECT_LT(std::abs(trace - correlator.value[std::size_t(distance)]), 1e-10) << sink << " " << source;
  }
}

TEST(Source, SaysWhatItIs) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto point = point_source<double>(lattice, {1, 2, 3, 4});
  EXPECT_EQ(point.labels.source, "point");
  EXPECT_EQ(point.labels.origin, (Coord{1, 2, 3, 4}));
  EXPECT_EQ(point.labels.boundary, BoundaryAngles::antiperiodic_in_time());
  const auto wall = wall_source<float>(lattice, 5), moving = momentum_source<float>(lattice, 6, {1, 0, 0});
  EXPECT_EQ(wall.labels.source, "wall");
  EXPECT_EQ(wall.labels.origin, (Coord{0, 0, 0, 5}));
  EXPECT_EQ(moving.labels.source, "momentum");
  EXPECT_EQ(moving.labels.origin, (Coord{0, 0, 0, 6}));
  const auto grid = grid_source<double>(lattice, {.origin = {1, 0, 1, 2}, .spacing = {2, 2, 2}});
  EXPECT_EQ(grid.labels.source, "grid");
  EXPECT_EQ(grid.labels.origin, (Coord{1, 0, 1, 2}));
  const auto sequential = sequential_source(point, 1, Gamma::five(), {0, 0, 0});
  EXPECT_EQ(sequential.labels.source, "sequential");
  EXPECT_EQ(sequential.labels.origin, point.labels.origin);
}

TEST(Source, RefusesTimesAndGridsThatDoNotExist) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  EXPECT_THROW(wall_source<double>(lattice, 8), InputError);
  EXPECT_THROW(wall_source<double>(lattice, -1), InputError);
  EXPECT_THROW(wall_source<double>(lattice, 1, 4, 0), InputError);
  EXPECT_THROW(grid_source<double>(lattice, PointGrid{}, 0, 3), InputError);
  EXPECT_THROW(momentum_source<double>(lattice, 8, {0, 0, 0}), InputError);
  EXPECT_THROW(noise_source<double>(lattice, {.t = 8}), InputError);
  EXPECT_THROW(grid_source<double>(lattice, {.origin = {4, 0, 0, 0}}), InputError);
  EXPECT_THROW(grid_source<double>(lattice, {.spacing = {3, 1, 1}}), InputError);
  EXPECT_THROW(grid_source<double>(lattice, {.spacing = {0, 1, 1}}), InputError);
  const Propagator<double> s(lattice, "S");
  EXPECT_THROW(sequential_source(s, 8, Gamma::five(), {0, 0, 0}), InputError);
  EXPECT_THROW(multiply_phase(s.columns(), {1, 0, 0}, {0, 0, 0, 9}), InputError);
}

}  // namespace
}  // namespace kov
