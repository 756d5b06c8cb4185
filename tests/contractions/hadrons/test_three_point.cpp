// SPDX-License-Identifier: MIT
//
// Three-point functions through sequential propagators: double sums over sink and current with propagators from every
// site, and the conserved charge.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/hadrons/conserved_current.hpp"
#include "kov/contractions/hadrons/three_point.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/contractions/instance_support.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/gauge_links.hpp"

namespace kov {
namespace {
namespace three_points {

using reference::gather;
using reference::GlobalArray;
using reference::Number;

using Block = std::array<std::array<Number, 12>, 12>;

Block operator*(const Block& a, const Block& b) {
  Block c{};
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t k = 0; k < 12; ++k)
      for (std::size_t j = 0; j < 12; ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}
Block sum(const Block& a, Number factor, const Block& b) {
  Block c = a;
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) c[i][j] += factor * b[i][j];
  return c;
}
Number trace(const Block& a) {
  Number z = 0;
  for (std::size_t i = 0; i < 12; ++i) z += a[i][i];
  return z;
}
Block adjoint(const Block& a) {
  Block c{};
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) c[i][j] = std::conj(a[j][i]);
  return c;
}
Block gamma(int n) {
  const reference::Matrix4 m = reference::gamma(n);
  Block c{};
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j)
      if (i % 3 == j % 3) c[i][j] = m[i / 3][j / 3];
  return c;
}
Block block_at(const GlobalArray& s, const Coord& x) {
  Block c{};
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) c[i][j] = s.at(x)[12 * j + i];
  return c;
}

