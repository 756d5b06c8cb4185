// SPDX-License-Identifier: MIT
#include "kov/contractions/sources/source.hpp"

#include "kov/contractions/sources/source_point.hpp"
#include "kov/core/lattice/global_site.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "kov/stencil/statements/phase.hpp"

namespace kov {

namespace detail {

/// Component k gets the unit vector of spin and colour number first + k.
template <class T>
struct UnitVectorsKernel {
  FieldView<Spinor, T> source;
  LaneSite site;
  int first;

  KOKKOS_FUNCTION void operator()(int k) const {
    Spinor<T> unit = zero<Spinor<T>>();
    unit.z[first + k].re = T(1);
    source.set(site, unit, k);
  }
};

template <class T>
SpinorField<T> unit_vectors(const Lattice& lattice, const Coord& origin, int first, int n, const Exec& exec) {
  require_on_lattice(origin, lattice);
  const SpinorField<T> source(lattice, "point source", n);
  const Geometry& geometry = lattice.geometry();
  if (geometry.owns(origin)) {
    const auto at = source.layout().locate(geometry.local(origin));
    for_each_item("point_source", n, UnitVectorsKernel<T>{source.view(), {at.outer, at.lane}, first}, exec);
  }
  return source;
}

/// source(x) *= phase(x)
template <class T>
struct PhaseKernel {
  using View = FieldView<Spinor, T>;
  static constexpr bool takes_pairs = View::outers == 2;

  PhaseNode<T> phase;
  View source;
  int n_components;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto z = phase(x, 0);
    for (int c = 0; c < n_components; ++c) source.set(x, z * source(x, c), c);
  }
};

namespace {

void require_time(int t, const Lattice& lattice) {
  require(t >= 0 && t < lattice.extent()[3], "the time", t, "is outside the lattice", to_string(lattice.extent()),
          "; give one from 0 to the extent minus 1");
}

/// The index of a spin and colour in a spinor.
int element_of(int spin, int color) {
  require(spin >= 0 && spin < 4 && color >= 0 && color < 3, "a source of spin", spin, "and colour", color,
          "does not exist: spins are 0 to 3, colours 0 to 2");
  return 3 * spin + color;
}

}  // namespace

/// Which sites a source covers: points of a grid on a time slice, or on all where t < 0.
struct SourceSites {
  GlobalSite site;
  Kokkos::Array<int, 3> origin, spacing;
  int t;

  SourceSites(const Lattice& lattice, int time, const Coord& from = {}, const std::array<int, 3>& step = {1, 1, 1})
      : site(lattice), t(time) {
    for (std::size_t mu = 0; mu < 3; ++mu) {
      origin[mu] = from[mu];
      spacing[mu] = step[mu];
    }
  }
  KOKKOS_INLINE_FUNCTION bool holds(const Coord& x) const {
    bool on = t < 0 || x[3] == t;
    for (int mu = 0; mu < 3; ++mu) on = on && (x[mu] - origin[mu]) % spacing[mu] == 0;
    return on;
  }
};

/// The same n numbers of a site for every component: component c has them as the elements from first + c n on of its
/// spinor, which are a part of spin and colour of its own.
template <class T>
struct SourceKernel {
  SourceSites sites;
  Noise noise;
  bool noisy;
  FieldView<Spinor, T> source;
  int n_components, first, n;

  KOKKOS_FUNCTION void operator()(LaneSite at) const {
    const Coord x = sites.site.coordinate(at);
    if (!sites.holds(x)) return;
    SiteRandom random(noise.seed, noise.stream, sites.site.index(x));
    Complex<T> number[12];
    for (int k = 0; k < n; ++k) {
      const Complex<double> z = noisy ? noise_number(noise.kind, random) : Complex<double>{1, 0};
      number[k] = {T(z.re), T(z.im)};
    }
    for (int c = 0; c < n_components; ++c) {
      Spinor<T> v = zero<Spinor<T>>();
      for (int k = 0; k < n; ++k) v.z[first + c * n + k] = number[k];
      source.set(at, v, c);
    }
  }
};

/// n_components of them from element `first` on, n elements each.
template <class T>
SpinorField<T> make_source(const Lattice& lattice, const char* name, const SourceSites& sites,
                           const std::optional<Noise>& noise, int n_components, int first, int n, const Exec& exec) {
  const SpinorField<T> source(lattice, name, n_components);
  for_each_lane(
      name, source.range(),
      SourceKernel<T>{sites, noise.value_or(Noise{}), noise.has_value(), source.view(), n_components, first, n}, exec);
  return source;
}

template <class T>
SpinorField<T> make_wall(const Lattice& lattice, int t, int n_components, int first, const Exec& exec) {
  require_time(t, lattice);
  return make_source<T>(lattice, "wall source", SourceSites(lattice, t), {}, n_components, first, 1, exec);
}

template <class T>
SpinorField<T> make_grid(const Lattice& lattice, const PointGrid& grid, int n_components, int first, const Exec& exec) {
  require_on_lattice(grid.origin, lattice);
  for (std::size_t mu = 0; mu < 3; ++mu)
    require(grid.spacing[mu] > 0 && lattice.extent()[mu] % grid.spacing[mu] == 0, "a grid of points every",
            grid.spacing[mu], "sites does not close on the extent", lattice.extent()[mu],
            ": give a spacing that divides it");
  return make_source<T>(lattice, "grid source", SourceSites(lattice, grid.origin[3], grid.origin, grid.spacing),
                        grid.noise, n_components, first, 1, exec);
}

template <class T>
struct SequentialKernel {
  SourceSites sites;
  Gamma gamma;
  FieldView<Spinor, T> propagator, source;

