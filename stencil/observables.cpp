// SPDX-License-Identifier: MIT
#include "kov/stencil/observables.hpp"

#include "kov/core/su3.hpp"
#include "kov/stencil/launch.hpp"

#include <utility>

namespace kov {

namespace detail {

/// Re tr of the six plaquettes whose lower corner is x.  6 * (2 * 198 + 36) flops.
template <class T>
struct PlaquetteKernel {
  Stencil::View stencil;
  NeighbourView<ColorMatrix, T, default_lanes> u;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    const auto near = stencil.at(x);
    using R = typename decltype(u(x, 0))::Real;
    Values<R, 6> trace;
    int plane = 0;
    for (int mu = 0; mu < 3; ++mu)
      for (int nu = mu + 1; nu < 4; ++nu)
        trace.v[plane++] = real_trace_adj(u(x, mu) * u(x, near(2 * mu), nu), u(x, nu) * u(x, near(2 * nu), mu));
    return trace;
  }
};

template <class T>
struct LinkTraceKernel {
  FieldView<ColorMatrix, T, default_lanes> u;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    using R = typename decltype(u(x, 0))::Real;
    R sum(0);
    for (int mu = 0; mu < 4; ++mu) sum += trace(u(x, mu)).re;
    return Values<R, 1>{{sum}};
  }
};

/// out(x) = U_mu(x) in(x + mu): one more link at the near end of a line.
template <class T>
struct ExtendLineKernel {
  Stencil::View stencil;
  FieldView<ColorMatrix, T, default_lanes> u;
  NeighbourView<ColorMatrix, T, default_lanes> in;
  FieldView<ColorMatrix, T, default_lanes> out;
  int mu;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    out.set(x, u(x, mu) * in(x, near(2 * mu)));
  }
};

template <class T>
struct TraceKernel {
  FieldView<ColorMatrix, T, default_lanes> u;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    using R = typename decltype(u(x, 0))::Real;
    const Complex<R> z = trace(u(x));
    return Values<R, 2>{{z.re, z.im}};
  }
};

template <class T>
struct UnitarityKernel {
  FieldView<ColorMatrix, T, default_lanes> u;
  Layout::View layout;

  KOKKOS_FUNCTION void operator()(int i, double& worst) const {
    const LaneSite x{i / default_lanes, i % default_lanes};
    if (!layout.is_site(x.outer, x.lane)) return;
    for (int mu = 0; mu < 4; ++mu) {
      const ColorMatrix<T> stored = u(x, mu);
      ColorMatrix<double> v;
      for (int k = 0; k < 9; ++k) v.z[k] = {double(stored.z[k].re), double(stored.z[k].im)};
      ColorMatrix<double> off = v * adj(v);
      for (int a = 0; a < 3; ++a) off(a, a).re -= 1;
      Complex<double> det = determinant(v);
      det.re -= 1;
      for (int k = 0; k < 9; ++k) raise(worst, off.z[k]);
      raise(worst, det);
    }
  }
  /// A number that is none counts as infinite, because a maximum would lose it.
  KOKKOS_FUNCTION static void raise(double& worst, const Complex<double>& z) {
    const double size = Kokkos::sqrt(norm2(z));
    if (!(size <= worst)) worst = size == size ? size : Kokkos::Experimental::infinity_v<double>;
  }
};

}  // namespace detail

double Plaquettes::plane(int mu, int nu) const {
  if (mu > nu) std::swap(mu, nu);
  require(0 <= mu && mu < nu && nu < 4, "there is no plane of the directions", mu, "and", nu,
          ": take two different ones of 0 to 3");
  return planes[std::size_t(mu == 0 ? nu - 1 : mu + nu)];
}

template <class T>
void require_gauge(const GaugeField<T>& gauge) {
  require(gauge.n_components() == 4 && gauge.subset() == Subset::all, gauge.name(), "has", gauge.n_components(),
          "components", gauge.subset() == Subset::all ? "on all sites," : "on one parity,",
          "a gauge field has the 4 links of every site");
}

template <class T>
Plaquettes plaquettes(const GaugeField<T>& gauge, SumMode mode) {
  require_gauge(gauge);
  const Lattice& lattice = gauge.lattice();
  const detail::PlaquetteKernel<T> kernel{Stencil::of(lattice).view(),
                                          halo_for<ColorMatrix, T>(lattice, 4, {.legs = forward_legs}).exchange(gauge)};
  Plaquettes result{sum_sites<6>("plaquettes", lattice, Subset::all, kernel, mode)};
  for (double& p : result.planes) p /= 3 * double(lattice.volume());
  return result;
}

template <class T>
double link_trace(const GaugeField<T>& gauge, SumMode mode) {
  require_gauge(gauge);
  const Lattice& lattice = gauge.lattice();
  const detail::LinkTraceKernel<T> kernel{gauge.view()};
  return sum_sites<1>("link_trace", lattice, Subset::all, kernel, mode)[0] / (12 * double(lattice.volume()));
}

template <class T>
std::complex<double> polyakov_loop(const GaugeField<T>& gauge, SumMode mode, int direction) {
  require_gauge(gauge);
  require(0 <= direction && direction < 4, "there is no direction", direction, ": take one of 0 to 3");
  const Lattice& lattice = gauge.lattice();
  const Stencil::View stencil = Stencil::of(lattice).view();
  const auto& halo = halo_for<ColorMatrix, T>(lattice, 1, {.legs = {2 * direction}});
  Field<ColorMatrix, T> line = gauge.column(direction), next(lattice, "line of links"),
                        spare = next.like("line of links");
  for (int step = 1; step < lattice.extent()[std::size_t(direction)]; ++step) {
    const auto neighbours = halo.exchange(line);
    for_each_site<default_lanes>(
        "extend_line", next.range(),
        detail::ExtendLineKernel<T>{stencil, gauge.view(), neighbours, next.view(), direction});
    line = std::exchange(next, spare);
    spare = line;
  }
  const auto sum = sum_sites<2>("trace", lattice, Subset::all, detail::TraceKernel<T>{line.view()}, mode);
  return std::complex<double>(sum[0], sum[1]) / (3 * double(lattice.volume()));
}

template <class T>
double unitarity_deviation(const GaugeField<T>& gauge) {
  require_gauge(gauge);
  const SiteRange range = gauge.range();
  std::array<double, 1> worst{0};
  Kokkos::parallel_reduce("unitarity_deviation", Kokkos::RangePolicy<>(0, range.n_outer * default_lanes),
                          detail::UnitarityKernel<T>{gauge.view(), gauge.layout().view()},
                          Kokkos::Max<double>(worst[0]));
  worst[0] = std::max(worst[0], 0.0);
  gauge.lattice().comm().max(worst);
  return worst[0];
}

template Plaquettes plaquettes(const GaugeField<float>&, SumMode);
template Plaquettes plaquettes(const GaugeField<double>&, SumMode);
template double link_trace(const GaugeField<float>&, SumMode);
template double link_trace(const GaugeField<double>&, SumMode);
template std::complex<double> polyakov_loop(const GaugeField<float>&, SumMode, int);
template std::complex<double> polyakov_loop(const GaugeField<double>&, SumMode, int);
template double unitarity_deviation(const GaugeField<float>&);
template double unitarity_deviation(const GaugeField<double>&);
template void require_gauge(const GaugeField<float>&);
template void require_gauge(const GaugeField<double>&);

}  // namespace kov
