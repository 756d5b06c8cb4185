// SPDX-License-Identifier: MIT
//
// Baryons of up to three different quarks: the sum over colours and quark exchanges written out, and the symmetries of
// spin, flavour, colour and charge.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/baryon_program.hpp"
#include "kov/contractions/hadrons/baryon_sums.hpp"
#include "kov/contractions/hadrons/cuda/baryon_teams.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/near_unit_links.hpp"

namespace kov {
namespace {
namespace operator_baryons {

using reference::GlobalArray;
using reference::kSource;
using reference::Number;

std::vector<BaryonOperator> all_operators() {
  std::vector<BaryonOperator> all;
  for (const BaryonParity parity : {BaryonParity::positive, BaryonParity::negative})
    for (const auto& list : {octet_operators(parity), decuplet_operators(parity)})
      all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// U^+ S U with U of the Dirac-Pauli basis.
GlobalArray rotated(const GlobalArray& s) {
  constexpr double u[4][4] = {{0, 1, 0, -1}, {-1, 0, 1, 0}, {0, 1, 0, 1}, {-1, 0, -1, 0}};
  GlobalArray out(s.extent, s.n);
  reference::for_each_coordinate(s.extent, [&](const Coord& x) {
    for (int sink = 0; sink < 4; ++sink)
      for (int source = 0; source < 4; ++source)
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            for (int i = 0; i < 4; ++i)
              for (int j = 0; j < 4; ++j)
                out.at(x)[12 * (3 * source + b) + 3 * sink + a] +=
                    0.5 * u[i][sink] * u[j][source] * reference::quark(s, x, i, a, j, b);
  });
  return out;
}

/// Rotated.
using Arrays = std::map<std::string, GlobalArray>;

/// Every Wick contraction with its sign, and all 36 pairs of colour permutations; -1 beyond the end of the lattice.
std::vector<Number> expected(const Arrays& quarks, const BaryonCorrelation& c, const Momentum& p, const Coord& origin) {
  constexpr int permutation[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}};
  const Coord extent = quarks.begin()->second.extent;
  auto sums = reference::fourier(extent, p, origin, [&](const Coord& x) {
    Number total = 0;
    for (int w = 0; w < 6; ++w) {
      const int* wick = permutation[w];
      bool fits = true;
      for (std::size_t k = 0; k < 3; ++k) fits = fits && c.sink.quarks[k] == c.source.quarks[std::size_t(wick[k])];
      if (!fits) continue;
      for (int u = 0; u < 6; ++u)
        for (int v = 0; v < 6; ++v)
          for (const BaryonTerm& snk : c.sink.terms)
            for (const BaryonTerm& src : c.source.terms) {
              const int signs = (u < 3) + (v < 3) + (w < 3);  // even permutations come first
              Number product = (signs % 2 == 1 ? 1.0 : -1.0) * snk.coefficient * std::conj(src.coefficient);
              for (std::size_t k = 0; k < 3; ++k)
                product *= reference::quark(quarks.at(c.sink.quarks[k]), x, snk.spin[k], permutation[u][k],
                                            src.spin[std::size_t(wick[k])], permutation[v][wick[k]]);
              total += product;
            }
    }
    return total;
  });
  for (int t = extent[3] - origin[3]; t < extent[3]; ++t) sums[std::size_t(t)] *= -1;
  return sums;
}

class BaryonsOfOperators : public test::EveryLattice {};

/// Both precisions against one naive sum.
TEST_P(BaryonsOfOperators, EqualTheirDefinition) {
  if (volume(GetParam().extent) > 600) GTEST_SKIP() << "does not apply: the naive reference would take seconds";
  const Lattice lattice = this->lattice();
  const GlobalArray u = reference::random_array(lattice.extent(), 144, 11),
                    d = reference::random_array(lattice.extent(), 144, 12),
                    s = reference::random_array(lattice.extent(), 144, 13);
  const Arrays arrays{{"u", rotated(u)}, {"d", rotated(d)}, {"s", rotated(s)}};
  const std::vector<double> scale = reference::scale(u, 3, u, 0, kSource);
  const std::vector<Momentum> momenta{{0, 0, 0}, {1, -2, 0}};
  const std::vector<BaryonOperator> operators{baryon_operators("lambda_z")[0], baryon_operators("sigma_star_p_np")[1]};
  const auto of_quarks = [&]<class T>(T) {
    const auto up = test::make_propagator<T>(lattice, u), down = test::make_propagator<T>(lattice, d),
               strange = test::make_propagator<T>(lattice, s);
    return baryons<T>({{"u", up}, {"d", down}, {"s", strange}}, operators, momenta);
  };
  const auto result = of_quarks(double()), low = of_quarks(float());
  ASSERT_EQ(result.size(), 4u);
  ASSERT_EQ(low.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const BaryonOperator& op = operators[i / 2];
    const Momentum& p = momenta[i % 2];
    const std::vector<Number> right = expected(arrays, {op.name, op, op}, p, kSource);
    for (const Correlator& found : {result[i], low[i]}) {
      EXPECT_EQ(found.channel, op.name);
      EXPECT_EQ(found.momentum, p);
    }
    test::expect_near<double>(result[i].value, right, scale, 4, op.name + " " + to_string(p));
    test::expect_near<float>(low[i].value, right, scale, 4, op.name + " " + to_string(p) + ", in float");
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, BaryonsOfOperators, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

/// Random quarks on a small lattice.
class RandomQuarks : public ::testing::Test {
 protected:
  Propagator<double> quark(const GlobalArray& s) const { return test::make_propagator<double>(lattice_, s, origin_); }
  GlobalArray random(std::uint64_t seed) const { return reference::random_array(lattice_.extent(), 144, seed); }
  static std::vector<std::complex<double>> find(const std::vector<Correlator>& list, const std::string& name) {
    for (const Correlator& c : list)
      if (c.channel == name) return c.value;
    ADD_FAILURE() << "there is no " << name;
    return {};
  }
  std::vector<double> scale(const GlobalArray& s) const { return reference::scale(s, 3, s, 0, origin_); }

  const Lattice lattice_{Comm::world(), {4, 2, 2, 4}};
  const Coord origin_{3, 1, 0, 3};
  const GlobalArray u_ = random(1), d_ = random(2), s_ = random(3);
  const Propagator<double> up_ = quark(u_), down_ = quark(d_), strange_ = quark(s_);
  const Quarks<double> three_{{"u", up_}, {"d", down_}, {"s", strange_}};
};

TEST_F(RandomQuarks, AllBaryonsInOneSweepEqualTheirDefinition) {
  const std::vector<BaryonOperator> all = all_operators();
  EXPECT_EQ(all.size(), 2u * (8 * 2 + 10 * 4));
  EXPECT_EQ(baryon_names().size(), 36u);
  const auto result = baryons<double>(three_, all, {{1, 0, 1}});
  ASSERT_EQ(result.size(), all.size());
  const Arrays arrays{{"u", rotated(u_)}, {"d", rotated(d_)}, {"s", rotated(s_)}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(result[i].channel, all[i].name);
    test::expect_near<double>(result[i].value, expected(arrays, {"", all[i], all[i]}, {1, 0, 1}, origin_), scale(u_), 8,
                              all[i].name);
  }
}

TEST_F(RandomQuarks, DifferentOperatorsAtSinkAndSourceEqualTheirDefinition) {
  // Spin flips, mixed parity, another order of the quarks and complex coefficients.
  BaryonOperator turned = baryon_operators("proton")[0];
  turned.name = "turned";
  turned.quarks = {"u", "d", "u"};
  turned.terms = {{{0, 3, 2}, {0.5, -1}}, {{1, 1, 0}, {0, 2}}};
  const BaryonOperator up = baryon_operators("proton")[0], down = baryon_operators("proton")[1];
  const std::vector<BaryonCorrelation> list{{"flip", up, down}, {"sink", turned, up}, {"source", up, turned}};
  const auto result = baryons<double>(three_, list, {{0, 0, 0}});
  const Arrays arrays{{"u", rotated(u_)}, {"d", rotated(d_)}};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto naive = expected(arrays, list[i], {0, 0, 0}, origin_);
    EXPECT_GT(std::abs(naive[1]), 0);
    test::expect_near<double>(result[i].value, naive, scale(u_), 16, list[i].name);
  }
}

TEST_F(RandomQuarks, TheNumberOfCorrelatorsDoesNotChangeThem) {
  const std::vector<BaryonOperator> all = all_operators();
  const auto together = baryons<double>(three_, all, {{0, 0, 0}});
  for (const std::size_t i : {std::size_t(0), std::size_t(5), std::size_t(70)})
    test::expect_near<double>(baryons<double>(three_, std::vector{all[i]}, {{0, 0, 0}}).at(0).value, together[i].value,
                              scale(u_), 8, all[i].name);
}

/// What the documentation says of the cost: a cross of two quarks takes 306 flops.
TEST(BaryonPrograms, FormADiquarkOnceForAllThatNeedIt) {
  const auto values_of = [](const std::vector<BaryonOperator>& operators, const std::map<std::string, int>& number) {
    std::vector<detail::BaryonValue> values;
    for (const BaryonOperator& op : operators)
      values.push_back(detail::wick_contraction(
          op, op, {number.at(op.quarks[0]), number.at(op.quarks[1]), number.at(op.quarks[2])}));
    return values;
  };
  const auto different = values_of(all_operators(), {{"u", 0}, {"d", 1}, {"s", 2}});
  const detail::BaryonProgram<double> together(different, int(different.size())), few(different, 8);
  EXPECT_EQ(together.n_crosses(), 106);
  EXPECT_NEAR(together.flops(), 49000, 500);
  EXPECT_GT(few.n_crosses(), 106) << "blocks of a GPU form some of them again";
  EXPECT_EQ(few.n_blocks(), 14);
  const auto proton = values_of(baryon_operators("proton"), {{"u", 0}, {"d", 1}});
  EXPECT_NEAR(detail::BaryonProgram<double>(proton, 2).flops(), 3100, 50);
  const auto equal = values_of(all_operators(), {{"u", 0}, {"d", 0}, {"s", 0}});
  EXPECT_EQ(detail::BaryonProgram<double>(equal, 112).n_crosses(), 10);
}

/// The nucleon's 24 contractions have 16 crosses, where those of one fixed third quark have 20.
TEST(BaryonPrograms, OfTeamsCoverContractionsWithFewCrosses) {
  std::vector<detail::BaryonValue> all;
  const std::map<std::string, int> number{{"u", 0}, {"d", 1}, {"s", 2}};
  for (const BaryonOperator& op : all_operators())
    all.push_back(
        detail::wick_contraction(op, op, {number.at(op.quarks[0]), number.at(op.quarks[1]), number.at(op.quarks[2])}));
  const std::vector<detail::BaryonValue> proton{detail::value_of(nucleon(), 0, 0)};
  const detail::BaryonTeamProgram<double> of_nucleon(proton, 1, 4), of_all(all, 112, 16), halves(all, 56, 16);
  EXPECT_EQ(of_nucleon.n_steps(), 16);
  EXPECT_EQ(of_nucleon.n_thirds(), 8);
  EXPECT_EQ(of_all.n_steps(), 44);
  EXPECT_EQ(halves.n_steps(), 44) << "the two parities have nothing in common";
  EXPECT_EQ(halves.most_steps(), 22);
}

/// The kernel of GPUs, in which one thread does the work of a team here: of one, two and three different quarks, at
/// rest, with one momentum and with more than it takes at once, and in blocks.
TEST_P(BaryonsOfOperators, OfTeamsEqualThoseOfTheSweep) {
  if (volume(GetParam().extent) > 600) GTEST_SKIP() << "does not apply: all baryons on one thread take seconds";
  if (detail::has_baryon_teams) GTEST_SKIP() << "does not apply: these are the sums of baryons() itself";
  const Lattice lattice = this->lattice();
  const GlobalArray u = reference::random_array(lattice.extent(), 144, 11);
  const std::vector<double> scale = reference::scale(u, 3, u, 0, kSource);
  std::vector<Momentum> many;
  for (int k = 0; k < 10; ++k) many.push_back({k % 3 - 1, k / 3 - 1, k % 2});
  const auto compare = [&]<class T>(T, int n_quarks, const std::vector<Momentum>& momenta) {
    std::vector<Propagator<T>> quarks;
    std::vector<const Propagator<T>*> list;
    for (int q = 0; q < n_quarks; ++q)
      quarks.push_back(
          test::make_propagator<T>(lattice, reference::random_array(lattice.extent(), 144, std::uint64_t(11 + q))));
    detail::RotatedQuarks<T> rotated{{}, n_quarks};
    for (int q = 0; q < n_quarks; ++q) {
      list.push_back(&quarks[std::size_t(q)]);
      rotated.s[q] = quarks[std::size_t(q)].columns().view();
    }
    std::vector<detail::BaryonValue> values{detail::value_of(nucleon(), 0, n_quarks - 1)};
    const std::map<std::string, int> number{{"u", 0}, {"d", n_quarks > 2 ? 2 : 0}, {"s", n_quarks > 1 ? 1 : 0}};
    const std::vector<std::string> names{"lambda_z", "sigma_z", "sigma_star_m", "xi_z_np", "delta_p"};
    for (const std::string& name : names)
      for (const BaryonOperator& op : baryon_operators(name))
        values.push_back(detail::wick_contraction(
            op, op, {number.at(op.quarks[0]), number.at(op.quarks[1]), number.at(op.quarks[2])}));
    SliceSums sums;
    ASSERT_TRUE(detail::sum_by_teams(rotated, values, lattice, momenta, kSource, sums, Exec{}));
    sums.sum_over_ranks(lattice.comm());
    const PropagatorLabels& labels = list.front()->labels;
    const auto expected = detail::baryon_sums<T>(list, values, momenta, labels);
    const std::complex<double> wrapped = detail::wrap_phase_of_baryons(labels.boundary);
    const int n_times = lattice.extent()[3], t0 = kSource[3];
    for (int v = 0; v < int(values.size()); ++v)
      for (int k = 0; k < int(momenta.size()); ++k) {
        std::vector<Number> found;
        for (int t = t0; t < t0 + n_times; ++t)
          found.push_back(0.125 * sums.at(k, t % n_times)[v] * (t < n_times ? 1.0 : wrapped));
        const auto from = expected.begin() + (v * int(momenta.size()) + k) * n_times;
        test::expect_near<T>(found, {from, from + n_times}, scale, 4,
                             std::to_string(n_quarks) + " quarks, value " + std::to_string(v));
      }
  };
  for (int n_quarks = 1; n_quarks <= 3; ++n_quarks) {
    compare(double(), n_quarks, many);
    compare(float(), n_quarks, many);
  }
  compare(double(), 1, {{0, 0, 0}});
  compare(float(), 1, {{1, 0, -1}});
}

TEST(BaryonPrograms, OfTeamsGiveZeroWhereAllContractionsCancel) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const auto quark = test::make_propagator<double>(lattice, reference::random_array(lattice.extent(), 144, 11));
  detail::RotatedQuarks<double> rotated{{}, 1};
  rotated.s[0] = quark.columns().view();
  detail::BaryonValue none = detail::value_of(nucleon(), 0, 0);
  for (const detail::BaryonContraction& term : std::vector(none.terms))
    none.terms.push_back({term.pair, -term.coefficient});
  SliceSums sums;
  ASSERT_TRUE(detail::sum_by_teams(rotated, {none}, lattice, {{0, 0, 0}}, kSource, sums, Exec{}));
  for (int t = 0; t < sums.n_slices; ++t) EXPECT_EQ(sums.at(0, t)[0], 0.0) << t;
}

/// The non-relativistic proton of a diquark is both spins of the operator, twice: (d^T C g5 u) has d1 u0 - d0 u1.
TEST_F(RandomQuarks, TheDiquarkProtonIsTheSumOfBothSpins) {
  const BaryonChannel channel = standard_baryons().at(11);
  ASSERT_EQ(channel.name, "proton_unpol_cg5nr");
  auto sum = find(baryons<double>(three_, baryon_operators("proton"), {{0, 0, 0}}), "proton_up");
  const auto down = find(baryons<double>(three_, baryon_operators("proton"), {{0, 0, 0}}), "proton_dn");
  for (std::size_t t = 0; t < sum.size(); ++t) sum[t] = 2.0 * (sum[t] + down[t]);
  test::expect_near<double>(baryons(up_, down_, {channel}, {{0, 0, 0}}).at(0).value, sum, scale(u_), 16, "proton");
}

TEST_F(RandomQuarks, OfEqualFlavoursAreOneMultiplet) {
  const auto list = baryons<double>({{"u", up_}, {"d", up_}, {"s", up_}}, all_operators(), {{0, 0, 0}});
  const auto same = [&](const std::string& a, const std::string& b, double factor) {
    auto expected = find(list, b);
    for (auto& z : expected) z *= factor;
    test::expect_near<double>(find(list, a), expected, scale(u_), 16, a);
  };
  for (const std::string np : {"_", "_np_"}) {
    for (const std::string spin : {"up", "dn"}) {
      for (const std::string other : {"sigma_p", "sigma_z", "sigma_m", "xi_z", "xi_m"})
        same(other + np + spin, "proton" + np + spin, 4.0 / 3);
      same("neutron" + np + spin, "proton" + np + spin, 1);
    }
    for (const std::string spin : {"upup", "up", "dn", "dndn"}) {
      for (const std::string other : {"sigma_star_p", "sigma_star_z", "sigma_star_m", "xi_star_z", "xi_star_m"})
        same("delta_pp" + np + spin, other + np + spin, 3);
      for (const std::string other : {"delta_p", "delta_z", "delta_m", "omega_m"})
        same("delta_pp" + np + spin, other + np + spin, 1);
    }
  }
}

TEST_F(RandomQuarks, IsospinPartnersAreEqualWithAStrangeQuark) {
  const auto list = baryons<double>({{"u", up_}, {"d", up_}, {"s", strange_}}, all_operators(), {{0, 0, 0}});
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{{"sigma_p_up", "sigma_z_up"},
                                                                             {"sigma_p_dn", "sigma_m_dn"},
                                                                             {"xi_z_np_up", "xi_m_np_up"},
                                                                             {"sigma_star_p_up", "sigma_star_z_up"},
                                                                             {"sigma_star_m_dndn", "sigma_star_z_dndn"},
                                                                             {"xi_star_z_dn", "xi_star_m_dn"},
                                                                             {"delta_p_up", "delta_z_up"}})
    test::expect_near<double>(find(list, a), find(list, b), scale(u_), 16, a);
}

TEST_F(RandomQuarks, AreUnchangedByAGaugeTransformation) {
  const GlobalArray g = reference::random_su3(lattice_.extent(), 1, 5);
  const auto moved = [&](const GlobalArray& s) { return quark(reference::gauge_transformed(s, g, origin_)); };
  const Propagator<double> u = moved(u_), d = moved(d_), s = moved(s_);
  const auto before = baryons<double>(three_, all_operators(), {{0, 0, 0}, {1, 0, 0}}),
             after = baryons<double>({{"u", u}, {"d", d}, {"s", s}}, all_operators(), {{0, 0, 0}, {1, 0, 0}});
  for (std::size_t i = 0; i < before.size(); ++i)
    test::expect_near<double>(after[i].value, before[i].value, scale(u_), 32, before[i].channel);
}

TEST_F(RandomQuarks, HaveTheLabelsOfAllQuarks) {
  Propagator<double> light = up_.alias(), heavy = strange_.alias();
  light.labels.others = {{"kappa", 0.12}, {"sink", "none"}};
  heavy.labels.others = {{"kappa", 0.1}, {"sink", "none"}};
  const auto c = baryons<double>({{"u", light}, {"s", heavy}}, baryon_operators("sigma_p"), {{0, 0, 0}}).at(0);
  EXPECT_EQ(c.kind, "baryon");
  EXPECT_EQ(c.labels, (std::map<std::string, LabelValue>{{"sink", "none"}, {"kappa_u", 0.12}, {"kappa_s", 0.1}}));
}

TEST_F(RandomQuarks, AreRefusedWhereTheyAreNotDefined) {
  const std::vector<Momentum> rest{{0, 0, 0}};
  const auto proton = baryon_operators("proton"), sigma = baryon_operators("sigma_p");
  EXPECT_THROW(baryons<double>({{"u", up_}}, proton, rest), InputError) << "no d";
  EXPECT_THROW(baryons<double>(three_, std::vector<BaryonOperator>{}, rest), InputError);
  EXPECT_THROW(baryons<double>(three_, std::vector<BaryonCorrelation>{{"", proton[0], sigma[0]}}, rest), InputError);
  EXPECT_THROW(baryon_operators("protium"), InputError);
  auto beyond = proton;
  beyond[0].terms[0].spin[1] = 4;
  EXPECT_THROW(baryons<double>(three_, beyond, rest), InputError);
  const Propagator<double> elsewhere = test::make_propagator<double>(lattice_, u_, {0, 0, 0, 0});
  EXPECT_THROW(baryons<double>({{"u", up_}, {"d", elsewhere}}, proton, rest), InputError);
  std::vector<BaryonOperator> five;
  const Propagator<double> c = quark(random(4)), b = quark(random(5));
  for (const std::string q : {"d", "s", "c", "b"}) five.push_back({q, {"u", "u", q}, {{{0, 0, 0}}}});
  EXPECT_THROW(baryons<double>({{"u", up_}, {"d", down_}, {"s", strange_}, {"c", c}, {"b", b}}, five, rest),
               InputError);
}

/// Solved quarks on 4^4, from the origin.
class SolvedQuarks : public ::testing::Test {
 protected:
  std::vector<Correlator> correlators(const GlobalArray& links, const std::vector<Momentum>& momenta) const {
    const auto gauge = reference::gauge_field(lattice_, links);
    const auto solved = [&](double mass) {
      const WilsonCloverOperator<double> M(gauge, BoundaryAngles::antiperiodic_in_time(), {.mass = mass, .c_sw = 1.1});
      return solve_propagator(EvenOdd(M, BiCgStab{.tolerance = 1e-13}), M, point_source<double>(lattice_, {0, 0, 0, 0}))
          .propagator;
    };
    const Propagator<double> light = solved(0.3), strange = solved(0.6);
    return baryons<double>({{"u", light}, {"d", light}, {"s", strange}}, all_operators(), momenta);
  }
  static const Correlator& find(const std::vector<Correlator>& list, const std::string& name, const Momentum& p) {
    for (const Correlator& c : list)
      if (c.channel == name && c.momentum == p) return c;
    throw InputError("there is no " + name);
  }
  static std::string replaced(const std::string& name, const std::string& from, const std::string& to) {
    const std::size_t at = name.rfind(from);
    return at == std::string::npos ? name : name.substr(0, at) + to + name.substr(at + from.size());
  }
  /// The same baryon with its spin turned over.
  static std::string turned_over(const std::string& name) {
    const std::size_t at = name.rfind('_');
    const std::map<std::string, std::string> other{{"up", "dn"}, {"dn", "up"}, {"upup", "dndn"}, {"dndn", "upup"}};
    return name.substr(0, at + 1) + other.at(name.substr(at + 1));
  }
  static double largest(const std::vector<std::complex<double>>& c) {
    double most = 0;
    for (const auto& z : c) most = std::max(most, std::abs(z));
    return most;
  }

