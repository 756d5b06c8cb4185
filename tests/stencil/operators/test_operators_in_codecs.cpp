// SPDX-License-Identifier: MIT
//
// Operators on links of 12 and 8 reals and of 16 bits and on spinors of 16 bits against those on plain reals, with
// phases at the boundary; and links of other legs than the nearest.
#include "kov/core/field/convert.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/gauge/temporal_gauge.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"

#include <limits>

namespace kov {
namespace {

using reference::gather, reference::GlobalArray, reference::max_difference;

double difference(const GlobalArray& a, const GlobalArray& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.data.size(); ++k) worst = max_or_nan(worst, double(std::abs(a.data[k] - b.data[k])));
  return worst;
}

class CodecOperators : public test::OnLattices {};

/// The most by which the hop may be off because neighbours in halos are rounded to units of 1 / 32767 or 1 / 127 of the
/// largest number of their projections: a number of the result is a sum over eight legs of three numbers times a row of
/// SU(3).
template <class F>
double halo_rounding(const F& psi) {
  using Codec = typename F::View::Codec;
  if constexpr (Codec::is_plain)
    return 0;
  else if (!Stencil::of(psi.lattice()).halo().any())
    return 0;
  else
    return 8 * std::sqrt(6.0) * 2 * 0.5 * Codec::unit * reference::max_abs(gather(psi));
}

/// Calls f(name, operator, adjoint?) for the operators of these links.
template <class Storage, class F>
void for_each_operator(const GaugeLinks<Storage>& links, const LinkForms& forms, const F& f) {
  const WilsonOperator<Storage> wilson(links, 0.1, forms);
  f("Wilson", [=](const auto& in, const auto& out) { wilson.apply(in, out); });
  f("Wilson adjoint", [=](const auto& in, const auto& out) { wilson.apply_adjoint(in, out); });
  f("hop from odd to even", [=](const auto& in, const auto& out) { wilson.hop().apply(in.odd(), out.even()); });
  for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    const CovariantLaplacian<Storage> laplacian(links, d, forms);
    f("Laplacian", [=](const auto& in, const auto& out) { laplacian.apply(in, out); });
  }
}

template <class Storage, class F>
std::vector<GlobalArray> results(const GaugeLinks<Storage>& links, const F& in) {
  std::vector<GlobalArray> all;
  const LinkForms forms{.doubled = true, .columns = F::Lanes::holds_columns};
  for_each_operator(links, forms, [&](const char*, const auto& apply) {
    const F out = in.like("out");
    apply(in, out);
    all.push_back(gather(out));
  });
  return all;
}

/// The Wilson operator, its adjoint and its hop on one parity.
template <class Storage, class F>
std::vector<GlobalArray> wilson_results(const GaugeLinks<Storage>& links, const F& in) {
  const WilsonOperator<Storage> M(links, 0.1, {.doubled = true});
  std::vector<GlobalArray> all;
  const F out = in.like("out");
  M.apply(in, out);
  all.push_back(gather(out));
  M.apply_adjoint(in, out);
  all.push_back(gather(out));
  zero(out);
  M.hop().apply(in.odd(), out.even());
  all.push_back(gather(out));
  return all;
}

/// Columns in lanes against what was found for them as components: the same bits on CPUs.
template <int W, class T>
void check_columns(const GaugeLinks<Links12<T>>& links, const SpinorField<T>& psi,
                   const std::vector<GlobalArray>& found) {
  const SpinorField<T, ColumnLanes<W>> columns(psi.lattice(), "columns", psi.n_components());
  convert(psi, columns);
  const auto of_columns = results(links, columns);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double tolerance = has_packs ? 0 : 40 * std::numeric_limits<T>::epsilon() * reference::max_abs(found[k]);
    EXPECT_LE(difference(of_columns[k], found[k]), tolerance) << "operator " << k << " on columns in " << W;
  }
}

template <class T>
void check_links12(const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1);
  const GaugeField<T> gauge = reference::gauge_field<T>(lattice, u);
  const BoundaryAngles angles{test::kAngles};
  const SpinorField<T> psi(lattice, "psi", 2);
  load(psi, reference::random_array(lattice.extent(), 24, 2));
  for (const LinkStorage storage : {LinkStorage::once, LinkStorage::twice}) {
    const GaugeLinks<T> plain(gauge, angles, storage);
    const GaugeLinks<Links12<T>> twelve(gauge, angles, storage);
    const auto expected = results(plain, psi), found = results(twelve, psi);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const double tolerance = 40 * std::numeric_limits<T>::epsilon() * reference::max_abs(expected[k]);
      EXPECT_LT(difference(found[k], expected[k]), tolerance) << "operator " << k;
    }
    check_columns<4>(twelve, psi, found);
    check_columns<8>(twelve, psi, found);
    if constexpr (std::is_same_v<T, float>) check_columns<16>(twelve, psi, found);
  }
}

