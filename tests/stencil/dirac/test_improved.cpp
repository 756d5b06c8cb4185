// SPDX-License-Identifier: MIT
//
// Hamber and Wu's and Naik's operators against naive versions and exact facts.
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/improved.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace kov {
namespace {
namespace improved_operators {

using reference::gather;
using reference::GlobalArray;
using reference::Number;
using test::eps;

constexpr double mass = 0.3;

/// What an operator is made of.
struct Kind {
  int length;
  HopWeights near, far;
};
const Kind hamber_wu{2, {4. / 3, 4. / 3}, {-1. / 3, -1. / 6}}, naik{3, {1, 9. / 8}, {0, -1. / 24}};

template <class T>
ImprovedOperator<T> make(const Kind& kind, const GaugeField<double>& gauge, const LegFactors& factors = {},
                         const LinkForms& forms = {}) {
  return kind.length == 2 ? hamber_wu_operator<T>(gauge, mass, factors, forms)
                          : naik_operator<T>(gauge, mass, factors, forms);
}

/// U_mu(x) psi(x + mu), or what a step backwards makes of psi.
GlobalArray transported(const GlobalArray& u, const GlobalArray& psi, int mu, int step) {
  GlobalArray out(psi.extent, psi.n);
  reference::for_each_coordinate(psi.extent, [&](const Coord& x) {
    const Coord there = reference::shifted(x, mu, step);
    for (int s = 0; s < 4; ++s)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          out.at(x)[3 * s + a] +=
              psi.at(there)[3 * s + b] * (step > 0 ? reference::link(u, test::kAngles, x, mu, a, b)
                                                   : std::conj(reference::link(u, test::kAngles, there, mu, b, a)));
  });
  return out;
}

/// out += (one + gamma g_mu) psi
void add_spins(GlobalArray& out, const GlobalArray& psi, int mu, double one, double gamma) {
  reference::for_each_coordinate(psi.extent, [&](const Coord& x) {
    for (int s = 0; s < 4; ++s)
      for (int r = 0; r < 4; ++r)
        for (int a = 0; a < 3; ++a)
          out.at(x)[3 * s + a] +=
              (one * double(s == r) + gamma * reference::gammas()[std::size_t(mu)][std::size_t(s)][std::size_t(r)]) *
              psi.at(x)[3 * r + a];
  });
}

/// M psi, or M^+ psi for sign = -1.
GlobalArray naive(const Kind& kind, const GlobalArray& u, const GlobalArray& psi, int sign) {
  GlobalArray out = psi;
  for (Number& z : out.data) z *= 4 + mass;
  for (int mu = 0; mu < 4; ++mu)
    for (const int step : {1, -1}) {
      GlobalArray there = psi;
      for (int n = 1; n <= kind.length; ++n) {
        there = transported(u, there, mu, step);
        if (n == 1) add_spins(out, there, mu, -kind.near.one / 2, step * sign * kind.near.gamma / 2);
        if (n == kind.length) add_spins(out, there, mu, -kind.far.one / 2, step * sign * kind.far.gamma / 2);
      }
    }
  return out;
}

class ImprovedOperators : public test::OnLattices {
 public:
  /// Calls work(kind, lattice) for every operator whose legs end on the next rank at the latest.
  template <class Work>
  void for_each_kind(const Work& work) {
    const Lattice lattice = GetParam().make(Comm::world());
    int done = 0;
    for (const Kind& kind : {hamber_wu, naik}) {
      if (!test::legs_fit(lattice, kind.length)) continue;
      work(kind, lattice);
      ++done;
    }
    if (done == 0) GTEST_SKIP() << "does not apply: legs reach beyond the next rank";
  }
};

template <class T>
void check_definition(const Kind& kind, const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 3),
                    psi = reference::random_array(lattice.extent(), 12, 4);
  const auto M = make<T>(kind, reference::gauge_field<double>(lattice, u), BoundaryAngles{test::kAngles});
  const SpinorField<T> in(lattice, "in"), out(lattice, "out");
  load(in, psi);
  for (const int sign : {1, -1}) {
    sign > 0 ? M.apply(in, out) : M.apply_adjoint(in, out);
    const GlobalArray expected = naive(kind, u, psi, sign);
    EXPECT_LT(max_difference(out, expected), 60 * eps<T> * reference::max_abs(expected))
        << kind.length << " links, " << sign;
  }
}

TEST_P(ImprovedOperators, EqualTheirDefinitions) {
  for_each_kind([](const Kind& kind, const Lattice& lattice) {
    check_definition<float>(kind, lattice);
    check_definition<double>(kind, lattice);
  });
}

TEST_P(ImprovedOperators, HaveTheirAdjoint) {
  for_each_kind([](const Kind& kind, const Lattice& lattice) {
    const GlobalArray u = reference::random_su3(lattice.extent(), 4, 5);
    const auto M = make<double>(kind, reference::gauge_field<double>(lattice, u), BoundaryAngles{test::kAngles});
    const SpinorField<double> a(lattice, "a"), b = a.like("b"), Mb = a.like("M b"), adjoint = a.like("adjoint");
    load(a, reference::random_array(lattice.extent(), 12, 6));
    load(b, reference::random_array(lattice.extent(), 12, 7));
    M.apply(b, Mb);
    M.apply_adjoint(a, adjoint);
    EXPECT_LT(std::abs(inner_product(a, Mb) - inner_product(adjoint, b)),
              20 * eps<double> * std::sqrt(norm2(a) * norm2(Mb)));
  });
}

/// g5 M g5 = M^+, for 3 columns in lanes or components.
template <class T, class Lanes = SiteLanes>
void check_gamma5(const Kind& kind, const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 5);
  const LinkForms forms{.columns = Lanes::holds_columns};
  const auto M = make<T>(kind, reference::gauge_field<double>(lattice, u), BoundaryAngles{test::kAngles}, forms);
  const auto turn = [](GlobalArray all) {
    for (std::size_t i = 0; i < all.data.size(); ++i)
      if (i % 12 >= 6) all.data[i] = -all.data[i];
    return all;
  };
  const GlobalArray psi = reference::random_array(lattice.extent(), 36, 7);
  const SpinorField<T, Lanes> in(lattice, "in", 3), out = in.like("out");
  load(in, turn(psi));
  M.apply(in, out);
  const GlobalArray expected = turn(gather(out));
  load(in, psi);
  M.apply_adjoint(in, out);
  EXPECT_LT(max_difference(out, expected), 20 * eps<T> * reference::max_abs(expected)) << kind.length << " links";
}

TEST_P(ImprovedOperators, Gamma5Hermiticity) {
  for_each_kind([](const Kind& kind, const Lattice& lattice) {
    check_gamma5<double>(kind, lattice);
    check_gamma5<float>(kind, lattice);
    check_gamma5<double, ColumnLanes<8>>(kind, lattice);
    check_gamma5<float, ColumnLanes<16>>(kind, lattice);
  });
}

TEST_P(ImprovedOperators, CommuteWithGaugeTransformations) {
  for_each_kind([](const Kind& kind, const Lattice& lattice) {
    const GlobalArray u = reference::random_su3(lattice.extent(), 4, 8),
                      g = reference::random_su3(lattice.extent(), 1, 9),
                      psi = reference::random_array(lattice.extent(), 12, 10);
    const SpinorField<double> in(lattice, "in"), out(lattice, "out");
    load(in, psi);
    make<double>(kind, reference::gauge_field<double>(lattice, u)).apply(in, out);
    const GlobalArray expected = transform_quarks(g, gather(out));
    load(in, transform_quarks(g, psi));
    make<double>(kind, reference::gauge_field<double>(lattice, transform_links(g, u))).apply(in, out);
    EXPECT_LT(max_difference(out, expected), 60 * eps<double> * reference::max_abs(expected));
  });
}

/// i times the sum of g_mu s_mu(p), and the rest, of a free quark's operator.
struct Free {
  double s, rest;
};
Free free_of(const Kind& kind, double p) {
  if (kind.length == 2)
    return {4. / 3 * std::sin(p) - std::sin(2 * p) / 6, 2. / 3 * (1 - std::cos(p)) * (1 - std::cos(p))};
  return {9. / 8 * std::sin(p) - std::sin(3 * p) / 24, 1 - std::cos(p)};
}

// M of a plane wave is m + sum of i g_mu s_mu(p) + w_mu(p) times it, so M^+ M is a number times it.
TEST_P(ImprovedOperators, HaveTheFreeDispersionRelation) {
  for_each_kind([](const Kind& kind, const Lattice& lattice) {
    const Coord extent = lattice.extent(), n{1, 2, -1, 1};
    std::array<double, 4> p;
    for (std::size_t mu = 0; mu < 4; ++mu) p[mu] = (2 * std::numbers::pi * n[mu] + test::kAngles[mu]) / extent[mu];
    GlobalArray wave(extent, 12);
    reference::for_each_coordinate(extent, [&](const Coord& x) {
      double phase = 0;
      for (std::size_t mu = 0; mu < 4; ++mu) phase += p[mu] * x[mu];
      for (int i = 0; i < 12; ++i) wave.at(x)[i] = std::polar(1.0 + 0.1 * i, phase + 0.3 * i);
    });
    const auto M = make<double>(kind, reference::gauge_field<double>(lattice, reference::unit_gauge(extent)),
                                BoundaryAngles{test::kAngles});
    const SpinorField<double> in(lattice, "in"), half = in.like("half"), out = in.like("out");
    load(in, wave);
    M.apply(in, half);
    M.apply_adjoint(half, out);
    double rest = mass, squares = 0;
    for (const double q : p) {
      rest += free_of(kind, q).rest;
      squares += free_of(kind, q).s * free_of(kind, q).s;
    }
    GlobalArray expected = wave;
    for (Number& z : expected.data) z *= rest * rest + squares;
    EXPECT_LT(max_difference(out, expected), 1000 * eps<double> * reference::max_abs(wave));
  });
}

/// Columns have the bits of single fields; on GPUs only as components, as sums of those in lanes may be rounded
/// differently.
template <class T, int W>
void check_columns(const Kind& kind, const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 11),
                    psi = reference::random_array(lattice.extent(), 12 * W, 12);
  const auto M =
      make<T>(kind, reference::gauge_field<double>(lattice, u), BoundaryAngles{test::kAngles}, {.columns = true});
  const SpinorField<T> in(lattice, "in", W), out = in.like("out"), single(lattice, "single");
  const SpinorField<T, ColumnLanes<W>> columns(lattice, "columns", W), result = columns.like("result");
  load(in, psi);
  load(columns, psi);
  for (const bool adjoint : {false, true}) {
    const auto apply = [&](const auto& from, const auto& to) {
      adjoint ? M.apply_adjoint(from, to) : M.apply(from, to);
    };
    apply(in, out);
    apply(columns, result);
    const GlobalArray expected = gather(out);
    EXPECT_LE(max_difference(result, expected), has_packs ? 0 : 40 * eps<T> * reference::max_abs(expected));
    apply(in.column(W - 1), single);
    EXPECT_EQ(max_difference(single, part(expected, 12 * (W - 1), 12)), 0);
  }
}