  const Lattice lattice_{Comm::world(), {4, 4, 4, 4}};
  const std::vector<Momentum> momenta_{{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
};

/// Complex conjugate links are those of the antiquarks: S[U*] = K S[U]* K^-1 with K = C g5, which turns spins over.
TEST_F(SolvedQuarks, ConjugateLinksTurnSpinsOver) {
  GlobalArray u = reference::near_unit_links(lattice_.extent(), 31);
  const auto of_links = correlators(u, momenta_);
  for (auto& z : u.data) z = std::conj(z);
  const auto of_conjugate = correlators(u, momenta_);
  for (const Correlator& c : of_conjugate) {
    const Momentum opposite{-c.momentum[0], -c.momentum[1], -c.momentum[2]};
    const auto other = find(of_links, turned_over(c.channel), opposite).value;
    for (std::size_t t = 0; t < c.value.size(); ++t)
      EXPECT_LT(std::abs(c.value[t] - std::conj(other[t])), 1e-12 * largest(other)) << c.channel << " at t = " << t;
  }
}

/// On links that are their own mirror images in time and space, such as unit links, backward in time runs the partner
/// of other parity, with the sign of three antiperiodic quarks.
TEST_F(SolvedQuarks, FreePartnersOfOtherParityRunBackward) {
  const auto list = correlators(reference::unit_gauge(lattice_.extent()), momenta_);
  for (const Correlator& c : list) {
    const bool negative = c.channel.find("_np_") != std::string::npos;
    if (negative) continue;
    const std::size_t at = c.channel.rfind('_');
    const std::string partner = c.channel.substr(0, at) + "_np" + c.channel.substr(at);
    const auto other = find(list, partner, c.momentum).value;
    for (std::size_t t = 1; t < 4; ++t)
      EXPECT_LT(std::abs(c.value[t] + other[4 - t]), 1e-12 * largest(c.value)) << c.channel << " at t = " << t;
    EXPECT_LT(std::abs(c.value[0] - other[0]), 1e-12 * largest(c.value)) << c.channel;
    // Turned by pi about an axis across, and by pi about z.
    const auto over = find(list, turned_over(c.channel), {c.momentum[0], -c.momentum[1], 0}).value;
    const auto back = find(list, c.channel, {-c.momentum[0], -c.momentum[1], 0}).value;
    for (std::size_t t = 0; t < 4; ++t) {
      EXPECT_LT(std::abs(c.value[t] - over[t]), 1e-12 * largest(c.value)) << c.channel;
      EXPECT_LT(std::abs(c.value[t] - back[t]), 1e-12 * largest(c.value)) << c.channel;
    }
    EXPECT_GT(std::abs(c.value[1]), 1e-6 * largest(c.value)) << c.channel;
  }
}

TEST(BaryonBasis, DiracPauliRotationIsUnitaryAndDiagonalisesGamma4) {
  const SpinMatrix<double> u = dirac_pauli_rotation();
  const SpinMatrix<double> g4 = spin_matrix(Gamma::direction(3));
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      double unit = 0, diagonal = 0;
      for (int k = 0; k < 4; ++k) {
        unit += u(k, i).re * u(k, j).re;
        for (int l = 0; l < 4; ++l) diagonal += u(k, i).re * g4(k, l).re * u(l, j).re;
        EXPECT_EQ(u(k, i).im, 0);
      }
      EXPECT_NEAR(unit, i == j, 1e-15);
      EXPECT_NEAR(diagonal, i != j ? 0 : i < 2 ? 1 : -1, 1e-15);
    }
}

}  // namespace operator_baryons
}  // namespace
}  // namespace kov