/// Two quarks on 4 x 2 x 2 x 4, propagators from every site.
class ThreePoints : public ::testing::Test {
 protected:
  /// U_mu(x) in colour, with the boundary phases.
  Block link(const Coord& x, int mu) const {
    Block c{};
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j < 12; ++j)
        if (i / 3 == j / 3) c[i][j] = reference::link(u_, angles_.angle, x, mu, int(i % 3), int(j % 3));
    return c;
  }
  /// [f(y + mu) moved to y from the right or left - the other direction] / 2.
  template <class F>
  Block right_derivative(const F& f, const Coord& y, int mu) const {
    const Coord next = reference::shifted(y, mu, 1), before = reference::shifted(y, mu, -1);
    const Block down = link(wrapped(before), mu);
    return sum(half(link(y, mu) * f(wrapped(next))), -0.5, adjoint(down) * f(wrapped(before)));
  }
  template <class F>
  Block left_derivative(const F& f, const Coord& y, int mu) const {
    const Coord next = reference::shifted(y, mu, 1), before = reference::shifted(y, mu, -1);
    const Block down = link(wrapped(before), mu);
    return sum(half(f(wrapped(next)) * adjoint(link(y, mu))), -0.5, f(wrapped(before)) * down);
  }
  static Block half(const Block& a) { return sum(Block{}, 0.5, a); }
  Coord wrapped(Coord x) const {
    for (std::size_t mu = 0; mu < 4; ++mu) x[mu] = (x[mu] + u_.extent[mu]) % u_.extent[mu];
    return x;
  }
  /// to(y) Gamma O from(y), with `to` the line that ends in the current and `from` that which begins there.
  template <class To, class From>
  Block current(const QuarkCurrent& j, const To& to, const From& from, const Coord& y) const {
    const Block g = gamma(j.gamma);
    const auto& d = j.derivatives;
    if (d.size() == 1)
      return sum(half(to(y) * g * right_derivative(from, y, d[0])), -0.5, left_derivative(to, y, d[0]) * g * from(y));
    if (d.size() == 2) {
      const auto right = [&](const Coord& z) { return right_derivative(from, z, d[1]); };
      const auto left = [&](const Coord& z) { return left_derivative(to, z, d[0]); };
      Block c = to(y) * g * right_derivative(right, y, d[0]);
      c = sum(c, -1, left(y) * g * right(y));
      c = sum(c, -1, left_derivative(to, y, d[1]) * g * right_derivative(from, y, d[0]));
      c = sum(c, 1, left_derivative(left, y, d[1]) * g * from(y));
      return half(half(c));
    }
    Block u = gamma(0);
    Coord at = y;
    for (const int step : j.path) {
      const int mu = std::abs(step) - 1;
      const Coord next = wrapped(reference::shifted(at, mu, step > 0 ? 1 : -1));
      u = u * (step > 0 ? link(at, mu) : adjoint(link(next, mu)));
      at = next;
    }
    return to(y) * g * u * from(at);
  }
  Number wave(const Momentum& p, const Coord& x) const { return reference::phase(u_.extent, p, x, origin_); }

  using Operator = WilsonCloverOperator<double>;
  Operator dirac(double mass) const { return {gauge_, angles_, {.mass = mass, .c_sw = 1.2}}; }
  Propagator<double> solved(const Operator& M, const Propagator<double>& source) const {
    Propagator<double> s = solve_propagator(EvenOdd(M, BiCgStab{.tolerance = 1e-14}), M, source).propagator.alias();
    s.labels.boundary = angles_;
    return s;
  }
  Propagator<double> from_origin(const Operator& M) const { return solved(M, point_source<double>(lattice_, origin_)); }
  /// S(., x) for every x.
  std::map<Coord, GlobalArray> from_everywhere(const Operator& M) const {
    std::map<Coord, GlobalArray> all;
    reference::for_each_coordinate(
        u_.extent, [&](const Coord& x) { all.emplace(x, gather(solved(M, point_source<double>(lattice_, x)))); });
    return all;
  }
  static void expect_equal(const std::vector<Number>& ours, const std::vector<Number>& expected,
                           const std::string& what) {
    double most = 0;
    for (const Number& z : expected) most = std::max(most, std::abs(z));
    ASSERT_EQ(ours.size(), expected.size());
    EXPECT_GT(most, 1e-12) << what;
    for (std::size_t t = 0; t < ours.size(); ++t)
      EXPECT_LT(std::abs(ours[t] - expected[t]), 1e-11 * most) << what << ", t = " << t;
  }
  std::size_t from_source(const Coord& y) const { return std::size_t((y[3] - origin_[3] + 4) % 4); }

  const Lattice lattice_{Comm::world(), {4, 2, 2, 4}};
  const Coord origin_{3, 0, 1, 2};
  const int t_sink_ = 1;  // beyond the boundary: three slices after the origin
  const BoundaryAngles angles_ = BoundaryAngles::antiperiodic_in_time();
  const GlobalArray u_ = reference::near_unit_links(lattice_.extent(), 41);
  const GaugeField<double> gauge_ = reference::gauge_field(lattice_, u_);
  const GaugeLinks<double> links_{gauge_, angles_};
  const Operator light_ = dirac(0.2), heavy_ = dirac(0.5);
  const std::vector<QuarkCurrent> currents_{{.gamma = 15},
                                            {.gamma = 6},
                                            {.gamma = 8, .derivatives = {3}},
                                            {.gamma = 1, .derivatives = {0}},
                                            {.gamma = 2, .derivatives = {1, 3}},
                                            {.gamma = 9, .derivatives = {0, 0}},
                                            {.gamma = 4, .path = {1, 2, -4}},
                                            {.gamma = 5, .derivatives = {0}}};
  const std::vector<Momentum> momenta_{{0, 0, 0}, {1, 0, 0}};
};

TEST_F(ThreePoints, OnAnyInstanceAreTheSame) {
  const auto s = test::make_propagator<double>(lattice_, reference::random_array(lattice_.extent(), 144, 1), origin_),
             q = test::make_propagator<double>(lattice_, reference::random_array(lattice_.extent(), 144, 2), origin_);
  const auto on = [&](const Exec& exec) {
    const auto [of_s, of_q] = test::slow_copies(s, q, exec);
    return test::values_of(three_point_functions(links_, of_s, of_q, currents_, momenta_, 3, exec));
  };
  const auto expected = on(Exec());
  EXPECT_NE(expected[0][0], Number(0));
  const Exec other = test::own_instance();
  EXPECT_EQ(on(other), expected);
  // On several ranks kernels of halos run beside.
  if (lattice_.comm().size() == 1) {
    EXPECT_EQ(test::launched_beside(other, [&] { on(other); }), std::vector<std::string>());
  }
}

