// SPDX-License-Identifier: MIT
//
// Many columns at once, as components or in lanes, give the same as one after the other, for every operator that
// sources and sinks go through.
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/operators/adjoint_laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "kov/stencil/smearing/momentum_smearing.hpp"
#include "kov/stencil/smearing/quark_smearing.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using test::LatticeCase;

/// apply(in, out) on n components at once and on each: the same bits.
template <template <class> class SiteT, class T, class Apply>
void check_components(const Lattice& lattice, int n, const Apply& apply, const char* what) {
  const GlobalArray psi = reference::random_array(lattice.extent(), SiteT<T>::n_complex * n, 2);
  const Field<SiteT, T> in(lattice, "in", n), out = in.like("out"), column(lattice, "column"), one(lattice, "one");
  load(in, psi);
  apply(in, out);
  const GlobalArray all = gather(out);
  for (int k = 0; k < n; ++k) {
    load(column, part(psi, SiteT<T>::n_complex * k, SiteT<T>::n_complex));
    apply(column, one);
    EXPECT_EQ(max_difference(one, part(all, SiteT<T>::n_complex * k, SiteT<T>::n_complex)), 0) << what << ' ' << k;
  }
}

/// The same for columns in lanes, also in place; on GPUs their sums may be rounded differently.
template <template <class> class SiteT, class T, int W, class Apply>
void check_block(const Lattice& lattice, int n, const Apply& apply, const char* what) {
  const Field<SiteT, T, ColumnLanes<W>> in(lattice, "in", n), out = in.like("out");
  const Field<SiteT, T> column(lattice, "column"), one(lattice, "one");
  const auto load_column = [&](int k) {
    load(column, reference::random_array(lattice.extent(), SiteT<T>::n_complex, 10 + std::uint64_t(k)));
  };
  for (int k = 0; k < n; ++k) {
    load_column(k);
    copy_components(column, 0, in, k, 1);
  }
  apply(in, out);
  apply(in, in);
  for (int k = 0; k < n; ++k) {
    load_column(k);
    apply(column, one);
    const GlobalArray expected = gather(one);
    const double tolerance = has_packs ? 0 : 40 * std::numeric_limits<T>::epsilon() * reference::max_abs(expected);
    copy_components(out, k, one, 0, 1);
    EXPECT_LE(max_difference(one, expected), tolerance) << what << ", column " << k;
    copy_components(in, k, one, 0, 1);
    EXPECT_LE(max_difference(one, expected), tolerance) << what << " in place, column " << k;
  }
}

/// apply(in, out) on n columns in lanes and on each alone: the same bits, on GPUs too.
template <template <class> class SiteT, class T, int W, class Apply>
void check_same_bits(const Lattice& lattice, int n, const Apply& apply, const char* what) {
  const Field<SiteT, T, ColumnLanes<W>> in(lattice, "in", n), out = in.like("out");
  const Field<SiteT, T> column(lattice, "column"), one(lattice, "one");
  load(in, reference::random_array(lattice.extent(), SiteT<T>::n_complex * n, 5));
  apply(in, out);
  for (int k = 0; k < n; ++k) {
    copy_components(in, k, column, 0, 1);
    apply(column, one);
    copy_components(out, k, column, 0, 1);
    EXPECT_EQ(max_difference(column, gather(one)), 0) << what << ", column " << k;
  }
}

class Columns : public test::OnLattices {};

template <class T>
void check_laplacians(const Lattice& lattice) {
  const auto u = test::links<T>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    const CovariantLaplacian<T> laplacian(u, d, {.columns = true});
    const AdjointLaplacian<T> adjoint(u, d, {.columns = true});
    const auto apply = [&](const auto& in, const auto& out) { laplacian.apply(in, out); };
    check_components<Spinor, T>(lattice, 12, apply, "propagator");
    check_components<ColorVector, T>(lattice, 3, apply, "propagator of colour vectors");
    const auto apply_adjoint = [&](const auto& in, const auto& out) { adjoint.apply(in, out); };
    check_components<AdjointVector, T>(lattice, 8, apply_adjoint, "octets");
    check_same_bits<AdjointVector, T, 8>(lattice, 6, apply_adjoint, "octets");
    // The operator does not work in place, so through a copy.
    const auto apply_block = [&](const auto& in, const auto& out) {
      const auto result = in.like("result");
      laplacian.apply(in, result);
      detail::copy_on_device(out.data(), result.data(), result.bytes());
    };
    check_block<ColorVector, T, 8>(lattice, 3, apply_block, "colour vectors");
    check_block<ColorVector, T, 4>(lattice, 6, apply_block, "colour vectors in fours");
    check_block<Spinor, T, 4>(lattice, 12, apply_block, "propagator in fours");
    check_block<Spinor, T, 8>(lattice, 5, apply_block, "spinors in eights");
    if constexpr (std::is_same_v<T, float>) check_block<Spinor, T, 16>(lattice, 5, apply_block, "spinors in sixteens");
  }
}

