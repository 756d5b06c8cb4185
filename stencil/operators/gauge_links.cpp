// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/gauge_links.hpp"

#include "kov/core/field/site_map.hpp"
#include "kov/core/launch/for_each_site.hpp"

#include <cmath>
#include <numbers>

namespace kov {

namespace detail {

/// out_mu(x) = U_mu(x), times the boundary phase on the last site in direction mu.
template <class S, class T>
struct PhasedLinks {
  FieldView<ColorMatrix, S> in;
  FieldView<ColorMatrix, T> out;
  Layout::View layout;
  Kokkos::Array<int, 4> last;  // local coordinate of the last site, or -1 where it is on another rank
  Kokkos::Array<double, 8> phase;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    const Coord c = layout.coordinate(x.outer, x.lane);
    for (int mu = 0; mu < 4; ++mu) {
      const ColorMatrix<S> u = in(x, mu);
      ColorMatrix<T> v;
      for (int k = 0; k < 9; ++k) {
        const bool edge = c[mu] == last[mu];
        const double re = u.z[k].re, im = u.z[k].im, p = edge ? phase[2 * mu] : 1, q = edge ? phase[2 * mu + 1] : 0;
        v.z[k] = {T(re * p - im * q), T(re * q + im * p)};
      }
      out.set(x, v, mu);
    }
  }
};

template <class T>
struct DoubleLinks {
  Stencil::View stencil;
  NeighbourView<ColorMatrix, T> in;
  FieldView<ColorMatrix, T> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    for (int mu = 0; mu < 4; ++mu) {
      out.set(x, in(x, mu), 2 * mu);
      out.set(x, in(x, near(2 * mu + 1), mu), 2 * mu + 1);
    }
  }
};

}  // namespace detail

template <class T>
template <class S>
GaugeLinks<T>::GaugeLinks(const GaugeField<S>& gauge, const BoundaryAngles& boundary, LinkStorage storage)
    : forms_(std::make_shared<OnDemand>()), storage_(storage) {
  require(gauge.n_components() == 4, gauge.name(), "has", gauge.n_components(), "components, a gauge field has 4");
  const Lattice& lattice = gauge.lattice();
  const Geometry& geometry = lattice.geometry();
  const GaugeField<T> phased(lattice, "links", 4);
  detail::PhasedLinks<S, T> phases{gauge.view(), phased.view(), lattice.layout().view(), {}, {}};
  for (int mu = 0; mu < 4; ++mu) {
    const bool at_end = geometry.grid_coordinate()[mu] == geometry.grid()[mu] - 1;
    phases.last[mu] = at_end ? geometry.local_extent()[mu] - 1 : -1;
    const double angle = boundary.angle[std::size_t(mu)];
    const bool half_turn = std::abs(std::abs(angle) - std::numbers::pi) < 1e-15;  // exactly -1
    phases.phase[2 * mu] = half_turn ? -1 : std::cos(angle);
    phases.phase[2 * mu + 1] = half_turn ? 0 : std::sin(angle);
  }
  for_each_lane("boundary_phases", phased.range(), phases);
  halo_ = Halo<ColorMatrix, T>(lattice, 4);
  neighbours_ = halo_.exchange(phased);
  links_ = phased.alias();
}

template <class T>
const GaugeField<T>& GaugeLinks<T>::doubled() const {
  GaugeField<T>& field = forms_->doubled;
  if (field.n_components() == 0) {
    field = GaugeField<T>(lattice(), "doubled links", 8);
    for_each_site("double_links", field.range(),
                  detail::DoubleLinks<T>{Stencil::of(lattice()).view(), neighbours_, field.view()});
    Kokkos::fence("doubled links");
  }
  return field;
}

template <class T>
LinkView<T> GaugeLinks<T>::view() const {
  if constexpr (has_packs) {
    const bool gathers = lattice().layout().order() == Order::even_odd;
    return gathers || storage_ == LinkStorage::twice ? parity_view() : LinkView<T>(neighbours_, false);
  } else {
    return LinkView<T>(neighbours_);
  }
}

template <class T>
LinkView<T> GaugeLinks<T>::parity_view() const {
  if constexpr (has_packs)
    return LinkView<T>({doubled().view(), doubled().view()}, true);
  else
    return view();
}

template <class T>
BlockLinkView<T> GaugeLinks<T>::block_view() const {
  if constexpr (has_packs) {
    Field<ColorMatrix, T, 1>& field = forms_->columns;
    if (field.n_components() == 0) {
      field = Field<ColorMatrix, T, 1>(lattice(), "links for columns", 8);
      import_sites(export_sites(doubled()), field);
    }
    return BlockLinkView<T>(field.view());
  } else {
    return view();
  }
}

template class GaugeLinks<float>;
template class GaugeLinks<double>;
template GaugeLinks<float>::GaugeLinks(const GaugeField<float>&, const BoundaryAngles&, LinkStorage);
template GaugeLinks<float>::GaugeLinks(const GaugeField<double>&, const BoundaryAngles&, LinkStorage);
template GaugeLinks<double>::GaugeLinks(const GaugeField<float>&, const BoundaryAngles&, LinkStorage);
template GaugeLinks<double>::GaugeLinks(const GaugeField<double>&, const BoundaryAngles&, LinkStorage);

}  // namespace kov
