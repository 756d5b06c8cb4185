// SPDX-License-Identifier: MIT
//
// Several mesons: Wick contractions against determinants of propagators, isospin as an exact symmetry, and the dense
// engine for one meson.
#include "docs_rho_and_pions.hpp"
#include "kov/contractions/distillation/multi_meson.hpp"
#include "kov/contractions/engine/stream.hpp"
#include "kov/core/base/memory_use.hpp"
#include "kov/core/site/random.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace test_multi_meson {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;

constexpr int n_times = 3, n_elementals = 3;

/// Random elementals and perambulators of a light and a strange quark.
struct RandomQuarks {
  int n;  // eigenvectors
  Numbers phi, tau[2];
  explicit RandomQuarks(int n) : n(n) {
    SiteRandom random(7, std::uint32_t(n), 0);
    const auto fill = [&](Numbers& to, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i)
        to.emplace_back(double(float(2 * random.uniform() - 1)), double(float(2 * random.uniform() - 1)));
    };
    fill(phi, std::size_t(n_times * n_elementals * n * n));
    for (Numbers& t : tau) fill(t, std::size_t(n_times * n_times * 16 * n * n));
    // tau(t, t) as gamma_5-Hermiticity has it.
    for (Numbers& t : tau)
      for (int time = 0; time < n_times; ++time)
        for (int i = 0; i < 4 * n; ++i)
          for (int j = 0; j <= i; ++j) {
            const Number z = t[at(time, time, i, j)], w = sign(i) * sign(j) * std::conj(t[at(time, time, j, i)]);
            t[at(time, time, i, j)] = (z + w) / 2.0;
            t[at(time, time, j, i)] = sign(i) * sign(j) * std::conj((z + w) / 2.0);
          }
  }
  std::size_t at(int sink, int source, int i, int j) const {
    return std::size_t(((sink * n_times + source) * 4 * n + i) * 4 * n + j);
  }
  double sign(int i) const { return i < 2 * n ? 1 : -1; }
  /// tau(sink, source), from a source time that is `known`.
  Number propagator(const std::string& quark, int sink, int source, int known, int i, int j) const {
    const Numbers& t = tau[quark == "s" ? 1 : 0];
    if (source != known && sink == known) return sign(i) * sign(j) * std::conj(t[at(source, sink, j, i)]);
    return t[at(sink, source, i, j)];
  }
  template <class T>
  DistilledQuarks<T> readers() const {
    return {.n_vectors = n,
            .n_times = n_times,
            .elemental =
                [this](int t, int e, std::span<Complex<T>> to) {
                  for (std::size_t i = 0; i < to.size(); ++i) {
                    const Number z = phi[std::size_t(t * n_elementals + e) * to.size() + i];
                    to[i] = {T(z.real()), T(z.imag())};
                  }
                },
            .perambulator =
                [this](const std::string& quark, int sink, int source, std::span<Complex<T>> to) {
                  EXPECT_NE(quark, "d") << "which is the same as u";
                  for (std::size_t i = 0; i < to.size(); ++i) {
                    const Number z = tau[quark == "s" ? 1 : 0][at(sink, source, 0, 0) + i];
                    to[i] = {T(z.real()), T(z.imag())};
                  }
                },
            .same_as = {{"d", "u"}}};
  }
};

