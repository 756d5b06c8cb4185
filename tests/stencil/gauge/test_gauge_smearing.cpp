// SPDX-License-Identifier: MIT
//
// Smeared links: stout and APE against their definitions (HYP: test_hyp_smearing.cpp), gauge covariance, and plaquettes
// of other codes.
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/heatbath.hpp"
#include "kov/stencil/gauge/hyp_smearing.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/observables/observables.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/oracles.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>

namespace kov::test {
namespace {

using reference::gather;
using reference::GlobalArray;
using reference::Matrix3;
using reference::Number;

class LinkSmearing : public test::OnLattices {};

Matrix3 traceless_antihermitian(const Matrix3& m) {
  const Matrix3 d = reference::dagger(m);
  Matrix3 a;
  for (std::size_t i = 0; i < 9; ++i) a[i] = 0.5 * (m[i] - d[i]);
  const Number third = reference::trace(a) / 3.0;
  for (std::size_t i = 0; i < 9; i += 4) a[i] -= third;
  return a;
}

GlobalArray stout_reference(const GlobalArray& u, double rho, const Directions& directions) {
  GlobalArray v = u;
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu) {
      if (!directions[std::size_t(mu)]) continue;
      const Matrix3 link = reference::matrix(u, x, mu);
      Matrix3 m = reference::product(reference::staple_sum(u, x, mu, directions), reference::dagger(link));
      for (Number& z : m) z *= rho;
      m = reference::product(reference::exponential(traceless_antihermitian(m)), link);
      std::copy(m.begin(), m.end(), v.at(x) + 9 * mu);
    }
  });
  return v;
}

template <class T>
void check_stout(const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 61);
  const GaugeField<T> gauge = gauge_field<T>(lattice, u);
  for (const Directions& directions : {space_directions, all_directions, Directions{false, true, false, true}}) {
    const GlobalArray expected = stout_reference(u, 0.15, directions);
    EXPECT_LT(max_difference(stout(gauge, {.rho = 0.15, .n = 1, .directions = directions}), expected), 30 * eps<T>);
  }
  EXPECT_LT(max_difference(gauge, u), eps<T>) << "the thin links were changed";
}

TEST_P(LinkSmearing, StoutEqualsItsDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_stout<float>(lattice);
  check_stout<double>(lattice);
}

TEST(Stout, StepsFollowOneAnother) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  GlobalArray u = reference::random_su3(lattice.extent(), 4, 62);
  const GaugeField<double> gauge = gauge_field<double>(lattice, u);
  for (int k = 0; k < 3; ++k) u = stout_reference(u, 0.1, all_directions);
  EXPECT_LT(max_difference(stout(gauge, {.rho = 0.1, .n = 3, .directions = all_directions}), u), 200 * eps<double>);
}

// The exponent then has norms around 10; the exponential must stay in SU(3).
TEST(Stout, LargeRhoStaysInTheGroup) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 63);
  for (const double rho : {1.0, -2.0}) {
    const GaugeField<double> smeared =
        stout(gauge_field<double>(lattice, u), {.rho = rho, .directions = all_directions});
    EXPECT_LT(unitarity_deviation(smeared), 200 * eps<double>) << rho;
    EXPECT_LT(max_difference(smeared, stout_reference(u, rho, all_directions)), 1e5 * eps<double>)
        << "series with terms of e^10";
  }
}

TEST(Stout, NoStrengthOrNoStepsChangeNothing) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 64);
  const GaugeField<double> gauge = gauge_field<double>(lattice, u);
  EXPECT_EQ(max_difference(stout(gauge, {.rho = 0, .n = 2}), u), 0);
  const GaugeField<double> same = stout(gauge, {.n = 0}), ape_same = ape(gauge, {.n = 0});
  EXPECT_EQ(max_difference(hyp(gauge, {.n = 0}), u), 0);
  EXPECT_EQ(max_difference(same, u), 0);
  EXPECT_EQ(max_difference(ape_same, u), 0);
  cold_start(same);
  cold_start(ape_same);
  EXPECT_EQ(max_difference(gauge, u), 0) << "the result shares memory with the thin links";
}

