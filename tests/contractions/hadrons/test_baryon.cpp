// SPDX-License-Identifier: MIT
//
// Baryon two-point functions against their definition and against what must hold for any propagator.
#include "kov/contractions/hadrons/baryon.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/support/slow_copy.hpp"

namespace kov {
namespace {

using reference::GlobalArray;
using reference::Matrix4;
using reference::Number;
using test::expect_near;

using reference::kSource;

Matrix4 naive(const SpinMatrix<double>& m) {
  Matrix4 r;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) r[std::size_t(i)][std::size_t(j)] = {m(i, j).re, m(i, j).im};
  return r;
}

/// tr[projector (direct A + exchange B)], -1 beyond the end of the lattice.
std::vector<Number> expected(const GlobalArray& q, const GlobalArray& p, const BaryonChannel& channel,
                             const Momentum& momentum, const Coord& source) {
  const auto terms = reference::baryon(q, p, naive(channel.projector), naive(channel.diquark), momentum, source);
  std::vector<Number> c;
  for (int t = 0; t < q.extent[3]; ++t)
    c.push_back((t + source[3] < q.extent[3] ? 1.0 : -1.0) *
                (channel.direct * terms.direct[std::size_t(t)] + channel.exchange * terms.exchange[std::size_t(t)]));
  return c;
}

class Baryons : public test::EveryLattice {};

const std::vector<Momentum> kBaryonMomenta{{0, 0, 0}, {1, -2, 0}};

/// nucleons: what is expected for each momentum.
template <class T>
void check_baryons(const Lattice& lattice, const GlobalArray& q, const GlobalArray& p,
                   const std::vector<std::vector<Number>>& nucleons) {
  const std::vector<double> scale = reference::scale(q, 2, p, 1, kSource);
  const auto result =
      baryons(test::make_propagator<T>(lattice, q), test::make_propagator<T>(lattice, p), {nucleon()}, kBaryonMomenta);
  ASSERT_EQ(result.size(), kBaryonMomenta.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    EXPECT_EQ(result[k].momentum, kBaryonMomenta[k]);
    expect_near<T>(result[k].value, nucleons[k], scale, 4, to_string(kBaryonMomenta[k]));
  }
}

TEST_P(Baryons, NucleonEqualsItsDefinition) {
  if (volume(GetParam().extent) > 1000) GTEST_SKIP() << "does not apply: the naive reference would take seconds";
  const GlobalArray q = reference::random_array(lattice().extent(), 144, 1),
                    p = reference::random_array(lattice().extent(), 144, 2);
  std::vector<std::vector<Number>> nucleons;
  for (const Momentum& momentum : kBaryonMomenta) nucleons.push_back(expected(q, p, nucleon(), momentum, kSource));
  check_baryons<float>(lattice(), q, p, nucleons);
  check_baryons<double>(lattice(), q, p, nucleons);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Baryons, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

TEST(BaryonFacts, AllStandardBaryonsEqualTheirDefinition) {
  const Lattice lattice(Comm::world(), {4, 2, 2, 4});
  const Coord source{3, 1, 0, 3};
  const GlobalArray q = reference::random_array(lattice.extent(), 144, 3);
  const std::vector<double> scale = reference::scale(q, 3, q, 0, source);
  const auto field = test::make_propagator<double>(lattice, q, source);
  const auto channels = standard_baryons();
  ASSERT_EQ(channels.size(), 17u);
  const auto result = baryons(field, field, channels, {{1, 0, 1}});
  ASSERT_EQ(result.size(), 17u);
  for (std::size_t i = 0; i < 17; ++i) {
    EXPECT_EQ(result[i].channel, channels[i].name);
    expect_near<double>(result[i].value, expected(q, q, channels[i], {1, 0, 1}, source), scale,
                        4 * (channels[i].direct + channels[i].exchange), channels[i].name);
  }
}

TEST(BaryonFacts, UnchangedByAGaugeTransformation) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray q = reference::random_array(lattice.extent(), 144, 4),
                    g = reference::random_su3(lattice.extent(), 1, 5);
  const std::vector<double> scale = reference::scale(q, 3, q, 0, kSource);
  const std::vector<Momentum> momenta{{0, 0, 0}, {1, 0, 0}};
  const auto before = test::make_propagator<double>(lattice, q);
  const auto after = test::make_propagator<double>(lattice, reference::gauge_transformed(q, g, kSource));
  const auto a = baryons(before, before, standard_baryons(), momenta),
             b = baryons(after, after, standard_baryons(), momenta);
  for (std::size_t i = 0; i < a.size(); ++i) expect_near<double>(b[i].value, a[i].value, scale, 32 * 12, a[i].channel);
}

TEST(BaryonFacts, BoundaryPhaseAppliesBeyondTheEndOnly) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  auto field = test::make_propagator<double>(lattice, reference::random_array(lattice.extent(), 144, 6));
  const auto value = [&](const BoundaryAngles& boundary) {
    field.labels.boundary = boundary;
    return baryons(field, field, {nucleon()}, {{0, 0, 0}}).front().value;
  };
  const auto periodic = value(BoundaryAngles::periodic()), antiperiodic = value(BoundaryAngles::antiperiodic_in_time());
  const auto twisted = value({{0, 0, 0, 0.5}});
  for (std::size_t t = 0; t < 8; ++t) {
    const bool wrapped = t + std::size_t(kSource[3]) >= 8;
    EXPECT_EQ(antiperiodic[t], wrapped ? -periodic[t] : periodic[t]);
    EXPECT_LT(std::abs(twisted[t] - (wrapped ? std::polar(1.0, 1.5) : Number(1)) * periodic[t]),
              1e-15 * std::abs(periodic[t]));
  }
}

