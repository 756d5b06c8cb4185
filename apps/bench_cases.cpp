// SPDX-License-Identifier: MIT
#include "apps/bench_cases.hpp"

#include "kov/contractions/baryon.hpp"
#include "kov/contractions/meson.hpp"
#include "kov/core/field_ops.hpp"
#include "kov/core/random.hpp"
#include "kov/stencil/adjoint_laplacian.hpp"
#include "kov/stencil/gradient_flow.hpp"
#include "kov/stencil/heatbath.hpp"
#include "kov/stencil/link_smearing.hpp"
#include "kov/stencil/observables.hpp"
#include "kov/stencil/profile_smearing.hpp"
#include "kov/stencil/wilson.hpp"

namespace kov::app {

namespace {

/// Numbers in [-1, 1): speed does not depend on which.
template <class FieldT>
void fill(const FieldT& field, std::uint64_t seed) {
  using T = typename FieldT::Real;
  std::vector<T> values(field.n_reals());
  SiteRandom random(seed, 0, 0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = T(2 * random.uniform() - 1);
  detail::copy_to_device(field.data(), values.data(), values.size() * sizeof(T));
}

template <class T, int W>
void add_blocks(std::vector<BenchCase>& cases, const Lattice& lattice, const GaugeLinks<T>& links, int n_columns,
                double V, double link_reals, double hop_link_reals) {
  const double R = sizeof(T);
  const std::string precision = R == 8 ? "double" : "float", columns = ", " + std::to_string(n_columns) + " columns";
  const BlockField<Spinor, T, W> in(lattice, "in", n_columns), out(lattice, "out", n_columns);
  fill(in, 3);
  const WilsonOperator<T> wilson(links, 0.1);
  const CovariantLaplacian<T> laplacian(links);
  cases.push_back({"Laplacian, spinor" + columns, precision, n_columns * V, (48 + link_reals / n_columns) * R,
                   8 * 288 + 48, [=] { laplacian.apply(in, out); }});
  cases.push_back({"Wilson hop, even from odd" + columns, precision, n_columns * V / 2,
                   (48 + hop_link_reals / n_columns) * R, 1320,
                   [=] { wilson.hop(in.half(Subset::odd), out.half(Subset::even)); }});
}

/// Flops of what link smearings and flows do with one link: all staples in d directions, and exponential() without
/// squarings.
double staple_flops(int d) { return (d - 1) * (4.0 * 198 + 36); }
template <class T>
double exponential_flops() {
  return 420 + 21.0 * (sizeof(T) == 4 ? 12 : 20);
}

/// Everything done to links; bytes: links in and links out, once for each step.
template <class T, class Add>
void add_link_cases(const Add& add, const GaugeField<T>& gauge, double V) {
  // staples U^+, its traceless part, exponential, product with U.
  const double of_exponential = 2 * 198 + 18 + 45 + exponential_flops<T>();
  add("stout step", V, 144, 4 * (staple_flops(4) + of_exponential),
      [=] { stout(gauge, {.rho = 0.1, .n = 1, .directions = all_directions}); });
  add("stout step in space", V, 144, 3 * (staple_flops(3) + of_exponential),
      [=] { stout(gauge, {.rho = 0.1, .n = 1}); });
  // Not counted: sweeps of the projection, whose number depends on the links.
  add("APE step in space", V, 144, 3 * (staple_flops(3) + 36 + 2 * 198), [=] { ape(gauge, {.n = 1}); });
  add("HYP step", V, 144, 48 * staple_flops(2) + 28 * (36 + 2 * 198), [=] { hyp(gauge, {.n = 1}); });
  // Three stages: links and exponents are read, exponents written, both read and links written.
  const auto flow = std::make_shared<GradientFlow<T>>(gauge);
  add("Wilson flow step", V, 3 * 432, 3 * 4 * (staple_flops(4) + of_exponential + 36), [=] { flow->step(0.01); });
}

}  // namespace

template <class T>
std::vector<BenchCase> bench_cases(const Lattice& lattice) {
  const double V = double(lattice.geometry().local_volume()), R = sizeof(T);
  // Every link once for every site that reads it: four, or eight where links are doubled.
  const double doubled = 144, single = 72;
  const double link_reals = has_packs && lattice.layout().order() == Order::even_odd ? doubled : single;
  const std::string precision = R == 8 ? "double" : "float";
  std::vector<BenchCase> cases;
  const auto add = [&](const std::string& kernel, double sites, double reals, double flops, std::function<void()> run,
                       int steps = 1) {
    cases.push_back({kernel, precision, sites * steps, reals * R, flops, std::move(run), steps});
  };

  const GaugeField<T> gauge(lattice, "gauge", 4);
  // Two sweeps from cold: rough, and yet every smearing's projection to SU(3) exists.
  cold_start(gauge);
  PureGaugeUpdate<T> update(gauge, 6.0, 1);
  for (int i = 0; i < 2; ++i) update.heatbath();
  const GaugeLinks<T> links(gauge);
  const SpinorField<T> a(lattice, "a"), b(lattice, "b");
  const Field<ColorVector, T> u(lattice, "u"), v(lattice, "v");
  fill(a, 1);
  fill(u, 2);
  const CovariantLaplacian<T> laplacian(links), spatial(links, Dimensions::space);
  const WilsonOperator<T> wilson(links, 0.1);
  add("Laplacian, spinor", V, 48 + link_reals, 8 * 288 + 48, [=] { laplacian.apply(a, b); });
  if (link_reals < doubled && has_packs) {
    const CovariantLaplacian<T> twice(GaugeLinks<T>(gauge, {}, LinkStorage::twice));
    add("Laplacian, spinor, links twice", V, 48 + doubled, 8 * 288 + 48, [=] { twice.apply(a, b); });
  }
  add("Laplacian, colour vector", V, 12 + link_reals, 8 * 72 + 12, [=] { laplacian.apply(u, v); });
  add("Laplacian in space, spinor", V, 48 + link_reals * 3 / 4, 6 * 288 + 48, [=] { spatial.apply(a, b); });
  add("Laplacian in space, colour vector", V, 12 + link_reals * 3 / 4, 6 * 72 + 12, [=] { spatial.apply(u, v); });
  // Half the sites write; each reads its eight links, of which sites of one parity share none.
  add("Wilson hop, even from odd", V / 2, 48 + doubled, 1320, [=] { wilson.hop(a.odd(), b.even()); });
  add("Wilson operator", V, 48 + link_reals, 1320 + 48, [=] { wilson.apply(a, b); });
  add_blocks<T, default_lanes>(cases, lattice, links, 8, V, has_packs ? doubled : single, doubled);
  add("axpy, spinor", V, 72, 48, [=] { axpy(0.5, a, b); });
  add("norm2, spinor", V, 24, 48, [=] { norm2(a); });
  add("inner product, spinor", V, 48, 96, [=] { inner_product(a, b); });
  // A plane: two products of matrices and the trace of a third.
  add("plaquette", V, single, 6 * (2 * 198 + 36), [=] { plaquettes(gauge); });

  const SpinorField<T> s(lattice, "propagator", 12), smeared(lattice, "smeared propagator", 12);
  fill(s, 4);
  add("Laplacian in space, 12 columns", 12 * V, 48 + link_reals * 3 / 4 / 12, 6 * 288 + 48,
      [=] { spatial.apply(s, smeared); });
  // Sites, bytes and flops of all steps, as if each went through memory.
  const int n = 50;
  const WuppertalSmearing<T> wuppertal(links, {.width = 4, .iterations = n});
  const double step_reals = 48 + link_reals * 3 / 4 / 12, step_flops = 6 * 288 + 48;
  add(
      "Wuppertal, 50 steps, 12 columns", 12 * V, step_reals, step_flops, [=] { wuppertal.apply(s, smeared); }, n);
  add(
      "Wuppertal, 50 steps, spinor", V, 48 + link_reals * 3 / 4, step_flops, [=] { wuppertal.apply(a, b); }, n);
  add(
      "Wuppertal, 50 steps, colour vector", V, 12 + link_reals * 3 / 4, 6 * 72 + 12, [=] { wuppertal.apply(u, v); }, n);
  // One kernel an order; as many orders as steps above.
  const ProfileSmearing<T> chebyshev(links, gaussian_profile(3), {.order = n});
  const double order_reals = 96 + link_reals * 3 / 4, order_flops = step_flops + 96;
  add(
      "Chebyshev, order 50, 12 columns", 12 * V, 96 + link_reals * 3 / 4 / 12, order_flops,
      [=] { chebyshev.apply(s, smeared); }, n);
  add(
      "Chebyshev, order 50, spinor", V, order_reals, order_flops, [=] { chebyshev.apply(a, b); }, n);
  add(
      "Chebyshev, order 50, colour vector", V, 24 + link_reals * 3 / 4, 6 * 72 + 36, [=] { chebyshev.apply(u, v); }, n);
  const AdjointLaplacian<T> adjoint(links);
  const Field<AdjointVector, T> o(lattice, "o"), q(lattice, "q"), o8(lattice, "o8", 8), q8(lattice, "q8", 8);
  fill(o, 5);
  fill(o8, 6);
  add("adjoint Laplacian", V, 32 + link_reals, 8 * 448 + 60, [=] { adjoint.apply(o, q); });
  add("adjoint Laplacian, 8 columns", 8 * V, 32 + link_reals / 8, 8 * 448 + 60, [=] { adjoint.apply(o8, q8); });
  add_link_cases<T>(add, gauge, V);
  const auto channels = all_mesons();
  add("256 mesons, p = 0", V, 288, 18432, [=] { mesons<T>(s, s, channels, {Momentum{0, 0, 0}}, {0, 0, 0, 0}); });
  const std::vector<BaryonChannel> proton{nucleon()};
  add("nucleon, p = 0", V, 288, 30000, [=] { baryons<T>(s, s, proton, {Momentum{0, 0, 0}}, {0, 0, 0, 0}); });

  // Per link: 18 products of matrices for the staples; the heatbath's draws are not counted.
  const auto chain = std::make_shared<PureGaugeUpdate<T>>(gauge, 6.0, 1);
  add("heatbath sweep", V, 2 * single, 4 * (18 * 198 + 6 * 18), [=] { chain->heatbath(); });
  add("overrelaxation sweep", V, 2 * single, 4 * (18 * 198 + 6 * 18), [=] { chain->overrelax(); });
  return cases;
}

template std::vector<BenchCase> bench_cases<float>(const Lattice&);
template std::vector<BenchCase> bench_cases<double>(const Lattice&);

}  // namespace kov::app