TEST_P(Columns, LaplaciansOfManyAreThoseOfEach) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_laplacians<double>(lattice);
  check_laplacians<float>(lattice);
}

/// Links with momentum, smeared with F(p^2) of a low order.
template <class T>
void check_smearings(const Lattice& lattice) {
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, reference::random_su3(lattice.extent(), 4, 1));
  const GaugeLinks<T> u(gauge, momentum_factors({0.3, -0.7, 0.2}));
  const WuppertalSmearing<T> wuppertal(u, {.width = 1, .iterations = 3}, {.columns = true});
  const auto apply_wuppertal = [&](const auto& in, const auto& out) { wuppertal.apply(in, out); };
  check_components<Spinor, T>(lattice, 12, apply_wuppertal, "Wuppertal");
  check_components<ColorVector, T>(lattice, 3, apply_wuppertal, "Wuppertal");
  check_block<ColorVector, T, 8>(lattice, 3, apply_wuppertal, "Wuppertal");
  check_block<Spinor, T, 4>(lattice, 6, apply_wuppertal, "Wuppertal");
  const GaugeLinks<T> without_factors(gauge);
  for (const SmearingShape& shape : {SmearingShape(), SmearingShape(WuppertalParameters{.width = 1, .iterations = 4}),
                                     SmearingShape(gaussian_profile(0.8))}) {
    const QuarkSmearing<T> smearing(without_factors, shape, {.order = 3}, {.columns = true});
    check_same_bits<Spinor, T, 4>(
        lattice, 5, [&](const auto& in, const auto& out) { smearing.apply(in, out); }, "quarks");
  }
  for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    const ProfileSmearing<T> profile(u, gaussian_profile(0.8), {.order = 5, .dimensions = d}, {.columns = true});
    const auto apply = [&](const auto& in, const auto& out) { profile.apply(in, out); };
    check_components<Spinor, T>(lattice, 12, apply, "profile");
    check_components<ColorVector, T>(lattice, 3, apply, "profile");
    check_block<ColorVector, T, 8>(lattice, 3, apply, "profile");
    check_block<Spinor, T, 4>(lattice, 12, apply, "profile");
  }
}

TEST_P(Columns, SmearingsOfManyAreThoseOfEach) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_smearings<double>(lattice);
  check_smearings<float>(lattice);
}

template <class T>
void check_shifts(const Lattice& lattice) {
  const auto u = test::links<T>(lattice, reference::random_su3(lattice.extent(), 4, 1)).with({.columns = true});
  for (const auto& [mu, step] : {std::pair(0, -1), std::pair(3, 1)}) {
    const auto move = [&, mu = mu, step = step](const auto& in, const auto& out) { shift(in, mu, step, out); };
    const auto transport = [&, mu = mu, step = step](const auto& in, const auto& out) {
      covariant_shift(u, in, mu, step, out);
    };
    const auto derive = [&, mu = mu](const auto& in, const auto& out) { covariant_derivative(u, in, mu, out); };
    check_same_bits<AdjointVector, T, 4>(lattice, 5, move, "shift");
    check_same_bits<Spinor, T, 8>(lattice, 12, move, "shift");
    check_same_bits<ColorVector, T, 8>(lattice, 3, transport, "covariant shift");
    check_same_bits<Spinor, T, 4>(lattice, 6, transport, "covariant shift");
    check_same_bits<ColorVector, T, 4>(lattice, 5, derive, "derivative");
    check_same_bits<Spinor, T, 8>(lattice, 5, derive, "derivative");
  }
}

TEST_P(Columns, ShiftsOfManyAreThoseOfEach) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_shifts<double>(lattice);
  check_shifts<float>(lattice);
}

