// SPDX-License-Identifier: MIT
//
// LegFactors: numbers that multiply the links of a stencil's legs, stored separately, so that links stay in SU(3); and
// whether links in time are 1.
#pragma once

#include "kov/core/site/complex.hpp"
#include "kov/stencil/boundary_angles.hpp"
#include "kov/stencil/stencil.hpp"

#include <complex>

namespace kov {

/// What is known of the links in time.
enum class TimeLinks {
  any,
  /// 1 but for those from the last time slice to the first, as in temporal gauge: see in_temporal_gauge().  Hops on
  /// CPUs do not load them then, nor multiply by them; on GPUs all threads load one of them or, in 16 bits, their own.
  unit
};

/// A forward leg in direction mu multiplies by direction[mu], and by e^{i angle_mu} where it goes around the end of the
/// lattice; a backward leg by their conjugates.
struct LegFactors {
  /// Phases of links that go around the end of the lattice.
  BoundaryAngles boundary = {};
  /// Factor of every link in a direction: anisotropy, or the phase e^{-i k_mu} that moves a smearing to the momentum k.
  std::array<std::complex<double>, 4> direction{1, 1, 1, 1};
  TimeLinks time_links = TimeLinks::any;

  LegFactors() = default;
  /// Phases alone.
  LegFactors(const BoundaryAngles& angles) : boundary(angles) {}  // NOLINT: meant to be implicit
};

namespace detail {

/// The factors as kernels look them up: one for each leg and one for each of a stencil's crossings.
template <class T>
struct LegFactorView {
  static constexpr int max_legs = 16;
  /// [crossing][re|im][lane], 1 where no boundary has a phase; null if no leg has a factor or a phase.
  const T* phases = nullptr;
  /// Bit l: the factor of leg l is not 1; leg l has a phase where it crosses a boundary.
  unsigned scaled = 0, phased = 0;
  /// Bit l: leg l's matrices are 1 where it does not go around the end of the lattice; it does so, in any lane, where
  /// it has a crossing.
  unsigned unit = 0, winding = 0;
  /// Whether all factors and phases are real.
  bool is_real = true;
  Kokkos::Array<Complex<T>, max_legs> of_leg{};

  KOKKOS_FORCEINLINE_FUNCTION bool any() const { return phases != nullptr; }
  /// The legs whose matrices are 1, with their factors; crossing: those that have a crossing.
  KOKKOS_FORCEINLINE_FUNCTION unsigned unit_legs(unsigned crossing) const { return unit & ~(crossing & winding); }
};

/// In place of a LegFactorView where no leg has a factor: GPUs read kernels from constant memory, where each line that
/// a launch has to fetch delays it.
struct NoLegFactors {
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool any() { return false; }
};

/// The phase of every crossing of a stencil, for `lanes` lanes (one, or the layout's): what LegFactorView::phases
/// points to.
template <class T>
std::vector<T> crossing_phases(const Stencil& stencil, const BoundaryAngles& boundary, int lanes);

/// Sets what does not depend on crossings.  Throws InputError for more than max_legs legs, and for unit links of other
/// legs than the nearest neighbours.
template <class T>
void set_leg_factors(LegFactorView<T>& view, const Stencil& stencil, const LegFactors& factors);

}  // namespace detail

}  // namespace kov
