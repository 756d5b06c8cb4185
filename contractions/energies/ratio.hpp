// SPDX-License-Identifier: MIT
//
// Matrix elements from ratios of three-point and two-point functions: plateaux and the summation method.
#pragma once

#include "kov/contractions/energies/linear_fit.hpp"

#include <span>
#include <vector>

namespace kov {

/// R(tau), tau = 0, ..., t_sink, of a current at tau between a source at 0 and a sink at t_sink = T:
///
///   R = C3(tau) / C2'(T) sqrt[C2(T - tau) C2'(tau) C2'(T) / (C2'(T - tau) C2(tau) C2(T))],
///
/// C2' the two-point function at the momentum of the sink, and C2 at that of the source; the root is 1 where both are
/// the same (LHPC, hep-lat/0304018).  It tends to <p'|J|p> / (2 sqrt(E' E)) for states of norm 2 E, where source and
/// sink have one operator and T is far from the end of the lattice; without further factors, in the units of J, times
/// in lattice units.  NaN where the root is of a negative number.
///
/// c2_source is empty at zero transfer.  Throws InputError for functions that end before t_sink.
std::vector<double> three_point_ratio(std::span<const double> c3, std::span<const double> c2_sink,
                                      std::span<const double> c2_source, int t_sink);

/// A constant fitted to R(tau), tau = skip, ..., T - skip, T + 1 the width: parameters has it.  Throws InputError where
/// no tau is left, and as linear_fit() does.
LinearFit ratio_plateau(const Resampled& ratio, int skip);

/// The summation method (Maiani, Martinelli, Paciello and Taglienti, Nucl. Phys. B 293, 420 (1987)): a straight line
/// through S(T) = sum of R(tau) over tau = skip, ..., T - skip.  parameters has the value at T = 0, which means
/// nothing, and the slope, which is the matrix element up to e^{-Delta E T}; excited states enter plateaux as e^{-Delta
/// E T / 2}. ratios: one for each T, their width less 1.  Throws InputError for fewer than two T, where no tau is left,
/// and as linear_fit() does.
LinearFit summed_ratios(const std::vector<Resampled>& ratios, int skip);

}  // namespace kov
