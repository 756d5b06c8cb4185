// SPDX-License-Identifier: MIT
//
// Hops, site terms and Dirac operators in the non-relativistic basis of spin are those of the chiral one, rotated; and
// legs along t read two spins.
#include "kov/core/field/convert.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/quark_transformation.hpp"
#include "kov/stencil/gauge/temporal_gauge.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <type_traits>

namespace kov {
namespace {
namespace nonrelativistic_basis {

using reference::gather;
using reference::GlobalArray;
using test::eps;

constexpr SpinBasis there = SpinBasis::nonrelativistic;

class NonrelativisticBasis : public test::OnLattices {};

/// S psi for any number of spinors a site.
GlobalArray rotated(GlobalArray a) {
  for (std::size_t i = 0; i < a.data.size(); i += 12)
    for (std::size_t k = i; k < i + 6; ++k) {
      const auto upper = a.data[k], lower = a.data[k + 6];
      a.data[k] = std::sqrt(0.5) * (upper + lower);
      a.data[k + 6] = std::sqrt(0.5) * (upper - lower);
    }
  return a;
}

/// gamma_5 psi of the non-relativistic basis.
GlobalArray times_gamma5(GlobalArray a) {
  for (std::size_t i = 0; i < a.data.size(); i += 12)
    std::swap_ranges(a.data.begin() + std::ptrdiff_t(i), a.data.begin() + std::ptrdiff_t(i) + 6,
                     a.data.begin() + std::ptrdiff_t(i) + 6);
  return a;
}

/// What apply(in, out) makes of psi.
template <class T, class Apply>
GlobalArray applied(const Lattice& lattice, const GlobalArray& psi, const Apply& apply) {
  const SpinorField<T> in(lattice, "in", psi.n / 12), out = in.like("out");
  load(in, psi);
  apply(in, out);
  return gather(out);
}

void expect_same(const GlobalArray& found, const GlobalArray& expected, double tolerance, const std::string& what) {
  double off = 0;
  for (std::size_t k = 0; k < found.data.size(); ++k) off = max_or_nan(off, std::abs(found.data[k] - expected.data[k]));
  EXPECT_LE(off, tolerance * reference::max_abs(expected)) << what;
}

template <class T>
void check_transformation(const Lattice& lattice) {
  const GlobalArray psi = reference::random_array(lattice.extent(), 36, 5), expected = rotated(psi);
  const QuarkTransformation<T> to_basis(lattice, there);
  const SpinorField<T> field(lattice, "psi", 3);
  load(field, psi);
  to_basis.apply(field, field);
  expect_same(gather(field), expected, 4 * eps<T>, "there");
  to_basis.apply_adjoint(field, field);
  expect_same(gather(field), psi, 8 * eps<T>, "back");
  const Field<Spinor, T, ColumnLanes<8>> columns(lattice, "columns", 3);
  convert(field, columns);
  to_basis.apply(columns, columns);
  convert(columns, field);
  expect_same(gather(field), expected, 8 * eps<T>, "columns");
  QuarkTransformation<T>(lattice, SpinBasis::chiral).apply_adjoint(field, field);
  expect_same(gather(field), expected, 8 * eps<T>, "to the basis there is");
}

TEST_P(NonrelativisticBasis, IsReachedByAQuarkTransformation) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_transformation<float>(lattice);
  check_transformation<double>(lattice);
}

/// S H S of a hop in the chiral basis, its adjoint, and from one parity to the other.
template <class Storage>
void check_hop(const Hop<Storage>& hop, const GlobalArray& psi, const std::string& what) {
  using T = real_of_storage_t<ColorMatrix, Storage>;
  const Lattice& lattice = hop.lattice();
  const Hop<Storage> in_basis = hop.with_basis(there);
  EXPECT_EQ(in_basis.basis(), there);
  EXPECT_EQ(in_basis.with({.doubled = true}).basis(), there);
  EXPECT_EQ(in_basis.with_wire(ExchangeOptions::Wire::full).basis(), there);
  const auto check = [&](const std::string& how, const auto& apply) {
    const GlobalArray chiral = applied<T>(lattice, psi, [&](const auto&in, const auto&out) { apply(hop, in, out); }),
                      found = applied<T>(lattice, rotated(psi),
                                         [&](const auto&in, const auto&out) { apply(in_basis, in, out); });
    expect_same(found, rotated(chiral), 60 * eps<T>, what + how);
  };
  check(", hop", [](const auto& h, const auto& in, const auto& out) { h.apply(in, out); });
  check(", adjoint", [](const auto& h, const auto& in, const auto& out) { h.apply_adjoint(in, out); });
  check(", combined", [](const auto& h, const auto& in, const auto& out) { h.combine(0.7, -0.5, in, in, out, true); });
  check(", to even", [](const auto& h, const auto& in, const auto& out) {
    zero(out);
    h.apply(in.odd(), out.even());
  });
  check(", to odd", [](const auto& h, const auto& in, const auto& out) {
    zero(out);
    h.apply_adjoint(in.even(), out.odd());
  });
}

template <class T>
void check_hops(const Lattice& lattice) {
  const GaugeField<T> gauge = reference::gauge_field<T>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const GlobalArray psi = reference::random_array(lattice.extent(), 24, 2);
  const BoundaryAngles angles{test::kAngles};
  const GaugeLinks<T> links(gauge, angles);
  check_hop(Hop<T>(links), psi, "once");
  check_hop(Hop<T>(links, {.doubled = true}), psi, "doubled");
  for (std::size_t mu = 0; mu < 4; ++mu) {
    LegFactors alone(angles);
    alone.direction = {0, 0, 0, 0};
    alone.direction[mu] = {0.6, 0.3};
    check_hop(Hop<T>(GaugeLinks<T>(gauge, alone)), psi, "direction " + std::to_string(mu));
  }
  const TemporalGauge<T> temporal = in_temporal_gauge(gauge);
  check_hop(Hop<T>(GaugeLinks<T>(temporal.links, temporal.factors(angles)), {.doubled = true}), psi, "temporal gauge");
}

TEST_P(NonrelativisticBasis, HasTheHopOfTheChiralOneRotated) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_hops<float>(lattice);
  check_hops<double>(lattice);
}

template <class T>
void check_definition(const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 3),
                    psi = reference::random_array(lattice.extent(), 12, 4);
  const Hop<T> hop = Hop<T>(test::links<T>(lattice, u)).with_basis(there);
  for (const int sign : {1, -1}) {
    const GlobalArray found = applied<T>(lattice, rotated(psi), [&](const auto& in, const auto& out) {
      sign > 0 ? hop.apply(in, out) : hop.apply_adjoint(in, out);
    });
    expect_same(found, rotated(reference::wilson_hop(u, psi, test::kAngles, sign)), 60 * eps<T>, "hop");
  }
}

