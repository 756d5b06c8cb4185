// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/gradient_flow.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/site/su3.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/rectangle_force.hpp"
#include "kov/stencil/gauge/su3_maps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kov {

namespace detail {

/// A = a TA[staples U^+] + b A
template <class T, class StaplesView>
struct FlowForceKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  StaplesView staples;
  FieldView<ColorMatrix, T> u, exponent;
  T a, b;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto around = staples(x);
    using R = typename decltype(u(x))::Real;
    auto sum = R(a) * traceless_antihermitian(around * adj(u(x)));
    multiply_add(sum, R(b), exponent(x));
    exponent.set(x, sum);
  }
};

/// U_mu -> exp(A_mu) U_mu
template <class T>
struct FlowUpdateKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  FieldView<ColorMatrix, T> u, exponent;
  int halvings;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    for (int mu = 0; mu < 4; ++mu) u.set(x, exponential(exponent(x, mu), halvings) * u(x, mu), mu);
  }
};

constexpr double rectangle_weight = -1.0 / 12, plaquette_weight = 1 - 8 * rectangle_weight;

/// An upper bound of the spectral norm of the sum of staples.
double staple_bound(FlowAction action) {
  return action == FlowAction::wilson ? 6 : 6 * plaquette_weight + 18 * std::abs(rectangle_weight);
}

}  // namespace detail

template <class T>
GradientFlow<T>::GradientFlow(const GaugeField<T>& gauge, FlowAction action) : action_(action) {
  require_gauge(gauge);
  gauge_ = gauge.clone("flowed links");
  exponent_ = gauge.like("exponent of the flow");
  if (action == FlowAction::wilson)
    staples_ = std::make_shared<Staples<T>>(gauge_);
  else
    rectangles_ =
        std::make_shared<detail::RectangleForce<T>>(gauge_, detail::plaquette_weight / detail::rectangle_weight);
}

template <class T>
void GradientFlow<T>::stage(double a, double b, double epsilon) {
  const auto force = [&](const auto& staples, int mu, double scale) {
    return detail::FlowForceKernel<T, std::decay_t<decltype(staples)>>{
        staples, gauge_.column(mu).view(), exponent_.column(mu).view(), T(scale * a * epsilon), T(b)};
  };
  if (action_ == FlowAction::wilson) {
    for (int mu = 0; mu < 4; ++mu)
      staples_->for_each_staple("flow_force", mu, exponent_.column(mu),
                                [&](const auto& staples) { return force(staples, mu, 1); });
  } else {
    const Field<ColorMatrix, T>& staples = rectangles_->staples();
    for (int mu = 0; mu < 4; ++mu)
      for_each_site("flow_force", gauge_.range(), force(staples.column(mu).view(), mu, detail::rectangle_weight));
  }
  // |TA(m)| <= 4/3 |m|; the exponents of a step are at most 3/4 + 8/9 + 17/36 times that.
  const double bound = 2.12 * 4 / 3 * detail::staple_bound(action_) * epsilon;
  const int halvings = std::max(0, int(std::ceil(std::log2(bound))));
  for_each_site("flow_update", gauge_.range(), detail::FlowUpdateKernel<T>{gauge_.view(), exponent_.view(), halvings});
  if (staples_)
    for (int mu = 0; mu < 4; ++mu) staples_->changed(mu, Subset::all);
}

template <class T>
void GradientFlow<T>::step(double epsilon) {
  require(epsilon > 0 && std::isfinite(epsilon), "the step of the flow is", epsilon, "and must be a positive number");
  // A is Z_0 / 4, then 8/9 Z_1 - 17/36 Z_0, then 3/4 Z_2 - the second.
  stage(1.0 / 4, 0, epsilon);
  stage(8.0 / 9, -17.0 / 9, epsilon);
  stage(3.0 / 4, -1, epsilon);
  time_ += epsilon;
}

template <class T>
FlowPoint GradientFlow<T>::measure() const {
  return measure(FieldStrengthMeasurement<T>(gauge_.lattice()));
}

