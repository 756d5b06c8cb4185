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

  /// a^4 E.
  double energy(FlowEnergy kind = FlowEnergy::clover) const {
    return kind == FlowEnergy::clover ? temporal_energy + spatial_energy : plaquette_energy;
  }
  /// t^2 E, without units.
  double t2_energy(FlowEnergy kind = FlowEnergy::clover) const { return t * t * energy(kind); }
};

/// Rows in the order of flow time, and steps between them that are used for W(t) only.
class FlowHistory {
 public:
  /// W(t) is a derivative over this many steps on either side of its row, where the table has them.
  static constexpr int derivative_reach = 3;

  const std::vector<FlowPoint>& points() const { return points_; }
  /// Adds a row.  Throws InputError unless its time is later than that of everything added before.
  void add(const FlowPoint& point);
  /// Adds a step that is not a row: it improves W(t) of the rows nearby.  Its charge is ignored.  Throws like add().
  void add_between(const FlowPoint& point);

  /// Every second row, always with the last one, and all steps.  The difference between its scales and those of all
  /// rows estimates the error of interpolating between rows.
  FlowHistory thinned() const;

  /// W(t) = t d/dt (t^2 E) at row k (BMW, JHEP 09 (2012) 010, eq. (2.1)), the derivative that of the polynomial through
  /// the nearest seven rows and steps between them.  Throws InputError when there are fewer than two of them.
  double w(std::size_t k, FlowEnergy kind = FlowEnergy::clover) const;
  /// t0 / a^2, where t^2 E first reaches the reference (Luescher, JHEP 08 (2010) 071, eq. (5.2)); on the polynomial
  /// through the nearest four rows.  Empty when the table ends before.
  std::optional<double> t0(FlowEnergy kind = FlowEnergy::clover, double reference = 0.3) const;
  /// w0 / a, where W(w0^2) first is the reference (BMW, eq. (2.2)); likewise.
  std::optional<double> w0(FlowEnergy kind = FlowEnergy::clover, double reference = 0.3) const;

 private:
  /// All that was added, the rows among them, and where in the first the second are.
  std::vector<FlowPoint> steps_, points_;
  std::vector<std::size_t> step_;
};

}  // namespace kov