TEST_P(NonrelativisticBasis, HasTheHopOfItsDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_definition<float>(lattice);
  check_definition<double>(lattice);
}

/// Calls work(M) for every Dirac operator, of clover terms, twisted masses and an anisotropic lattice.
template <class T, class Work>
void for_each_operator(const GaugeField<double>& gauge, const Work& work, double sign_of_mu = 1) {
  const BoundaryAngles angles{test::kAngles};
  const GaugeLinks<T> links(gauge, angles);
  work(WilsonOperator<T>(links, 0.1));
  work(TwistedMassOperator<T>(links, {0.1, sign_of_mu * 0.4}));
  work(WilsonCloverOperator<T>(gauge, angles, {.mass = 0.1, .c_sw = 1.2}));
  work(WilsonCloverOperator<T>(gauge, angles,
                               {.mass = 0.2, .c_sw = {1.5, 0.8}, .mu = -0.3 * sign_of_mu, .anisotropy = {2, 1.1}}));
}

template <class T>
void check_operators(const Lattice& lattice) {
  const GaugeField<double> gauge = reference::gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 5));
  const GlobalArray psi = reference::random_array(lattice.extent(), 12, 6);
  int k = 0;
  for_each_operator<T>(gauge, [&](const auto& M) {
    const auto in_basis = M.with_basis(there);
    const std::string what = "operator " + std::to_string(k++);
    const auto check = [&](const auto& apply) {
      const auto with = [&](const auto& op) { return [&](const auto& in, const auto& out) { apply(op, in, out); }; };
      expect_same(applied<T>(lattice, rotated(psi), with(in_basis)), rotated(applied<T>(lattice, psi, with(M))),
                  100 * eps<T>, what);
    };
    check([](const auto& op, const auto& in, const auto& out) { op.apply(in, out); });
    check([](const auto& op, const auto& in, const auto& out) { op.apply_adjoint(in, out); });
    if constexpr (requires(SpinorField<T> f) { M.site_term().apply_inverse(f, f); })
      for (const bool adjoint : {false, true})
        check([=](const auto& op, const auto& in, const auto& out) { op.site_term().apply_inverse(in, out, adjoint); });
  });
  EXPECT_EQ(k, 4);
}

