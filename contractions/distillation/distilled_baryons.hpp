// SPDX-License-Identifier: MIT
//
// Two-point functions of baryons in distillation, from elementals of three eigenvectors and three perambulators.
#pragma once

#include "kov/contractions/distillation/multi_meson.hpp"
#include "kov/contractions/hadrons/baryon_operator.hpp"
#include "kov/stencil/boundary_angles.hpp"

#include <complex>
#include <cstddef>
#include <vector>

namespace kov {

/// Which correlators distilled_baryons() contracts, and in how much memory.
struct DistilledBaryonOptions {
  /// Source times, each of them once; empty: all.
  std::vector<int> sources = {};
  /// Of the quarks: times before the source, which all three reach through the end of the lattice, are multiplied by
  /// e^{3 i angle_t}, as in baryons(): -1 when antiperiodic.
  BoundaryAngles boundary = BoundaryAngles::antiperiodic_in_time();
  /// For products of elementals with two perambulators, which are contracted together.
  std::size_t workspace_bytes = std::size_t(1) << (has_packs ? 28 : 32);
};

/// C(delta) = sum over the sources t of <sink(t + delta) source(t)> of operators with momentum p, whose quark fields
/// are in the space of the eigenvectors: [momentum][delta][correlation].  What the source is says BaryonCorrelation:
/// the same spins of qbar as its operator has of q, conjugate coefficients, no gamma_4's.  In a sum over terms of the
/// Wick contraction,
///   C = sum of coefficient B(t + delta)_ijk tau_1[i i'] tau_2[j j'] tau_3[k k'] B(t)*_i'j'k',
/// tau_q of its spins at sink and source in the Dirac-Pauli basis.  Operators, signs and normalisation are those of
/// baryons(quarks, correlations, momenta) with the momentum -p there, summed over the sites of the source's slice.
///
/// quarks: its `elemental` gives the numbers [i][j][k] of B(t) for momentum number `elemental`, < n_momenta.
///
/// Spin by spin: with f different first quarks and spins, g pairs of first and second, and h third, a sink takes 8 (f +
/// g + h) N^4 + 8 g h N^3 flops for each momentum, all as products and traces of matrices.  Local, as
/// multi_meson_correlators().  Throws InputError without correlations or momenta, for sources that do not exist or are
/// named twice, where same_as has no end, when sink and source have different quarks, and what the functions of
/// `quarks` throw.
template <class T>
std::vector<std::complex<double>> distilled_baryons(const std::vector<BaryonCorrelation>& correlations, int n_momenta,
                                                    const DistilledQuarks<T>& quarks,
                                                    const DistilledBaryonOptions& options = {}, const Exec& exec = {});

extern template std::vector<std::complex<double>> distilled_baryons(const std::vector<BaryonCorrelation>&, int,
                                                                    const DistilledQuarks<float>&,
                                                                    const DistilledBaryonOptions&, const Exec&);
extern template std::vector<std::complex<double>> distilled_baryons(const std::vector<BaryonCorrelation>&, int,
                                                                    const DistilledQuarks<double>&,
                                                                    const DistilledBaryonOptions&, const Exec&);

}  // namespace kov
