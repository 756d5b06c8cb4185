// SPDX-License-Identifier: MIT
#include "kov/stencil/functions/laplacian_series.hpp"

#include "kov/core/field/field_ops.hpp"
#include "kov/stencil/functions/slice_smearing.hpp"
#include "kov/stencil/launch.hpp"

namespace kov {

namespace detail {

std::vector<SeriesStep> series_steps(const ChebyshevSeries& series, Dimensions dimensions) {
  const std::vector<double>& c = series.coefficients();
  const int n = series.order();
  if (n == 0) return {{c[0], 0, 0, false}};
  const Interval& interval = series.interval();
  const double width = interval.high - interval.low, slope = 2 / width, shift = -(interval.high + interval.low) / width;
  // y = slope * (2 d - sum of the legs) + shift.
  const double alpha = 2 * int(dimensions) * slope + shift, beta = -slope;
  const auto at = [&](int k) { return c[std::size_t(k)]; };
  std::vector<SeriesStep> steps;
  for (int k = n - 1; k >= 0; --k) {
    // The vectors of orders n, which is c_n in, and n + 1, zero, are not made.
    const double twice = k > 0 ? 2 : 1, of_from = k == n - 1 ? twice * c.back() : twice;
    steps.push_back({k == n - 2 ? at(k) - c.back() : at(k), of_from * alpha, of_from * beta, k < n - 2});
  }
  return steps;
}

namespace {

/// What differs between fields and blocks of columns.
template <class F>
struct Shape;
template <template <class> class SiteT, class T>
struct Shape<Field<SiteT, T>> {
  using Neighbours = NeighbourView<SiteT, T>;
  using Links = LinkView<T>;
  using Site = void;
  static const Stencil& stencil(const Lattice& lattice, bool with_t) {
    return with_t ? Stencil::of(lattice) : Stencil::of_space(lattice);
  }
  static Links links(const GaugeLinks<T>& links) { return links.view(); }
  static auto halo(const Stencil& stencil, const Field<SiteT, T>& f) {
    return halo_for<SiteT, T>(stencil, f.lattice(), f.n_components());
  }
  static int n(const Field<SiteT, T>& f) { return f.n_components(); }
  static Field<SiteT, T> clone(const Field<SiteT, T>& f) { return f.clone("series input"); }
};
template <template <class> class SiteT, class T, int W>
struct Shape<BlockField<SiteT, T, W>> {
  using Neighbours = BlockNeighbourView<SiteT, T, W>;
  using Links = BlockLinkView<T>;
  using Site = BlockSite;
  static const Stencil& stencil(const Lattice& lattice, bool) { return block_stencil(lattice); }
  static Links links(const GaugeLinks<T>& links) { return links.block_view(); }
  static auto halo(const Stencil&, const BlockField<SiteT, T, W>& f) {
    return block_halo_for<SiteT, T, W>(f.lattice(), f.n_columns());
  }
  static int n(const BlockField<SiteT, T, W>& f) { return f.n_groups(); }
  static BlockField<SiteT, T, W> clone(const BlockField<SiteT, T, W>& f) {
    const auto copy = f.like("series input");
    copy_on_device(copy.data(), f.data(), f.n_reals() * sizeof(T));
    return copy;
  }
};

template <int n_legs, class F, class T>
void apply_step(const CovariantLaplacian<T>& laplacian, const SeriesStep& step, const F& in, const F& from,
                const F& before, const F& to) {
  using S = Shape<F>;
  using In = typename S::Neighbours;
  using Kernel = SeriesStepKernel<typename S::Links, In, typename F::View, n_legs>;
  const bool with_t = laplacian.dimensions() == Dimensions::spacetime;
  const Stencil& stencil = S::stencil(laplacian.lattice(), with_t);
  const bool streaming = worth_streaming(operator_bytes(in, to, n_legs));
  const int n = S::n(in);
  run_stencil<typename S::Site>(
      with_t ? "laplacian_series" : "spatial_laplacian_series", stencil, S::halo(stencil, from), from, to, n,
      [&](const In& neighbours) {
        return Kernel{{stencil.nearest(), S::links(laplacian.links()), neighbours, n, streaming},
                      in.view(),
                      before.view(),
                      to.view(),
                      T(step.source),
                      T(step.alpha),
                      T(step.beta),
                      step.has_before};
      },
      laplacian.links().codec());
}

/// Two buffers take turns: each vector replaces the last but one, and the last one is out.
template <class F, class T>
void apply_steps(const CovariantLaplacian<T>& laplacian, const std::vector<SeriesStep>& steps, const F& in,
                 const F& out) {
  const F start = in.data() == out.data() && steps.size() == 1 ? Shape<F>::clone(in) : in.alias();
  F buffers[2], from = start.alias();
  for (std::size_t k = 0; k < steps.size(); ++k) {
    F& buffer = buffers[k % 2];
    const bool last = k + 1 == steps.size();
    if (k < 2 && !last) buffer = in.like("Clenshaw vector");
    const F& before = steps[k].has_before ? buffer : start;
    const F& to = last ? out : buffer;
    if (laplacian.dimensions() == Dimensions::spacetime)
      apply_step<8>(laplacian, steps[k], start, from, before, to);
    else
      apply_step<6>(laplacian, steps[k], start, from, before, to);
    from = to.alias();
  }
}

template <class F, class T>
void require_pair(const CovariantLaplacian<T>& laplacian, const F& in, const F& out) {
  require(in.conforms(out) && in.lattice() == laplacian.lattice() && in.subset() == Subset::all,
          "a function of the Laplacian got", in.name(), "and", out.name(),
          "which differ in shape, have one parity only, or live on another lattice than its links");
}

}  // namespace
}  // namespace detail

template <template <class> class SiteT, class T>
void apply_laplacian_series(const ChebyshevSeries& series, const CovariantLaplacian<T>& laplacian,
                            const Field<SiteT, T>& in, const Field<SiteT, T>& out) {
  detail::require_pair(laplacian, in, out);
  const std::vector<detail::SeriesStep> steps = detail::series_steps(series, laplacian.dimensions());
  if (laplacian.dimensions() == Dimensions::space && worth_slices(in))
    detail::apply_steps_by_slices(laplacian.links(), steps, in, out);
  else
    detail::apply_steps(laplacian, steps, in, out);
}

template <template <class> class SiteT, class T, int W>
void apply_laplacian_series(const ChebyshevSeries& series, const CovariantLaplacian<T>& laplacian,
                            const BlockField<SiteT, T, W>& in, const BlockField<SiteT, T, W>& out) {
  detail::require_pair(laplacian, in, out);
  detail::apply_steps(laplacian, detail::series_steps(series, laplacian.dimensions()), in, out);
}

template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<ColorVector, float>&, const Field<ColorVector, float>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<Spinor, float>&, const Field<Spinor, float>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const Field<ColorVector, double>&, const Field<ColorVector, double>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const Field<Spinor, double>&, const Field<Spinor, double>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const BlockField<ColorVector, float, 4>&,
                                     const BlockField<ColorVector, float, 4>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const BlockField<ColorVector, float, 8>&,
                                     const BlockField<ColorVector, float, 8>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const BlockField<ColorVector, double, 4>&,
                                     const BlockField<ColorVector, double, 4>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const BlockField<ColorVector, double, 8>&,
                                     const BlockField<ColorVector, double, 8>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const BlockField<Spinor, float, 4>&, const BlockField<Spinor, float, 4>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const BlockField<Spinor, float, 8>&, const BlockField<Spinor, float, 8>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const BlockField<Spinor, float, 16>&, const BlockField<Spinor, float, 16>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const BlockField<Spinor, double, 4>&, const BlockField<Spinor, double, 4>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const BlockField<Spinor, double, 8>&, const BlockField<Spinor, double, 8>&);
#if defined(KOKKOS_ENABLE_CUDA)
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const BlockField<ColorVector, float, 32>&,
                                     const BlockField<ColorVector, float, 32>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const BlockField<ColorVector, double, 32>&,
                                     const BlockField<ColorVector, double, 32>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const BlockField<Spinor, float, 32>&, const BlockField<Spinor, float, 32>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const BlockField<Spinor, double, 32>&, const BlockField<Spinor, double, 32>&);
#endif

}  // namespace kov
