// SPDX-License-Identifier: MIT
//
// Meson two-point functions against their definition and against what must hold for any propagator.
#include "kov/contractions/hadrons/meson.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/support/slow_copy.hpp"

namespace kov {
namespace {

using reference::GlobalArray;
using reference::Number;
using test::expect_near;

const std::vector<Momentum> kMomenta{{0, 0, 0}, {1, -2, 0}, {0, 1, 3}, {-1, 2, 0}};
using reference::kSource;

class Mesons : public test::EveryLattice {};

const std::vector<MesonChannel> kChannels{{15, 15}, {1, 1}, {7, 15}, {10, 4}};

/// expected: of every channel, all momenta.
template <class T>
void check_mesons(const Lattice& lattice, const GlobalArray& s1, const GlobalArray& s2,
                  const std::vector<std::vector<Number>>& expected) {
  const std::vector<double> scale = reference::scale(s1, 1, s2, 1, kSource);
  const auto result =
      mesons(test::make_propagator<T>(lattice, s1), test::make_propagator<T>(lattice, s2), kChannels, kMomenta);
  ASSERT_EQ(result.size(), expected.size());
  std::size_t i = 0;
  for (const MesonChannel& channel : kChannels)
    for (const Momentum& p : kMomenta) {
      EXPECT_EQ(result[i].momentum, p);
      EXPECT_EQ(result[i].source, kSource);
      EXPECT_EQ(result[i].channel, to_string(channel));
      expect_near<T>(result[i].value, expected[i], scale, 4, result[i].channel + " " + to_string(p));
      ++i;
    }
}

TEST_P(Mesons, EqualTheirDefinition) {
  const GlobalArray s1 = reference::random_array(lattice().extent(), 144, 1),
                    s2 = reference::random_array(lattice().extent(), 144, 2);
  std::vector<std::vector<Number>> expected;
  for (const MesonChannel& channel : kChannels)
    for (const Momentum& p : kMomenta)
      expected.push_back(reference::meson(s1, s2, channel.sink, channel.source, p, kSource));
  check_mesons<float>(lattice(), s1, s2, expected);
  check_mesons<double>(lattice(), s1, s2, expected);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Mesons, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

Lattice small_lattice() { return Lattice(Comm::world(), {4, 4, 4, 8}); }

TEST(MesonFacts, All256PairsEqualTheirDefinition) {
  const Lattice lattice(Comm::world(), {4, 2, 2, 4});
  const GlobalArray s1 = reference::random_array(lattice.extent(), 144, 3),
                    s2 = reference::random_array(lattice.extent(), 144, 4);
  const Coord source{3, 1, 0, 3};
  const std::vector<double> scale = reference::scale(s1, 1, s2, 1, source),
                            of_first = reference::scale(s1, 1, s1, 1, source);
  // GPUs have kernels of their own for mesons at rest and for equal propagators.
  const auto check = [&]<class T>(T, const Momentum& p) {
    const auto first = test::make_propagator<T>(lattice, s1, source);
    std::vector<MesonChannel> channels = all_mesons();  // and more than GPUs compute in one launch
    channels.push_back({7, 3});
    const auto result = mesons(first, test::make_propagator<T>(lattice, s2, source), channels, {p}),
               equal = mesons(first, first, {{15, 15}, {7, 3}}, {p});
    ASSERT_EQ(result.size(), 257u);
    EXPECT_EQ(result[256].value, result[7 * 16 + 3].value);
    for (int n = 0; n < 256; ++n)
      expect_near<T>(result[std::size_t(n)].value, reference::meson(s1, s2, n / 16, n % 16, p, source), scale, 4,
                     result[std::size_t(n)].channel);
    expect_near<T>(equal[0].value, reference::meson(s1, s1, 15, 15, p, source), of_first, 4, "equal, pion");
    expect_near<T>(equal[1].value, reference::meson(s1, s1, 7, 3, p, source), of_first, 4, "equal, 7-3");
  };
  check(double(), {1, 1, 0});
  check(double(), {0, 0, 0});
  check(float(), {0, 0, 0});
}

template <class T>
void check_equal_propagators() {
  // Tensors of one propagator are Hermitian, of which half is computed.
  const Lattice lattice = small_lattice();
  const GlobalArray s = reference::random_array(lattice.extent(), 144, 16);
  const auto one = test::make_propagator<T>(lattice, s), copy = test::make_propagator<T>(lattice, s);
  const std::vector<double> scale = reference::scale(s, 1, s, 1, kSource);
  for (const auto& momenta : {kMomenta, {{1, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}}}) {
    const auto of_one = mesons(one, one, all_mesons(), momenta),
               of_handle = mesons(one, one.alias(), {{7, 3}}, momenta),
               of_two = mesons(one, copy, all_mesons(), momenta);
    ASSERT_EQ(of_one.size(), of_two.size());
    for (std::size_t i = 0; i < of_one.size(); ++i)
      expect_near<T>(of_one[i].value, of_two[i].value, scale, 4,
                     of_one[i].channel + " " + to_string(of_one[i].momentum));
    for (std::size_t k = 0; k < momenta.size(); ++k) {
      const Correlator& expected = of_one[(7 * 16 + 3) * momenta.size() + k];
      EXPECT_EQ(of_handle[k].channel, expected.channel);
      EXPECT_EQ(of_handle[k].value, expected.value);
    }
  }
}

TEST(MesonFacts, OfOnePropagatorAreThoseOfTwoEqualOnes) {
  check_equal_propagators<float>();
  check_equal_propagators<double>();
}

TEST(MesonFacts, OfManyTimesEqualTheirDefinition) {
  // Enough sites for the kernels of GPUs that take several momenta at once.
  const Lattice lattice(Comm::world(), {4, 4, 8, 82});
  const GlobalArray s1 = reference::random_array(lattice.extent(), 144, 14),
                    s2 = reference::random_array(lattice.extent(), 144, 15);
  std::vector<Momentum> momenta = kMomenta;
  momenta.push_back({0, 0, 1});
  const std::vector<double> scale = reference::scale(s1, 1, s2, 1, kSource);
  const auto result = mesons(test::make_propagator<double>(lattice, s1), test::make_propagator<double>(lattice, s2),
                             {{10, 4}}, momenta);
  for (std::size_t k = 0; k < momenta.size(); ++k)
    expect_near<double>(result[k].value, reference::meson(s1, s2, 10, 4, momenta[k], kSource), scale, 4,
                        to_string(momenta[k]));
}

TEST(MesonFacts, PionIsTheNormOfThePropagator) {
  const Lattice lattice = small_lattice();
  const GlobalArray s = reference::random_array(lattice.extent(), 144, 5);
  const auto field = test::make_propagator<double>(lattice, s);
  const auto pion = mesons(field, field, {{15, 15}}, {{0, 0, 0}}).front();
  const std::vector<double> norm = reference::scale(s, 2, s, 0, kSource);
  for (std::size_t t = 0; t < norm.size(); ++t) {
    EXPECT_GT(pion.value[t].real(), 0);
    EXPECT_NEAR(pion.value[t].real(), norm[t], 4 * std::numeric_limits<double>::epsilon() * norm[t]);
    EXPECT_NEAR(pion.value[t].imag(), 0, 4 * std::numeric_limits<double>::epsilon() * norm[t]);
  }
}

TEST(MesonFacts, PionOfAnyMomentumIsBoundedByThatAtRest) {
  const Lattice lattice = small_lattice();
  const auto field = test::make_propagator<double>(lattice, reference::random_array(lattice.extent(), 144, 6));
  const auto pions = mesons(field, field, {{15, 15}}, momenta_up_to(3));
  for (const Correlator& c : pions)
    for (std::size_t t = 0; t < c.value.size(); ++t)
      EXPECT_LE(std::abs(c.value[t]), pions[0].value[t].real() * (1 + 1e-14));
}

TEST(MesonFacts, UnchangedByAGaugeTransformation) {
  const Lattice lattice = small_lattice();
  const GlobalArray s1 = reference::random_array(lattice.extent(), 144, 7),
                    s2 = reference::random_array(lattice.extent(), 144, 8);
  const GlobalArray g = reference::random_su3(lattice.extent(), 1, 9);
  const std::vector<double> scale = reference::scale(s1, 1, s2, 1, kSource);
  const auto before = mesons(test::make_propagator<double>(lattice, s1), test::make_propagator<double>(lattice, s2),
                             diagonal_mesons(), kMomenta);
  const auto after = mesons(test::make_propagator<double>(lattice, reference::gauge_transformed(s1, g, kSource)),
                            test::make_propagator<double>(lattice, reference::gauge_transformed(s2, g, kSource)),
                            diagonal_mesons(), kMomenta);
  for (std::size_t i = 0; i < before.size(); ++i)
    expect_near<double>(after[i].value, before[i].value, scale, 16, before[i].channel);
}

/// g5 Gamma(n)^+ g5 = sign Gamma(n)
double conjugation_sign(int n) {
  const Gamma g = Gamma::number(n), h = Gamma::five() * g.adjoint() * Gamma::five();
  for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(h.column[row], g.column[row]);
  return h.phase[0] == g.phase[0] ? 1 : -1;
}

TEST(MesonFacts, ConjugationSwapsTheQuarksAndTheMomentum) {
  const Lattice lattice = small_lattice();
  const GlobalArray s1 = reference::random_array(lattice.extent(), 144, 10),
                    s2 = reference::random_array(lattice.extent(), 144, 11);
  const auto f1 = test::make_propagator<double>(lattice, s1), f2 = test::make_propagator<double>(lattice, s2);
  const std::vector<double> scale = reference::scale(s1, 1, s2, 1, kSource);
  const auto forward = mesons(f1, f2, all_mesons(), {{1, 0, -1}}),
             backward = mesons(f2, f1, all_mesons(), {{-1, 0, 1}});
  for (std::size_t n = 0; n < 256; ++n) {
    const double sign = conjugation_sign(int(n) / 16) * conjugation_sign(int(n) % 16);
    std::vector<std::complex<double>> expected;
    for (const auto& z : backward[n].value) expected.push_back(sign * std::conj(z));
    expect_near<double>(forward[n].value, expected, scale, 8, forward[n].channel);
  }
}

TEST(MesonFacts, SinglePrecisionAgreesWithDouble) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 4});
  const GlobalArray s = reference::random_array(lattice.extent(), 144, 12);
  const auto f = test::make_propagator<float>(lattice, s);
  const auto d = test::make_propagator<double>(lattice, s);
  const auto a = mesons(f, f, diagonal_mesons(), kMomenta), b = mesons(d, d, diagonal_mesons(), kMomenta);
  const std::vector<double> scale = reference::scale(s, 1, s, 1, kSource);
  for (std::size_t i = 0; i < a.size(); ++i) expect_near<float>(a[i].value, b[i].value, scale, 4, a[i].channel);
}

