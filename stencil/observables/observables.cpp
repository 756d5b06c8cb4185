// SPDX-License-Identifier: MIT
#include "kov/stencil/observables/observables.hpp"

#include "kov/core/launch/exact_sums.hpp"
#include "kov/core/launch/streaming.hpp"
#include "kov/core/site/su3.hpp"
#include "kov/stencil/launch/run_stencil.hpp"

#include <utility>

namespace kov {

namespace detail {

/// Re tr of the six plaquettes whose lower corner is x.  6 * (2 * 198 + 36) flops.
template <class T>
struct PlaquetteKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  Stencil::View stencil;
  NeighbourView<ColorMatrix, T> u;
  /// Whether links exceed the caches, so that prefetching pays.
  bool prefetches;

  /// Prefetches the links at x + t, which no site has read before, and at x + z; recent sites have read the others.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x) const {
    if (!prefetches) return;
    const auto near = stencil.at(x);
    for (int nu = 0; nu < 3; ++nu) prefetch_neighbour(u, near, 6, nu);
    for (const int nu : {0, 1, 3}) prefetch_neighbour(u, near, 4, nu);
  }
  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    const auto near = stencil.at(x);
    using R = typename decltype(u(x, 0))::Real;
    Values<R, 6> trace;
    int plane = 0;
    for (int mu = 0; mu < 3; ++mu)
      for (int nu = mu + 1; nu < 4; ++nu)
        trace.v[plane++] =
            real_trace_adj(u(x, mu) * u.neighbour(x, near, 2 * mu, nu), u(x, nu) * u.neighbour(x, near, 2 * nu, mu));
    return trace;
  }
};

template <class T>
struct LinkTraceKernel {
  FieldView<ColorMatrix, T> u;

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
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  Stencil::View stencil;
  FieldView<ColorMatrix, T> u;
  NeighbourView<ColorMatrix, T> in;
  FieldView<ColorMatrix, T> out;
  int mu;
  /// Whether fields exceed the caches, so that prefetches and stores that bypass the caches are faster.
  bool streaming;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    if (streaming) prefetch(Site(x));
    const auto longer = u(x, mu) * in.neighbour(x, stencil.at(x), 2 * mu, 0);
    set_or_stream(out, x, longer, 0, streaming);
  }

 private:
  /// Prefetches what the next site will read.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] Site x) const {
    if constexpr (!std::is_same_v<Site, LaneSite>) {
      const Site after = site_after(x);
      u.prefetch(after.outer, mu);
      prefetch_neighbour(in, stencil.at(after), 2 * mu, 0);
    }
  }
};

template <class T>
struct TraceKernel {
  FieldView<ColorMatrix, T> u;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    using R = typename decltype(u(x, 0))::Real;
    const Complex<R> z = trace(u(x));
    return Values<R, 2>{{z.re, z.im}};
  }
};

/// The larger of the largest |z|^2 so far and that of z.  NaN counts as infinite, because a maximum would drop it.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void raise(R& worst, const Complex<R>& z) {
  const R size = norm2(z), infinity(Kokkos::Experimental::infinity_v<double>);
  worst = where_greater(size, worst, size, worst);
  worst = where_greater(size + R(1), R(0), worst, infinity);  // which is so for every number
}

/// The largest |element|^2 of U U^+ - 1 and of det U - 1 over the four links of a site.
template <class T, class Site>
KOKKOS_FUNCTION auto unitarity_violation(const FieldView<ColorMatrix, T>& u, Site x) {
  using R = decltype(to_double(u(x, 0).z[0].re));
  R worst(0.0);
  for (int mu = 0; mu < 4; ++mu) {
    const auto stored = u(x, mu);
    ColorMatrix<R> v;
    for (int k = 0; k < 9; ++k) v.z[k] = {to_double(stored.z[k].re), to_double(stored.z[k].im)};
    ColorMatrix<R> off = v * adj(v);
    for (int a = 0; a < 3; ++a) off(a, a).re -= R(1);
    Complex<R> det = determinant(v);
    det.re -= R(1);
    for (int k = 0; k < 9; ++k) raise(worst, off.z[k]);
    raise(worst, det);
  }
  return worst;
}

template <class T>
struct UnitarityKernel {
  FieldView<ColorMatrix, T> u;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    const auto worst = unitarity_violation(u, x);
    return Values<std::remove_const_t<decltype(worst)>, 1>{{worst}};
  }
};

/// Plaquettes, link trace and violation of unitarity of a site.
template <class T>
struct MeasureKernel {
  PlaquetteKernel<T> plaquettes;
  LinkTraceKernel<T> link_trace;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    const auto planes = plaquettes(x);
    using R = decltype(unitarity_violation(link_trace.u, x));
    Values<R, 8> all;
    for (int k = 0; k < 6; ++k) all.v[k] = to_double(planes.v[k]);
    all.v[6] = to_double(link_trace(x).v[0]);
    all.v[7] = unitarity_violation(link_trace.u, x);
    return all;
  }
};

