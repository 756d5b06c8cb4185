// SPDX-License-Identifier: MIT
//
// Gradient flow of the gauge field: dV/dt = - d S / d V V, started from the links at t = 0.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/gauge/staples.hpp"
#include "kov/stencil/observables/field_strength.hpp"
#include "kov/stencil/observables/flow_history.hpp"

#include <functional>
#include <memory>

namespace kov {

/// The action whose gradient the flow follows, c0 times plaquettes and c1 times 2 x 1 rectangles, c0 = 1 - 8 c1.
enum class FlowAction {
  /// c1 = 0 (Luescher, JHEP 08 (2010) 071).
  wilson,
  /// c1 = -1/12, improved at tree level (Luescher and Weisz, Commun. Math. Phys. 97 (1985) 59).
  symanzik
};

/// With longer steps the shortest waves grow instead of falling: a step multiplies waves of p^2 = sum over mu of
/// 4 sin^2(p_mu / 2) = 16 on smooth links by 1 - z + z^2/2 - z^3/6, z = 16 epsilon (Wilson) or 16 * 5/3 epsilon
/// (Symanzik), whose size is more than 1 from z = 2.513 on.  0.157 and 0.0942.
double largest_flow_step(FlowAction action);

namespace detail {
template <class T>
class RectangleForce;
}

/// A gauge field on its way along the flow.
template <class T>
class GradientFlow {
 public:
  /// At t = 0, with a copy of the links.  Collective.  Throws InputError for a field without four links a site.
  explicit GradientFlow(const GaugeField<T>& gauge, FlowAction action = FlowAction::wilson);

  /// A step of third order (Luescher, JHEP 08 (2010) 071, eq. (C.2)): with Z = epsilon TA[(c0 plaquette staples + c1
  /// rectangle staples) V^+],
  ///   W_1 = exp(Z_0 / 4) V, W_2 = exp(8/9 Z_1 - 17/36 Z_0) W_1, V = exp(3/4 Z_2 - 8/9 Z_1 + 17/36 Z_0) W_2.
  /// Collective.  Throws InputError when epsilon is not positive and finite.
  ///
  /// Flops a site and stage for the staples: 48 * 198 (Wilson), 156 * 198 (Symanzik).
  void step(double epsilon);

  double time() const { return time_; }
  FlowAction action() const { return action_; }
  /// The links at time(); they change with the next step: clone() what is to stay.
  const GaugeField<T>& gauge() const { return gauge_; }
  /// Energies and charge now.  Collective.
  FlowPoint measure() const;
  /// The same with the fields of an existing measurement, for repeated calls.
  FlowPoint measure(const FieldStrengthMeasurement<T>& field_strength) const;

 private:
  /// A = a Z + b A, then V = exp(A) V.
  void stage(double a, double b, double epsilon);

  GaugeField<T> gauge_, exponent_;
  FlowAction action_;
  double time_ = 0;
  std::shared_ptr<Staples<T>> staples_;
  std::shared_ptr<detail::RectangleForce<T>> rectangles_;
};

/// How far to flow, and how often to measure.
struct FlowParameters {
  /// Whose gradient is followed.
  FlowAction action = FlowAction::wilson;
  /// The integrator's largest step; reduced a little where the time is not a multiple of it.
  double step = 0.02;
  /// Total flow time.
  double time = 1;
  /// Steps from one row of the table to the next; t = 0 and the last step are always rows.  For W(t) energies are also
  /// measured on the steps near a row, which is every step where rows are up to 7 steps apart.
  int measure_every = 5;

  /// The steps that the time takes.  Throws InputError when one of the numbers is not positive.
  int n_steps() const;
  /// Whether the table has a row after step k, and whether W(t) of a row takes the energy there.
  bool is_row(int k) const;
  bool is_near_row(int k) const;
};

/// Flows for parameters.time and measures on the way.  after_step, if any, is called after each step with the row that
/// was measured there, or nullptr.  The flowed links are in `flow`.  Throws ConvergenceError when the energy rises with
/// steps beyond largest_flow_step().  Collective.
template <class T>
FlowHistory gradient_flow(GradientFlow<T>& flow, const FlowParameters& parameters,
                          const std::function<void(const FlowPoint*)>& after_step = {});
/// The same from links.
template <class T>
FlowHistory gradient_flow(const GaugeField<T>& gauge, const FlowParameters& parameters);

}  // namespace kov
