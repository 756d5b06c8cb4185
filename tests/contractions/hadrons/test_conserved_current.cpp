// SPDX-License-Identifier: MIT
//
// The conserved vector current: its definition, and its Ward identity on every configuration.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/hadrons/conserved_current.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/contractions/instance_support.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/precision.hpp"

namespace kov {
namespace {
namespace conserved {

using reference::gather;
using reference::GlobalArray;
using reference::kSource;
using reference::Number;

using Matrix12 = std::vector<Number>;

Matrix12 times(const Matrix12& a, const Matrix12& b) {
  Matrix12 c(144);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t k = 0; k < 12; ++k)
      for (std::size_t j = 0; j < 12; ++j) c[12 * i + j] += a[12 * i + k] * b[12 * k + j];
  return c;
}
Matrix12 adjoint(const Matrix12& a) {
  Matrix12 c(144);
  for (std::size_t i = 0; i < 144; ++i) c[i] = std::conj(a[12 * (i % 12) + i / 12]);
  return c;
}
Number trace(const Matrix12& a) {
  Number sum = 0;
  for (std::size_t i = 0; i < 12; ++i) sum += a[13 * i];
  return sum;
}
/// (one + factor m) in spin.
Matrix12 of_spin(double one, Number factor, const reference::Matrix4& m) {
  Matrix12 c(144);
  for (std::size_t i = 0; i < 144; ++i) {
    const std::size_t row = i / 12, column = i % 12;
    if (row % 3 == column % 3) c[i] = one * double(row == column) + factor * m[row / 3][column / 3];
  }
  return c;
}
Matrix12 quark_at(const GlobalArray& s, const Coord& x) {
  Matrix12 c(144);
  for (std::size_t i = 0; i < 144; ++i) c[i] = s.at(x)[12 * (i % 12) + i / 12];
  return c;
}
Matrix12 link_at(const GlobalArray& u, const Coord& x, int mu) {
  Matrix12 c(144);
  for (std::size_t i = 0; i < 144; ++i)
    if (i / 36 == i % 12 / 3) c[i] = reference::link(u, test::kAngles, x, mu, int(i / 12 % 3), int(i % 3));
  return c;
}

/// Tr[S2bar(x + mu) (1 + g_mu) U^+ S1(x) Gamma - S2bar(x) (1 - g_mu) U S1(x + mu) Gamma] / 2, S2bar = g5 S2^+ g5.
GlobalArray naive(const GlobalArray& u, int mu, const GlobalArray& s1, const GlobalArray& s2, int source) {
  GlobalArray out(u.extent, 1);
  const Matrix12 g5 = of_spin(0, 1, reference::gamma(15)), gamma = of_spin(0, 1, reference::gamma(source)),
                 forward = of_spin(1, 1, reference::gammas()[std::size_t(mu)]),
                 backward = of_spin(1, -1, reference::gammas()[std::size_t(mu)]);
  const auto back = [&](const Coord& x) { return times(g5, times(adjoint(quark_at(s2, x)), g5)); };
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    const Coord next = reference::shifted(x, mu, 1);
    const Matrix12 link = link_at(u, x, mu);
    const Number first = trace(times(times(back(next), forward), times(adjoint(link), times(quark_at(s1, x), gamma))));
    const Number second = trace(times(times(back(x), backward), times(link, times(quark_at(s1, next), gamma))));
    out.at(x)[0] = 0.5 * (first - second);
  });
  return out;
}

/// Links and two propagators of random numbers, in arrays and in fields.
template <class T>
struct RandomInput {
  const Lattice lattice{Comm::world(), {4, 4, 2, 4}};
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1),
                    a = reference::random_array(lattice.extent(), 144, 2),
                    b = reference::random_array(lattice.extent(), 144, 3);
  const GaugeLinks<T> links{reference::gauge_field<T>(lattice, u), BoundaryAngles{test::kAngles}};
  const Propagator<T> s1 = test::make_propagator<T>(lattice, a), s2 = test::make_propagator<T>(lattice, b);
};