TEST_F(ThreePoints, OfFloatsAreThoseOfDoublesButForRounding) {
  const auto values = [&]<class T>(T) {
    const auto s = test::make_propagator<T>(lattice_, reference::random_array(lattice_.extent(), 144, 1), origin_),
               q = test::make_propagator<T>(lattice_, reference::random_array(lattice_.extent(), 144, 2), origin_);
    const GaugeLinks<T> links(reference::gauge_field<T>(lattice_, u_), angles_);
    return test::values_of(three_point_functions(links, s, q, currents_, momenta_, 3));
  };
  const auto rounded = values(float()), expected = values(double());
  ASSERT_EQ(rounded.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    double most = 0;
    for (const Number& z : expected[k]) most = std::max(most, std::abs(z));
    for (std::size_t t = 0; t < expected[k].size(); ++t)
      EXPECT_LT(std::abs(rounded[k][t] - expected[k][t]), 1e-5 * most) << k << ", t = " << t;
  }
  EXPECT_NE(rounded, expected);
}

TEST_F(ThreePoints, OfMesonsEqualDoubleSumsOverSinkAndCurrent) {
  const Momentum at_sink{0, 1, 1};
  const int sink = 7, source = 3;
  const Propagator<double> s1 = from_origin(light_), s2 = from_origin(heavy_);
  const Propagator<double> q = solved(light_, meson_sequential_source(s2, t_sink_, Gamma::number(sink), at_sink));
  EXPECT_EQ(q.labels.source, "sequential");
  std::vector<QuarkCurrent> currents = currents_;
  for (int local = 0; local < 16; ++local) currents.push_back({.gamma = local});
  const auto ours = three_point_functions(links_, s1, q, currents, momenta_, source);
  ASSERT_EQ(ours.size(), currents.size() * momenta_.size());

  const auto all = from_everywhere(light_);
  const GlobalArray quark = gather(s1), antiquark = gather(s2);
  // S2(origin, x) Gamma S1(x, y), summed over the sink.
  std::map<Coord, Block> closed;
  for (const auto& [y, s] : all)
    reference::for_each_coordinate(u_.extent, [&, &y = y, &s = s](const Coord& x) {
      if (x[3] != t_sink_) return;
      const Block back = gamma(15) * adjoint(block_at(antiquark, x)) * gamma(15);
      closed[y] = sum(closed[y], wave(at_sink, x), back * gamma(sink) * block_at(s, x));
    });
  for (std::size_t k = 0; k < currents.size(); ++k)
    for (std::size_t n = 0; n < momenta_.size(); ++n) {
      std::vector<Number> expected(4);
      reference::for_each_coordinate(u_.extent, [&](const Coord& y) {
        expected[from_source(y)] +=
            wave(momenta_[n], y) * trace(current(
                                             currents[k], [&](const Coord& z) { return closed.at(z); },
                                             [&](const Coord& z) { return block_at(quark, z); }, y) *
                                         gamma(source));
      });
      const Correlator& c = ours[k * momenta_.size() + n];
      EXPECT_EQ(c.kind, "three-point");
      EXPECT_EQ(c.channel, to_string(currents[k]));
      EXPECT_EQ(c.momentum, momenta_[n]);
      expect_equal(c.value, expected, c.channel + ", q = " + to_string(c.momentum));
    }
}

