// SPDX-License-Identifier: MIT
//
// Quenched updates: staples against their definition, the same links on any decomposition, what overrelaxation and
// heatbath must conserve, and plaquettes where they are known: at strong coupling and at beta = 6.
#include "kov/core/field/site_map.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/stencil/gauge/heatbath.hpp"
#include "kov/stencil/observables/observables.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>

namespace kov::test {

/// out(x) = the staples of one direction.
template <class T>
struct StoreStaples {
  StapleView<T> staples;
  FieldView<ColorMatrix, T> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    out.set(x, staples(x));
  }
};

namespace {

using reference::GlobalArray;

class Quenched : public test::OnLattices {};

template <class T>
void check_staples(const Lattice& lattice) {
  const GlobalArray before = reference::random_su3(lattice.extent(), 4, 41);
  GlobalArray after = before;
  const GaugeField<T> gauge(lattice, "gauge", 4);
  load(gauge, before);
  const Directions directions{true, false, true, true};
  Staples<T> all(gauge), some(gauge, directions);
  // The update changes one direction on one parity; the staples must use the new links.
  const GlobalArray other = reference::random_su3(lattice.extent(), 4, 42);
  reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
    if (parity(x) == 1) std::copy_n(other.at(x) + 18, 9, after.at(x) + 18);
  });
  load(gauge, after);
  all.changed(2, Subset::odd);
  some.changed(2, Subset::odd);
  const auto compare = [&](Staples<T>& staples, const Directions& along, int mu, Subset subset) {
    const Field<ColorMatrix, T> out(lattice, "staples", 1, subset);
    staples.for_each_staple("staples", mu, out, [&](const auto& view) { return StoreStaples<T>{view, out.view()}; });
    GlobalArray expected(lattice.extent(), 9);
    reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
      const auto s = reference::staple_sum(after, x, mu, along);
      std::copy(s.begin(), s.end(), expected.at(x));
    });
    EXPECT_LT(max_difference(out, expected), 20 * eps<T>) << "direction " << mu;
  };
  compare(all, all_directions, 0, Subset::all);
  compare(all, all_directions, 1, Subset::even);
  compare(all, all_directions, 2, Subset::even);
  compare(all, all_directions, 2, Subset::odd);
  compare(some, directions, 3, Subset::all);
  compare(some, directions, 2, Subset::odd);
}

TEST_P(Quenched, StaplesEqualTheirDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_staples<float>(lattice);
  check_staples<double>(lattice);
}

/// All links of a lattice on one process.
template <class T>
GlobalArray whole(const GaugeField<T>& gauge) {
  const std::vector<double> links = export_sites(gauge);
  GlobalArray a(gauge.lattice().extent(), 36);
  for (std::size_t i = 0; i < a.data.size(); ++i) a.data[i] = {links[2 * i], links[2 * i + 1]};
  return a;
}

template <class T>
void check_bits(const LatticeCase& c) {
  const QuenchedParameters parameters{
      .beta = 5.7, .seed = 43, .n_thermalise = 1, .overrelaxation_per_heatbath = 1, .start = Start::hot};
  const Lattice together = c.make(Comm::world()), alone(Comm::self(), c.extent);
  EXPECT_EQ(max_difference(generate_quenched<T>(together, parameters), whole(generate_quenched<T>(alone, parameters))),
            0);
}

TEST_P(Quenched, SameLinksOnAnyDecomposition) {
  check_bits<float>(GetParam());
  check_bits<double>(GetParam());
}

template <class T>
void check_overrelaxation() {
  const Lattice lattice(Comm::world(), {8, 4, 4, 8});
  const GaugeField<T> gauge(lattice, "gauge", 4);
  hot_start(gauge, 44);
  PureGaugeUpdate<T> chain(gauge, 5.5, 44);
  for (int k = 0; k < 3; ++k) chain.heatbath();
  const GlobalArray before = Comm::world().size() == 1 ? whole(gauge) : GlobalArray(lattice.extent(), 36);
  const double action = plaquettes(gauge).mean();
  for (int k = 0; k < 5; ++k) chain.overrelax();
  EXPECT_NEAR(plaquettes(gauge).mean(), action, 20 * eps<T>);
  EXPECT_GT(max_difference(gauge, before), 0.5) << "the links did not move";
  EXPECT_LT(unitarity_deviation(gauge), 100 * eps<T>) << "five sweeps away from the last reunitarisation";
  chain.heatbath();
  EXPECT_LT(unitarity_deviation(gauge), 40 * eps<T>);
  EXPECT_GT(std::abs(plaquettes(gauge).mean() - action), 1e-3) << "the heatbath did not move the action";
}