/// More momenta than GPUs sum at once, and one alone.
TEST(BaryonFacts, ListOfManyMomentaGivesTheSameAsOneByOne) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray q = reference::random_array(lattice.extent(), 144, 13);
  const std::vector<double> scale = reference::scale(q, 3, q, 0, kSource);
  std::vector<Momentum> list;
  for (int k = 0; k < 10; ++k) list.push_back({k % 3 - 1, k / 3 - 1, k % 2});
  const auto check = [&]<class T>(T) {
    const auto quark = test::make_propagator<T>(lattice, q);
    const auto together = baryons(quark, quark, {nucleon()}, list);
    ASSERT_EQ(together.size(), list.size());
    for (std::size_t k = 0; k < list.size(); ++k)
      expect_near<T>(together[k].value, baryons(quark, quark, {nucleon()}, {list[k]}).front().value, scale, 4,
                     to_string(list[k]));
  };
  check(double());
  check(float());
}

TEST(BaryonFacts, AreTheSameOnAnInstanceOfTheCallers) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto s = test::make_propagator<double>(lattice, reference::random_array(lattice.extent(), 144, 1)),
             p = test::make_propagator<double>(lattice, reference::random_array(lattice.extent(), 144, 2));
  const auto result = [&](const Exec& exec) {
    const Propagator<double> q = s.like("q");
    Kokkos::fence("propagators are ready");
    test::slow_copy(s.columns(), q.columns(), exec);
    std::vector<std::vector<Number>> values;
    for (const Correlator& c : baryons(q, q, standard_baryons(), kBaryonMomenta, exec)) values.push_back(c.value);
    for (const Correlator& c : baryons(p, q, {nucleon()}, kBaryonMomenta, exec)) values.push_back(c.value);
    return values;
  };
  const auto expected = result(Exec());
  EXPECT_NE(expected[0][0], Number(0));
  EXPECT_EQ(result(test::own_instance()), expected);
}

TEST(BaryonFacts, ProjectorsAreProjectors) {
  const auto squared = unpolarised_projector() * unpolarised_projector();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(squared.z[i].re, unpolarised_projector().z[i].re);
    EXPECT_EQ(squared.z[i].im, unpolarised_projector().z[i].im);
  }
  const auto crossed = mixed_projector() * mixed_negative_parity_projector();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(norm2(crossed.z[i]), 0);
}

TEST(BaryonErrors, RefusesWhatIsNotDefined) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const Propagator<double> q(lattice, "q"), p(lattice, "p"), outside(lattice, "outside", {.origin = {0, 0, 0, -1}}),
      elsewhere(lattice, "elsewhere", {.origin = {0, 0, 0, 1}});
  const std::vector<Momentum> rest{{0, 0, 0}};
  EXPECT_THROW(baryons(q, p, standard_baryons(), rest), InputError) << "lambda and delta of two different quarks";
  EXPECT_THROW(baryons(q, elsewhere, {nucleon()}, rest), InputError);
  EXPECT_THROW(baryons(q, p, {}, rest), InputError);
  EXPECT_THROW(baryons(q, p, {nucleon()}, {}), InputError);
  EXPECT_THROW(baryons(outside, outside, {nucleon()}, rest), InputError);
}

}  // namespace
}  // namespace kov