/// Every line of the quark goes through the current in turn, in sums over colours and quark exchanges that are written
/// out.
TEST_F(ThreePoints, OfBaryonsEqualDoubleSumsOverSinkAndCurrent) {
  constexpr int permutation[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}};
  const Momentum at_sink{-1, 0, 1};
  const Propagator<double> u = from_origin(light_), s = from_origin(heavy_);
  const BaryonOperator up = baryon_operators("sigma_p")[0];
  BaryonOperator other = baryon_operators("sigma_p_np")[1];
  other.terms[0].coefficient *= Number(0.3, 1.2);
  const BaryonCorrelation c{"sigma", other, up};
  const Quarks<double> quarks{{"u", u}, {"s", s}};
  const auto rotated = [](const GlobalArray& from) {  // U^+ S U
    constexpr double m[4][4] = {{0, 1, 0, -1}, {-1, 0, 1, 0}, {0, 1, 0, 1}, {-1, 0, -1, 0}};
    GlobalArray out(from.extent, 144);
    reference::for_each_coordinate(from.extent, [&](const Coord& x) {
      for (int k = 0; k < 144; ++k)
        for (int i = 0; i < 16; ++i)
          out.at(x)[k] += 0.5 * m[i / 4][k % 12 / 3] * m[i % 4][k / 36] *
                          reference::quark(from, x, i / 4, k % 3, i % 4, k / 12 % 3);
    });
    return out;
  };
  const GlobalArray light = gather(u), strange = gather(s), light_rotated = rotated(light),
                    strange_rotated = rotated(strange);
  for (const std::string opened : {"u", "s"}) {
    const Operator& M = opened == "u" ? light_ : heavy_;
    const GlobalArray& from = opened == "u" ? light : strange;
    const auto all = from_everywhere(M);
    const Propagator<double> q = solved(M, baryon_sequential_source<double>(quarks, {c}, opened, t_sink_, at_sink));
    for (const QuarkCurrent& j : {currents_[1], currents_[2]}) {
      const auto ours = three_point_functions(links_, opened == "u" ? u : s, q, {j}, {{0, 1, 0}}).at(0);
      std::vector<Number> expected(4);
      for (int t = 0; t < 4; ++t) {
        // S(x, y) J S(y, origin), summed over y on the slice.
        GlobalArray line(u_.extent, 144);
        reference::for_each_coordinate(u_.extent, [&](const Coord& x) {
          if (x[3] != t_sink_) return;
          Block through{};
          reference::for_each_coordinate(u_.extent, [&](const Coord& y) {
            if (y[3] != t) return;
            through = sum(through, wave({0, 1, 0}, y),
                          current(
                              j, [&](const Coord& z) { return block_at(all.at(z), x); },
                              [&](const Coord& z) { return block_at(from, z); }, y));
          });
          for (std::size_t i = 0; i < 144; ++i) line.at(x)[i] = through[i % 12][i / 12];
        });
        const GlobalArray line_rotated = rotated(line);
        reference::for_each_coordinate(u_.extent, [&](const Coord& x) {
          if (x[3] != t_sink_) return;
          for (int w = 0; w < 6; ++w) {
            const int* wick = permutation[w];
            bool fits = true;
            for (std::size_t k = 0; k < 3; ++k)
              fits = fits && c.sink.quarks[k] == c.source.quarks[std::size_t(wick[k])];
            if (!fits) continue;
            for (int v = 0; v < 36; ++v)
              for (const BaryonTerm& snk : c.sink.terms)
                for (const BaryonTerm& src : c.source.terms)
                  for (std::size_t open = 0; open < 3; ++open) {
                    if (c.sink.quarks[open] != opened) continue;
                    const int signs = (v / 6 < 3) + (v % 6 < 3) + (w < 3);
                    // Beyond the boundary in time: another -1.
                    Number product = (signs % 2 == 1 ? -1.0 : 1.0) * snk.coefficient * std::conj(src.coefficient);
                    for (std::size_t k = 0; k < 3; ++k) {
                      const GlobalArray& g = k == open                 ? line_rotated
                                             : c.sink.quarks[k] == "u" ? light_rotated
                                                                       : strange_rotated;
                      product *= reference::quark(g, x, snk.spin[k], permutation[v / 6][k],
                                                  src.spin[std::size_t(wick[k])], permutation[v % 6][wick[k]]);
                    }
                    expected[std::size_t((t - origin_[3] + 4) % 4)] += wave(at_sink, x) * product;
                  }
          }
        });
      }
      expect_equal(ours.value, expected, opened + " " + to_string(j));
    }
  }
}