template <class T>
void check_definition() {
  const RandomInput<T> in;
  for (const auto& [mu, source] : {std::pair{0, 1}, {1, 15}, {2, 7}, {3, 8}}) {
    const GlobalArray expected = naive(in.u, mu, in.a, in.b, source);
    EXPECT_LT(max_difference(conserved_current(in.links, mu, in.s1, in.s2, Gamma::number(source)), expected),
              200 * test::eps<T> * reference::max_abs(expected))
        << "mu = " << mu << ", gamma " << source;
  }
}

TEST(ConservedCurrents, EqualTheirDefinition) {
  check_definition<float>();
  check_definition<double>();
}

TEST(ConservedCurrents, OnAnyInstanceAreTheSame) {
  const RandomInput<double> in;
  const std::vector<Momentum> momenta{{0, 0, 0}, {1, 0, 1}};
  const auto on = [&](const Exec& exec) {
    const auto [s1, s2] = test::slow_copies(in.s1, in.s2, exec);
    const auto current = conserved_current(in.links, 3, s1, s2, Gamma::number(8), exec);
    exec.fence("current");
    auto values = test::values_of(conserved_currents(in.links, s1, s2, {8}, momenta, exec));
    values.push_back(gather(current).data);
    return values;
  };
  const auto expected = on(Exec());
  EXPECT_NE(expected[0][0], Number(0));
  const Exec other = test::own_instance();
  EXPECT_EQ(on(other), expected);
  // On several ranks kernels of halos run beside.
  if (in.lattice.comm().size() > 1) return;
  const auto beside = test::launched_beside(other, [&] {
    const auto current = conserved_current(in.links, 3, in.s1, in.s2, Gamma::number(8), other);
    conserved_currents(in.links, in.s1, in.s2, {8}, momenta, other);
  });
  EXPECT_EQ(beside, std::vector<std::string>());
}

/// The sum over mu of C_mu(x) - C_mu(x - mu).
GlobalArray divergence(const std::array<GlobalArray, 4>& current) {
  GlobalArray sum(current[0].extent, 1);
  reference::for_each_coordinate(sum.extent, [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu)
      sum.at(x)[0] += current[std::size_t(mu)].at(x)[0] - current[std::size_t(mu)].at(reference::shifted(x, mu, -1))[0];
  });
  return sum;
}

/// plus, minus: the operator and, for a twisted one, that of -mu.
template <class M>
void check_ward_identity(const GaugeLinks<double>& links, const M& plus, const M& minus, const std::string& name) {
  SCOPED_TRACE(name);
  const Lattice& lattice = links.lattice();
  const BiCgStab bicgstab{.tolerance = 1e-13};
  const auto source = point_source<double>(lattice, kSource);
  const Propagator<double> s1 = solve_propagator(EvenOdd(plus, bicgstab), plus, source).propagator,
                           s2 = solve_propagator(EvenOdd(minus, bicgstab), minus, source).propagator;
  for (const int gamma : {1, 8, 10, 15}) {
    std::array<GlobalArray, 4> current{GlobalArray(lattice.extent(), 1), GlobalArray(lattice.extent(), 1),
                                       GlobalArray(lattice.extent(), 1), GlobalArray(lattice.extent(), 1)};
    double most = 0;
    for (int mu = 0; mu < 4; ++mu) {
      current[std::size_t(mu)] = gather(conserved_current(links, mu, s1, s2, Gamma::number(gamma)));
      most = std::max(most, reference::max_abs(current[std::size_t(mu)]));
    }
    EXPECT_LT(reference::max_abs(divergence(current)), 1e-11 * most) << "gamma " << gamma << " at the source";
  }
  // The charge of every slice is the same, and that of a momentum is not.
  const auto charges = conserved_currents(links, s1, s2, {8, 15}, {{0, 0, 0}, {1, 0, 0}});
  ASSERT_EQ(charges.size(), 16u);
  for (std::size_t k = 12; k < 16; k += 2) {
    double most = 0, worst = 0;
    for (const Number& z : charges[k].value) worst = max_or_nan(worst, std::abs(z - charges[k].value[0]));
    for (const Number& z : charges[k + 1].value) most = std::max(most, std::abs(z));
    EXPECT_EQ(charges[k].momentum, (Momentum{0, 0, 0}));
    EXPECT_LT(worst, 1e-11 * most) << charges[k].channel;
  }
  EXPECT_EQ(charges[12].channel, "t-" + meson_names()[8]);
  EXPECT_EQ(charges[0].channel, "x-" + meson_names()[8]);
}