TEST_P(CodecOperators, LinksOf12RealsAreTheLinks) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_links12<float>(lattice);
  check_links12<double>(lattice);
}

/// With and without the knowledge that links in time are 1: the same bits, but for Links8, which stores 1 with an
/// error.
template <class T, class Storage, class F>
void expect_time_links_are_unit(const GaugeField<T>& temporal, const F& psi, std::complex<double> in_time = 1) {
  LegFactors any(BoundaryAngles{test::kAngles});
  any.direction[3] = in_time;
  LegFactors unit = any;
  unit.time_links = TimeLinks::unit;
  constexpr bool of_8 = std::is_same_v<Storage, Links8<T>>;  // which no Laplacian takes
  const auto all = [&](const LegFactors& factors) {
    const GaugeLinks<Storage> links(temporal, factors);
    if constexpr (of_8)
      return wilson_results(links, psi);
    else
      return results(links, psi);
  };
  const auto expected = all(any), found = all(unit);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double off = of_8 ? 200 * std::numeric_limits<T>::epsilon() : 0;
    EXPECT_LE(difference(found[k], expected[k]), off * reference::max_abs(expected[k])) << "operator " << k;
  }
}

template <class T>
void check_temporal_gauge(const Lattice& lattice) {
  const GaugeField<T> gauge = reference::gauge_field<T>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const GaugeField<T> temporal = in_temporal_gauge(gauge).links;
  const SpinorField<T> psi(lattice, "psi", 2);
  load(psi, reference::random_array(lattice.extent(), 24, 2));
  const Field<Spinor, T, ColumnLanes<4>> columns(lattice, "columns", 2);
  convert(psi, columns);
  expect_time_links_are_unit<T, T>(temporal, psi);
  expect_time_links_are_unit<T, T>(temporal, columns);
  expect_time_links_are_unit<T, Links12<T>>(temporal, psi);
  expect_time_links_are_unit<T, Links12<T>>(temporal, columns);
  expect_time_links_are_unit<T, Links8<T>>(temporal, psi);
  expect_time_links_are_unit<T, T>(temporal, psi, {0.6, 0.3});
  expect_time_links_are_unit<T, T>(temporal, columns, {0.6, 0.3});
  if constexpr (std::is_same_v<T, float>) {
    const SpinorField<Fixed16> of_16_bits(lattice, "in 16 bits", 2);
    convert(psi, of_16_bits);
    expect_time_links_are_unit<T, T>(temporal, of_16_bits);
    expect_time_links_are_unit<T, Links12<T>>(temporal, of_16_bits);
  }
  EXPECT_THROW(GaugeLinks<T>(gauge, TemporalGauge<T>::factors({})), InputError);
}

TEST_P(CodecOperators, LeaveOutLinksInTimeThatAreOne) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_temporal_gauge<float>(lattice);
  check_temporal_gauge<double>(lattice);
}

TEST(LinksInTime, AreLeftOutOnTwoSlices) {
  const Lattice lattice(Comm::world(), {4, 4, 8, 2});
  check_temporal_gauge<float>(lattice);
  check_temporal_gauge<double>(lattice);
}

TEST_P(CodecOperators, SpinorsOf16BitsAreThoseOf32) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GaugeField<double> gauge =
      reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const SpinorField<float> psi(lattice, "psi", 2), exact(lattice, "exact", 2);
  load(psi, reference::random_array(lattice.extent(), 24, 2));
  const SpinorField<Fixed16> in(lattice, "in", 2);
  convert(psi, in);
  convert(in, exact);
  const BoundaryAngles angles{test::kAngles};
  const GaugeLinks<float> plain(gauge, angles);
  const GaugeLinks<Links12<float>> twelve(gauge, angles);
  // The inputs are the same, so only the output is rounded, to 2^-16 of the largest number of its site.
  const auto expected = results(plain, exact);
  for (const auto& found : {results(plain, in), results(twelve, in)})
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const double largest = reference::max_abs(expected[k]), in_halos = k < 3 ? halo_rounding(in) : 0;
      EXPECT_LT(difference(found[k], expected[k]), 1.1 * std::sqrt(2.0) * 0x1p-16 * largest + in_halos)
          << "operator " << k;
      EXPECT_GT(difference(found[k], expected[k]), 0x1p-20 * largest) << "operator " << k;
    }
}