template <class T>
void check_series(const Lattice& lattice) {
  const auto u = test::links<T>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const CovariantLaplacian<T> laplacian(u, Dimensions::spacetime, {.columns = true});
  for (const int order : {0, 1, 4}) {
    const auto series = ChebyshevSeries::of_order(gaussian_profile(0.8), {0, 16}, order);
    const auto apply = [&]<template <class> class SiteT, class Lanes>(const Field<SiteT, T, Lanes>& in,
                                                                      const Field<SiteT, T, Lanes>& out) {
      apply_series(series, momentum_squared<SiteT, Lanes>(laplacian), in, out);
    };
    check_block<ColorVector, T, 8>(lattice, 3, apply, "series");
    check_block<Spinor, T, 4>(lattice, 6, apply, "series");
  }
}

TEST_P(Columns, SeriesOfManyAreThoseOfEach) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_series<double>(lattice);
  check_series<float>(lattice);
}

/// apply(links)(in, out) on this lattice and on one rank alone, in its own order of sites: the same bits.
template <template <class> class SiteT, class T, class Make>
void check_bits(const LatticeCase& c, const Make& make, const char* what) {
  const Lattice together = c.make(Comm::world()), alone(Comm::self(), c.extent);
  const GlobalArray u = reference::random_su3(c.extent, 4, 1),
                    psi = reference::random_array(c.extent, 2 * SiteT<T>::n_complex, 2);
  const auto run = [&](const Lattice& lattice) {
    const Field<SiteT, T> in(lattice, "in", 2), out = in.like("out");
    load(in, psi);
    make(test::links<T>(lattice, u)).apply(in, out);
    return out;
  };
  const GlobalArray expected = gather(run(alone));
  EXPECT_EQ(max_difference(run(together), expected), 0) << what;
}

template <class T>
void check_all_bits(const LatticeCase& c) {
  for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    check_bits<Spinor, T>(
        c, [&](const auto& u) { return CovariantLaplacian<T>(u, d); }, "Laplacian");
    check_bits<AdjointVector, T>(
        c, [&](const auto& u) { return AdjointLaplacian<T>(u, d); }, "adjoint Laplacian");
    check_bits<ColorVector, T>(
        c, [&](const auto& u) { return ProfileSmearing<T>(u, gaussian_profile(0.8), {.order = 5, .dimensions = d}); },
        "profile");
  }
  check_bits<Spinor, T>(
      c, [&](const auto& u) { return WuppertalSmearing<T>(u, {.width = 1, .iterations = 4}); }, "Wuppertal");
}

TEST_P(Columns, SameBitsOnAnyDecomposition) {
  check_all_bits<double>(GetParam());
  check_all_bits<float>(GetParam());
}

TEST_P(Columns, AnOperatorTakesThemOnlyIfConstructedForThemWhateverOthersOnItsLinksDo) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto u = test::links<double>(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const CovariantLaplacian<double> plain(u), of_columns(plain.links(), Dimensions::spacetime, {.columns = true});
  const Field<Spinor, double, ColumnLanes<4>> in(lattice, "in", 4), out = in.like("out"), again = in.like("again");
  load(in, reference::random_array(lattice.extent(), 48, 2));
  of_columns.apply(in, out);
  const Field<AdjointVector, double, ColumnLanes<4>> octets(lattice, "octets", 4);
  if (has_packs) {
    EXPECT_THROW(plain.apply(in, again), InputError);
    EXPECT_THROW(covariant_shift(plain.links(), in, 0, 1, again), InputError);
    EXPECT_THROW(AdjointLaplacian<double>(u).apply(octets, octets.like("other")), InputError);
    EXPECT_THROW(WuppertalSmearing<double>(u, {.width = 1, .iterations = 2}).apply(in, again), InputError);
  } else {
    plain.apply(in, again);
  }
  CovariantLaplacian<double>(plain.links(), Dimensions::spacetime, {.columns = true}).apply(in, again);
  EXPECT_EQ(max_difference(again, gather(out)), 0);
  EXPECT_EQ(u.codec(), u.with({.columns = true}).codec());
  if (has_packs) {
    EXPECT_NE(u.codec(), u.with({.doubled = true}).codec());
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, Columns, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

}  // namespace
}  // namespace kov