TEST(Heatbath, OverrelaxationConservesTheAction) {
  check_overrelaxation<float>();
  check_overrelaxation<double>();
}

TEST(Heatbath, OverrelaxationLeavesLinksWithoutStaplesAlone) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> gauge(lattice, "gauge", 4);  // zero: so are all staples
  PureGaugeUpdate<double>(gauge, 6, 1).overrelax();
  EXPECT_EQ(max_difference(gauge, GlobalArray(lattice.extent(), 36)), 0);
}

TEST(Heatbath, ChainContinuesFromItsLinks) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeField<double> a(lattice, "a", 4), b(lattice, "b", 4), c(lattice, "c", 4);
  for (const auto* field : {&a, &b, &c}) cold_start(*field);
  PureGaugeUpdate<double> chain(a, 6, 45), first(b, 6, 45), other(c, 6, 46);
  for (int k = 0; k < 3; ++k) chain.heatbath();
  for (int k = 0; k < 2; ++k) first.heatbath();
  PureGaugeUpdate<double> second(b, 6, 45, first.n_sweeps());
  second.heatbath();
  for (int k = 0; k < 3; ++k) other.heatbath();
  EXPECT_EQ(plaquettes(a, SumMode::exact).planes, plaquettes(b, SumMode::exact).planes);
  EXPECT_NE(plaquettes(a, SumMode::exact).planes, plaquettes(c, SumMode::exact).planes) << "another seed";
  EXPECT_EQ(second.n_sweeps(), 3u);
}

/// The mean of f(U) over a gauge field's links on one rank, and over ranks.
template <class F>
double link_mean(const GaugeField<double>& gauge, const F& f) {
  const std::vector<double> links = export_sites(gauge);
  std::vector<double> sum{0};
  for (std::size_t i = 0; i < links.size(); i += 18) {
    const reference::Number tr(links[i] + links[i + 8] + links[i + 16], links[i + 1] + links[i + 9] + links[i + 17]);
    sum[0] += f(tr);
  }
  gauge.lattice().comm().sum(sum);
  return sum[0] / (4 * double(gauge.lattice().volume()));
}

// Integrals over SU(3) with Haar measure: of tr U 0, of |tr U|^2 1, of (tr U)^3 1, of |tr U|^4 2.
void expect_haar(const GaugeField<double>& gauge) {
  const double n = 4 * double(gauge.lattice().volume());
  EXPECT_NEAR(link_mean(gauge, [](auto tr) { return tr.real(); }), 0, 5 * std::sqrt(0.5 / n));
  EXPECT_NEAR(link_mean(gauge, [](auto tr) { return std::norm(tr); }), 1, 5 * std::sqrt(1 / n));
  EXPECT_NEAR(link_mean(gauge, [](auto tr) { return (tr * tr * tr).real(); }), 1, 5 * std::sqrt(3 / n));
  EXPECT_NEAR(link_mean(gauge, [](auto tr) { return std::norm(tr) * std::norm(tr); }), 2, 5 * std::sqrt(20 / n));
}

TEST(Heatbath, HotStartHasHaarMeasure) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 4});
  const GaugeField<double> gauge(lattice, "gauge", 4);
  hot_start(gauge, 47);
  EXPECT_LT(unitarity_deviation(gauge), 40 * eps<double>);
  expect_haar(gauge);
}