/// What operators on links in Storage make of psi, against those on plain links with the numbers that Storage holds;
/// tolerance: in units of the largest number.
template <class Storage, class F>
void check_storage(const GaugeField<double>& gauge, const F& psi, double tolerance) {
  using T = typename F::Real;
  const Lattice& lattice = gauge.lattice();
  const GaugeField<Storage> stored(lattice, "stored", 4);
  const GaugeField<T> held(lattice, "held", 4);
  convert(gauge, stored);
  convert(stored, held);
  const SpinorField<T> plain(lattice, "plain", psi.n_components());
  convert(psi, plain);
  const BoundaryAngles angles{test::kAngles};
  for (const LinkStorage storage : {LinkStorage::once, LinkStorage::twice}) {
    const auto expected = wilson_results(GaugeLinks<T>(held, angles, storage), plain);
    const auto found = wilson_results(GaugeLinks<Storage>(gauge, angles, storage), psi);
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_LT(difference(found[k], expected[k]), tolerance * reference::max_abs(expected[k]) + halo_rounding(psi))
          << "operator " << k;
  }
}

TEST_P(CodecOperators, ReadLinksOf8RealsAndOf16Bits) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GaugeField<double> gauge =
      reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const SpinorField<double> psi(lattice, "psi", 2);
  load(psi, reference::random_array(lattice.extent(), 24, 2));
  const SpinorField<float> single(lattice, "single", 2);
  const SpinorField<Fixed16> short_psi(lattice, "short", 2);
  convert(psi, single);
  convert(psi, short_psi);
  check_storage<Links8<double>>(gauge, psi, 40 * 0x1p-52);
  check_storage<Links8<float>>(gauge, single, 40 * 0x1p-23);
  // The result is rounded once more.
  const double rounding = 1.1 * std::sqrt(2.0) * 0x1p-16;
  check_storage<Links8<float>>(gauge, short_psi, rounding);
  check_storage<Fixed16>(gauge, short_psi, rounding);
  check_storage<Links12<Fixed16>>(gauge, short_psi, rounding);
  check_storage<Links8<Fixed16>>(gauge, short_psi, rounding);
  const SpinorField<Fixed8> bytes(lattice, "bytes", 2);
  convert(psi, bytes);
  check_storage<Links12<Fixed16>>(gauge, bytes, 1.1 * std::sqrt(2.0) * 0.5 / 127);
}

/// Products of three links in a row, straight on.
template <class T>
GaugeField<T> three_links(const GaugeField<T>& u) {
  const GaugeField<T> w(u.lattice(), "three links", 4);
  for (int mu = 0; mu < 4; ++mu) {
    const auto v = u.column(mu);
    w.column(mu) = v * shift(v * shift(v, mu, +1), mu, +1);
  }
  return w;
}

/// The hop over three links is three covariant shifts between its projectors, all the way around small lattices.
template <class T>
void check_three_links(const Lattice& lattice, const BoundaryAngles& angles) {
  const auto u = reference::gauge_field<T>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const GaugeLinks<T> links(u, angles);
  const Hop<T> hop(GaugeLinks<T>({{3, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 3}}, three_links(u), angles));
  const SpinorField<T> psi(lattice, "psi"), out(lattice, "out"), expected(lattice, "expected");
  load(psi, reference::random_array(lattice.extent(), 12, 2));
  hop.apply(psi, out);
  for (int mu = 0; mu < 4; ++mu)
    for (const int step : {+1, -1}) {
      SpinorField<T> there = psi.clone("there");
      for (int k = 0; k < 3; ++k) {
        const SpinorField<T> next = psi.like("next");
        covariant_shift(links, there, mu, step, next);
        there = next.alias();
      }
      expected += there - double(step) * (Gamma::direction(mu) * there);
    }
  const GlobalArray all = gather(expected);
  EXPECT_LT(max_difference(out, all), 100 * std::numeric_limits<T>::epsilon() * reference::max_abs(all));
}

TEST_P(CodecOperators, HopOverThreeLinksIsThreeShifts) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (int mu = 0; mu < 4; ++mu)
    if (lattice.communicates(mu) && lattice.geometry().local_extent()[mu] < 3)
      GTEST_SKIP() << "does not apply: legs of three reach beyond the next rank";
  check_three_links<double>(lattice, {});
  check_three_links<double>(lattice, BoundaryAngles{test::kAngles});
  check_three_links<float>(lattice, BoundaryAngles{test::kAngles});
}

INSTANTIATE_TEST_SUITE_P(Lattices, CodecOperators, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

}  // namespace
}  // namespace kov
