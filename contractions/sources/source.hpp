// SPDX-License-Identifier: MIT
//
// Sources: the right-hand sides that propagators are solved for.  Smearing operators take any of them.
#pragma once

#include "kov/contractions/sources/propagator.hpp"
#include "kov/core/field/noise.hpp"
#include "kov/core/site/gamma.hpp"

#include <optional>

namespace kov {

// Sources of 12 columns are Propagators, column 3 * spin + colour with that spin and colour alone; they are labelled
// with their kind and the origin that correlators count from.  Times and coordinates are global.  They are made on
// exec; only their memory, which any instance may use, waits for others.  All throw InputError for a time, point, spin
// or colour that does not exist.

/// One at the global coordinate origin for one spin (0..3) and colour (0..2), zero elsewhere: one component.
template <class T>
SpinorField<T> point_source(const Lattice& lattice, const Coord& origin, int spin, int color, const Exec& exec = {});

/// The unit matrix in spin and colour at the global coordinate origin.
template <class T>
Propagator<T> point_source(const Lattice& lattice, const Coord& origin, const Exec& exec = {});

/// The unit matrix in spin and colour at every site of time slice t; its origin is (0, 0, 0, t).  Not gauge covariant:
/// meant for Coulomb gauge, or for the gauge average to pick the point-like part.
template <class T>
Propagator<T> wall_source(const Lattice& lattice, int t, const Exec& exec = {});

/// The same for one spin and colour: one component.
template <class T>
SpinorField<T> wall_source(const Lattice& lattice, int t, int spin, int color, const Exec& exec = {});

/// A wall with momentum: e^{+2 pi i p.x / L} times the unit matrix on time slice t.
template <class T>
Propagator<T> momentum_source(const Lattice& lattice, int t, const Momentum& p, const Exec& exec = {});

/// Which spins and colours of a noise source get components of their own.
enum class Dilution {
  none,       ///< 1 component with 12 numbers a site, all spins and colours together
  spin,       ///< 4 components: component s has spin s alone, with the same 3 numbers a site in all four
  spin_color  ///< 12 components, a propagator's: the unit matrix times the same single number a site
};

/// Noise on one time slice, or on all sites where t is absent.
struct NoiseSource {
  Noise noise = {};
  std::optional<int> t = {};
  Dilution dilution = Dilution::spin_color;
};

/// Numbers are draws of the global site (core/field/noise.hpp), in the order of colour, then spin: the same bits on any
/// decomposition, and, on a slice, those of the volume noise of the same seed and stream.
template <class T>
SpinorField<T> noise_source(const Lattice& lattice, const NoiseSource& parameters, const Exec& exec = {});

/// Points origin + (i sx, j sy, k sz) on the time slice of origin; smeared, a wall of Gaussians.
struct PointGrid {
  Coord origin{0, 0, 0, 0};
  /// Must divide the extents.
  std::array<int, 3> spacing{1, 1, 1};
  /// A number for each point, so that the terms between different points average to zero; absent: 1.
  std::optional<Noise> noise = {};
};

/// The unit matrix in spin and colour, times the point's number, at every point of a grid.
template <class T>
Propagator<T> grid_source(const Lattice& lattice, const PointGrid& grid, const Exec& exec = {});

/// The same for one spin and colour: one component.
template <class T>
SpinorField<T> grid_source(const Lattice& lattice, const PointGrid& grid, int spin, int color, const Exec& exec = {});

/// source(x) = e^{+2 pi i p.(x - origin) / L} source(x), for every component of any spinor field, in place.
/// Asynchronous, ordered on exec.
template <class T>
void multiply_phase(const SpinorField<T>& source, const Momentum& p, const Coord& origin, const Exec& exec = {});

/// The source of a sequential propagator through the sink: Gamma e^{+2 pi i p.(x - origin) / L} S(x) on time slice
/// t_sink, zero elsewhere; origin and labels are those of S.  M^-1 of it is sum_x S(y, x) Gamma e^{i p.(x - origin)}
/// S(x, origin).  With smeared sinks S comes smeared, and the result is smeared again before it is solved for.
template <class T>
Propagator<T> sequential_source(const Propagator<T>& propagator, int t_sink, const Gamma& gamma, const Momentum& p,
                                const Exec& exec = {});

}  // namespace kov
