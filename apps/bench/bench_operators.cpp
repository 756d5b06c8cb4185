// SPDX-License-Identifier: MIT
//
// Stencil operators on quark fields, on single ones and on columns, and the forms of links that they read.
#include "apps/bench/bench_rows.hpp"
#include "kov/stencil/dirac/hop_times_blocks.hpp"
#include "kov/stencil/dirac/improved.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/quark_transformation.hpp"
#include "kov/stencil/gauge/temporal_gauge.hpp"
#include "kov/stencil/operators/adjoint_laplacian.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/smearing/momentum_smearing.hpp"

namespace kov::app {

namespace {

template <class T>
void add_blocks(BenchRows<T>& rows) {
  constexpr int n = 8;
  const std::string columns = ", " + std::to_string(n) + " columns";
  const Field<Spinor, T, ColumnLanes<8>> in(rows.lattice, "in", n), out(rows.lattice, "out", n);
  fill_for_bench(in, 3);
  const LinkForms forms{.columns = true};
  const WilsonOperator<T> wilson(rows.links, 0.1, forms);
  const CovariantLaplacian<T> laplacian(rows.links, Dimensions::spacetime, forms),
      spatial(rows.links, Dimensions::space, forms);
  const double link_reals = has_packs ? 144 : 72;
  rows.add("Laplacian, spinor" + columns, n * rows.sites, 48 + link_reals / n, 8 * 288 + 48,
           [=] { laplacian.apply(in, out); });
  rows.add("Laplacian in space, spinor" + columns, n * rows.sites, 48 + link_reals * 3 / 4 / n, 6 * 288 + 48,
           [=] { spatial.apply(in, out); });
  const CloverTerm<T> clover(rows.gauge, {.mass = 0.1}, forms);
  rows.add("clover term" + columns, n * rows.sites, 48 + 72.0 / n, 504, [=] { clover.apply(in, out); });
  rows.add("Wilson hop, even from odd" + columns, n * rows.sites / 2, 48 + rows.hop_link_reals / n, 1320,
           [=] { wilson.hop().apply(in.half(Subset::odd), out.half(Subset::even)); });
}

/// Terms at each site of Dirac operators, and what makes the clover term.
template <class T>
void add_site_terms(BenchRows<T>& rows) {
  const double V = rows.sites;
  const SpinorField<T> a = rows.a.alias(), b = rows.b.alias();
  const GaugeField<T> gauge = rows.gauge.alias();
  const CloverTerm<T> clover(gauge, {.mass = 0.1}), twisted(gauge, {.mass = 0.1, .mu = 0.2});
  const TwistedMassTerm mass{0.1, 0.2};
  rows.add("clover term", V, 48 + 72, 504, [=] { clover.apply(a, b); });
  rows.add("clover term, one parity", V / 2, 48 + 72, 504, [=] { clover.apply_inverse(a.odd(), b.odd()); });
  rows.add("inverse of the twisted clover term", V, 48 + 144, 1056, [=] { twisted.apply_inverse(a, b); });
  rows.add("twisted mass", V, 48, 96, [=] { mass.apply(a, b); });
  // The field strength as in its own row, its blocks, their inverses and a sum that counts singular ones.
  const double strength_reals = 3 * (72 + 144 + 216) + 3 * 72 + 108;
  rows.add("clover term made ready", V, strength_reals + 108 + 4 * 72, 6 * 8 * 198,
           [=] { CloverTerm<T>(gauge, {.mass = 0.1}); });
}

/// The hop without links in time, and the way to that gauge; and operators in the non-relativistic basis of spin.
template <class T>
void add_transformed(BenchRows<T>& rows) {
  const double V = rows.sites;
  const SpinorField<T> a = rows.a.alias(), b = rows.b.alias();
  const GaugeField<T> gauge = rows.gauge.alias();
  const TemporalGauge<T> temporal = in_temporal_gauge(gauge);
  const GaugeLinks<T> links(temporal.links, temporal.factors({}));
  const Hop<T> hop(links, {.doubled = true});
  rows.add("Wilson hop in temporal gauge, even from odd", V / 2, 48 + rows.hop_link_reals * 3 / 4, 1320,
           [=] { hop.apply(a.odd(), b.even()); });
  rows.add("links in temporal gauge", V, 18 + 54 + 144 + 18 + 18, 9 * 198, [=] { in_temporal_gauge(gauge); });
  rows.add("links in temporal gauge made ready", V, 18 + 144, 0,
           [=] { GaugeLinks<T>(temporal.links, temporal.factors({})); });
  const QuarkTransformation<T> g(temporal.transformation);
  rows.add("gauge transformation of a spinor", V, 48 + 18, 264, [=] { g.apply(a, b); });
  constexpr SpinBasis basis = SpinBasis::nonrelativistic;
  const Hop<T> in_basis = Hop<T>(rows.links, {.doubled = true}).with_basis(basis);
  rows.add("Wilson hop, non-relativistic, even from odd", V / 2, 48 + rows.hop_link_reals, 1320,
           [=] { in_basis.apply(a.odd(), b.even()); });
  const CloverTerm<T> clover = CloverTerm<T>(gauge, {.mass = 0.1}).with_basis(basis);
  rows.add("clover term, non-relativistic", V, 48 + 72, 504 + 72, [=] { clover.apply(a, b); });
  const QuarkTransformation<T> rotation(a.lattice(), basis);
  rows.add("spinor to the non-relativistic basis", V, 48, 48, [=] { rotation.apply(a, b); });
}

template <class T>
void add_adjoint(BenchRows<T>& rows) {
  const AdjointLaplacian<T> adjoint(rows.links);
  const Field<AdjointVector, T> o(rows.lattice, "o"), q = o.like("q"), o8(rows.lattice, "o8", 8), q8 = o8.like("q8");
  fill_for_bench(o, 5);
  fill_for_bench(o8, 6);
  rows.add("adjoint Laplacian", rows.sites, 32 + rows.link_reals, 8 * 448 + 60, [=] { adjoint.apply(o, q); });
  rows.add("adjoint Laplacian, 8 columns", 8 * rows.sites, 32 + rows.link_reals / 8, 8 * 448 + 60,
           [=] { adjoint.apply(o8, q8); });
}

}  // namespace

template <class T>
void add_operator_rows(BenchRows<T>& rows) {
  const double V = rows.sites, links = rows.link_reals;
  const SpinorField<T> a = rows.a.alias(), b = rows.b.alias();
  const Field<ColorVector, T> u = rows.u.alias(), v = rows.v.alias();
  const GaugeField<T> gauge = rows.gauge.alias();
  const CovariantLaplacian<T> laplacian(rows.links), spatial(rows.links, Dimensions::space);
  const WilsonOperator<T> wilson(rows.links, 0.1, {.doubled = true});
  rows.add("Laplacian, spinor", V, 48 + links, 8 * 288 + 48, [=] { laplacian.apply(a, b); });
  if (links < 144 && has_packs) {
    const CovariantLaplacian<T> twice(GaugeLinks<T>(gauge, {}, LinkStorage::twice));
    rows.add("Laplacian, spinor, links twice", V, 48 + 144, 8 * 288 + 48, [=] { twice.apply(a, b); });
  }
  rows.add("Laplacian, colour vector", V, 12 + links, 8 * 72 + 12, [=] { laplacian.apply(u, v); });
  rows.add("Laplacian in space, spinor", V, 48 + links * 3 / 4, 6 * 288 + 48, [=] { spatial.apply(a, b); });
  rows.add("Laplacian in space, colour vector", V, 12 + links * 3 / 4, 6 * 72 + 12, [=] { spatial.apply(u, v); });
  rows.add("Wilson hop, even from odd", V / 2, 48 + rows.hop_link_reals, 1320,
           [=] { wilson.hop().apply(a.odd(), b.even()); });
  rows.add("Wilson operator", V, 48 + links, 1320 + 48, [=] { wilson.apply(a, b); });
  const WilsonCloverOperator<T> wilson_clover(rows.links, CloverTerm<T>(rows.gauge, {.mass = 0.1}));
  rows.add("A^-1 hop, even from odd", V / 2, 48 + rows.hop_link_reals + 72, 1320 + 504,
           [=, blocks = *wilson_clover.site_term().template inverse_view<SpinorField<T>>()] {
             hop_times_blocks(wilson_clover.hop(), blocks, 0, 1, a.odd(), b.even(), b.even());
           });
  rows.add("Wilson-clover operator", V, 72 + 72 + links + 48, 504 + 1320 + 48, [=] { wilson_clover.apply(a, b); });
  const auto hamber_wu = hamber_wu_operator<T>(rows.gauge, 0.1);
  rows.add("Hamber-Wu operator", V, 48 + 144, 16 * 360 + 48, [=] { hamber_wu.apply(a, b); });
  rows.add("links of two lengths", V, 72 + 144, 4 * 198, [=] { links_of_two_lengths<T>(gauge, 2); });
  add_site_terms(rows);
  add_transformed(rows);
  add_blocks(rows);
  add_adjoint(rows);
  // A copy, and on CPUs, read again, the doubled ones.
  rows.add("links made ready for operators", V, has_packs ? 144 + 72 + 144 : 144, 0,
           [=] { GaugeLinks<T>(gauge, BoundaryAngles::antiperiodic_in_time()).with({.doubled = true}); });
  if (has_packs)
    rows.add("links made ready for columns", V, 72 + 72 + 144, 0,
             [=] { GaugeLinks<T>(gauge).with({.columns = true}); });
  const CovariantLaplacian<T> moving(GaugeLinks<T>(gauge, momentum_factors({0.1, 0.2, 0.3})), Dimensions::space);
  rows.add("Laplacian in space with momentum, spinor", V, 48 + links * 3 / 4, 6 * 288 + 48 + 6 * 54,
           [=] { moving.apply(a, b); });
}

template void add_operator_rows(BenchRows<float>&);
template void add_operator_rows(BenchRows<double>&);

}  // namespace kov::app