TEST(ConservedCurrents, SatisfyTheirWardIdentityOnEveryConfigurationForEveryOperator) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeField<double> gauge = reference::gauge_field(lattice, reference::near_unit_links(lattice.extent(), 4));
  const BoundaryAngles angles{test::kAngles};
  for (const Anisotropy& a : {Anisotropy{}, Anisotropy{.xi0 = 2, .nu = 1.1}}) {
    const std::string kind = a.xi0 == 1 ? "" : "anisotropic ";
    const GaugeLinks<double> links(gauge, a.factors(angles));
    const WilsonOperator<double> wilson(links, MassTerm{0.1, a});
    check_ward_identity(links, wilson, wilson, kind + "Wilson");
    const auto twisted = [&](double mu) { return TwistedMassOperator<double>(links, {0.1, mu, a}); };
    check_ward_identity(links, twisted(0.3), twisted(-0.3), kind + "twisted mass");
    const auto clover = [&](double mu) {
      return WilsonCloverOperator<double>(gauge, angles, {.mass = 0.2, .c_sw = {1.3, 1.1}, .mu = mu, .anisotropy = a});
    };
    check_ward_identity(links, clover(0), clover(0), kind + "clover");
    check_ward_identity(links, clover(0.2), clover(-0.2), kind + "twisted clover");
  }
}

// What would vanish for any current is no proof: the local one is not conserved.
TEST(ConservedCurrents, AreOtherThanLocalOnes) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeField<double> gauge = reference::gauge_field(lattice, reference::near_unit_links(lattice.extent(), 4));
  const GaugeLinks<double> links(gauge, BoundaryAngles{test::kAngles});
  const WilsonOperator<double> M(links, 0.1);
  const auto s = solve_propagator(BiCgStab{.tolerance = 1e-12}, M, point_source<double>(lattice, kSource)).propagator;
  const auto local = mesons(s, s, {{8, 8}}, {{0, 0, 0}})[0].value;
  const auto conserved = conserved_currents(links, s, s, {8}, {{0, 0, 0}})[3].value;
  EXPECT_LT(std::abs(conserved[1] - conserved[4]), 1e-10 * std::abs(local[0]));
  EXPECT_GT(std::abs(local[1] - local[4]), 1e-6 * std::abs(local[0]));
}

TEST(ConservedCurrents, RefuseWhatDoesNotFit) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4}), other(Comm::world(), {4, 4, 4, 8});
  const GaugeLinks<double> links(reference::gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 1)));
  const Propagator<double> s(lattice, "s"), elsewhere(other, "elsewhere");
  EXPECT_THROW(conserved_current(links, 4, s, s, Gamma::five()), InputError);
  EXPECT_THROW(conserved_current(links, 0, s, elsewhere, Gamma::five()), InputError);
  EXPECT_THROW(conserved_current(links, 0, elsewhere, elsewhere, Gamma::five()), InputError);
  EXPECT_THROW(conserved_currents(links, s, s, {16}, {{0, 0, 0}}), InputError);
}

}  // namespace conserved
}  // namespace
}  // namespace kov