TEST(Heatbath, WeakFieldsAreUnitLinksWithNoise) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 4});
  const GaugeField<double> gauge(lattice, "gauge", 4), cold = gauge.like("cold"), again = gauge.like("again");
  cold_start(cold);
  weak_field_start(gauge, 0, 49);
  EXPECT_EQ(max_difference(gauge, reference::gather(cold)), 0);
  weak_field_start(gauge, 0.02, 49);
  EXPECT_LT(unitarity_deviation(gauge), 40 * eps<double>);
  EXPECT_LT(max_difference(gauge, reference::gather(cold)), 0.2);
  const double away = 1 - plaquettes(gauge).mean();
  weak_field_start(again, 0.04, 49);
  EXPECT_GT(away, 1e-4);
  EXPECT_NEAR((1 - plaquettes(again).mean()) / away, 4, 0.1) << "quadratic in the noise";
  const GaugeField<double> alone(Lattice(Comm::self(), lattice.extent()), "gauge", 4);
  weak_field_start(alone, 0.02, 49);
  EXPECT_EQ(max_difference(gauge, whole(alone)), 0) << "another decomposition";
  weak_field_start(again, 0.02, 50);
  EXPECT_GT(max_difference(gauge, reference::gather(again)), 0.01) << "another seed";
}

TEST(Heatbath, BetaZeroHasHaarMeasure) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 4});
  const GaugeField<double> gauge(lattice, "gauge", 4);
  cold_start(gauge);
  PureGaugeUpdate<double> chain(gauge, 0, 48);
  for (int k = 0; k < 12; ++k) chain.heatbath();
  expect_haar(gauge);
}

/// <Re tr U / 3> of a single plaquette, exactly: an integral over the eigenvalues' phases with Weyl's measure.
double one_plaquette(double beta) {
  constexpr int n = 96;
  double sum = 0, weight = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double a = 2 * 3.14159265358979323846 * i / n, b = 2 * 3.14159265358979323846 * j / n, c = -a - b;
      const double trace = std::cos(a) + std::cos(b) + std::cos(c);
      const double measure = (1 - std::cos(a - b)) * (1 - std::cos(b - c)) * (1 - std::cos(c - a));
      const double w = measure * std::exp(beta / 3 * trace);
      sum += w * trace / 3;
      weight += w;
    }
  return sum / weight;
}

/// Means of the plaquette over n configurations, one every `between` updates.
double mean_plaquette(QuenchedEnsemble<float>& chain, int n, int between) {
  double sum = 0;
  for (int k = 0; k < n * between; ++k) {
    chain.update();
    if ((k + 1) % between == 0) sum += plaquettes(chain.gauge()).mean();
  }
  return sum / n;
}

TEST(Heatbath, OnePlaquetteExpansion) {
  // 1/18 beta + 1/216 beta^2 + ...
  EXPECT_NEAR(one_plaquette(0.01), 0.01 / 18 + 0.01 * 0.01 / 216, 1e-8);
}

// In four dimensions <P> = u + 4 u^5 + ..., u that of a single plaquette (Drouffe and Zuber, Phys. Rept. 102 (1983) 1).
TEST(Heatbath, StrongCouplingPlaquette) {
  if (Comm::world().size() > 1) GTEST_SKIP() << "does not apply: the links are those of one rank";
  for (const double beta : {0.5, 2.0}) {
    QuenchedEnsemble<float> chain(Lattice(Comm::world(), {8, 8, 4, 4}),
                                  {.beta = beta, .seed = 49, .overrelaxation_per_heatbath = 0});
    for (int k = 0; k < 10; ++k) chain.update();
    const int n = 20;
    const double u = one_plaquette(beta), error = std::sqrt(1.0 / 18 / (6 * 1024 * n));
    EXPECT_NEAR(mean_plaquette(chain, n, 1), u + 4 * std::pow(u, 5), 5 * error) << "beta " << beta;
    EXPECT_GT(chain.chain().acceptance(), 0.6);
  }
}

