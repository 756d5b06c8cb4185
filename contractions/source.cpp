// SPDX-License-Identifier: MIT
#include "kov/contractions/source.hpp"

#include "kov/contractions/propagator_check.hpp"

namespace kov {

namespace detail {

/// Component k gets the unit vector of spin and colour number first + k.
template <class T>
struct UnitVectorsKernel {
  FieldView<Spinor, T, default_lanes> source;
  LaneSite site;
  int first;

  KOKKOS_FUNCTION void operator()(int k) const {
    Spinor<T> unit = zero<Spinor<T>>();
    unit.z[first + k].re = T(1);
    source.set(site, unit, k);
  }
};

template <class T>
SpinorField<T> unit_vectors(const Lattice& lattice, const Coord& origin, int first, int n) {
  require_on_lattice(origin, lattice);
  const SpinorField<T> source(lattice, "point source", n);
  const Geometry& geometry = lattice.geometry();
  if (geometry.owns(origin)) {
    const auto at = source.layout().locate(geometry.local(origin));
    Kokkos::parallel_for("point_source", Kokkos::RangePolicy<>(0, n),
                         UnitVectorsKernel<T>{source.view(), {at.outer, at.lane}, first});
  }
  return source;
}

}  // namespace detail

template <class T>
SpinorField<T> point_source(const Lattice& lattice, const Coord& origin, int spin, int color) {
  require(spin >= 0 && spin < 4 && color >= 0 && color < 3, "a source of spin", spin, "and colour", color,
          "does not exist: spins are 0 to 3, colours 0 to 2");
  return detail::unit_vectors<T>(lattice, origin, 3 * spin + color, 1);
}

template <class T>
SpinorField<T> point_source(const Lattice& lattice, const Coord& origin) {
  return detail::unit_vectors<T>(lattice, origin, 0, 12);
}

template SpinorField<float> point_source(const Lattice&, const Coord&, int, int);
template SpinorField<double> point_source(const Lattice&, const Coord&, int, int);
template SpinorField<float> point_source(const Lattice&, const Coord&);
template SpinorField<double> point_source(const Lattice&, const Coord&);

}  // namespace kov