TEST(MesonFacts, ListOfManyMomentaGivesTheSameAsOneByOne) {
  const Lattice lattice = small_lattice();
  const GlobalArray s = reference::random_array(lattice.extent(), 144, 13);
  const auto field = test::make_propagator<double>(lattice, s);
  const std::vector<double> scale = reference::scale(s, 1, s, 1, kSource);
  const std::vector<Momentum> list = momenta_up_to(4);
  const auto together = mesons(field, field, {{4, 4}}, list);
  for (std::size_t k = 0; k < list.size(); k += 7)
    expect_near<double>(together[k].value, mesons(field, field, {{4, 4}}, {list[k]}).front().value, scale, 4,
                        to_string(list[k]));
}

TEST(MesonFacts, AreTheSameOnAnInstanceOfTheCallers) {
  const Lattice lattice = small_lattice();
  const auto check = [&]<class T>(T) {
    const auto s = test::make_propagator<T>(lattice, reference::random_array(lattice.extent(), 144, 1));
    const auto result = [&](const Exec& exec, const std::vector<Momentum>& momenta) {
      const Propagator<T> q = s.like("q");
      Kokkos::fence("propagators are ready");
      test::slow_copy(s.columns(), q.columns(), exec);
      std::vector<std::vector<Number>> values;
      for (const Correlator& c : mesons(q, s, kChannels, momenta, exec)) values.push_back(c.value);
      return values;
    };
    // GPUs have kernels of their own for mesons at rest.
    for (const auto& momenta : {kMomenta, std::vector<Momentum>{{0, 0, 0}}}) {
      const auto expected = result(Exec(), momenta);
      EXPECT_NE(expected[0][0], Number(0));
      EXPECT_EQ(result(test::own_instance(), momenta), expected);
    }
  };
  check(float());
  check(double());
}