/// The values of n reals a site where kernels run, and the largest of each on this rank.  8 reals written and read a
/// site and value, in double.
template <int n, class Kernel>
struct StoredValues {
  std::size_t n_lanes;
  Buffer<double> values;
  std::vector<double> largest;

  StoredValues(const std::string& name, const Lattice& lattice, const Kernel& kernel) {
    constexpr int N = default_lanes;
    const SiteRange range = lattice.layout().range(Subset::all);
    n_lanes = std::size_t(range.n_outer) * N;
    values = Buffer<double>(name, n * n_lanes);
    for_each_site(name, range,
                  StoreValues<site_index_t<Exec>, N, n, Kernel>{kernel, lattice.layout().view(), range.first, n_lanes,
                                                                values.data()});
    largest = largest_sizes(values.data(), n, n_lanes);
  }
};

/// The square root of the largest of all ranks.
double largest_root(const Comm& comm, double value) {
  comm.max(std::span(&value, 1));
  return std::sqrt(value);
}

template <class T>
PlaquetteKernel<T> plaquette_kernel(const GaugeField<T>& gauge) {
  const Lattice& lattice = gauge.lattice();
  return {Stencil::of(lattice).view(), halo_for<ColorMatrix, T>(lattice, 4, {.legs = forward_legs}).exchange(gauge),
          worth_streaming(gauge.bytes())};
}

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
          "but a gauge field has the 4 links of every site");
}

template <class T>
Plaquettes plaquettes(const GaugeField<T>& gauge, SumMode mode) {
  require_gauge(gauge);
  const Lattice& lattice = gauge.lattice();
  Plaquettes result{sum_sites<6>("plaquettes", lattice, Subset::all, detail::plaquette_kernel(gauge), mode)};
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
  // Each step reads what the one before wrote: in the third-level cache, if it fits.
  const bool streaming = exceeds_third_cache(line.bytes() + 2 * next.bytes());
  for (int step = 1; step < lattice.extent()[std::size_t(direction)]; ++step) {
    const auto neighbours = halo.exchange(line);
    for_each_site("extend_line", next.range(),
                  detail::ExtendLineKernel<T>{stencil, gauge.view(), neighbours, next.view(), direction, streaming});
    std::swap(line, next);
    next = spare.alias();
    spare = line.alias();
  }
  const auto sum = sum_sites<2>("trace", lattice, Subset::all, detail::TraceKernel<T>{line.view()}, mode);
  return std::complex<double>(sum[0], sum[1]) / (3 * double(lattice.volume()));
}

template <class T>
double unitarity_deviation(const GaugeField<T>& gauge) {
  require_gauge(gauge);
  const detail::UnitarityKernel<T> kernel{gauge.view()};
  const detail::StoredValues<1, detail::UnitarityKernel<T>> stored("unitarity_deviation", gauge.lattice(), kernel);
  return detail::largest_root(gauge.lattice().comm(), stored.largest[0]);
}

template <class T>
LinkMeasures measure_links(const GaugeField<T>& gauge) {
  require_gauge(gauge);
  const Lattice& lattice = gauge.lattice();
  using Kernel = detail::MeasureKernel<T>;
  const detail::StoredValues<8, Kernel> stored("measure_links", lattice,
                                               Kernel{detail::plaquette_kernel(gauge), {gauge.view()}});
  LinkMeasures result;
  const double volume = double(lattice.volume());
  // The violation of unitarity, which comes last, is no sum.
  const std::vector<double> sums =
      detail::exact_sums(lattice.comm(), stored.values.data(), 7, stored.n_lanes, lattice.volume(),
                         {stored.largest.begin(), stored.largest.end() - 1});
  for (std::size_t k = 0; k < 6; ++k) result.plaquettes.planes[k] = sums[k] / (3 * volume);
  result.link_trace = sums[6] / (12 * volume);
  result.unitarity_deviation = detail::largest_root(lattice.comm(), stored.largest[7]);
  return result;
}

template Plaquettes plaquettes(const GaugeField<float>&, SumMode);
template Plaquettes plaquettes(const GaugeField<double>&, SumMode);
template double link_trace(const GaugeField<float>&, SumMode);
template double link_trace(const GaugeField<double>&, SumMode);
template std::complex<double> polyakov_loop(const GaugeField<float>&, SumMode, int);
template std::complex<double> polyakov_loop(const GaugeField<double>&, SumMode, int);
template double unitarity_deviation(const GaugeField<float>&);
template double unitarity_deviation(const GaugeField<double>&);
template LinkMeasures measure_links(const GaugeField<float>&);
template LinkMeasures measure_links(const GaugeField<double>&);
template void require_gauge(const GaugeField<float>&);
template void require_gauge(const GaugeField<double>&);

}  // namespace kov
