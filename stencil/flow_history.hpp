// SPDX-License-Identifier: MIT
//
// What a gradient flow measured: a table in flow time and the scales t0 and w0 found in it.
#pragma once

#include <optional>
#include <vector>

namespace kov {

/// Which definition of the energy density.
enum class FlowEnergy {
  /// - sum over planes of tr F F with the traceless clover F: what scales are usually taken from.
  clover,
  /// 2 sum over planes of Re tr (1 - P).
  plaquette
};

/// One row of the table, in lattice units.
struct FlowPoint {
  /// Flow time over a^2.
  double t = 0;
  /// a^4 E from plaquettes.
  double plaquette_energy = 0;
  /// a^4 E from the clover, of the planes with and without the time direction.
  double temporal_energy = 0, spatial_energy = 0;
  /// Topological charge from the clover.
  double charge = 0;

  double energy(FlowEnergy kind = FlowEnergy::clover) const {
    return kind == FlowEnergy::clover ? temporal_energy + spatial_energy : plaquette_energy;
  }
  double t2_energy(FlowEnergy kind = FlowEnergy::clover) const { return t * t * energy(kind); }
};

/// Rows in the order of flow time.
class FlowHistory {
 public:
  const std::vector<FlowPoint>& points() const { return points_; }
  /// Throws InputError when the time is not beyond the last row's.
  void add(const FlowPoint& point);

  /// Every second row, the last one among them: what differs between their scales and all rows' is the size of the
  /// error of the polynomials between rows.
  FlowHistory thinned() const;

  /// W(t) = t d/dt (t^2 E) at row k (BMW, JHEP 09 (2012) 010, eq. (2.1)), the derivative that of the polynomial through
  /// the nearest five rows.  Throws InputError when there are fewer than two rows.
  double w(std::size_t k, FlowEnergy kind = FlowEnergy::clover) const;
  /// t0 / a^2, where t^2 E first reaches the reference (Luescher, JHEP 08 (2010) 071, eq. (5.2)); on the polynomial
  /// through the nearest four rows.  Empty when the table ends before.
  std::optional<double> t0(FlowEnergy kind = FlowEnergy::clover, double reference = 0.3) const;
  /// w0 / a, where W(w0^2) first is the reference (BMW, eq. (2.2)); likewise.
  std::optional<double> w0(FlowEnergy kind = FlowEnergy::clover, double reference = 0.3) const;

 private:
  std::vector<FlowPoint> points_;
};

}  // namespace kov
