// SPDX-License-Identifier: MIT
#include "kov/stencil/functions/laplacian_series.hpp"

#include "kov/core/vectors/field_ops.hpp"
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

template <int n_legs, template <class> class SiteT, class S, class Lanes, class LinkStorage>
void apply_step(const CovariantLaplacian<LinkStorage>& laplacian, const SeriesStep& step,
                const Field<SiteT, S, Lanes>& in, const Field<SiteT, S, Lanes>& from,
                const Field<SiteT, S, Lanes>& before, const Field<SiteT, S, Lanes>& to) {
  using F = Field<SiteT, S, Lanes>;
  using T = typename F::Real;
  using In = typename Halo<SiteT, S, Lanes>::Neighbours;
  using Links = LinkView<LinkStorage, link_lanes_t<Lanes>>;
  using Kernel = SeriesStepKernel<Links, In, typename F::View, n_legs>;
  const Stencil& stencil = laplacian.halos().template stencil<Lanes>();
  const bool streaming = worth_streaming(operator_bytes(in, to, n_legs));
  const Links links = laplacian.links().template view<Lanes>();
  run_stencil("laplacian_series", stencil, laplacian.halos().halo(from), from, to,
              [&](const In& neighbours) {
                return Kernel{{stencil.nearest(), links, neighbours, in.n_groups(), streaming},
                              in.view(),
                              before.view(),
                              to.view(),
                              T(step.source),
                              T(step.alpha),
                              T(step.beta),
                              step.has_before};
              },
              {.codec = laplacian.links().codec()});
}

/// Two buffers take turns: each vector replaces the last but one, and the last one is out.
template <class F, class T>
void apply_steps(const CovariantLaplacian<T>& laplacian, const std::vector<SeriesStep>& steps, const F& in,
                 const F& out) {
  const F start = in.data() == out.data() && steps.size() == 1 ? in.clone("series input") : in.alias();
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
          "which differ in shape, have one parity only, or are on another lattice than its links: give it two full "
          "fields of one shape on that lattice");
}

}  // namespace
}  // namespace detail

template <template <class> class SiteT, class Storage, class Links, class Lanes>
void apply_laplacian_series(const ChebyshevSeries& series, const CovariantLaplacian<Links>& laplacian,
                            const Field<SiteT, Storage, Lanes>& in, const Field<SiteT, Storage, Lanes>& out) {
  detail::require_pair(laplacian, in, out);
  const std::vector<detail::SeriesStep> steps = detail::series_steps(series, laplacian.dimensions());
  if constexpr (std::is_same_v<Lanes, SiteLanes>)
    if (laplacian.dimensions() == Dimensions::space && worth_slices(in))
      return detail::apply_steps_by_slices(laplacian.links(), steps, in, out);
  detail::apply_steps(laplacian, steps, in, out);
}

template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<ColorVector, float>&, const Field<ColorVector, float>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<ColorVector, float, ColumnLanes<4>>&,
                                     const Field<ColorVector, float, ColumnLanes<4>>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<ColorVector, float, ColumnLanes<8>>&,
                                     const Field<ColorVector, float, ColumnLanes<8>>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<ColorVector, float, ColumnLanes<16>>&,
                                     const Field<ColorVector, float, ColumnLanes<16>>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<Spinor, float>&, const Field<Spinor, float>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<Spinor, float, ColumnLanes<4>>&,
                                     const Field<Spinor, float, ColumnLanes<4>>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<Spinor, float, ColumnLanes<8>>&,
                                     const Field<Spinor, float, ColumnLanes<8>>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<float>&,
                                     const Field<Spinor, float, ColumnLanes<16>>&,
                                     const Field<Spinor, float, ColumnLanes<16>>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const Field<ColorVector, double>&, const Field<ColorVector, double>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const Field<ColorVector, double, ColumnLanes<4>>&,
                                     const Field<ColorVector, double, ColumnLanes<4>>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const Field<ColorVector, double, ColumnLanes<8>>&,
                                     const Field<ColorVector, double, ColumnLanes<8>>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const Field<Spinor, double>&, const Field<Spinor, double>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const Field<Spinor, double, ColumnLanes<4>>&,
                                     const Field<Spinor, double, ColumnLanes<4>>&);
template void apply_laplacian_series(const ChebyshevSeries&, const CovariantLaplacian<double>&,
                                     const Field<Spinor, double, ColumnLanes<8>>&,
                                     const Field<Spinor, double, ColumnLanes<8>>&);

}  // namespace kov