/// V = weight U + staples.
Matrix3 fuzzy(const GlobalArray& u, const Coord& x, int mu, double weight, const Directions& directions) {
  Matrix3 v = reference::staple_sum(u, x, mu, directions);
  const Matrix3 link = reference::matrix(u, x, mu);
  for (std::size_t i = 0; i < 9; ++i) v[i] += weight * link[i];
  return v;
}

// W maximises Re tr W V^+ over SU(3): W V^+ has no traceless antihermitian part, and no other matrix does better.
template <class T>
void check_ape(const Directions& directions) {
  const Lattice alone(Comm::self(), {4, 4, 2, 6});
  const GlobalArray u = reference::random_su3(alone.extent(), 4, 65),
                    trial = reference::random_su3(alone.extent(), 4, 66);
  const GaugeField<T> smeared = ape(gauge_field<T>(alone, u), {.weight = 2.5, .n = 1, .directions = directions});
  const GlobalArray w = gather(smeared);
  EXPECT_LT(unitarity_deviation(smeared), 20 * eps<T>);
  reference::for_each_coordinate(alone.extent(), [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu) {
      const Matrix3 link = reference::matrix(w, x, mu);
      if (!directions[std::size_t(mu)]) {
        for (std::size_t i = 0; i < 9; ++i) EXPECT_LT(std::abs(link[i] - reference::matrix(u, x, mu)[i]), eps<T>);
        continue;
      }
      const Matrix3 v = reference::dagger(fuzzy(u, x, mu, 2.5, directions)), product = reference::product(link, v);
      for (const Number& z : traceless_antihermitian(product)) EXPECT_LT(std::abs(z), 1e3 * eps<T>);
      for (const GlobalArray* other : {&u, &trial})
        EXPECT_GE(reference::trace(product).real(),
                  reference::trace(reference::product(reference::matrix(*other, x, mu), v)).real() - 100 * eps<T>);
    }
  });
}

TEST(Ape, ConvergedProjectionIsTheMaximum) {
  check_ape<float>(space_directions);
  check_ape<double>(space_directions);
  check_ape<double>(all_directions);
}

// (1 - c) U + c / n sum is c / n times (n (1 - c) / c U + sum).
TEST(Ape, FractionOfStaplesIsAnotherNameForTheWeight) {
  const ApeSmearing space = ApeSmearing::with_fraction(0.4, 3),
                    all = ApeSmearing::with_fraction(0.75, 1, all_directions);
  EXPECT_DOUBLE_EQ(space.weight, 4 * 0.6 / 0.4);
  EXPECT_DOUBLE_EQ(all.weight, 6 * 0.25 / 0.75);
  EXPECT_EQ(space.n, 3);
  EXPECT_EQ(all.directions, all_directions);
  const Lattice alone(Comm::self(), {4, 4, 2, 6});
  const GlobalArray u = reference::random_su3(alone.extent(), 4, 72);
  const GaugeField<double> smeared = ape(gauge_field<double>(alone, u), all);
  reference::for_each_coordinate(alone.extent(), [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu) {
      Matrix3 v = reference::staple_sum(u, x, mu, all_directions);
      for (std::size_t i = 0; i < 9; ++i) v[i] = 0.75 / 6 * v[i] + 0.25 * reference::matrix(u, x, mu)[i];
      const Matrix3 w = reference::matrix(gather(smeared), x, mu);
      for (const Number& z : traceless_antihermitian(reference::product(w, reference::dagger(v))))
        EXPECT_LT(std::abs(z), 1e3 * eps<double>);
    }
  });
}

template <class T>
void check_bits(const LatticeCase& c, const GlobalArray& u) {
  const Lattice together = c.make(Comm::world()), alone(Comm::self(), c.extent);
  for (const auto stop : {TraceProjection::Stop::converged, TraceProjection::Stop::average}) {
    const ApeSmearing smearing{.n = 1, .projection = {.stop = stop}};
    const GaugeField<T> a = ape(gauge_field<T>(together, u), smearing), b = ape(gauge_field<T>(alone, u), smearing);
    EXPECT_EQ(describe_gauge(a, "").links_checksum, describe_gauge(b, "").links_checksum);
  }
  const GaugeField<T> fat = hyp(gauge_field<T>(together, u), {}), same = hyp(gauge_field<T>(alone, u), {});
  EXPECT_EQ(describe_gauge(fat, "").links_checksum, describe_gauge(same, "").links_checksum);
  const GaugeField<T> a = stout(gauge_field<T>(together, u), {.n = 2}), b = stout(gauge_field<T>(alone, u), {.n = 2});
  EXPECT_EQ(describe_gauge(a, "").links_checksum, describe_gauge(b, "").links_checksum);
}