/// The charge that flows from source to sink, less what flows the other way round the lattice, is the number of quarks
/// times the two-point function.
TEST_F(ThreePoints, TheConservedChargeCountsTheQuarks) {
  const Momentum p{1, 0, 0};
  const Propagator<double> u = from_origin(light_), s = from_origin(heavy_);
  const auto expect_charge = [&](const Propagator<double>& quark, const Propagator<double>& q, int source,
                                 double charge, const std::string& what, Number two_point) {
    const auto all = conserved_currents(links_, quark, q, {source}, {{0, 0, 0}});
    const auto value = all.at(3).value;  // of the current in t, which lies half a link beyond its site
    EXPECT_EQ(all[3].channel.substr(0, 2), "t-");
    const std::size_t dt = std::size_t((t_sink_ - origin_[3] + 4) % 4);
    for (std::size_t t = 0; t < dt; ++t)
      EXPECT_LT(std::abs(value[t] - value[3] - charge * two_point), 1e-11 * std::abs(two_point))
          << what << " at t = " << t;
  };
  const std::size_t dt = std::size_t((t_sink_ - origin_[3] + 4) % 4);
  ASSERT_EQ(dt, 3u);
  for (const MesonChannel channel : {MesonChannel{15, 15}, MesonChannel{1, 1}}) {
    const Number c2 = mesons(u, s, {channel}, {p}).at(0).value[dt];
    const auto q = solved(light_, meson_sequential_source(s, t_sink_, Gamma::number(channel.sink), p));
    expect_charge(u, q, channel.source, 1, to_string(channel), c2);
  }
  const Quarks<double> quarks{{"u", u}, {"d", u}, {"s", s}};
  for (const BaryonOperator& op : {baryon_operators("proton")[0], baryon_operators("sigma_p")[1],
                                   baryon_operators("delta_pp_np")[1], baryon_operators("lambda_z")[0]}) {
    const BaryonCorrelation c{op.name, op, op};
    const Number c2 = baryons<double>(quarks, std::vector{op}, {p}).at(0).value[dt];
    for (const std::string flavour : {"u", "d", "s"}) {
      const auto n = std::count(op.quarks.begin(), op.quarks.end(), flavour);
      if (n == 0) continue;
      const bool heavy = flavour == "s";
      const auto q =
          solved(heavy ? heavy_ : light_, baryon_sequential_source<double>(quarks, {c}, flavour, t_sink_, p));
      expect_charge(heavy ? s : u, q, 0, double(n), op.name + " " + flavour, c2);
    }
  }
  for (const BaryonChannel& channel : {nucleon(), standard_baryons()[3]})
    for (const bool of_p : {false, true}) {
      const Number c2 = baryons(u, s, {channel}, {p}).at(0).value[dt];
      const auto q = solved(of_p ? heavy_ : light_, baryon_sequential_source(u, s, channel, of_p, t_sink_, p));
      expect_charge(of_p ? s : u, q, 0, of_p ? 1 : 2, channel.name, c2);
    }
}

/// The divergence of a current with transfer q, to a sink of momentum p', is the two-point function at p' where the
/// current meets the source, and less that at p' + q where it meets the sink: before the current, the hadron has p' +
/// q.
TEST_F(ThreePoints, ACurrentWithMomentumTakesItFromTheHadronAtTheSource) {
  const Momentum at_sink{1, 0, 0}, transfer{1, 0, 0}, at_source{2, 0, 0};
  const Number step{0, 1};  // e^{2 pi i / 4}
  const Propagator<double> u = from_origin(light_), s = from_origin(heavy_);
  const auto expect_identity = [&](const Propagator<double>& q, int source, const std::vector<Correlator>& c2,
                                   const std::string& what) {
    const auto current = conserved_currents(links_, u, q, {source}, {transfer});
    const double size = std::abs(c2[0].value[3]);
    EXPECT_GT(std::abs(c2[0].value[3] - c2[1].value[3]), 1e-3 * size) << "which tells the momenta apart";
    for (std::size_t t = 0; t < 4; ++t) {
      const Number divergence =
          (1.0 - step) * current.at(0).value[t] + current.at(3).value[t] - current.at(3).value[(t + 3) % 4];
      const Number expected = t == 0 ? c2[0].value[3] : t == 3 ? -c2[1].value[3] : 0;
      EXPECT_LT(std::abs(divergence - expected), 1e-11 * size) << what << " at t = " << t;
    }
  };
  const int pion = 15;
  expect_identity(solved(light_, meson_sequential_source(s, t_sink_, Gamma::number(pion), at_sink)), pion,
                  mesons(u, s, {{pion, pion}}, {at_sink, at_source}), "pion");
  const BaryonOperator op = baryon_operators("lambda_z")[0];  // with one up quark
  const Quarks<double> quarks{{"u", u}, {"d", u}, {"s", s}};
  expect_identity(solved(light_, baryon_sequential_source<double>(quarks, {{op.name, op, op}}, "u", t_sink_, at_sink)),
                  0, baryons<double>(quarks, std::vector{op}, {at_sink, at_source}), op.name);
}

