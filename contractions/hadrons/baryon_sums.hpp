// SPDX-License-Identifier: MIT
//
// The sweep over propagators behind all baryons.
#pragma once

#include "kov/contractions/hadrons/baryon_operator.hpp"
#include "kov/contractions/sources/propagator.hpp"

namespace kov::detail {

/// Different propagators of one sweep at most.
inline constexpr int most_baryon_quarks = 4;

/// e^{3 i angle_t}, what three quarks take up beyond the end of the lattice; exactly real for the two usual boundaries.
std::complex<double> wrap_phase_of_baryons(const BoundaryAngles& boundary);

/// sum_x e^{+i p.(x - origin)} of each value, [value][momentum][t], t from the origin of the labels on, over all ranks,
/// with the phases of three quarks beyond the boundary in time.  The quarks of values are numbers of the list of
/// propagators, which are on one lattice.  Runs on exec and waits for it.  Collective.
template <class T>
std::vector<std::complex<double>> baryon_sums(const std::vector<const Propagator<T>*>& quarks,
                                              const std::vector<BaryonValue>& values,
                                              const std::vector<Momentum>& momenta, const PropagatorLabels& labels,
                                              const Exec& exec = {});

}  // namespace kov::detail
