// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/gauge_fixing.hpp"

#include "kov/core/site/su3.hpp"
#include "kov/stencil/gauge/su3_maps.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/observables/observables.hpp"

#include <array>
#include <cmath>

namespace kov {

namespace detail {

template <class T, class StencilView>
struct GaugeTransformKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  StencilView stencil;
  FieldView<ColorMatrix, T> u;
  NeighbourView<ColorMatrix, T> g;
  FieldView<ColorMatrix, T> out;
  /// Whether fields exceed the caches, so that stores that bypass them pay.
  bool streaming;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int mu) const {
    const auto link = g(x) * (u(x, mu) * adj(g.neighbour(x, stencil.at(x), 2 * mu, 0)));
    set_or_stream(out, x, link, mu, streaming);
  }
};

/// w(x) = sum over mu of U'_mu(x) + U'_mu(x - mu)^+, U' the transformed links: g(x) times a sum over its neighbours.
/// TA[w] is the divergence D(x), Re tr w the part of the functional that g(x) can change.
template <class T, class StencilView>
struct TransformedLinks {
  StencilView stencil;
  NeighbourView<ColorMatrix, T> u, g;
  int n_directions;
  /// Whether fields exceed the caches, so that prefetching pays.
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    const auto near = stencil.at(x);
    using R = typename decltype(g(x))::Real;
    auto sum = zero<ColorMatrix<R>>();
    if (streaming) prefetch(Site(x));
    for (int mu = 0; mu < n_directions; ++mu) {
      sum += u(x, mu) * adj(g.neighbour(x, near, 2 * mu, 0));
      sum += adj(g.neighbour(x, near, 2 * mu + 1, 0) * u.neighbour(x, near, 2 * mu + 1, mu));
    }
    return sum;
  }

  /// Prefetches what the next site will read.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] Site x) const {
    if constexpr (!std::is_same_v<Site, LaneSite>) {
      const Site after = site_after(x);
      const auto next = stencil.at(after);
      g.field().prefetch(after.outer, 0);
      for (int mu = 0; mu < n_directions; ++mu) {
        u.field().prefetch(after.outer, mu);
        prefetch_neighbour(u, next, 2 * mu + 1, mu);
        prefetch_neighbour(g, next, 2 * mu, 0);
        prefetch_neighbour(g, next, 2 * mu + 1, 0);
      }
    }
  }
};

template <class T, class StencilView>
struct GaugeRelaxKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  TransformedLinks<T, StencilView> links;
  FieldView<ColorMatrix, T> g;
  T omega;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int) const {
    using Kokkos::sqrt;
    auto turn = g(x);
    auto w = turn * links(x);
    using R = typename decltype(g(x))::Real;
    const R tiny(1e-30f);  // where the neighbours do not determine the subgroup element, any step will do
    for (int k = 0; k < 3; ++k) {
      const Quaternion<R> r = subgroup_part(w, k);
      const R size = sqrt(norm2(r) + tiny);
      const R most = R(omega);
      Quaternion<R> step{{(R(1) - most) * size + most * r.v[0], -most * r.v[1], -most * r.v[2], -most * r.v[3]}};
      const R scale = R(1) / sqrt(norm2(step) + tiny);
      for (R& v : step.v) v *= scale;
      multiply_subgroup(turn, step, k);
      multiply_subgroup(w, step, k);
    }
    g.set(x, turn);
  }
};

/// Re tr w and tr D D^+.
template <class T, class StencilView>
struct GaugeQualityKernel {
  TransformedLinks<T, StencilView> links;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    const auto w = links.g(x) * links(x);
    using R = typename decltype(links.g(x))::Real;
    return Values<R, 2>{{trace(w).re, norm2(traceless_antihermitian(w))}};
  }
};

template <class T>
struct UnitMatrixKernel {
  FieldView<ColorMatrix, T> g;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    using R = typename decltype(g(x))::Real;
    g.set(x, unit_matrix<R>());
  }
};

template <class T>
struct ReunitariseKernel {
  FieldView<ColorMatrix, T> g;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    ColorMatrix<T> m = g(x);
    reunitarise(m);
    g.set(x, m);
  }
};

