// SPDX-License-Identifier: MIT
//
// What is done to links and measured on them: smearing, flow, field strength, loops.
#include "apps/bench/bench_rows.hpp"
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/gradient_flow.hpp"
#include "kov/stencil/gauge/hyp_smearing.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/observables/field_strength.hpp"
#include "kov/stencil/observables/loops.hpp"
#include "kov/stencil/observables/observables.hpp"

namespace kov::app {

namespace {

/// The staples U^+, their traceless part, exponential() without squarings, the product with U.
template <class T>
double exponential_step_flops() {
  const double exponential = 420 + 21.0 * (sizeof(T) == 4 ? 12 : 20);
  return 2 * 198 + 18 + 45 + exponential;
}

/// Bytes: links in and links out, once for each step.
template <class T>
void add_link_smearing(BenchRows<T>& rows) {
  const double V = rows.sites, exponential = exponential_step_flops<T>();
  const GaugeField<T> gauge = rows.gauge.alias();
  rows.add("stout step", V, 144, 4 * (staple_flops(4) + exponential),
           [=] { stout(gauge, {.rho = 0.1, .n = 1, .directions = all_directions}); });
  rows.add("stout step in space", V, 144, 3 * (staple_flops(3) + exponential),
           [=] { stout(gauge, {.rho = 0.1, .n = 1}); });
  // Not counted: sweeps of the projection, whose number depends on the links.
  const double ape_flops = 3 * (staple_flops(3) + 36 + 2 * 198);
  rows.add("APE step in space", V, 144, ape_flops, [=] { ape(gauge, {.n = 1}); });
  const TraceProjection together{.stop = TraceProjection::Stop::average};
  rows.add("APE step in space, projected together", V, 144, ape_flops,
           [=] { ape(gauge, {.n = 1, .projection = together}); });
  rows.add("HYP step", V, 144, 48 * staple_flops(2) + 28 * (36 + 2 * 198), [=] { hyp(gauge, {.n = 1}); });
}

template <class T>
void add_flow(BenchRows<T>& rows) {
  const double V = rows.sites, exponential = exponential_step_flops<T>();
  // Three stages: links and exponents are read, exponents written, both read and links written.
  const auto wilson = std::make_shared<GradientFlow<T>>(rows.gauge);
  rows.add("Wilson flow step", V, 3 * 432, 3 * 4 * (staple_flops(4) + exponential + 36), [=] { wilson->step(0.01); });
  // Stages with a field of staples: for each plane 108 reals to make its staples, 216 for the rectangles, 108 to add
  // the lower halves; then the sum is read once more.
  const auto symanzik = std::make_shared<GradientFlow<T>>(rows.gauge, FlowAction::symanzik);
  rows.add("Symanzik flow step", V, 3 * (72 + 6 * 432 + 72 + 432), 3 * (156 * 198 + 4 * (exponential + 36)),
           [=] { symanzik->step(0.01); });
}

template <class T>
void add_observables(BenchRows<T>& rows) {
  const double V = rows.sites;
  const GaugeField<T> gauge = rows.gauge.alias();
  // A plane: two products of matrices and the trace of a third.
  rows.add("plaquette", V, 72, 6 * (2 * 198 + 36), [=] { plaquettes(gauge); });
  rows.add("link trace", V, 72, 12, [=] { link_trace(gauge); });
  // A link: a product and a determinant.
  rows.add("deviation from SU(3)", V, 72, 4 * (198 + 114), [=] { unitarity_deviation(gauge); });
  // The three of them in one kernel, which stores eight doubles a site: read once for their largest, seven for sums.
  rows.add("plaquettes, link trace and deviation", V, 72 + (8 + 8 + 7) * 8.0 / sizeof(T),
           6 * (2 * 198 + 36) + 12 + 4 * (198 + 114), [=] { measure_links(gauge); });
  const int steps = gauge.lattice().extent()[3] - 1;
  rows.add(
      "Polyakov loop, step", V, 54, 198, [=] { polyakov_loop(gauge); }, steps);
  // A plane: 54 reals to begin with, 90 for the side, 72 to carry a line along it.
  rows.add(
      "Wilson loop, 1 x 1", V, 216, 198 + 432, [=] { wilson_loops(gauge, {.space = 1, .time = 1}); }, 6);
  // For two planes: links and two fields of four leaves written, which are added in pairs (three fields) and read.
  const double leaf_reals = 3 * (72 + 144 + 216);
  rows.add("field strength", V, leaf_reals + 3 * 72 + 108, 6 * 8 * 198,
           [=] { field_strength(gauge, FieldStrengthTrace::removed); });
  rows.add("energy and charge", V, leaf_reals + 3 * 72, 6 * 8 * 198, [=] { field_strength_averages(gauge); });
}

}  // namespace

template <class T>
void add_link_rows(BenchRows<T>& rows) {
  add_link_smearing(rows);
  add_flow(rows);
  add_observables(rows);
}

template void add_link_rows(BenchRows<float>&);
template void add_link_rows(BenchRows<double>&);

}  // namespace kov::app
