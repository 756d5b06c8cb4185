// SPDX-License-Identifier: MIT
//
// Gauge fixing: Coulomb and Landau gauge by overrelaxation, temporal gauge exactly.  All find a transformation g, which
// gauge_transform() applies: U_mu(x) -> g(x) U_mu(x) g(x + mu)^+.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/vectors/reduce.hpp"
#include "kov/stencil/halo/halo.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kov {

/// g(x) U_mu(x) g(x + mu)^+, a new field.  g: one matrix a site.  Collective.  Throws InputError when the fields do not
/// fit one another.
template <class T>
GaugeField<T> gauge_transform(const GaugeField<T>& gauge, const Field<ColorMatrix, T>& g);

/// The condition that a gauge fulfils.
enum class GaugeCondition {
  /// sum over space of d_i A_i = 0 on every time slice.
  coulomb,
  /// sum over all directions of d_mu A_mu = 0.
  landau
};

/// How far a gauge condition is met.  A_mu = [U_mu - U_mu^+] / 2 without its trace, mu over the d directions of the
/// condition.
struct GaugeFixingPoint {
  /// 0 before the first.
  int iteration = 0;
  /// The mean of Re tr U_mu / 3 over sites and the d directions: what is maximised.
  double functional = 0;
  /// The mean over sites of tr D D^+ / 3, D(x) = sum over mu of A_mu(x) - A_mu(x - mu), the lattice divergence.
  double theta = 0;
};

/// Parameters of fix_gauge().
struct GaugeFixing {
  GaugeCondition condition = GaugeCondition::landau;
  /// theta to reach.  Roundings keep theta above some 1e-30 in double and 1e-13 in single precision.
  double tolerance = 1e-12;
  /// An iteration is a half sweep over even sites and one over odd sites.
  int max_iterations = 10000;
  /// Each SU(2) subgroup element is taken this many times, to first order: 1 + omega (g - 1), scaled back to SU(2)
  /// (Mandula and Ogilvie, Phys. Lett. B 248 (1990) 156).  1 is plain relaxation (Cabibbo and Marinari); below 2 the
  /// functional never falls.
  double overrelaxation = 1.7;
  /// Iterations between two measurements of theta.
  int check_every = 10;
};

/// The iteration of fix_gauge(), for callers that control it themselves.
template <class T>
class GaugeFixer {
 public:
  /// Begins with g = 1.  Keeps the links, which must not change.  Collective.  Throws InputError for a field without
  /// four links a site, and parameters out of range.
  GaugeFixer(const GaugeField<T>& gauge, const GaugeFixing& parameters);

  /// Every site once, even ones first.  Collective.
  ///
  /// Coulomb 6 and Landau 8 products of matrices and one more a site: 7 * 198 or 9 * 198 flops and the subgroups'
  /// steps.
  void iterate();
  /// Collective; exact sums, so that every decomposition stops after the same iteration.
  GaugeFixingPoint measure() const;
  /// Projects g back onto SU(3), from which rounding errors lead away slowly.  Asynchronous.
  void reunitarise();

  /// Shared with this object: changes with every iteration.
  const Field<ColorMatrix, T>& transformation() const { return g_; }

 private:
  GaugeFixing parameters_;
  int iteration_ = 0;
  GaugeField<T> gauge_;
  Field<ColorMatrix, T> g_;
  Halo<ColorMatrix, T> link_halo_, g_halo_;
  NeighbourView<ColorMatrix, T> u_;
  /// Whether links and g exceed the caches.
  bool streaming_ = false;
};

/// A transformation and how well it does.
template <class T>
struct FixedGauge {
  /// g(x), one matrix a site: gauge_transform(gauge, transformation) fulfils the condition.
  Field<ColorMatrix, T> transformation;
  /// Every check, the first before any iteration; the last is where it ended.
  std::vector<GaugeFixingPoint> history;

  /// Where it ended.
  const GaugeFixingPoint& result() const { return history.back(); }
};

/// Iterates until theta <= tolerance.  after_check, if any, is called with every row of the history.  Collective.
/// Throws ConvergenceError, on all ranks, when max_iterations were not enough.
///
/// The maximum found is a local one: which Gribov copy it is depends on the links.
template <class T>
FixedGauge<T> fix_gauge(const GaugeField<T>& gauge, const GaugeFixing& parameters,
                        const std::function<void(const GaugeFixingPoint&)>& after_check = {});

/// The g with g = 1 on the first time slice for which U_t = 1 on all links but those from the last slice to the first:
/// g(x, t + 1) = g(x, t) U_t(x, t).  Collective: slice by slice, L_t - 1 exchanges.  Throws InputError like
/// plaquettes().
template <class T>
Field<ColorMatrix, T> temporal_gauge(const GaugeField<T>& gauge);

}  // namespace kov