TEST_P(ImprovedOperators, TakeColumns) {
  for_each_kind([](const Kind& kind, const Lattice& lattice) {
    check_columns<double, 4>(kind, lattice);
    check_columns<double, 8>(kind, lattice);
    check_columns<float, 4>(kind, lattice);
    check_columns<float, 8>(kind, lattice);
    check_columns<float, 16>(kind, lattice);
  });
}

/// The hop from each parity to the other has the bits of that on full fields.
template <class T, class Lanes = SiteLanes>
void check_parities(const Lattice& lattice) {
  const bool in_columns = Lanes::holds_columns;
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 15);
  const auto M = make<T>(naik, reference::gauge_field<double>(lattice, u), BoundaryAngles{test::kAngles},
                         {.doubled = !in_columns, .columns = in_columns});
  ASSERT_TRUE(M.hop().changes_parity());
  const SpinorField<T, Lanes> in(lattice, "in", 3), full = in.like("full"), out = in.like("out");
  load(in, reference::random_array(lattice.extent(), 36, 16));
  for (const bool adjoint : {false, true}) {
    M.hop().combine(0.7, -0.5, in, in, full, adjoint);
    M.hop().combine(0.7, -0.5, in.odd(), in.even(), out.even(), adjoint);
    M.hop().combine(0.7, -0.5, in.even(), in.odd(), out.odd(), adjoint);
    const GlobalArray expected = gather(full);
    EXPECT_LE(max_difference(out, expected), has_packs ? 0 : 40 * eps<T> * reference::max_abs(expected));
  }
}

