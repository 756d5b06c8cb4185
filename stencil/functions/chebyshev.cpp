// SPDX-License-Identifier: MIT
#include "kov/stencil/functions/chebyshev.hpp"

#include "kov/core/field/shared_view.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kov {

namespace {

using std::numbers::pi;

void require_interval(const Interval& interval) {
  require(std::isfinite(interval.low) && std::isfinite(interval.high) && interval.low < interval.high,
          "a Chebyshev series on the interval from", interval.low, "to", interval.high,
          "is impossible: give finite bounds, the lower one first");
}

/// Equidistant angles from 0 to pi that are always sampled: pi / 2 / n_angles of the interval or less lies between two
/// points.  A prime, so that the points are not those of the cosine sums.
constexpr int n_angles = 4001;

/// The same for a series of high order.
int angles_for(int order) { return 4 * (order + 8) + 1; }

/// Samples of a function on an interval, all that is known of it.
class SeenFunction {
 public:
  SeenFunction(const RealFunction& f, const Interval& interval) : f_(f), interval_(interval) {}

  /// f at y, -1 to 1 for the interval.
  double at(double y) {
    const double middle = 0.5 * (interval_.high + interval_.low), half = 0.5 * (interval_.high - interval_.low);
    const double x = std::clamp(middle + half * y, interval_.low, interval_.high), value = f_(x);
    require(std::isfinite(value), "the function is", value, "at", x, "inside the interval from", interval_.low, "to",
            interval_.high, ": it must be finite on the whole spectrum");
    x_.push_back(x);
    value_.push_back(value);
    magnitude_ = std::max(magnitude_, std::abs(value));
    return value;
  }

  /// Samples the function at n + 1 equidistant angles, both ends included.
  void look_at_angles(int n) {
    for (int j = 0; j <= n; ++j) at(std::cos(pi * j / n));
  }

  /// The largest |f|.
  double magnitude() const { return magnitude_; }

  /// The largest |series - f| over the largest |f|.
  double error(const ChebyshevSeries& series) const {
    double worst = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double difference = std::abs(series(x_[i]) - value_[i]);
      if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();  // the sums overflowed
      worst = std::max(worst, difference);
    }
    return worst == 0 ? 0 : worst / magnitude_;
  }

 private:
  const RealFunction& f_;
  Interval interval_;
  std::vector<double> x_, value_;
  double magnitude_ = 0;
};

/// The coefficients 0 to n_samples - 1 of n_samples points, the first halved.
std::vector<double> cosine_sum(SeenFunction& seen, int n_samples) {
  const std::size_t n = std::size_t(n_samples);
  std::vector<double> cosine(4 * n), value(n), c(n);
  for (std::size_t k = 0; k < 4 * n; ++k) cosine[k] = std::cos(pi * double(k) / double(2 * n));
  for (std::size_t j = 0; j < n; ++j) value[j] = seen.at(cosine[2 * j + 1]);
  for (std::size_t k = 0; k < n; ++k) {
    double sum = 0;
    std::size_t angle = k;  // k (2 j + 1) modulo 4 n
    for (std::size_t j = 0; j < n; ++j) {
      sum += value[j] * cosine[angle];
      angle += 2 * k;
      if (angle >= 4 * n) angle -= 4 * n;
    }
    c[k] = (k == 0 ? 1.0 : 2.0) / double(n) * sum;
  }
  return c;
}

}  // namespace

ChebyshevSeries ChebyshevSeries::of_order(const RealFunction& f, const Interval& interval, int order) {
  require_interval(interval);
  require(order >= 0 && order <= 100000, "a Chebyshev series of order", order,
          "cannot be made: give an order from 0 to 100000");
  SeenFunction seen(f, interval);
  std::vector<double> c = cosine_sum(seen, 2 * (order + 1));
  c.resize(std::size_t(order) + 1);
  ChebyshevSeries series(interval, std::move(c));
  seen.look_at_angles(std::max(n_angles, angles_for(order)));
  series.error_ = seen.error(series);
  return series;
}

