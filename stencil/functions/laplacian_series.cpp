// SPDX-License-Identifier: MIT
#include "kov/stencil/functions/laplacian_series.hpp"

#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/functions/slice_steps.hpp"

namespace kov::detail {

std::vector<LaplacianStep> series_steps(const ChebyshevSeries& series, Dimensions dimensions) {
  const std::vector<double>& c = series.coefficients();
  const int n = series.order();
  if (n == 0) return {{.alpha = 0, .beta = 0, .source = c[0]}};
  const Interval& interval = series.interval();
  const double width = interval.high - interval.low, slope = 2 / width, shift = -(interval.high + interval.low) / width;
  // y = slope * (2 d - sum of the legs) + shift.
  const double alpha = 2 * int(dimensions) * slope + shift, beta = -slope;
  const auto at = [&](int k) { return c[std::size_t(k)]; };
  std::vector<LaplacianStep> steps;
  for (int k = n - 1; k >= 0; --k) {
    // The vectors of orders n, c_n in, and n + 1, zero, are not stored.
    const double twice = k > 0 ? 2 : 1, of_from = k == n - 1 ? twice * c.back() : twice;
    steps.push_back({.alpha = of_from * alpha,
                     .beta = of_from * beta,
                     .source = k == n - 2 ? at(k) - c.back() : at(k),
                     .has_before = k < n - 2});
  }
  return steps;
}

namespace {

/// Two buffers alternate: each vector overwrites the one before the last, and the final one is written to out.
template <class F, class T>
void apply_steps(const CovariantLaplacian<T>& laplacian, const std::vector<LaplacianStep>& steps, const F& in,
                 const F& out, const Exec& exec) {
  const bool copies = in.data() == out.data() && steps.size() == 1;
  const F start = copies ? in.like("series input", exec) : in.alias();
  if (copies) copy(in, start, exec);
  F buffers[2], from = start.alias();
  for (std::size_t k = 0; k < steps.size(); ++k) {
    F& buffer = buffers[k % 2];
    const bool last = k + 1 == steps.size();
    if (k < 2 && !last) buffer = in.like("Clenshaw vector", exec);
    const F& before = steps[k].has_before ? buffer : start;
    const F& to = last ? out : buffer;
    laplacian.take(steps[k], start, from, before, to, exec);
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

template <class Links, class F>
void LaplacianSeriesOn<Links, F>::apply(const ChebyshevSeries& series, const CovariantLaplacian<Links>& laplacian,
                                        const F& in, const F& out, const Exec& exec) {
  require_pair(laplacian, in, out);
  const std::vector<LaplacianStep> steps = series_steps(series, laplacian.dimensions());
  if constexpr (std::is_same_v<typename F::Lanes, SiteLanes>)
    if (laplacian.dimensions() == Dimensions::space && worth_slices(in))
      return take_by_slices(laplacian.links(), steps, in, out, exec);
  apply_steps(laplacian, steps, in, out, exec);
}

#define KOV_INSTANTIATE(T, Lanes)                                     \
  template struct LaplacianSeriesOn<T, Field<ColorVector, T, Lanes>>; \
  template struct LaplacianSeriesOn<T, Field<Spinor, T, Lanes>>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov::detail
