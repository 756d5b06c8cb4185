// SPDX-License-Identifier: MIT
//
// The covariant Laplacian and the Wilson operator against their definitions, in both precisions, on every memory order,
// with boundary phases, on fields, parities and blocks of columns.
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::GlobalArray;
using test::LatticeCase;

/// Rounding of a sum of a few hundred products of numbers of order 1, eps each.
template <class T>
double sum_tolerance(const GlobalArray& a) {
  return 40 * std::numeric_limits<T>::epsilon() * reference::max_abs(a);
}

class Operators : public test::OnLattices {};

template <class T, template <class> class SiteT>
void check_laplacian(const Lattice& lattice, Dimensions dimensions) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1);
  const GlobalArray psi = reference::random_array(lattice.extent(), SiteT<T>::n_complex, 2);
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, u);
  const Field<SiteT, T> in(lattice, "in"), out(lattice, "out");
  load(in, psi);
  CovariantLaplacian<T>(GaugeLinks<T>(gauge, BoundaryAngles{test::kAngles}), dimensions).apply(in, out);
  const GlobalArray expected = reference::laplacian(u, psi, int(dimensions), test::kAngles);
  EXPECT_LT(max_difference(out, expected), sum_tolerance<T>(expected));
}

TEST_P(Operators, LaplacianEqualsItsDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    check_laplacian<float, Spinor>(lattice, d);
    check_laplacian<double, Spinor>(lattice, d);
    check_laplacian<float, ColorVector>(lattice, d);
    check_laplacian<double, ColorVector>(lattice, d);
  }
}

template <class T>
void check_storage(const Lattice& lattice) {
  const GaugeField<T> gauge = reference::gauge_field<T>(lattice, reference::random_su3(lattice.extent(), 4, 7));
  const GaugeLinks<T> once(gauge, BoundaryAngles{test::kAngles}),
      twice(gauge, BoundaryAngles{test::kAngles}, LinkStorage::twice);
  const auto expect_equal = [](const auto& in, const auto& apply) {
    const auto a = in.like("once"), b = in.like("twice");
    apply(0, a);
    apply(1, b);
    EXPECT_EQ(reference::max_difference(b, reference::gather(a)), 0);
  };
  const SpinorField<T> psi(lattice, "spinor", 3);
  const Field<ColorVector, T> v(lattice, "colour vector");
  load(psi, reference::random_array(lattice.extent(), 36, 8));
  load(v, reference::random_array(lattice.extent(), 3, 9));
  for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    const CovariantLaplacian<T> laplacian[] = {CovariantLaplacian<T>(once, d), CovariantLaplacian<T>(twice, d)};
    expect_equal(psi, [&](int k, const auto& out) { laplacian[k].apply(psi, out); });
    expect_equal(v, [&](int k, const auto& out) { laplacian[k].apply(v, out); });
  }
  const WilsonOperator<T> wilson[] = {WilsonOperator<T>(once, 0.1), WilsonOperator<T>(twice, 0.1)};
  expect_equal(psi, [&](int k, const auto& out) { wilson[k].apply(psi, out); });
  const WuppertalSmearing<T> smear[] = {WuppertalSmearing<T>(once, {1, 3}), WuppertalSmearing<T>(twice, {1, 3})};
  expect_equal(psi, [&](int k, const auto& out) { smear[k].apply(psi, out); });
}

TEST_P(Operators, LinksStoredTwiceGiveTheSameBits) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_storage<float>(lattice);
  check_storage<double>(lattice);
}

template <class T>
void check_wilson(const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 3),
                    psi = reference::random_array(lattice.extent(), 12, 4);
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, u);
  const SpinorField<T> in(lattice, "in"), out(lattice, "out");
  load(in, psi);
  const WilsonOperator<T> wilson(GaugeLinks<T>(gauge, BoundaryAngles{test::kAngles}), 0.1);
  const GlobalArray hop = reference::wilson_hop(u, psi, test::kAngles),
                    adjoint = reference::wilson_hop(u, psi, test::kAngles, -1);
  wilson.hop().apply(in, out);
  EXPECT_LT(max_difference(out, hop), sum_tolerance<T>(hop)) << "full";
  const SpinorField<T> even(lattice, "even", 1, Subset::even), odd(lattice, "odd", 1, Subset::odd);
  wilson.hop().apply(in.odd(), even);
  wilson.hop().apply(in.even(), odd);
  EXPECT_LT(max_difference(even, hop), sum_tolerance<T>(hop)) << "to even";
  EXPECT_LT(max_difference(odd, hop), sum_tolerance<T>(hop)) << "to odd";
  for (const bool dagger : {false, true}) {
    GlobalArray m = dagger ? adjoint : hop;
    for (std::size_t i = 0; i < m.data.size(); ++i) m.data[i] = 4.1 * psi.data[i] - 0.5 * m.data[i];
    dagger ? wilson.apply_adjoint(in, out) : wilson.apply(in, out);
    EXPECT_LT(max_difference(out, m), sum_tolerance<T>(m)) << "adjoint " << dagger;
  }
}

TEST_P(Operators, WilsonEqualsItsDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_wilson<float>(lattice);
  check_wilson<double>(lattice);
}

template <class T, int W>
void check_block(const Lattice& lattice, int n_columns) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 5);
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, u);
  const GaugeLinks<T> links(gauge, BoundaryAngles{test::kAngles});
  const Field<Spinor, T, ColumnLanes<W>> in(lattice, "in", n_columns), hop(lattice, "hop", n_columns),
      laplace(lattice, "laplace", n_columns);
  const SpinorField<T> column(lattice, "column");
  std::vector<GlobalArray> psi;
  for (int k = 0; k < n_columns; ++k) {
    psi.push_back(reference::random_array(lattice.extent(), 12, 100 + std::uint64_t(k)));
    load(column, psi.back());
    copy_components(column, 0, in, k, 1);
  }
  const WilsonOperator<T> wilson(links, 0, {.columns = true});
  wilson.hop().apply(in.half(Subset::odd), hop.half(Subset::even));
  wilson.hop().apply(in.half(Subset::even), hop.half(Subset::odd));
  CovariantLaplacian<T>(links, Dimensions::spacetime, {.columns = true}).apply(in, laplace);
  for (int k : {0, n_columns / 2, n_columns - 1}) {
    const GlobalArray h = reference::wilson_hop(u, psi[std::size_t(k)], test::kAngles);
    copy_components(hop, k, column, 0, 1);
    EXPECT_LT(max_difference(column, h), sum_tolerance<T>(h)) << "hop, column " << k;
    const GlobalArray l = reference::laplacian(u, psi[std::size_t(k)], 4, test::kAngles);
    copy_components(laplace, k, column, 0, 1);
    EXPECT_LT(max_difference(column, l), sum_tolerance<T>(l)) << "Laplacian, column " << k;
  }
}

TEST_P(Operators, BlocksOfColumnsEqualTheirColumns) {
  const Lattice lattice = GetParam().make(Comm::world());
  if (lattice.volume() > 4000) GTEST_SKIP() << "does not apply: the naive reference would take seconds";
  check_block<double, 8>(lattice, 5);
  check_block<float, 4>(lattice, 12);
}

std::string name(const ::testing::TestParamInfo<LatticeCase>& info) {
  std::ostringstream text;
  text << info.param;
  std::string s = text.str();
  for (char& c : s)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return s;
}
INSTANTIATE_TEST_SUITE_P(Lattices, Operators, ::testing::ValuesIn(test::lattice_cases()), name);

}  // namespace
}  // namespace kov
