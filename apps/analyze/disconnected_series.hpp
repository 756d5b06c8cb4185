// SPDX-License-Identifier: MIT
//
// Correlators of quark loops: disconnected ones and, with the connected ones, those of isoscalar mesons.
#pragma once

#include "apps/analyze/analyze_parameters.hpp"
#include "apps/analyze/correlator_series.hpp"

namespace kov::app {

/// Series of kind "disconnected", channel "L-L' disconnected", for every pair of loops L (sink) and L' (source) of
/// disconnected.channels, every set of labels but "hit", and every momentum p of L where L' has -p,
///
///   D(p, t) = 1 / (V T) sum over t0 of <L(p, t0 + t) L'(-p, t0)>, less <L><L'> / V at rest,
///
/// V the volume in space, so that a source is a point as in the connected correlators C(p, t) of mesons; products of
/// different hits, see disconnected_product(), or with disconnected.exact of all.  At other momenta the vacuum has no
/// part.  With parameters.data.average_momenta those of equal loops are averaged over equivalent momenta.  With
/// disconnected.flavours N_f also series of kind "isoscalar", channel "L-L' isoscalar", C - N_f D, with every connected
/// correlator of point source and sink that has the labels of the loops ("quarks" = q-q for q): no smearing but "none",
/// and where the label "source_type" is there, "point".
///
/// Throws InputError for loops that are not there, of one and the same hit with noise, on fewer than two configurations
/// or on others than the connected ones, for an unknown volume, and when there is no connected correlator.
void add_disconnected(std::vector<CorrelatorSeries>& series, const AnalyzeParameters& parameters, const Coord& extent);

}  // namespace kov::app
