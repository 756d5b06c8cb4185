// SPDX-License-Identifier: MIT
//
// Sources of propagators and two-point functions.
#include "apps/bench/bench_rows.hpp"
#include "apps/bench/contractions/bench_numbers.hpp"
#include "kov/algebra/eigen/slice_eigenvectors.hpp"
#include "kov/contractions/distillation/baryon_elementals.hpp"
#include "kov/contractions/engine/contraction_runner.hpp"
#include "kov/contractions/engine/engine.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/hadrons/quark_loops.hpp"
#include "kov/contractions/hadrons/three_point.hpp"
#include "kov/contractions/kernels/ladder/ladder.hpp"
#include "kov/contractions/kernels/product.hpp"
#include "kov/contractions/kernels/trace.hpp"
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
void add_two_point_rows(BenchRows<T>& rows, const Propagator<T>& s) {
  const double V = rows.sites;
  const auto channels = all_mesons();
  rows.add("256 mesons, p = 0", V, 288, 11520, [=] { mesons<T>(s, s, channels, {at_rest}); });
  const auto momenta = momenta_up_to(1);
  const int phases = has_packs ? 3 : 6;  // hosts share those of opposite momenta
  rows.add("256 mesons, 7 momenta", V, 288, 11520 + phases * 1280, [=] { mesons<T>(s, s, channels, momenta); });
  const std::vector<BaryonChannel> proton{nucleon()};
  // The same as a statement: one channel, two blocks of colours at a time.
  const Gamma g5 = Gamma::five(), gamma = Gamma::direction(0);
  rows.add("vector meson in one statement", V, 288, 1152,
           [=] { slice_sum(trace(g5 * adj(s) * g5 * gamma * s * gamma)); });
  const Propagator<T> out = s.like("out");
  rows.add("propagator in one statement", V, 3 * 288, 0, [=] { assign(g5 * adj(s) * g5, out); });
  rows.add("nucleon, p = 0", V, 288, 6760 + 600, [=] { baryons<T>(s, s, proton, {at_rest}); });
  const Propagator<T> down = s.like("down"), strange = s.like("strange");
  fill_for_bench(down.columns(), 5);
  fill_for_bench(strange.columns(), 6);
  rows.add("256 mesons of 2 quarks, 7 momenta", V, 2 * 288, 18432 + phases * 2048,
           [=] { mesons<T>(s, strange, channels, momenta); });
  std::vector<BaryonOperator> operators;
  for (const BaryonParity parity : {BaryonParity::positive, BaryonParity::negative})
    for (const auto& list : {octet_operators(parity), decuplet_operators(parity)})
      operators.insert(operators.end(), list.begin(), list.end());
  rows.add("112 baryons of 3 quarks, 7 momenta", V, 3 * 288, 49316 + 3 * 600 + 112 * (6 * 8 + 2), [=] {
    baryons<T>({{"u", s}, {"d", down}, {"s", strange}}, operators, momenta);
  });
}

/// A solver that solves nothing, so that a row has the time of the rest.
template <class F>
struct NoSolver {
  double tolerance = 1;
  int max_iterations = 0;
  OnFailure on_failure = OnFailure::report;
  ProgressCallback progress = {};
  std::string name() const { return "none"; }
  SolveReport operator()(const Operator<F>&, const F& b, const F& x) const {
    copy(b, x);
    return {};
  }
};

template <class T>
void add_three_point_functions(BenchRows<T>& rows, const Propagator<T>& s) {
  const double V = rows.sites;
  const Lattice lattice = rows.lattice;
  // A new field of twelve columns, which is zero; what is computed is on one slice.
  rows.add("sequential source of the nucleon", V, 288, 0,
           [=] { baryon_sequential_source(s, s, nucleon(), false, 1, at_rest); });
  // Noise, a part of it, its copy instead of a solution, and the sums.
  using F = SpinorField<T>;
  rows.add("quark loops of a noise vector", V, 24 + 48 + 24 + 48 + 48, 768, [=] {
    const auto unit = [](const F& in, const F& out) { copy(in, out); };
    quark_loops<T>(NoSolver<F>{}, unit, lattice, {}, {at_rest});
  });
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
  // 21 cross products, and inner products of m x m vectors for m = 1 to 6.
  rows.add("baryon elementals of 8 vectors", V, 18 * 21 + 12 * 21, 42 * 21 + 24 * 91,
           [=] { baryon_elementals(y, {at_rest}, {.columns = n}); });
  rows.add("phases of 32 vectors on slices", V, 6 * 2 * m, 18 * m, [=] { fix_phases_by_slice(x); });
}

