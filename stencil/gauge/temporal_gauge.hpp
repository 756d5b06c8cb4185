// SPDX-License-Identifier: MIT
//
// TemporalGauge: links in the gauge where those in time are 1, so that Dirac operators need not load them, and the
// transformation to it.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/links/leg_factors.hpp"

namespace kov {

/// What in_temporal_gauge() returns.
template <class T>
struct TemporalGauge {
  /// The g of temporal_gauge(): quark fields in the new gauge are g(x) psi(x), see QuarkTransformation.
  Field<ColorMatrix, T> transformation;
  /// g(x) U_mu(x) g(x + mu)^+; those in time are 1 in every bit but for those from the last time slice to the first.
  GaugeField<T> links;

  /// The factors for GaugeLinks(links, factors(...)) of operators that leave out links in time.
  static LegFactors factors(LegFactors of) {
    of.time_links = TimeLinks::unit;
    return of;
  }
};

/// The same gauge field in temporal gauge.  Rounding errors of transformed links grow with the extent in time, to some
/// L_t times that of a number.  Collective: slice by slice, L_t - 1 exchanges.  Throws InputError like plaquettes().
template <class T>
TemporalGauge<T> in_temporal_gauge(const GaugeField<T>& gauge);

}  // namespace kov
