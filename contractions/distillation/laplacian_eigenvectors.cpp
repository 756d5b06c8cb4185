// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/laplacian_eigenvectors.hpp"

#include "kov/core/field/convert.hpp"
#include "kov/core/field/noise.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/core/vectors/field_sums.hpp"
#include "kov/stencil/functions/laplacian_series.hpp"
#include "kov/stencil/functions/spectral_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

namespace {

/// No eigenvalue of -Delta in three dimensions is larger, whatever the links.
constexpr double largest_eigenvalue = 12;

/// y = 1 + this at lambda, outside of the interval that the filter damps.
double beyond(double cut, double lambda) { return 2 * (cut - lambda) / (largest_eigenvalue - cut); }

template <class T>
struct MinusLaplacian {
  CovariantLaplacian<T> laplacian;
  void apply(const Field<ColorVector, T>& in, const Field<ColorVector, T>& out, const Exec& exec = {}) const {
    laplacian.combine(6, -1, in, out, exec);
  }
};

template <class T>
struct LaplacianFilter {
  ChebyshevSeries series;
  CovariantLaplacian<T> laplacian;
  void apply(const Field<ColorVector, T>& in, const Field<ColorVector, T>& out, const Exec& exec = {}) const {
    apply_laplacian_series(series, laplacian, in, out, exec);
  }
};

}  // namespace

template <class T>
double laplacian_eigenvalue_estimate(const GaugeLinks<T>& links, double count, std::uint64_t seed, double* lowest) {
  using F = Field<ColorVector, T>;
  const Lattice& lattice = links.lattice();
  const MinusLaplacian<T> A{CovariantLaplacian<T>(links, Dimensions::space)};
  F v(lattice, "Lanczos vector"), w = v.like("next Lanczos vector"), u = v.like("last Lanczos vector");
  fill_noise(v, {.kind = NoiseKind::gaussian, .seed = seed, .stream = ~std::uint32_t(0)});
  scale(1 / std::sqrt(norm2(v)), v);
  constexpr int steps = 60;
  std::vector<double> alpha, beta;
  for (int k = 0; k < steps; ++k) {
    A.apply(v, w);
    alpha.push_back(inner_product(v, w).real());
    if (k == 0)
      axpy(-alpha.back(), v, w);
    else
      axpbypz(-alpha.back(), v, -beta.back(), u, w);
    const double residual = std::sqrt(norm2(w));
    require(std::isfinite(residual), "the Laplacian made numbers that are not finite: check the links");
    if (residual < 1e-6 || k + 1 == steps) break;
    beta.push_back(residual);
    scale(1 / residual, w);
    std::swap(u, v);
    std::swap(v, w);
  }
  // First components of eigenvectors are last ones of the reversed matrix.
  const std::vector<double> from_end(alpha.rbegin(), alpha.rend()), off_from_end(beta.rbegin(), beta.rend());
  const int n = int(alpha.size());
  const auto ritz_value = [&](int k) { return std::max(0.0, detail::tridiagonal_eigenvalue(alpha, beta, k)); };
  if (lowest) *lowest = ritz_value(0);
  const Coord& e = lattice.extent();
  const double numbers = 3.0 * e[0] * e[1] * e[2];
  // Half of the weight of a Ritz value counts below it.
  double value = 0, below = 0, sum = 0;
  for (int k = 0; k < n; ++k) {
    const double component = detail::tridiagonal_last_component(from_end, off_from_end, k);
    const double weight = numbers * component * component, here = sum + weight / 2, theta = ritz_value(k);
    if (here >= count) return value + (theta - value) * (count - below) / (here - below);
    value = theta;
    below = here;
    sum += weight;
  }
  return largest_eigenvalue;
}

