// SPDX-License-Identifier: MIT
#include "apps/bench/bench_rows.hpp"

#include "kov/stencil/gauge/heatbath.hpp"

namespace kov::app {

namespace {

template <class T>
GaugeField<T> rough_links(const Lattice& lattice) {
  const GaugeField<T> gauge(lattice, "gauge", 4);
  cold_start(gauge);
  PureGaugeUpdate<T> update(gauge, 6.0, 1);
  for (int i = 0; i < 2; ++i) update.heatbath();
  return gauge;
}

}  // namespace

template <class T>
BenchRows<T>::BenchRows(const Lattice& lattice)
    : lattice(lattice),
      sites(double(lattice.geometry().local_volume())),
      gauge(rough_links<T>(lattice)),
      links(gauge),
      link_reals(has_packs && lattice.layout().order() == Order::even_odd ? 144 : 72),
      a(lattice, "a"),
      b(lattice, "b"),
      u(lattice, "u"),
      v(lattice, "v") {
  fill_for_bench(a, 1);
  fill_for_bench(u, 2);
}

template <class T>
void BenchRows<T>::add(const std::string& kernel, double sites_of_step, double reals, double flops,
                       std::function<void()> run, int steps) {
  cases.push_back({kernel, sizeof(T) == 8 ? "double" : "float", sites_of_step * steps, reals * sizeof(T), flops,
                   std::move(run), steps});
}

std::optional<Coord> schwarz_block(const Lattice& lattice) {
  Coord block;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int extent = lattice.extent()[mu], local = lattice.geometry().local_extent()[mu];
    if (extent % 8 == 0 && local % 4 == 0)
      block[mu] = 4;
    else if (extent % 4 == 0 && local % 2 == 0)
      block[mu] = 2;
    else if (local == extent)
      block[mu] = extent;
    else
      return {};
  }
  return block;
}

template class BenchRows<float>;
template class BenchRows<double>;

}  // namespace kov::app
