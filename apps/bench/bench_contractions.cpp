// SPDX-License-Identifier: MIT
//
// Sources of propagators and two-point functions.
#include "apps/bench/bench_rows.hpp"
#include "kov/algebra/eigen/slice_eigenvectors.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/propagator_statements.hpp"
#include "kov/contractions/sources/source.hpp"

namespace kov::app {

namespace {

constexpr Coord origin{0, 0, 0, 0};
constexpr Momentum at_rest{0, 0, 0}, moving{1, 0, 0};

/// Twelve components, 288 reals: a new field is zero, and the sites of the source are written.
template <class T>
void add_sources(BenchRows<T>& rows, const Propagator<T>& s) {
  const double V = rows.sites;
  const Lattice lattice = rows.lattice;
  rows.add("point source", V, 288, 0, [=] { point_source<T>(lattice, origin); });
  rows.add("wall source", V, 288, 0, [=] { wall_source<T>(lattice, 0); });
  rows.add("grid source", V, 288, 0, [=] { grid_source<T>(lattice, {.origin = origin, .spacing = {2, 2, 2}}); });
  // Draws are not counted.
  rows.add("noise source on all sites", V, 2 * 288, 0, [=] { noise_source<T>(lattice, {.noise = {}}); });
  rows.add("phase on a source", V, 2 * 288, 12 * 72, [=] { multiply_phase(s.columns(), moving, origin); });
  rows.add("sequential source", V, 3 * 288, 12 * 72, [=] { sequential_source(s, 1, Gamma::five(), moving); });
}

template <class T>
void add_correlators(BenchRows<T>& rows, const Propagator<T>& s) {
  const double V = rows.sites;
  const auto channels = all_mesons();
  rows.add("256 mesons, p = 0", V, 288, 18432, [=] { mesons<T>(s, s, channels, {at_rest}); });
  const auto momenta = momenta_up_to(1);
  rows.add("256 mesons, 7 momenta", V, 288, 18432 + 6 * 2048, [=] { mesons<T>(s, s, channels, momenta); });
  const std::vector<BaryonChannel> proton{nucleon()};
  // The same as a statement: one channel, two blocks of colours at a time.
  const Gamma g5 = Gamma::five(), gamma = Gamma::direction(0);
  rows.add("vector meson in one statement", V, 288, 1152,
           [=] { slice_sum(trace(g5 * adj(s) * g5 * gamma * s * gamma)); });
  const Propagator<T> out = s.like("out");
  rows.add("propagator in one statement", V, 3 * 288, 0, [=] { assign(g5 * adj(s) * g5, out); });
  rows.add("nucleon, p = 0", V, 288, 30000, [=] { baryons<T>(s, s, proton, {at_rest}); });
}

/// Vectors on time slices; for every complex number of a site, a product of it with each of n others.
template <class T>
void add_slice_rows(BenchRows<T>& rows) {
  constexpr int m = 32, n = 8;
  const double V = rows.sites;
  const Field<ColorVector, T> x(rows.lattice, "vectors on slices", m), y(rows.lattice, "combined vectors", n);
  fill_for_bench(x, 5);
  fill_for_bench(y, 6);
  rows.add("products of 32 and 32 vectors on slices", V, 6 * 2 * m, 24 * m * m, [=] { gram_by_slice(x, x); });
  rows.add("products of 32 and 8 vectors on slices", V, 6 * (m + n), 24 * m * n, [=] { gram_by_slice(x, y); });
  const std::vector<Momentum> momenta = momenta_up_to(1);
  rows.add("the same at 7 momenta", V, 7 * 6 * (m + n), 7 * 24 * m * n, [=] { gram_by_slice(x, y, momenta); });
  SliceMatrices one(rows.lattice, 1, m, m), few(rows.lattice, 1, m, n);
  for (int t = 0; t < one.n_slices; ++t)
    for (int i = 0; i < m; ++i) one.at(t)[i * (m + 1)] = 1;
  std::fill(few.values.begin(), few.values.end(), 1e-3);  // slices where all is 0 would be left alone
  rows.add("rotation of 32 vectors on slices", V, 6 * 2 * m, 24 * m * m, [=] { rotate_by_slice(x, one, x); });
  rows.add("32 vectors on slices added to 8", V, 6 * (m + 2 * n), 24 * m * n, [=] { rotate_add_by_slice(x, few, y); });
  rows.add("phases of 32 vectors on slices", V, 6 * 2 * m, 24 * m * m, [=] { fix_phases_by_slice(x); });
}

}  // namespace

template <class T>
void add_contraction_rows(BenchRows<T>& rows) {
  const Propagator<T> s(rows.lattice, "propagator");
  fill_for_bench(s.columns(), 4);
  add_sources(rows, s);
  add_correlators(rows, s);
  add_slice_rows(rows);
}

template void add_contraction_rows(BenchRows<float>&);
template void add_contraction_rows(BenchRows<double>&);

}  // namespace kov::app
