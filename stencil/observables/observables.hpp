// SPDX-License-Identifier: MIT
//
// Simple observables of a gauge field: plaquettes, link trace, Polyakov loop and the deviation from SU(3).
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/vectors/reduce.hpp"

#include <array>
#include <complex>

namespace kov {

/// Means of Re tr P / 3 over the planes of a lattice, P_{mu nu}(x) = U_mu(x) U_nu(x + mu) [U_nu(x) U_mu(x + nu)]^+.
struct Plaquettes {
  /// Planes in the order 01 02 03 12 13 23.
  std::array<double, 6> planes{};

  /// Over all planes.
  double mean() const { return (spatial() + temporal()) / 2; }
  /// Over the planes without t.
  double spatial() const { return (planes[0] + planes[1] + planes[3]) / 3; }
  /// Over the planes with t.
  double temporal() const { return (planes[2] + planes[4] + planes[5]) / 3; }
  /// Of the plane (mu, nu), in either order.  Throws InputError when there is none.
  double plane(int mu, int nu) const;
};

/// Site values are taken in the precision of the field, sums in double.  In exact mode the same bits come out of every
/// decomposition.  Collective.  Throws InputError when the field has not four components on all sites.
template <class T>
Plaquettes plaquettes(const GaugeField<T>& gauge, SumMode mode = SumMode::chunked);

/// The mean of Re tr U / 3 over all links.  Collective; throws like plaquettes().
template <class T>
double link_trace(const GaugeField<T>& gauge, SumMode mode = SumMode::chunked);

/// The mean over space of tr [U_t(x, 0) U_t(x, 1) ... U_t(x, L_t - 1)] / 3, or the same along another direction than
/// 3.  Collective; throws like plaquettes(), and InputError for a direction that is not one of 0 to 3.
///
/// Multiplies whole fields, L_t - 1 times: meant for monitoring.
template <class T>
std::complex<double> polyakov_loop(const GaugeField<T>& gauge, SumMode mode = SumMode::chunked, int direction = 3);

/// The largest |element| of U U^+ - 1 and of det U - 1 over all links; infinite when one is NaN.  Collective;
/// throws like plaquettes().
template <class T>
double unitarity_deviation(const GaugeField<T>& gauge);

/// What measure_links() returns.
struct LinkMeasures {
  Plaquettes plaquettes;
  /// As the functions of these names return them.
  double link_trace = 0, unitarity_deviation = 0;
};
/// plaquettes() and link_trace() with exact sums, and unitarity_deviation(): the same bits, in one sweep of the links.
/// Collective; throws like plaquettes().
template <class T>
LinkMeasures measure_links(const GaugeField<T>& gauge);

/// Throws InputError unless the field has the four links of every site.
template <class T>
void require_gauge(const GaugeField<T>& gauge);

}  // namespace kov
