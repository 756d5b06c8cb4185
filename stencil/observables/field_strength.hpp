// SPDX-License-Identifier: MIT
//
// The field strength from clover leaves, its energy density and topological charge.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/observables/observables.hpp"

#include <memory>

namespace kov {

namespace detail {
template <class T>
class CloverLeaves;
}

/// F_{mu nu}(x) = (Q - Q^+) / 8, Q the sum of the four plaquettes that begin and end at x and turn from mu to nu
/// (Sheikholeslami and Wohlert, Nucl. Phys. B 259 (1985) 572).  Antihermitian; a^2 times the continuum's g F up to
/// O(a^4).
enum class FieldStrengthTrace {
  /// With its trace, as in the clover term of the Wilson operator.
  kept,
  /// Traceless, in the Lie algebra of SU(3), as energy and charge need it.
  removed
};

/// Six components, the planes (mu, nu) in the order 01 02 03 12 13 23.  Collective.  Throws like plaquettes().
template <class T>
Field<ColorMatrix, T> field_strength(const GaugeField<T>& gauge, FieldStrengthTrace trace);

/// Energy density and charge in lattice units, of the traceless clover field strength.
struct FieldStrengthAverages {
  /// - sum over planes with t of the lattice mean of tr F F.
  double temporal_energy = 0;
  /// - sum over planes without t, likewise.
  double spatial_energy = 0;
  /// Q = - 8 / (32 pi^2) sum over x of tr (F_xy F_zt - F_xz F_yt + F_xt F_yz).
  double charge = 0;

  /// a^4 E with E = - 1/2 sum over mu, nu of tr F F (Luescher, JHEP 08 (2010) 071, eq. (3.1)).
  double energy() const { return temporal_energy + spatial_energy; }
};

/// Collective; in exact mode the same bits on every decomposition.  Throws like plaquettes().
///
/// Per plane 8 * 198 flops a site; for two planes an exchange of four and one of two matrices.  No field strength is
/// stored.
template <class T>
FieldStrengthAverages field_strength_averages(const GaugeField<T>& gauge, SumMode mode = SumMode::chunked);

/// Repeated field_strength_averages() of a field whose links change: keeps the fields and the halo, eight matrices a
/// site, that each call of that function would allocate again.
template <class T>
class FieldStrengthMeasurement {
 public:
  /// Collective.
  explicit FieldStrengthMeasurement(const Lattice& lattice);

  /// The same numbers as field_strength_averages().  Throws InputError for a field on another lattice too.  Collective.
  FieldStrengthAverages operator()(const GaugeField<T>& gauge, SumMode mode = SumMode::chunked) const;

 private:
  std::shared_ptr<const detail::CloverLeaves<T>> leaves_;
};

/// The same energy from plaquettes: a^4 E = 2 sum over planes of Re tr (1 - P), the lattice mean (Luescher, eq. (3.1)).
double plaquette_energy(const Plaquettes& plaquettes);

}  // namespace kov
