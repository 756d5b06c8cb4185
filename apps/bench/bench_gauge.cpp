// SPDX-License-Identifier: MIT
//
// Chains of configurations and gauge fixing.
#include "apps/bench/bench_rows.hpp"
#include "kov/stencil/gauge/gauge_fixing.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

namespace kov::app {

namespace {

template <class T>
void add_chain(BenchRows<T>& rows) {
  const double V = rows.sites;
  const GaugeField<T> links = rows.gauge.clone("links of a chain");
  const auto chain = std::make_shared<PureGaugeUpdate<T>>(links, 6.0, 1);
  // A link: 18 products of matrices for the staples; the draws are not counted.
  rows.add("heatbath sweep", V, 144, 4 * (18 * 198 + 6 * 18), [=] { chain->heatbath(); });
  rows.add("overrelaxation sweep", V, 144, 4 * (18 * 198 + 6 * 18), [=] { chain->overrelax(); });
  const GaugeField<T> start = links.like("links to start from");
  rows.add("hot start", V, 72, 0, [=] { hot_start(start, 1); });
  rows.add("weak field", V, 72, 0, [=] { weak_field_start(start, 0.1, 1); });
  rows.add("cold start", V, 72, 0, [=] { cold_start(start); });
}

/// Sites of one parity share no links: an iteration reads all of them for each.
template <class T>
void add_fixing(BenchRows<T>& rows) {
  const double V = rows.sites;
  const GaugeField<T> gauge = rows.gauge.alias();
  const auto landau = std::make_shared<GaugeFixer<T>>(gauge, GaugeFixing{.condition = GaugeCondition::landau}),
             coulomb = std::make_shared<GaugeFixer<T>>(gauge, GaugeFixing{.condition = GaugeCondition::coulomb});
  rows.add("Landau gauge, iteration", V, 144 + 54, 9 * 198, [=] { landau->iterate(); });
  rows.add("Coulomb gauge, iteration", V, 108 + 54, 7 * 198, [=] { coulomb->iterate(); });
  // Eight products and one more, the traceless part; in exact sums two doubles are stored.
  rows.add("Landau gauge, theta", V, 72 + 18 + 2 * 8.0 / sizeof(T), 9 * 198 + 45, [=] { landau->measure(); });
  rows.add("gauge transformation back to SU(3)", V, 36, 198, [=] { landau->reunitarise(); });
  // Slice by slice, as if each pass went over its slice alone; the unit matrix at first.
  rows.add("temporal gauge", V, 18 + 54, 198, [=] { temporal_gauge(gauge); });
  const Field<ColorMatrix, T> g = landau->transformation().alias();
  rows.add("gauge transformation of links", V, 72 + 18 + 72, 8 * 198, [=] { gauge_transform(gauge, g); });
}

}  // namespace

template <class T>
void add_gauge_rows(BenchRows<T>& rows) {
  add_chain(rows);
  add_fixing(rows);
}

template void add_gauge_rows(BenchRows<float>&);
template void add_gauge_rows(BenchRows<double>&);

}  // namespace kov::app