TEST_P(LinkSmearing, SameLinksOnAnyDecomposition) {
  const GlobalArray u = reference::random_su3(GetParam().extent, 4, 67);
  check_bits<float>(GetParam(), u);
  check_bits<double>(GetParam(), u);
}

// smear(U^g) = smear(U)^g
TEST(LinkSmearingFacts, GaugeCovariance) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}), alone(Comm::self(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 68),
                    g = reference::random_su3(lattice.extent(), 1, 69);
  const auto check = [&](const auto& smear, double tolerance, const char* what) {
    const GlobalArray smeared = gather(smear(gauge_field<double>(alone, u)));
    EXPECT_LT(max_difference(smear(gauge_field<double>(lattice, gauge_transform(u, g))), gauge_transform(smeared, g)),
              tolerance)
        << what;
    EXPECT_GT(max_difference(gauge_field<double>(lattice, u), smeared), 0.1) << what << " does nothing";
  };
  check([](const auto& gauge) { return stout(gauge, {.rho = 0.1, .n = 3, .directions = all_directions}); },
        1e3 * eps<double>, "stout");
  check([](const auto& gauge) { return ape(gauge, {.n = 2}); }, 1e6 * eps<double>, "APE");
  check([](const auto& gauge) { return hyp(gauge, {}); }, 1e6 * eps<double>, "HYP");
}

TEST(LinkSmearingFacts, UnitLinksStay) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> gauge(lattice, "gauge", 4);
  cold_start(gauge);
  for (const GaugeField<double>& smeared :
       {stout(gauge, {.n = 2, .directions = all_directions}), ape(gauge, {.n = 2}), hyp(gauge, {.n = 2})}) {
    EXPECT_NEAR(link_trace(smeared), 1, eps<double>);
    EXPECT_EQ(plaquettes(smeared).spatial(), 1);
  }
}

TEST(LinkSmearingFacts, ImpossibleParametersAreRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> gauge = gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 70));
  EXPECT_THROW(stout(gauge, {.rho = std::nan("")}), InputError);
  EXPECT_THROW(stout(gauge, {.n = -1}), InputError);
  EXPECT_THROW(stout(gauge, {.directions = {false, true, false, false}}), InputError);
  EXPECT_THROW(ape(gauge, {.weight = HUGE_VAL}), InputError);
  EXPECT_THROW(ape(gauge, {.directions = {}}), InputError);
  EXPECT_THROW(ApeSmearing::with_fraction(0), InputError);
  EXPECT_THROW(ApeSmearing::with_fraction(0.5, 1, {true, false, false, false}), InputError);
  EXPECT_THROW(hyp(gauge, {.alpha2 = std::nan("")}), InputError);
  EXPECT_THROW(hyp(gauge, {.n = -1}), InputError);
  EXPECT_THROW(hyp(gauge, {.directions = {false, false, true, false}}), InputError);
  EXPECT_THROW(hyp(gauge, {.projection = {.max_sweeps = 1}}), ConvergenceError);
  EXPECT_THROW(hyp(GaugeField<double>(lattice, "one link", 1), {}), InputError);
  EXPECT_THROW(ape(gauge, {.projection = {.max_sweeps = 1}}), ConvergenceError);
  EXPECT_THROW(ape(gauge, {.projection = {.stop = TraceProjection::Stop::average, .max_sweeps = 1}}), ConvergenceError);
  EXPECT_THROW(stout(GaugeField<double>(lattice, "one link", 1), {}), InputError);
}