// <P> = 0.59368 at beta = 6 on large lattices; here 8^4, where configurations scatter by 0.0017, and twelve in a row.
void check_beta_six(Start start, int n_thermalise) {
  if (Comm::world().size() > 1) GTEST_SKIP() << "does not apply: the links are those of one rank";
  QuenchedEnsemble<float> chain(Lattice(Comm::world(), {8, 8, 8, 8}),
                                {.beta = 6, .seed = 50, .overrelaxation_per_heatbath = 4, .start = start});
  for (int k = 0; k < n_thermalise; ++k) chain.update();
  EXPECT_NEAR(mean_plaquette(chain, 12, 1), 0.5937, 0.0025);
  EXPECT_GT(chain.chain().acceptance(), 0.9);
  EXPECT_LE(chain.chain().acceptance(), 1);
}
TEST(Heatbath, PlaquetteAtBetaSixFromColdLinks) { check_beta_six(Start::cold, 15); }
TEST(Heatbath, PlaquetteAtBetaSixFromHotLinks) { check_beta_six(Start::hot, 25); }

TEST(Heatbath, EnsembleHandsOutConfigurationsOfTheirOwn) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  QuenchedEnsemble<double> chain(lattice,
                                 {.seed = 51, .n_thermalise = 3, .n_between = 2, .overrelaxation_per_heatbath = 1});
  std::vector<std::pair<int, int>> steps;
  const auto first = chain.next([&](int done, int all) { steps.emplace_back(done, all); });
  const double p = plaquettes(first).mean();
  EXPECT_EQ(steps, (std::vector<std::pair<int, int>>{{1, 3}, {2, 3}, {3, 3}}));
  const auto second = chain.next();
  EXPECT_EQ(chain.n_updates(), 5);
  EXPECT_EQ(plaquettes(first).mean(), p) << "the first configuration was changed";
  EXPECT_NE(plaquettes(second).mean(), p);
  EXPECT_NE(chain.description().find("beta 6"), std::string::npos);
}

TEST(Heatbath, ContinuedChainIsTheOneThatWasNeverLeft) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const QuenchedParameters parameters{.beta = 5.5,
                                      .seed = 52,
                                      .n_thermalise = 2,
                                      .n_between = 3,
                                      .overrelaxation_per_heatbath = 2,
                                      .start = Start::hot};
  QuenchedEnsemble<double> whole(lattice, parameters);
  const auto first = whole.next();
  QuenchedEnsemble<double> continued(first, parameters, whole.n_updates());
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(export_sites(continued.next()), export_sites(whole.next()));
    EXPECT_EQ(continued.n_updates(), whole.n_updates());
    EXPECT_EQ(continued.description(), whole.description());
  }
  EXPECT_EQ(export_sites(first), export_sites(QuenchedEnsemble<double>(lattice, parameters).next()))
      << "the configuration it went on from was changed";
  EXPECT_THROW(QuenchedEnsemble<double>(first, parameters, 1), InputError);
}

TEST(Heatbath, ImpossibleParametersAreRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> gauge(lattice, "gauge", 4), one(lattice, "one link", 1);
  EXPECT_THROW(PureGaugeUpdate<double>(gauge, -1, 1), InputError);
  EXPECT_THROW(PureGaugeUpdate<double>(gauge, std::nan(""), 1), InputError);
  EXPECT_THROW(PureGaugeUpdate<double>(one, 6, 1), InputError);
  EXPECT_THROW(PureGaugeUpdate<double>(gauge, 6, 1, 0x3fffffff).heatbath(), InputError);
  EXPECT_THROW(cold_start(one), InputError);
  EXPECT_THROW(hot_start(one, 1), InputError);
  EXPECT_THROW(weak_field_start(one, 0.1, 1), InputError);
  EXPECT_THROW(weak_field_start(gauge, -0.1, 1), InputError);
  EXPECT_THROW(weak_field_start(gauge, std::nan(""), 1), InputError);
  EXPECT_THROW(QuenchedEnsemble<double>(lattice, {.n_thermalise = -1}), InputError);
  EXPECT_THROW(QuenchedEnsemble<double>(lattice, {.n_between = 0}), InputError);
  EXPECT_THROW(QuenchedEnsemble<double>(lattice, {.overrelaxation_per_heatbath = -1}), InputError);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Quenched, ::testing::ValuesIn(small_lattice_cases(1400)), case_name);

}  // namespace
}  // namespace kov::test
