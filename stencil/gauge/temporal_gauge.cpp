// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/temporal_gauge.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/site/su3.hpp"
#include "kov/stencil/gauge/gauge_fixing.hpp"

namespace kov {

namespace detail {

/// Takes the rounding errors off links in time, but for those from the last time slice to the first.
template <class T>
struct UnitTimeLinks {
  FieldView<ColorMatrix, T> links;
  Layout::View layout;
  int last_t;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    if (layout.coordinate(x.outer, x.lane)[3] != last_t) links.set(x, unit_matrix<T>(), 3);
  }
};

}  // namespace detail

template <class T>
TemporalGauge<T> in_temporal_gauge(const GaugeField<T>& gauge) {
  const Field<ColorMatrix, T> g = temporal_gauge(gauge);
  const GaugeField<T> links = gauge_transform(gauge, g);
  const Lattice& lattice = gauge.lattice();
  const int last_t = lattice.extent()[3] - 1 - lattice.geometry().origin()[3];
  for_each_lane("unit_time_links", links.range(),
                detail::UnitTimeLinks<T>{links.view(), lattice.layout().view(), last_t});
  Exec().fence("temporal gauge");
  return {.transformation = g.alias(), .links = links.alias()};
}

template TemporalGauge<float> in_temporal_gauge(const GaugeField<float>&);
template TemporalGauge<double> in_temporal_gauge(const GaugeField<double>&);

}  // namespace kov