template <class T>
FlowPoint GradientFlow<T>::measure(const FieldStrengthMeasurement<T>& field_strength) const {
  const FieldStrengthAverages clover = field_strength(gauge_);
  return {.t = time_,
          .plaquette_energy = plaquette_energy(plaquettes(gauge_)),
          .temporal_energy = clover.temporal_energy,
          .spatial_energy = clover.spatial_energy,
          .charge = clover.charge};
}

double largest_flow_step(FlowAction action) {
  constexpr double stable = 2.5127453;  // 1 - z + z^2/2 - z^3/6 >= -1 up to here
  return stable / (action == FlowAction::wilson ? 16 : 16 * (1 - 8 * detail::rectangle_weight));
}

int FlowParameters::n_steps() const {
  require(step > 0 && std::isfinite(step), "the step of the flow is", step, "and must be a positive number");
  require(time > 0 && time / step < 1e9, "the time to flow is", time, "with steps of", step,
          "- it must be positive and take fewer than 10^9 steps");
  require(measure_every > 0, "every", measure_every, "steps were to be measured: it must be 1 or more");
  return std::max(1, int(std::ceil(time / step * (1 - 1e-12))));
}

bool FlowParameters::is_row(int k) const { return k % measure_every == 0 || k == n_steps(); }

bool FlowParameters::is_near_row(int k) const {
  constexpr int reach = FlowHistory::derivative_reach;
  const int since = k % measure_every, until_end = n_steps() - k;
  return since <= reach || measure_every - since <= reach || until_end <= 2 * reach;  // at the end only steps before
}

template <class T>
FlowHistory gradient_flow(GradientFlow<T>& flow, const FlowParameters& parameters,
                          const std::function<void(const FlowPoint*)>& after_step) {
  flow.gauge().lattice().require_same("a gradient flow", int(flow.action()), int(parameters.action), parameters.step,
                                      parameters.time, parameters.measure_every);
  require(flow.action() == parameters.action,
          "the flow was begun with another action than its parameters name: give both the same");
  const int steps = parameters.n_steps();
  const double epsilon = parameters.time / steps, begin = flow.time();
  const double largest = largest_flow_step(parameters.action);
  FlowHistory history;
  const FieldStrengthMeasurement<T> field_strength(flow.gauge().lattice());
  history.add(flow.measure(field_strength));
  double energy = history.points()[0].plaquette_energy;
  for (int k = 1; k <= steps; ++k) {
    flow.step(epsilon);
    if (epsilon > largest) {
      const double before = std::exchange(energy, plaquette_energy(plaquettes(flow.gauge())));
      require<ConvergenceError>(energy <= before * (1 + 1e-6) + 1e-10, "the flow with steps of", epsilon,
                                "is unstable: at t / a^2 =", begin + k * epsilon, "the energy rose from", before, "to",
                                sentence(energy) + "; take steps of", largest / 2, "or less");
    }
    const bool measured = parameters.is_row(k);
    if (measured || parameters.is_near_row(k)) {
      FlowPoint point = flow.measure(field_strength);
      point.t = begin + parameters.time * k / steps;  // without the roundings of k additions
      measured ? history.add(point) : history.add_between(point);
    }
    if (after_step) after_step(measured ? &history.points().back() : nullptr);
  }
  return history;
}

template <class T>
FlowHistory gradient_flow(const GaugeField<T>& gauge, const FlowParameters& parameters) {
  parameters.n_steps();  // throws before anything is copied
  GradientFlow<T> flow(gauge, parameters.action);
  return gradient_flow(flow, parameters);
}

template class GradientFlow<float>;
template class GradientFlow<double>;
template FlowHistory gradient_flow(GradientFlow<float>&, const FlowParameters&,
                                   const std::function<void(const FlowPoint*)>&);
template FlowHistory gradient_flow(GradientFlow<double>&, const FlowParameters&,
                                   const std::function<void(const FlowPoint*)>&);
template FlowHistory gradient_flow(const GaugeField<float>&, const FlowParameters&);
template FlowHistory gradient_flow(const GaugeField<double>&, const FlowParameters&);

}  // namespace kov