ChebyshevSeries ChebyshevSeries::to_accuracy(const RealFunction& f, const Interval& interval,
                                             const ChebyshevAccuracy& accuracy) {
  require_interval(interval);
  require(accuracy.error >= 1e-14 && accuracy.error < 1, "a relative error of", accuracy.error,
          "cannot be reached or means nothing: give one from 1e-14 to 1");
  require(accuracy.max_order >= 0 && accuracy.max_order <= 100000, "the largest order is", accuracy.max_order,
          ": give one from 0 to 100000");
  SeenFunction seen(f, interval);
  seen.look_at_angles(n_angles);
  for (int n = 16;; n *= 2) {
    std::vector<double> c = cosine_sum(seen, n);
    // Half of the error for what is left out, the rest for aliasing and rounding.
    double left_out = 0;
    std::size_t terms = c.size();
    while (terms > 1 && left_out + std::abs(c[terms - 1]) <= 0.5 * accuracy.error * seen.magnitude())
      left_out += std::abs(c[--terms]);
    // Coefficients that reach into the upper half of the samples' may be aliases of higher ones.  Else the series is
    // compared with all that has been seen: a function may have been 0 at these samples and not at others.
    if (2 * terms <= c.size()) {
      require(int(terms) - 1 <= accuracy.max_order, "an error of", accuracy.error, "takes a Chebyshev series of order",
              terms - 1, "where", accuracy.max_order,
              "is the largest allowed: smooth the function, allow a larger error or a larger order");
      c.resize(terms);
      ChebyshevSeries series(interval, std::move(c));
      if (angles_for(series.order()) > n_angles) seen.look_at_angles(angles_for(series.order()));
      series.error_ = seen.error(series);
      if (series.error() <= accuracy.error) return series;
    }
    require(n <= 2 * accuracy.max_order, "no Chebyshev series of order", accuracy.max_order,
            "or less comes within a relative error of", accuracy.error,
            "of the function: smooth it, allow a larger error or a larger order");
  }
}

double ChebyshevSeries::operator()(double x) const {
  const double y = (2 * x - interval_.high - interval_.low) / (interval_.high - interval_.low);
  double b = 0, next = 0;
  for (std::size_t k = c_.size() - 1; k > 0; --k) {
    const double last = next;
    next = b;
    b = c_[k] + 2 * y * next - last;
  }
  return c_[0] + y * b - next;
}

namespace detail {

/// out = c in + a Ab + s b - before: one step of Clenshaw's recurrence, for operators of any kind.  Steps of Laplacians
/// have no kernel like this: theirs sums over neighbours too.  8 flops and 5 real numbers of memory traffic for each
/// real number.
template <class View>
struct ClenshawKernel {
  using T = typename View::Real;

  View in, Ab, b, before, out;
  T c, a, s;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int k) const {
    using S = decltype(in(x, k));
    using R = typename S::Real;
    S sum = R(c) * in(x, k);
    multiply_add(sum, R(a), Ab(x, k));
    multiply_add(sum, R(s), b(x, k));
    sum -= before(x, k);
    out.set(x, sum, k);
  }
};

template <class View, class... Rest>
ClenshawKernel(View, Rest...) -> ClenshawKernel<View>;

}  // namespace detail

template <template <class> class SiteT, class T, class Lanes>
void apply_series(const ChebyshevSeries& series, const AnyOperator<Field<SiteT, T, Lanes>>& A,
                  const Field<SiteT, T, Lanes>& in, const Field<SiteT, T, Lanes>& out, const Exec& exec) {
  using F = Field<SiteT, T, Lanes>;
  require(in.conforms(out), "a function of an operator got", in.name(), "and", out.name(),
          "which differ in lattice, sites or components: give it two fields of one shape");
  const std::vector<double>& c = series.coefficients();
  if (series.order() == 0) {
    if (in.data() != out.data()) copy(in, out, exec);
    scale(c[0], out, exec);
    return;
  }
  const Interval& interval = series.interval();
  const double width = interval.high - interval.low, slope = 2 / width, shift = -(interval.high + interval.low) / width;
  F b = in.like("Clenshaw vector", exec), before = in.like("last Clenshaw vector", exec);
  const F Ab = in.like("A Clenshaw vector", exec);
  axpy(c.back(), in, b, exec);
  const auto view = [](const F& field) { return detail::shared_view<Scalar>(field.view()); };
  for (int k = series.order() - 1; k >= 0; --k) {
    A.apply(b, Ab, exec);
    const double twice = k > 0 ? 2 : 1;
    const F& to = k > 0 ? before : out;
    const detail::ClenshawKernel kernel{
        view(in), view(Ab), view(b), view(before), view(to), T(c[std::size_t(k)]), T(twice * slope), T(twice * shift)};
    for_each_site<detail::shared_lanes_t<Lanes>>("chebyshev_step", in.range(), detail::shared_groups<Scalar>(in),
                                                 kernel, exec);
    std::swap(b, before);
  }
}

#define KOV_INSTANTIATE_SERIES(SiteT, T, Lanes)                                                  \
  template void apply_series(const ChebyshevSeries&, const AnyOperator<Field<SiteT, T, Lanes>>&, \
                             const Field<SiteT, T, Lanes>&, const Field<SiteT, T, Lanes>&, const Exec&)
#define KOV_INSTANTIATE(T, Lanes)                \
  KOV_INSTANTIATE_SERIES(ColorVector, T, Lanes); \
  KOV_INSTANTIATE_SERIES(Spinor, T, Lanes)
KOV_FOR_LANES(KOV_INSTANTIATE);
KOV_INSTANTIATE_SERIES(Scalar, double, SiteLanes);
#undef KOV_INSTANTIATE
#undef KOV_INSTANTIATE_SERIES

}  // namespace kov