TEST_P(NonrelativisticBasis, HasTheDiracOperatorsOfTheChiralOneRotated) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_operators<float>(lattice);
  check_operators<double>(lattice);
}

// g5 M(mu) g5 = M(-mu)^+ with the gamma_5 of this basis.
TEST_P(NonrelativisticBasis, HasGamma5HermitianOperators) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GaugeField<double> gauge = reference::gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 7));
  const GlobalArray psi = reference::random_array(lattice.extent(), 12, 8);
  std::vector<GlobalArray> expected;
  for_each_operator<double>(gauge, [&](const auto& M) {
    const auto in_basis = M.with_basis(there);
    expected.push_back(times_gamma5(applied<double>(
        lattice, times_gamma5(psi), [&](const auto& in, const auto& out) { in_basis.apply(in, out); })));
  });
  std::size_t k = 0;
  const auto compare = [&](const auto& M) {
    const auto in_basis = M.with_basis(there);
    const auto found =
        applied<double>(lattice, psi, [&](const auto& in, const auto& out) { in_basis.apply_adjoint(in, out); });
    expect_same(found, expected.at(k), 40 * eps<double>, "operator " + std::to_string(k));
    ++k;
  };
  for_each_operator<double>(gauge, compare, -1);
}

/// A kernel on sites of an outer site one by one, as GPUs run it, for every component.
template <class Kernel>
struct SiteBySite {
  Kernel kernel;
  int n_components;
  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    for (int c = 0; c < n_components; ++c) kernel(x, c);
  }
};

/// out = H in, or its adjoint, of 16-bit spinors with the kernel of GPUs.
template <int sign>
void hop_site_by_site(const Hop<float>& hop, const SpinorField<Fixed16>& in, const SpinorField<Fixed16>& out) {
  const auto links = hop.links().template view<SiteLanes>();
  const auto neighbours = hop.halos().halo<SpinProjection>(in).exchange(in, SpinProjection::variant(sign < 0, there));
  const auto view = hop.halos().stencil().view();
  using Kernel = HopKernel<std::decay_t<decltype(links)>, std::decay_t<decltype(neighbours)>,
                           SpinorField<Fixed16>::View, std::decay_t<decltype(view)>, there, sign>;
  for_each_lane(
      "hop_site_by_site", out.range(),
      SiteBySite<Kernel>{{view, links, neighbours, out.view(), out.view(), in.n_components(), 0, 1, sign, false},
                         in.n_components()});
}