template <class T>
LaplacianEigenvectors<T> laplacian_eigenvectors(const GaugeLinks<T>& links, const LaplacianEigenParameters& p) {
  require(p.cut >= 0 && p.cut < largest_eigenvalue && p.order >= 0, "a filter with the cut", p.cut, "and the order",
          p.order, "damps nothing: the cut must be between 0 and", largest_eigenvalue, "and the order positive, or 0");
  const Lattice& lattice = links.lattice();
  lattice.require_same("the filter of eigenvectors", p.n, p.cut, p.order, p.seed);
  double lowest = 0;
  const double wanted = 1.15 * p.n + p.block / 2.0;
  const double estimate = laplacian_eigenvalue_estimate(links, wanted, p.seed, &lowest);
  double cut = p.cut > 0 ? p.cut : std::min(estimate, 0.95 * largest_eigenvalue);
  const CovariantLaplacian<T> laplacian(links, Dimensions::space);
  for (;;) {
    int order = p.order;
    if (order == 0) {
      const double gain = sizeof(T) == 8 ? 1e3 : 1e2;
      const double reach = std::acosh(1 + std::max(beyond(cut, lowest), 1e-3 * beyond(cut, 0)));
      order = std::clamp(int(std::ceil(std::acosh(gain) / reach)), 4, 1000);
    }
    const RealFunction filter = [cut, order](double lambda) {
      return std::cos(order * std::acos(std::clamp(1 + beyond(cut, lambda), -1.0, 1.0)));
    };
    const LaplacianFilter<T> damp{ChebyshevSeries::of_order(filter, {cut, largest_eigenvalue}, order), laplacian};
    try {
      LaplacianEigenvectors<T> result{lowest_eigenvectors_by_slice<T>(MinusLaplacian<T>{laplacian}, damp, lattice,
                                                                      {.n = p.n,
                                                                       .block = p.block,
                                                                       .basis = p.basis,
                                                                       .tolerance = p.tolerance,
                                                                       .max_restarts = p.max_restarts,
                                                                       .norm = largest_eigenvalue,
                                                                       .seed = p.seed,
                                                                       .progress = p.progress})};
      result.cut = cut;
      result.order = order;
      return result;
    } catch (const FilterError&) {  // agreed on by all ranks
      if (p.cut > 0 || cut > 0.8 * largest_eigenvalue) throw;
      cut *= 1.25;
    }
  }
}

template <class T>
LaplacianEigenvectors<T> laplacian_eigenvectors_in_groups(const GaugeField<T>& gauge, const LaplacianEigenParameters& p,
                                                          int slices, const TakeSlices<T>& take) {
  const Lattice& lattice = gauge.lattice();
  lattice.require_same("eigenvectors in groups", slices, p.n);
  require(slices >= 1, "eigenvectors of", slices, "time slices at a time: give at least one");
  const Coord box = lattice.geometry().local_extent(), grid = lattice.geometry().grid();
  slices = std::min(box[3], std::max(2, slices / 2 * 2));  // lattices have even extents
  const auto n = std::size_t(p.n), of_slice = std::size_t(box[0]) * std::size_t(box[1]) * std::size_t(box[2]);
  const std::size_t link_reals = 4 * 18 * of_slice;
  const std::vector<double> links = export_sites(gauge);  // times are slowest
  LaplacianEigenvectors<T> all;
  all.values.resize(n * std::size_t(lattice.extent()[3]));
  all.residuals.resize(all.values.size());
  for (int first = 0; first < box[3]; first += slices) {
    const int count = std::min(slices, box[3] - first);
    Coord extent = lattice.extent();
    extent[3] = count * grid[3];
    const Lattice part(lattice.comm(), extent, {.grid = grid, .exchange = lattice.exchange_options()});
    const GaugeField<T> part_gauge(part, "links of some slices", 4);
    import_sites(std::span(links).subspan(std::size_t(first) * link_reals, std::size_t(count) * link_reals),
                 part_gauge);
    const LaplacianEigenvectors<T> found = laplacian_eigenvectors(GaugeLinks<T>(part_gauge), p);
    std::vector<int> times;
    for (int t = 0; t < extent[3]; ++t) {
      times.push_back(t / count * box[3] + first + t % count);
      for (std::size_t i = 0; i < n; ++i) {
        all.values[std::size_t(times.back()) * n + i] = found.values[std::size_t(t) * n + i];
        all.residuals[std::size_t(times.back()) * n + i] = found.residuals[std::size_t(t) * n + i];
      }
    }
    take(found, times);
    all.report.restarts = std::max(all.report.restarts, found.report.restarts);
    all.report.filtered += found.report.filtered;
    all.report.residual = std::max(all.report.residual, found.report.residual);
    all.report.orthogonality = std::max(all.report.orthogonality, found.report.orthogonality);
    all.report.seconds += found.report.seconds;
    all.cut = std::max(all.cut, found.cut);
    all.order = std::max(all.order, found.order);
  }
  return all;
}