/// g(x) = g(x - t) U_t(x - t) on one time slice; to be run over all sites, of which the others have nothing to do while
/// g is exchanged.
template <class T, class StencilView>
struct TemporalGaugeKernel {
  StencilView stencil;
  Layout::View layout;
  NeighbourView<ColorMatrix, T> u, before;
  FieldView<ColorMatrix, T> g;
  int local_t;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    if (layout.coordinate(x.outer, x.lane)[3] != local_t) return;
    const auto back = stencil.at(x)(7);
    ColorMatrix<T> m = before(x, back) * u(x, back);
    g.set(x, m);
  }
};

}  // namespace detail

namespace {

template <class T>
void require_transformation(const GaugeField<T>& gauge, const Field<ColorMatrix, T>& g) {
  require(g.lattice() == gauge.lattice() && g.n_components() == 1 && g.subset() == Subset::all, g.name(),
          "is not a gauge transformation of", gauge.name(), ": it takes one matrix on every site of the same lattice");
}

template <class T>
Field<ColorMatrix, T> unit_transformation(const Lattice& lattice) {
  const Field<ColorMatrix, T> g(lattice, "gauge transformation");
  for_each_site("unit_matrix", g.range(), detail::UnitMatrixKernel<T>{g.view()});
  return g;
}

int n_directions(GaugeCondition condition) { return condition == GaugeCondition::coulomb ? 3 : 4; }

}  // namespace

template <class T>
GaugeField<T> gauge_transform(const GaugeField<T>& gauge, const Field<ColorMatrix, T>& g) {
  require_gauge(gauge);
  require_transformation(gauge, g);
  const Lattice& lattice = gauge.lattice();
  const GaugeField<T> out = gauge.like("transformed links");
  const bool streaming = worth_streaming(gauge.bytes() + g.bytes() + out.bytes());
  run_stencil<StencilForms::nearest>("gauge_transform", Stencil::of(lattice),
                                     halo_for<ColorMatrix, T>(lattice, 1, {.legs = forward_legs}), g, out,
                                     [&](const auto& neighbours, const auto& stencil) {
                                       return detail::GaugeTransformKernel<T, std::decay_t<decltype(stencil)>>{
                                           stencil, gauge.view(), neighbours, out.view(), streaming};
                                     });
  Exec().fence("gauge transform");
  return out;
}

template <class T>
GaugeFixer<T>::GaugeFixer(const GaugeField<T>& gauge, const GaugeFixing& parameters) : parameters_(parameters) {
  require_gauge(gauge);
  gauge.lattice().require_same("gauge fixing", int(parameters.condition), parameters.tolerance,
                               parameters.overrelaxation, parameters.max_iterations, parameters.check_every);
  require(parameters.tolerance > 0, "the tolerance of gauge fixing is", parameters.tolerance,
          "and must be positive: theta is never 0 in finite precision");
  require(parameters.overrelaxation > 0 && parameters.overrelaxation < 2, "overrelaxation is",
          parameters.overrelaxation, "and must lie strictly between 0 and 2: elsewhere the functional falls");
  require(parameters.max_iterations >= 0 && parameters.check_every > 0, "gauge fixing was given",
          parameters.max_iterations, "iterations, checked every", parameters.check_every,
          ": the first must be 0 or more, the second 1 or more");
  const Lattice& lattice = gauge.lattice();
  gauge_ = gauge.alias();
  link_halo_ = Halo<ColorMatrix, T>(lattice, 4, {.legs = backward_legs});
  g_halo_ = Halo<ColorMatrix, T>(lattice, 1);
  u_ = link_halo_.exchange(gauge);
  g_ = unit_transformation<T>(lattice);
  streaming_ = worth_streaming(gauge_.bytes() + g_.bytes());
}

template <class T>
void GaugeFixer<T>::iterate() {
  const int d = n_directions(parameters_.condition);
  for (const Subset parity : {Subset::even, Subset::odd}) {
    const Field<ColorMatrix, T> half = g_.half(parity), others = g_.half(opposite(parity));
    run_stencil<StencilForms::nearest>(
        "gauge_relax", Stencil::of(gauge_.lattice()), g_halo_, others, half,
        [&](const auto& neighbours, const auto& stencil) {
          return detail::GaugeRelaxKernel<T, std::decay_t<decltype(stencil)>>{
              {stencil, u_, {g_.view(), neighbours.halo()}, d, streaming_}, g_.view(), T(parameters_.overrelaxation)};
        });
  }
  ++iteration_;
}