TEST_F(ThreePoints, SequentialSourcesAreLinearInTheCorrelators) {
  const Propagator<double> u = from_origin(light_), d = from_origin(heavy_);
  const auto components = baryon_operators("proton");
  std::vector<BaryonCorrelation> both;
  for (const BaryonOperator& op : components) both.push_back({op.name, op, op});
  const Quarks<double> quarks{{"u", u}, {"d", d}};
  const auto of_both = baryon_sequential_source<double>(quarks, both, "u", t_sink_, {0, 1, 0});
  const auto of_channel = baryon_sequential_source(u, d, standard_baryons()[11], false, t_sink_, {0, 1, 0});
  const GlobalArray a = gather(of_both), b = gather(of_channel);
  double worst = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) worst = max_or_nan(worst, std::abs(2.0 * a.data[i] - b.data[i]));
  EXPECT_LT(worst, 1e-14 * reference::max_abs(b));
  EXPECT_GT(reference::max_abs(b), 0);
  const auto single = [](const Propagator<double>& from) {
    Propagator<float> to(from.lattice(), "single", from.labels);
    convert(from.columns(), to.columns());
    return to;
  };
  const Propagator<float> u1 = single(u), d1 = single(d);
  const auto in_float = baryon_sequential_source<float>({{"u", u1}, {"d", d1}}, both, "u", t_sink_, {0, 1, 0});
  EXPECT_LT(max_difference(in_float, a), 1e-5 * reference::max_abs(a));
}

TEST(QuarkCurrents, AreReadFromTheirTexts) {
  for (int n = 0; n < 16; ++n)
    for (const QuarkCurrent& current : {QuarkCurrent{.gamma = n}, QuarkCurrent{.gamma = n, .derivatives = {2, 3}},
                                        QuarkCurrent{.gamma = n, .path = {1, -2, 4}}}) {
      const QuarkCurrent read = quark_current(to_string(current));
      EXPECT_EQ(read.gamma, current.gamma);
      EXPECT_EQ(read.derivatives, current.derivatives);
      EXPECT_EQ(read.path, current.path);
    }
  for (const char* text : {"", "pien", "a0 D_w", "a0 D_x D_y D_z", "a0 path", "a0 path x", "a0 path +", "a0 path +w",
                           "a0 D_x path +x", "a0 +x"})
    EXPECT_THROW(quark_current(text), InputError) << text;
}

TEST_F(ThreePoints, WhatDoesNotExistIsRefused) {
  const Propagator<double> s = point_source<double>(lattice_, origin_);
  const auto refused = [&](const QuarkCurrent& current) {
    EXPECT_THROW(three_point_functions(links_, s, s, {current}, momenta_), InputError);
  };
  refused({.gamma = 16});
  refused({.derivatives = {4}});
  refused({.derivatives = {0, 0, 0}});
  refused({.path = {0}});
  refused({.path = {5}});
  refused({.derivatives = {0}, .path = {1}});
  EXPECT_THROW(three_point_functions(links_, s, s, {}, momenta_), InputError);
  EXPECT_THROW(meson_sequential_source(s, 4, Gamma::five(), {0, 0, 0}), InputError);
  const BaryonOperator op = baryon_operators("proton")[0];
  const Quarks<double> quarks{{"u", s}, {"d", s}, {"s", s}};
  EXPECT_THROW(baryon_sequential_source<double>(quarks, {{"", op, op}}, "u", -1, {0, 0, 0}), InputError);
  EXPECT_THROW(baryon_sequential_source<double>(quarks, {{"", op, op}}, "s", 0, {0, 0, 0}), InputError);
  EXPECT_THROW(baryon_sequential_source(s, s, standard_baryons()[1], false, 0, {0, 0, 0}), InputError);
}

}  // namespace three_points
}  // namespace
}  // namespace kov
