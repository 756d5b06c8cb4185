// SPDX-License-Identifier: MIT
//
// The projection of a sum of paths to SU(3) by maximal trace, which APE and HYP smearing end with.
#pragma once

#include "kov/core/field/field.hpp"

namespace kov {

/// When the projection to SU(3) stops.  It goes through the SU(2) subgroups (0,1), (1,2), (0,2) of every link again and
/// again, starting from the old link, and raises Re tr U V^+ to the most that each can give.
struct TraceProjection {
  /// What is compared to decide.
  enum class Stop {
    /// Each link by itself, once its largest change in a sweep is a rounding: the maximum, gauge covariant.
    converged,
    /// All links of a direction together, once the volume average of Re tr U V^+ changes by less than `change`,
    /// relatively, in a sweep.  Chroma's rule (its BlkAccu, usually 1e-5): plaquettes differ from the converged ones by
    /// some 1e-6.
    average
  };
  Stop stop = Stop::converged;
  /// For Stop::average.
  double change = 1e-5;
  /// Throws beyond this many.
  int max_sweeps = 1000;
};

/// u -> g u on every site with the g in SU(3) that maximises Re tr g u v^+.  Collective.  Throws ConvergenceError, on
/// all ranks, when max_sweeps were not enough for some link.
template <class T>
void project_by_trace(const Field<ColorMatrix, T>& u, const Field<ColorMatrix, T>& v, const TraceProjection& how);

}  // namespace kov