TEST_P(NonrelativisticBasis, HasTheHopOf16BitSpinors) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Hop<float> hop(
      GaugeLinks<float>(reference::gauge_field<float>(lattice, reference::random_su3(lattice.extent(), 4, 9)),
                        BoundaryAngles{test::kAngles}));
  const SpinorField<float> psi = reference::random_field<Spinor, float>(lattice, 2, 10), exact = psi.like("exact"),
                           expected = psi.like("expected");
  const SpinorField<Fixed16> in(lattice, "in", 2), out = in.like("out");
  convert(psi, in);
  convert(in, exact);
  const bool has_halo = Stencil::of(lattice).halo().any();
  // The output is rounded to half of 1 / 32767 of the largest number of its site; halves in halos once more.
  const double of_halo = has_halo ? 8 * std::sqrt(6.0) * 2 * 0.5 / 32767 * reference::max_abs(gather(exact)) : 0;
  const auto check = [&](const char* what) {
    const double largest = reference::max_abs(gather(expected));
    EXPECT_LT(max_difference(out, gather(expected)), 1.1 * std::sqrt(2.0) * 0x1p-16 * largest + of_halo) << what;
  };
  hop.with_basis(there).apply(exact, expected);
  hop_site_by_site<1>(hop, in, out);
  check("hop");
  hop.with_basis(there).apply_adjoint(exact, expected);
  hop_site_by_site<-1>(hop, in, out);
  check("adjoint");
}

/// Whether everything that read_half<first>() has of the neighbours on one leg is finite.
template <int first>
struct ReadsFinite {
  Stencil::View stencil;
  ProjectedNeighbours<double> in;
  FieldView<Scalar, double> out;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    const auto half = in.read_half<first>(x, stencil.at(x)(first == 0 ? 7 : 6));
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += half.z[i].re + half.z[i].im;
    out.set(x, Scalar<double>{{{sum - sum, 0}}});
  }
};

template <int first>
void check_reads(const Lattice& lattice) {
  GlobalArray psi = reference::random_array(lattice.extent(), 12, 11);
  for (std::size_t i = 0; i < psi.data.size(); ++i)
    if ((i % 12 >= 6) == (first == 0)) psi.data[i] = std::numeric_limits<double>::quiet_NaN();
  const SpinorField<double> in(lattice, "in");
  load(in, psi);
  const Field<Scalar, double> out(lattice, "out");
  const Halo<Spinor, double, SiteLanes, SpinProjection> halo(lattice, 1);
  for_each_lane("reads_finite", out.range(),
                ReadsFinite<first>{Stencil::of(lattice).view(),
                                   halo.exchange(in, SpinProjection::variant(false, there)), out.view()});
  EXPECT_EQ(norm2(out), 0);
}

// The projectors of the hop leave the lower two spins on the leg +t, the upper two on -t.
TEST_P(NonrelativisticBasis, ReadsTwoSpinsAlongTime) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_reads<0>(lattice);
  check_reads<2>(lattice);
  static_assert(hop_neighbour_reals(there) == 6 * 24 + 2 * 12 && hop_neighbour_reals(SpinBasis::chiral) == 8 * 24);
}

INSTANTIATE_TEST_SUITE_P(Lattices, NonrelativisticBasis, ::testing::ValuesIn(test::small_lattice_cases(1300)),
                         test::case_name);

TEST(NonrelativisticFields, ThatNoOperatorTakesAreRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeField<double> gauge = reference::gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 12));
  const Field<Spinor, double, ColumnLanes<4>> in(lattice, "in", 4), out = in.like("out");
  const LinkForms forms{.columns = true};
  EXPECT_THROW(Hop<double>(GaugeLinks<double>(gauge), forms).with_basis(there).apply(in, out), InputError);
  EXPECT_THROW((TwistedMassTerm{0.1, 0.2}.with_basis(there).apply(in, out)), InputError);
  EXPECT_THROW(CloverTerm<double>(gauge, {}, forms).with_basis(there).apply(in, out), InputError);
  const Hop<double> chiral =
      Hop<double>(GaugeLinks<double>(gauge), forms).with_basis(there).with_basis(SpinBasis::chiral);
  EXPECT_NO_THROW(chiral.apply(in, out));
  const std::vector<Coord> steps{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 3}};
  EXPECT_THROW(Hop<double>(GaugeLinks<double>(steps, gauge)).with_basis(there), InputError);
}

}  // namespace nonrelativistic_basis
}  // namespace
}  // namespace kov