/// Dense kernels of distillation; a site is a number of the product, or of the inner index of the traces.  They depend
/// on no lattice: `kovariant bench contractions` has them in all their forms.
template <class T>
void add_dense_rows(BenchRows<T>& rows) {
  using Z = Complex<T>;
  constexpr int n = 64, batch = 8, c = 16, length = n * n;
  const Buffer<Z> a = bench_numbers<Z>(std::size_t(batch) * n * n, 1), b = bench_numbers<Z>(std::size_t(c) * length, 2),
                  product("product", std::size_t(batch) * n * n);
  const auto add_products = [&](const std::string& name, ProductTiling tiling) {
    rows.add(name, batch * n * n, 6, 8 * n, [=] {
      multiply<Z>(packed_matrices<const Z>(a.data(), n, n), shared_matrix<const Z>(b.data(), n, n),
                  packed_matrices(product.data(), n, n), {{batch, 1, 1, 1}}, {.tiling = tiling});
    });
  };
  add_products("64 x 64 matrix products", ProductTiling::automatic);
  add_products("64 x 64 matrix products, scratch tiles", ProductTiling::square);
  const Buffer<Complex<double>> sums("traces", c * c);
  const auto workspace = std::make_shared<TraceWorkspace>();
  const auto add_traces = [&](const std::string& name, TraceTiling tiling) {
    rows.add(name, length, 4 * c, 8 * c * c, [=] {
      traces<Z>({b.data(), b.data(), c, c, length}, {sums.data(), 0, 1}, *workspace, {.tiling = tiling});
    });
  };
  add_traces("16 x 16 traces", TraceTiling::automatic);
  add_traces("16 x 16 traces, scratch tiles", TraceTiling::of16);
  rows.add("64 x 64 matrix products, a rung of the ladder", batch * n * n, 6, 8 * n,
           [=] { multiply_on_rung(ProductRung::fused2_prefetch, a.data(), b.data(), product.data(), n, batch, true); });
  for (const TraceRung rung : {TraceRung::single, TraceRung::tiled_prefetch})
    rows.add("16 x 16 traces, " + name(rung), length, 4 * c, 8 * c * c, [=] {
      traces_on_rung<T>(rung, {b.data(), b.data(), c, c, length}, sums.data(), *workspace);
    });
  // Eigenvectors, elementals and gammas of a small problem; a site is a number of the perambulator.
  constexpr int n_vectors = 16, n_elementals = 1, tau = 16 * n_vectors * n_vectors;
  std::vector<FactorisedOperator> operators;
  for (int number = 0; number < 16; ++number) operators.push_back({0, Gamma::number(number)});
  const auto engine = std::make_shared<FactorisedEngine<T>>(operators, n_elementals, n_vectors, 1);
  rows.add("correlators of 16 operators, factorised", tau, 2, double(256 * n_vectors + 2048) / 16, [=] {
    engine->add({0, 0, 1, b.data(), n_vectors * n_vectors, b.data(), b.data(), tau});
  });
  // Tr[phi tau phi tau], of one item; the transpose beside two products with elementals.
  const NamedMatrix phi{"phi", MatrixSpace::vectors, n_vectors, n_vectors, false},
      quark{"tau", MatrixSpace::both, n_vectors, n_vectors, false};
  const auto runner = std::make_shared<ContractionRunner<T>>(ContractionPlan({phi, quark, phi, quark}, {{0, 1, 2, 3}}));
  rows.add("a planned trace of 4 matrices", tau, 8, runner->plan().flops() / tau, [=] {
    const Z* const data[] = {b.data(), b.data(), b.data(), b.data()};
    runner->run(data, 1);
  });
}

}  // namespace

template <class T>
void add_contraction_rows(BenchRows<T>& rows) {
  const Propagator<T> s(rows.lattice, "propagator");
  fill_for_bench(s.columns(), 4);
  add_sources(rows, s);
  add_two_point_rows(rows, s);
  add_slice_rows(rows);
  add_three_point_functions(rows, s);
  add_dense_rows(rows);
}

template void add_contraction_rows(BenchRows<float>&);
template void add_contraction_rows(BenchRows<double>&);

}  // namespace kov::app