TEST(MesonFacts, HaveTheLabelsOfTheirQuarks) {
  const Lattice lattice = small_lattice();
  Propagator<double> light(lattice, "light", {.origin = {1, 2, 3, 4}}), heavy = light.like("heavy");
  light.labels.others = {{"action", "Wilson"}, {"kappa", 0.15}, {"sink_smearing", "node"}};
  heavy.labels.others = {{"action", "Wilson"}, {"kappa", 0.11}};
  const auto same = mesons(light, light, {{15, 15}}, {{0, 0, 0}}).front(),
             mixed = mesons(light, heavy, {{15, 15}}, {{0, 0, 0}}).front();
  EXPECT_EQ(same.source, (Coord{1, 2, 3, 4}));
  EXPECT_EQ(same.labels, light.labels.others);
  EXPECT_EQ(mixed.labels,
            (std::map<std::string, LabelValue>{
                {"action", "Wilson"}, {"kappa_1", 0.15}, {"kappa_2", 0.11}, {"sink_smearing_1", "node"}}));
}

TEST(MesonErrors, RefusesWhatDoesNotFit) {
  const Lattice lattice = small_lattice(), other = small_lattice();
  const Propagator<double> good(lattice, "good", {.origin = kSource}), foreign(other, "foreign", {.origin = kSource}),
      elsewhere(lattice, "elsewhere"), outside(lattice, "outside", {.origin = {0, 0, 4, 0}}),
      periodic(lattice, "periodic", {.origin = kSource, .boundary = BoundaryAngles::periodic()});
  const std::vector<MesonChannel> pion{{15, 15}};
  EXPECT_THROW(mesons(good, foreign, pion, kMomenta), InputError);
  EXPECT_THROW(mesons(good, elsewhere, pion, kMomenta), InputError);
  EXPECT_THROW(mesons(good, periodic, pion, kMomenta), InputError);
  EXPECT_THROW(mesons(outside, outside, pion, kMomenta), InputError);
  EXPECT_THROW(mesons(good, good, {}, kMomenta), InputError);
  EXPECT_THROW(mesons(good, good, {{16, 0}}, kMomenta), InputError);
  EXPECT_THROW(mesons(good, good, {{0, -1}}, kMomenta), InputError);
  EXPECT_THROW(mesons(good, good, pion, {}), InputError);
}

}  // namespace
}  // namespace kov