  KOKKOS_FUNCTION void operator()(LaneSite at) const {
    if (!sites.holds(sites.site.coordinate(at))) return;
    for (int c = 0; c < 12; ++c) source.set(at, multiply(gamma, propagator(at, c)), c);
  }
};

}  // namespace detail

template <class T>
Propagator<T> wall_source(const Lattice& lattice, int t, const Exec& exec) {
  return Propagator<T>(detail::make_wall<T>(lattice, t, 12, 0, exec), {.source = "wall", .origin = {0, 0, 0, t}});
}

template <class T>
SpinorField<T> wall_source(const Lattice& lattice, int t, int spin, int color, const Exec& exec) {
  return detail::make_wall<T>(lattice, t, 1, detail::element_of(spin, color), exec);
}

template <class T>
Propagator<T> momentum_source(const Lattice& lattice, int t, const Momentum& p, const Exec& exec) {
  Propagator<T> source = wall_source<T>(lattice, t, exec);
  multiply_phase(source.columns(), p, {0, 0, 0, 0}, exec);
  source.labels.source = "momentum";
  return source;
}

template <class T>
SpinorField<T> noise_source(const Lattice& lattice, const NoiseSource& parameters, const Exec& exec) {
  lattice.require_same("a noise source", int(parameters.noise.kind), parameters.noise.seed, parameters.t.value_or(-1),
                       int(parameters.dilution));
  if (parameters.t) detail::require_time(*parameters.t, lattice);
  const int n_components = parameters.dilution == Dilution::none ? 1 : parameters.dilution == Dilution::spin ? 4 : 12;
  return detail::make_source<T>(lattice, "noise source", detail::SourceSites(lattice, parameters.t.value_or(-1)),
                                parameters.noise, n_components, 0, 12 / n_components, exec);
}

template <class T>
Propagator<T> grid_source(const Lattice& lattice, const PointGrid& grid, const Exec& exec) {
  return Propagator<T>(detail::make_grid<T>(lattice, grid, 12, 0, exec), {.source = "grid", .origin = grid.origin});
}

template <class T>
SpinorField<T> grid_source(const Lattice& lattice, const PointGrid& grid, int spin, int color, const Exec& exec) {
  return detail::make_grid<T>(lattice, grid, 1, detail::element_of(spin, color), exec);
}

template <class T>
void multiply_phase(const SpinorField<T>& source, const Momentum& p, const Coord& origin, const Exec& exec) {
  detail::require_on_lattice(origin, source.lattice());
  const MomentumPhases<T> phases(source.lattice(), {p}, origin, exec);
  for_each_site("multiply_phase", source.range(),
                detail::PhaseKernel<T>{{source.layout().view(), phases.view()}, source.view(), source.n_components()},
                exec);
}

template <class T>
Propagator<T> sequential_source(const Propagator<T>& propagator, int t_sink, const Gamma& gamma, const Momentum& p,
                                const Exec& exec) {
  const Lattice& lattice = propagator.lattice();
  detail::require_time(t_sink, lattice);
  Propagator<T> source = propagator.like("sequential source");
  for_each_lane("sequential_source", source.columns().range(),
                detail::SequentialKernel<T>{detail::SourceSites(lattice, t_sink), gamma, propagator.columns().view(),
                                            source.columns().view()},
                exec);
  multiply_phase(source.columns(), p, propagator.labels.origin, exec);
  source.labels.source = "sequential";
  return source;
}

template <class T>
SpinorField<T> point_source(const Lattice& lattice, const Coord& origin, int spin, int color, const Exec& exec) {
  return detail::unit_vectors<T>(lattice, origin, detail::element_of(spin, color), 1, exec);
}

template <class T>
Propagator<T> point_source(const Lattice& lattice, const Coord& origin, const Exec& exec) {
  return Propagator<T>(detail::unit_vectors<T>(lattice, origin, 0, 12, exec), {.source = "point", .origin = origin});
}

template SpinorField<float> point_source(const Lattice&, const Coord&, int, int, const Exec&);
template SpinorField<double> point_source(const Lattice&, const Coord&, int, int, const Exec&);
template Propagator<float> point_source(const Lattice&, const Coord&, const Exec&);
template Propagator<double> point_source(const Lattice&, const Coord&, const Exec&);
template Propagator<float> wall_source(const Lattice&, int, const Exec&);
template SpinorField<float> wall_source(const Lattice&, int, int, int, const Exec&);
template Propagator<float> momentum_source(const Lattice&, int, const Momentum&, const Exec&);
template SpinorField<float> noise_source(const Lattice&, const NoiseSource&, const Exec&);
template Propagator<float> grid_source(const Lattice&, const PointGrid&, const Exec&);
template SpinorField<float> grid_source(const Lattice&, const PointGrid&, int, int, const Exec&);
template void multiply_phase(const SpinorField<float>&, const Momentum&, const Coord&, const Exec&);
template Propagator<float> sequential_source(const Propagator<float>&, int, const Gamma&, const Momentum&, const Exec&);
template Propagator<double> wall_source(const Lattice&, int, const Exec&);
template SpinorField<double> wall_source(const Lattice&, int, int, int, const Exec&);
template Propagator<double> momentum_source(const Lattice&, int, const Momentum&, const Exec&);
template SpinorField<double> noise_source(const Lattice&, const NoiseSource&, const Exec&);
template Propagator<double> grid_source(const Lattice&, const PointGrid&, const Exec&);
template SpinorField<double> grid_source(const Lattice&, const PointGrid&, int, int, const Exec&);
template void multiply_phase(const SpinorField<double>&, const Momentum&, const Coord&, const Exec&);
template Propagator<double> sequential_source(const Propagator<double>&, int, const Gamma&, const Momentum&,
                                              const Exec&);

}  // namespace kov