Number entry(const Gamma& gamma, int row, int column) {
  const Number powers[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  return gamma.column[std::size_t(row)] == column ? powers[gamma.phase[std::size_t(row)]] : 0.0;
}

constexpr std::size_t most_mesons = 6;
using SmallMatrix = std::array<std::array<Number, most_mesons>, most_mesons>;

/// det of the first n rows and columns: of the first rows and any columns, from those with a row less.
Number determinant(const SmallMatrix& m, std::size_t n) {
  std::array<Number, std::size_t(1) << most_mesons> of{1};
  for (unsigned columns = 1; columns < 1u << n; ++columns) {
    const auto row = std::size_t(std::popcount(columns)) - 1;
    of[columns] = 0;
    for (std::size_t c = 0; c < n; ++c) {
      if ((columns >> c & 1) == 0 || m[row][c] == 0.0) continue;
      const Number z = m[row][c] * of[columns ^ 1u << c];
      of[columns] += std::popcount(columns >> (c + 1)) % 2 == 0 ? z : -z;
    }
  }
  return of[(1u << n) - 1];
}

/// <product of bilinears> = sum over all indices of their matrices' elements times (-1)^n det S: each qbar_a q_b is
/// -q_b qbar_a, and <q_1 qbar_1 q_2 qbar_2 ...> is the determinant of all propagators.
Number gaussian_integral(const RandomQuarks& q, const std::vector<QuarkBilinear>& mesons, std::size_t n_sink, int t,
                         int t0) {
  const std::size_t n = mesons.size();
  std::vector<int> alpha(n), beta(n);
  Number sum = 0;
  const std::function<void(std::size_t, Number)> choose = [&](std::size_t k, Number product) {
    if (k == n) {
      SmallMatrix s{};
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (mesons[i].quark == mesons[j].antiquark)
            s[i][j] = q.propagator(mesons[i].quark, i < n_sink ? t : t0, j < n_sink ? t : t0, t0, beta[i], alpha[j]);
      sum += (n % 2 == 0 ? product : -product) * determinant(s, n);
      return;
    }
    const MesonVertex& v = mesons[k].vertex;
    const bool is_sink = k < n_sink;
    const auto phi = [&](int time, int i, int j) {
      return q.phi[std::size_t(((time * n_elementals + v.elemental) * q.n + i) * q.n + j)];
    };
    for (alpha[k] = 0; alpha[k] < 4 * q.n; ++alpha[k])
      for (beta[k] = 0; beta[k] < 4 * q.n; ++beta[k]) {
        const int s = alpha[k] / q.n, i = alpha[k] % q.n, r = beta[k] / q.n, j = beta[k] % q.n;
        // At the source g4 M^+ g4, g4 = the exchange of spins 0, 1 and 2, 3.
        const Number z =
            is_sink ? entry(v.gamma, s, r) * phi(t, i, j) : std::conj(entry(v.gamma, r ^ 2, s ^ 2) * phi(t0, j, i));
        if (z != 0.0) choose(k + 1, product * z);
      }
  };
  choose(0, 1);
  return sum;
}

/// <sink source^+> by the definition.
Number expected_correlator(const RandomQuarks& q, const MultiMesonOperator& sink, const MultiMesonOperator& source,
                           int t, int t0) {
  Number sum = 0;
  for (const MultiMesonTerm& a : sink.terms)
    for (const MultiMesonTerm& b : source.terms) {
      std::vector<QuarkBilinear> mesons = a.mesons;
      for (const QuarkBilinear& m : b.mesons) mesons.push_back({m.quark, m.antiquark, m.vertex});
      sum += a.coefficient * std::conj(b.coefficient) * gaussian_integral(q, mesons, a.mesons.size(), t, t0);
    }
  return sum;
}

const MesonVertex pion{0, Gamma::five()}, moving{1, Gamma::five()}, rho{2, Gamma::direction(0)},
    axial{1, Gamma::direction(3) * Gamma::five()}, scalar{2, Gamma{}};

template <class T>
void check_definition(const std::vector<MultiMesonOperator>& operators, int n_vectors,
                      const MultiMesonOptions& options) {
  const RandomQuarks q(n_vectors);
  const auto found = multi_meson_correlators<T>(operators, q.readers<T>(), options);
  const std::size_t n = operators.size();
  ASSERT_EQ(found.size(), n_times * n * n);
  std::vector<int> sources = options.sources;
  if (sources.empty()) sources = {0, 1, 2};
  Numbers expected(found.size());
  for (const int t0 : sources)
    for (int t = 0; t < n_times; ++t)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          expected[(std::size_t((t - t0 + n_times) % n_times) * n + i) * n + j] +=
              expected_correlator(q, operators[i], operators[j], t, t0);
  double largest = 0;
  for (const Number& z : expected) largest = std::max(largest, std::abs(z));
  EXPECT_GT(largest, 1);
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_LE(std::abs(found[k] - expected[k]), 300 * double(std::numeric_limits<T>::epsilon()) * largest)
        << operators[k / n % n].name << " " << operators[k % n].name;
}

TEST(SeveralMesons, OfTwoPionsAreGaussianIntegrals) {
  for (const int isospin : {0, 1, 2}) {
    const std::vector<MultiMesonOperator> operators{two_pions(isospin, pion, moving), two_pions(isospin, rho, axial)};
    check_definition<double>(operators, 1, {.sources = {1}});
  }
  check_definition<float>({two_pions(1, pion, rho)}, 1, {});
  // With one meson of the same isospin, for which the number of mesons is not the same at both ends.
  check_definition<double>({isovector_meson(rho), two_pions(1, pion, axial)}, 1, {});
  check_definition<double>({isoscalar_meson(scalar), two_pions(0, pion, moving)}, 1, {.sources = {0, 2}});
}

/// An operator without mesons is 1: its correlators are the means of the others, as the vacuum's.
TEST(SeveralMesons, OfTheVacuumAreGaussianIntegrals) {
  const MultiMesonOperator vacuum{"vacuum", {{1, {}}}};
  check_definition<double>({two_pions(0, pion, moving), vacuum, isoscalar_meson(scalar)}, 1, {.sources = {0, 2}});
}

TEST(SeveralMesons, OfAPionAndAKaonAreGaussianIntegrals) {
  check_definition<double>({pion_kaon(3, pion, moving)}, 1, {});
  check_definition<double>({strange_meson(scalar), pion_kaon(1, pion, axial)}, 1, {});
  check_definition<double>({strange_meson(rho), pion_kaon(3, moving, rho)}, 1, {.sources = {2}});
}

TEST(SeveralMesons, OfThreeMesonsAreGaussianIntegrals) {
  const MultiMesonOperator three{"pi+ pi+ pi-", {{{0, 1}, {{"d", "u", pion}, {"d", "u", moving}, {"u", "d", rho}}}}};
  check_definition<double>({isovector_meson(axial), three}, 1, {.sources = {1}});
}

TEST(SeveralMesons, AreTheSameWithAnyNumberOfEigenvectorsAndSinksAtOnce) {
  check_definition<double>({isovector_meson(rho), isovector_meson(pion)}, 3, {});
  check_definition<double>({two_pions(2, pion, rho)}, 2, {.sources = {1}, .workspace_bytes = 1});
  const std::vector<MultiMesonOperator> operators{two_pions(1, pion, moving), isovector_meson(rho)};
  const RandomQuarks q(3);
  std::string plan;
  const auto all = multi_meson_correlators(operators, q.readers<double>(),
                                           {.plan = [&](const std::string&text) { plan = text; }}),
             each = multi_meson_correlators(operators, q.readers<double>(), {.workspace_bytes = 1});
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_LE(std::abs(all[k] - each[k]), 1e-13 * std::abs(all[0]));
  EXPECT_NE(plan.find("products"), std::string::npos) << plan;
}

TEST(SeveralMesons, TakeNoMoreMemoryThanTheyMay) {
  constexpr int n = 6, many_times = 24;
  const DistilledQuarks<double> zeros{.n_vectors = n,
                                      .n_times = many_times,
                                      .elemental = [](int, int, std::span<Complex<double>>) {},
                                      .perambulator = [](const std::string&, int, int, std::span<Complex<double>>) {}};
  // Most of it is shared: quark lines that stay at the source, and their products.
  const std::vector<MultiMesonOperator> operators{isoscalar_meson(scalar), two_pions(0, pion, moving)};
  const auto sinks_at_once = [&](std::size_t limit, bool must_fit) {
    std::string plan;
    const std::size_t most = most_bytes_of([&] {
      multi_meson_correlators(
          operators, zeros,
          {.sources = {0}, .workspace_bytes = limit, .plan = [&](const std::string& text) { plan = text; }});
    });
    EXPECT_EQ(most <= limit, must_fit) << plan << " take " << most << " of " << limit << " bytes";
    return std::stoi(plan.substr(plan.find("matrices, ") + 10));
  };
  EXPECT_EQ(sinks_at_once(1, false), 1) << "a sink takes what it needs";
  EXPECT_EQ(sinks_at_once(std::size_t(1) << 30, true), many_times);
  int before = 0;
  for (const std::size_t limit : {800'000u, 1'500'000u, 3'000'000u}) {
    const int now = sinks_at_once(limit, true);
    EXPECT_GT(now, before);
    EXPECT_LT(now, many_times);
    before = now;
  }
}

TEST(SeveralMesons, OfOneMultipletHaveOneCorrelator) {
  const RandomQuarks q(3);
  for (int isospin = 1; isospin <= 2; ++isospin)
    for (const bool strange : {false, true}) {
      const int twice = strange ? 2 * isospin - 1 : 2 * isospin;
      std::vector<MultiMesonOperator> states{strange ? pion_kaon(twice, pion, moving)
                                                     : two_pions(isospin, pion, moving)};
      for (int m = twice; m > -twice; m -= 2) {
        states.push_back(isospin_lowered(states.back()));
        const double norm = 1 / std::sqrt((twice + m) / 2.0 * ((twice - m) / 2.0 + 1));
        for (MultiMesonTerm& term : states.back().terms) term.coefficient *= norm;
      }
      states.push_back(isospin_lowered(states.back()));  // nothing is left below the lowest
      const std::size_t n = states.size();
      ASSERT_EQ(n, std::size_t(twice + 2));
      const auto c = multi_meson_correlators(states, q.readers<double>());
      for (std::size_t delta = 0; delta < n_times; ++delta)
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            const Number expected = i == j && i + 1 < n ? c[delta * n * n] : 0;
            EXPECT_LE(std::abs(c[(delta * n + i) * n + j] - expected), 1e-12 * std::abs(c[delta * n * n])) << i << j;
          }
      EXPECT_GT(std::abs(c[0]), 1);
    }
}

TEST(SeveralMesons, ArePlannedOnceForAllSources) {
  const RandomQuarks q(3);
  const auto quarks = q.readers<double>();
  const std::vector<MultiMesonOperator> operators{two_pions(2, pion, moving), two_pions(2, pion, pion)};
  int n_plans = 0;
  const auto contract = multi_meson_contraction(operators, quarks, {.plan = [&](const std::string&) { ++n_plans; }});
  auto sum = contract(quarks, {0}, {});
  for (const int t : {1, 2}) {
    const auto other = contract(quarks, {t}, {});
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += other[k];
  }
  const auto all = multi_meson_correlators(operators, quarks);
  for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_LE(std::abs(all[k] - sum[k]), 1e-14 * std::abs(all[0]));
  EXPECT_EQ(n_plans, 1);
}

TEST(SeveralMesons, OfDifferentIsospinDoNotMix) {
  const RandomQuarks q(2);
  const std::vector<MultiMesonOperator> operators{two_pions(0, pion, moving),
                                                  isospin_lowered(two_pions(1, pion, moving)),
                                                  isospin_lowered(isospin_lowered(two_pions(2, pion, moving)))};
  const auto c = multi_meson_correlators(operators, q.readers<double>());
  for (std::size_t delta = 0; delta < n_times; ++delta)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (i == j)
          EXPECT_GT(std::abs(c[(delta * 3 + i) * 3 + j]), 1);
        else
          EXPECT_LE(std::abs(c[(delta * 3 + i) * 3 + j]), 1e-12 * std::abs(c[delta * 9]));
}

TEST(SeveralMesons, OfOneMesonAreThoseOfTheEngine) {
  const RandomQuarks q(3);
  const std::vector<FactorisedOperator> factorised{{0, Gamma::five()}, {2, Gamma::direction(0)}};
  FactorisedEngine<double> engine(factorised, n_elementals, q.n, n_times);
  const auto readers = q.readers<double>();
  add_correlators(engine, SliceReader<double>{[&](int t, std::span<Complex<double>> to) {
                                                const std::size_t size = to.size() / n_elementals;
                                                for (int e = 0; e < n_elementals; ++e)
                                                  readers.elemental(t, e, to.subspan(std::size_t(e) * size, size));
                                              },
                                              [&](int sink, int source, std::span<Complex<double>> to) {
                                                readers.perambulator("u", sink, source, to);
                                              }});
  const auto expected = engine.correlators(),
             found = multi_meson_correlators({isovector_meson(pion), isovector_meson(rho)}, readers);
  // -Tr[Phi tau g4 Phi^+ g4 tau]: g4 Gamma^+ g4 is -gamma_5 and -gamma_1 here.
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_LE(std::abs(found[k] - expected[k]), 1e-11 * std::abs(expected[0])) << k;
}

TEST(SeveralMesons, AreInAMatrixAsTheDocumentationHasIt) {
  const RandomQuarks q(3);
  const auto c = rho_and_pions(q.readers<double>());
  ASSERT_EQ(c.size(), std::size_t(4 * n_times));
  const auto rho =
      multi_meson_correlators({isovector_meson({0, Gamma::direction(2)})}, q.readers<double>(), {.sources = {0, 2}});
  for (std::size_t delta = 0; delta < n_times; ++delta) {
    EXPECT_LE(std::abs(c[4 * delta] - rho[delta]), 1e-12 * std::abs(rho[0]));
    EXPECT_GT(std::abs(c[4 * delta + 1]), 1e-3) << "the rho decays";
  }
}

TEST(SeveralMesons, WithWickContractionsAsTheyAreCounted) {
  const std::vector<QuarkBilinear> two_plus{{"d", "u"}, {"d", "u"}, {"u", "d"}, {"u", "d"}};
  const auto contractions = wick_contractions(two_plus);
  ASSERT_EQ(contractions.size(), 4u);
  int direct = 0, exchange = 0;
  for (const WickContraction& c : contractions) {
    if (c.loops.size() == 2) ++direct;
    if (c.loops.size() == 1) ++exchange;
    EXPECT_EQ(c.sign(), c.loops.size() == 2 ? 1 : -1);
  }
  EXPECT_EQ(direct, 2);
  EXPECT_EQ(exchange, 2);
  EXPECT_EQ(wick_contractions({{"d", "u"}, {"d", "u"}}).size(), 0u) << "charges do not cancel";
}

TEST(SeveralMesons, RefuseNonsense) {
  const RandomQuarks q(1);
  EXPECT_THROW(two_pions(3, pion, pion), InputError);
  EXPECT_THROW(pion_kaon(2, pion, pion), InputError);
  EXPECT_THROW(multi_meson_correlators({}, q.readers<double>()), InputError);
  EXPECT_THROW(multi_meson_correlators({isovector_meson(pion)}, DistilledQuarks<double>{1, 1, {}, {}}), InputError);
  EXPECT_THROW(multi_meson_correlators({isovector_meson(pion)}, q.readers<double>(), {.sources = {3}}), InputError);
  const auto planned = multi_meson_contraction({isovector_meson(pion)}, q.readers<double>());
  EXPECT_THROW(planned(RandomQuarks(2).readers<double>(), {}, {}), InputError) << "planned for other eigenvectors";
  EXPECT_THROW(multi_meson_correlators({isovector_meson(pion)}, q.readers<double>(), {.sources = {1, 2, 1}}),
               InputError)
      << "a source that would count twice";
}

TEST(SeveralMesons, ReadTheQuarkAtTheEndOfThoseThatAreTheSame) {
  const RandomQuarks q(1);
  auto readers = q.readers<double>();
  readers.same_as = {{"d", "s"}, {"s", "u"}};
  const auto strange = multi_meson_correlators({strange_meson(rho)}, readers),
             light = multi_meson_correlators({isovector_meson(rho)}, readers);
  for (std::size_t k = 0; k < light.size(); ++k)
    EXPECT_LE(std::abs(strange[k] - light[k]), 1e-13 * std::abs(light[0])) << k;
  readers.same_as = {{"d", "s"}, {"s", "d"}};
  EXPECT_THROW(multi_meson_correlators({isovector_meson(pion)}, readers), InputError);
}

}  // namespace test_multi_meson
}  // namespace kov