template <class T>
LaplacianEigenvectors<T> laplacian_eigenvectors_in_groups(const GaugeField<T>& gauge, const LaplacianEigenParameters& p,
                                                          int slices) {
  const Lattice& lattice = gauge.lattice();
  const Coord box = lattice.geometry().local_extent();
  if (slices >= box[3]) return laplacian_eigenvectors(GaugeLinks<T>(gauge), p);
  const std::size_t of_slice = 6 * std::size_t(box[0]) * std::size_t(box[1]) * std::size_t(box[2]);
  const Field<ColorVector, T> vectors(lattice, "eigenvectors", p.n), one(lattice, "an eigenvector", 1);
  int first = 0;  // on this rank
  const auto take = [&](const LaplacianEigenvectors<T>& found, const std::vector<int>&) {
    const Lattice& part = found.vectors.lattice();
    const Field<ColorVector, T> one_found(part, "an eigenvector of some slices", 1);
    for (int i = 0; i < p.n; ++i) {
      copy_components(found.vectors, i, one_found, 0, 1);
      copy_components(vectors, i, one, 0, 1);
      std::vector<double> numbers = export_sites(one);
      const std::vector<double> here = export_sites(one_found);
      std::copy(here.begin(), here.end(), numbers.begin() + std::ptrdiff_t(std::size_t(first) * of_slice));
      import_sites<ColorVector, T, SiteLanes>(numbers, one);
      copy_components(one, 0, vectors, i, 1);
    }
    first += part.geometry().local_extent()[3];
  };
  LaplacianEigenvectors<T> all = laplacian_eigenvectors_in_groups(gauge, p, slices, TakeSlices<T>(take));
  all.vectors = vectors.alias();
  return all;
}

template LaplacianEigenvectors<float> laplacian_eigenvectors_in_groups(const GaugeField<float>&,
                                                                       const LaplacianEigenParameters&, int,
                                                                       const TakeSlices<float>&);
template LaplacianEigenvectors<double> laplacian_eigenvectors_in_groups(const GaugeField<double>&,
                                                                        const LaplacianEigenParameters&, int,
                                                                        const TakeSlices<double>&);
template LaplacianEigenvectors<float> laplacian_eigenvectors_in_groups(const GaugeField<float>&,
                                                                       const LaplacianEigenParameters&, int);
template LaplacianEigenvectors<double> laplacian_eigenvectors_in_groups(const GaugeField<double>&,
                                                                        const LaplacianEigenParameters&, int);
template LaplacianEigenvectors<float> laplacian_eigenvectors(const GaugeLinks<float>&, const LaplacianEigenParameters&);
template LaplacianEigenvectors<double> laplacian_eigenvectors(const GaugeLinks<double>&,
                                                              const LaplacianEigenParameters&);
template double laplacian_eigenvalue_estimate(const GaugeLinks<float>&, double, std::uint64_t, double*);
template double laplacian_eigenvalue_estimate(const GaugeLinks<double>&, double, std::uint64_t, double*);

}  // namespace kov