void expect_plaquettes(const GaugeField<double>& gauge, const nlohmann::json& expected, double tolerance) {
  const Plaquettes p = plaquettes(gauge);
  EXPECT_NEAR(p.mean(), expected["w"].get<double>(), tolerance);
  EXPECT_NEAR(p.spatial(), expected["s"].get<double>(), tolerance);
  EXPECT_NEAR(p.temporal(), expected["t"].get<double>(), tolerance);
  EXPECT_NEAR(link_trace(gauge), expected["link"].get<double>(), tolerance);
}

// Numbers of Chroma, in single precision, and the same in double from a fully converged projection.
TEST(PublishedLinkSmearing, Chroma) {
  KOV_SKIP_WITHOUT_DATA("oracles/chroma_link_smearing.json", "qlua/random-gauge.nersc");
  const auto all = oracle("chroma_link_smearing.json");
  const auto& tolerance = all["tolerance"];
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto gauge = read_gauge<double>(lattice, data_folder() / "qlua" / "random-gauge.nersc");
  constexpr double rounded_file = 2e-9;  // computed in double from links that this file holds in 32 bits
  int compared = 0;
  for (const auto& entry : all["values"]) {
    const std::string kind = entry["kind"];
    SCOPED_TRACE(kind);
    const auto& after = entry["after"];
    const auto& converged = entry["double_precision_fully_converged_by_lq"];
    const auto& p = entry["params"];
    if (kind == "ape") {
      ApeSmearing smearing{.weight = p["fact"], .n = p["n"]};
      expect_plaquettes(ape(gauge, smearing), after, tolerance["ape_abs_fully_converged"]);
      expect_plaquettes(ape(gauge, smearing), converged, rounded_file);
      smearing.projection = {.stop = TraceProjection::Stop::average, .change = p["BlkAccu"]};
      expect_plaquettes(ape(gauge, smearing), after, tolerance["ape_abs_same_projection_schedule"]);
      ++compared;
    } else if (kind.starts_with("stout")) {
      Directions directions{};
      for (const int mu : p["dirs"]) directions[std::size_t(mu)] = true;
      const auto smeared = stout(gauge, {.rho = p["rho"], .n = p["n"], .directions = directions});
      expect_plaquettes(smeared, after, tolerance["stout_abs"]);
      expect_plaquettes(smeared, converged, rounded_file);
      ++compared;
    } else if (kind.starts_with("hyp")) {
      HypSmearing smearing{.alpha1 = p["alpha1"], .alpha2 = p["alpha2"], .alpha3 = p["alpha3"], .n = p["n"]};
      if (p.contains("no_dir")) smearing.directions[p["no_dir"].get<std::size_t>()] = false;
      const auto smeared = hyp(gauge, smearing);
      expect_plaquettes(smeared, after, tolerance["hyp_abs"]);
      expect_plaquettes(smeared, converged, rounded_file);
      smearing.projection = {.stop = TraceProjection::Stop::average, .change = p["BlkAccu"]};
      expect_plaquettes(hyp(gauge, smearing), after, tolerance["hyp_abs"]);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 5);
}

TEST(PublishedLinkSmearing, MilcConfiguration) {
  KOV_SKIP_WITHOUT_DATA("oracles/reference_lq_milc_l4448.json", "milc/lat.sample.l4448");
  const auto values = oracle("reference_lq_milc_l4448.json")["values"]["smeared_plaquettes"];
  const auto gauge =
      read_gauge<double>(Lattice(Comm::world(), {4, 4, 4, 8}), data_folder() / "milc" / "lat.sample.l4448");
  expect_plaquettes(stout(gauge, {.rho = 0.1, .n = 3, .directions = all_directions}), values["stout4d_rho0.1_n3"],
                    1e-11);
  expect_plaquettes(stout(gauge, {.rho = 0.1, .n = 2}), values["stout3d_rho0.1_n2"], 1e-11);
  expect_plaquettes(ape(gauge, {.weight = 2.5, .n = 3}), values["ape3d_fact2.5_n3_fullyconverged"], 1e-10);
  expect_plaquettes(hyp(gauge, {}), values["hyp4d_0.75_0.6_0.3_fullyconverged"], 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Lattices, LinkSmearing, ::testing::ValuesIn(small_lattice_cases(1100)), case_name);

}  // namespace
}  // namespace kov::test