template <class T>
GaugeFixingPoint GaugeFixer<T>::measure() const {
  const Lattice& lattice = gauge_.lattice();
  const int d = n_directions(parameters_.condition);
  const auto neighbours = g_halo_.exchange(g_);
  std::array<double, 2> sum{};
  with_view<StencilForms::nearest>(Stencil::of(lattice), [&](const auto& stencil) {
    const detail::GaugeQualityKernel<T, std::decay_t<decltype(stencil)>> kernel{
        {stencil, u_, neighbours, d, streaming_}};
    sum = sum_sites<2>("gauge_quality", lattice, Subset::all, kernel, SumMode::exact);
  });
  const double sites = double(lattice.volume());
  return {.iteration = iteration_, .functional = sum[0] / (6 * d * sites), .theta = sum[1] / (3 * sites)};
}

template <class T>
void GaugeFixer<T>::reunitarise() {
  for_each_lane("reunitarise", g_.range(), detail::ReunitariseKernel<T>{g_.view()});
}

template <class T>
FixedGauge<T> fix_gauge(const GaugeField<T>& gauge, const GaugeFixing& parameters,
                        const std::function<void(const GaugeFixingPoint&)>& after_check) {
  GaugeFixer<T> fixer(gauge, parameters);
  FixedGauge<T> fixed{.transformation = fixer.transformation().alias(), .history = {}};
  for (int iteration = 0;; ++iteration) {
    if (iteration % parameters.check_every == 0 || iteration == parameters.max_iterations) {
      fixer.reunitarise();
      fixed.history.push_back(fixer.measure());
      if (after_check) after_check(fixed.result());
      if (fixed.result().theta <= parameters.tolerance) return fixed;
      require<ConvergenceError>(iteration < parameters.max_iterations,
                                "gauge fixing reached theta =", fixed.result().theta, "after", iteration,
                                "iterations, but was to reach", parameters.tolerance,
                                ": allow more iterations, another overrelaxation or a larger tolerance");
    }
    fixer.iterate();
  }
}

template <class T>
Field<ColorMatrix, T> temporal_gauge(const GaugeField<T>& gauge) {
  require_gauge(gauge);
  const Lattice& lattice = gauge.lattice();
  const Geometry& geometry = lattice.geometry();
  const Field<ColorMatrix, T> g = unit_transformation<T>(lattice);
  const Field<ColorMatrix, T> links = gauge.column(3);
  const Halo<ColorMatrix, T> link_halo(lattice, 1, {.legs = {7}}), halo(lattice, 1, {.legs = {7}});
  const auto u = link_halo.exchange(links);
  for (int t = 1; t < lattice.extent()[3]; ++t) {
    const auto before = halo.exchange(g);
    with_view<StencilForms::any>(Stencil::of(lattice), [&](const auto& stencil) {
      for_each_lane("temporal_gauge", g.range(),
                    detail::TemporalGaugeKernel<T, std::decay_t<decltype(stencil)>>{
                        stencil, lattice.layout().view(), u, before, g.view(), t - geometry.origin()[3]});
    });
  }
  Exec().fence("temporal gauge");
  return g;
}

template class GaugeFixer<float>;
template class GaugeFixer<double>;
template GaugeField<float> gauge_transform(const GaugeField<float>&, const Field<ColorMatrix, float>&);
template GaugeField<double> gauge_transform(const GaugeField<double>&, const Field<ColorMatrix, double>&);
template FixedGauge<float> fix_gauge(const GaugeField<float>&, const GaugeFixing&,
                                     const std::function<void(const GaugeFixingPoint&)>&);
template FixedGauge<double> fix_gauge(const GaugeField<double>&, const GaugeFixing&,
                                      const std::function<void(const GaugeFixingPoint&)>&);
template Field<ColorMatrix, float> temporal_gauge(const GaugeField<float>&);
template Field<ColorMatrix, double> temporal_gauge(const GaugeField<double>&);

}  // namespace kov