TEST_P(ImprovedOperators, HopFromEachParityToTheOther) {
  for_each_kind([](const Kind& kind, const Lattice& lattice) {
    if (kind.length == 2) return;
    check_parities<double>(lattice);
    check_parities<float>(lattice);
    check_parities<double, ColumnLanes<4>>(lattice);
    check_parities<float, ColumnLanes<8>>(lattice);
  });
}

INSTANTIATE_TEST_SUITE_P(Lattices, ImprovedOperators, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

// Errors of order p^5 in the derivative, of order p^4 in what Hamber and Wu add to it.
TEST(ImprovedOperatorsOfFreeQuarks, AreCloserToTheContinuumThanWilsons) {
  for (const Kind& kind : {hamber_wu, naik})
    for (const double p : {0.1, 0.2, 0.4}) {
      EXPECT_LT(std::abs(free_of(kind, p).s - p), 0.08 * std::pow(p, 5));
      EXPECT_GT(std::abs(std::sin(p) - p), 0.15 * std::pow(p, 3));
    }
  EXPECT_LT(free_of(hamber_wu, 0.2).rest, 0.2 * std::pow(0.2, 4));
}

TEST(ImprovedHops, WithTheWeightsOfTheProjectorsAreWilsons) {
  const Lattice lattice(Comm::world(), {4, 6, 4, 8});
  const GaugeField<double> gauge =
      reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 13));
  const SpinorField<double> in(lattice, "in"), out = in.like("out"), expected = in.like("expected");
  load(in, reference::random_array(lattice.extent(), 12, 14));
  const ImprovedHop<double> hop(links_of_two_lengths<double>(gauge, 2), {1, 1}, {0, 0});
  hop.combine(4.2, -0.5, in, in, out);
  WilsonOperator<double>(GaugeLinks<double>(gauge), 0.2).apply(in, expected);
  EXPECT_LT(max_difference(out, gather(expected)), 1e-13);
}

TEST(ImprovedHops, RefuseWhatDoesNotFit) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeField<double> gauge = reference::gauge_field<double>(lattice, reference::unit_gauge(lattice.extent()));
  EXPECT_THROW(links_of_two_lengths<double>(gauge, 1), InputError);
  EXPECT_THROW(links_of_two_lengths<double>(gauge, 4), InputError);
  EXPECT_THROW(links_of_two_lengths<double>(gauge.column(0), 2), InputError);
  EXPECT_THROW(ImprovedHop<double>(GaugeLinks<double>(gauge), {1, 1}, {0, 0}), InputError);
  const auto M = hamber_wu_operator<double>(gauge, mass);
  const SpinorField<double> a(lattice, "a"), two(lattice, "two", 2);
  EXPECT_THROW(M.apply(a, a), InputError);
  EXPECT_THROW(M.apply(a, two), InputError);
  const SpinorField<double> b = a.like("b");
  EXPECT_THROW(M.apply(a.even(), b.even()), InputError);
  EXPECT_FALSE(M.hop().changes_parity());
  EXPECT_THROW(M.hop().combine(0, 1, a.odd(), b.even(), b.even()), InputError) << "legs lead back";
}

}  // namespace improved_operators
}  // namespace
}  // namespace kov
