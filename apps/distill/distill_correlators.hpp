// SPDX-License-Identifier: MIT
//
// Correlator matrices of `kovariant distill`, from the files of elementals and perambulators.
#pragma once

#include "apps/distill/distill_plan.hpp"
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/core/lattice/tune.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace kov::app {

/// An operator O = qbar (phi x Gamma) q' of one momentum: a gamma matrix by the name of its local meson, and a
/// displacement.
struct MesonOperator {
  std::string meson;
  std::string displacement;
  /// "pion_A4[dx]"
  std::string name() const { return meson + "[" + displacement + "]"; }
};

/// Every meson with every displacement; displacements change first.
std::vector<MesonOperator> meson_operators(const DistillParameters& parameters);

/// -eta with g4 Gamma^+ g4 = eta Gamma^+ for the gamma matrix of this meson: what Tr[Phi_i tau Phi_j^+ tau] is
/// multiplied by to be <O_i O_j^+>.
int conjugate_sign(const std::string& meson);

/// C_ij(delta) = <O_i(t + delta) O_j^+(t)> = -eta_j Tr[Phi_i tau(t + delta, t) Phi_j^+ tau(t, t + delta)], averaged
/// over the source times, for all pairs of operators at every momentum; the channel is "sink-source".  The first tau is
/// of the quark of a pair, the second of its antiquark, with noise averaged over every two different ones; the label
/// `quarks` of those with names is "light-strange". Sums over the sites of both slices: proportional to the volume.
/// Momenta are divided among the ranks, each of which reads the perambulators once for as many momenta as there is room
/// for.  On one rank the tuner chooses kernels of products and traces where it has a file.  Several ranks have different
/// momenta and cannot agree on a choice: they use the default kernels.  Collective.
std::vector<Correlator> distilled_correlators(const Comm& comm, const DistillParameters& parameters,
                                              const DistillFiles& files, const DistillPlan& plan,
                                              const std::array<std::size_t, 2>& pair,
                                              const std::map<std::string, LabelValue>& labels, Tuner& tuner);

/// Bytes that one of n_ranks processes needs for them.
double correlator_bytes(const DistillParameters& parameters, int n_times, int n_ranks, const DistillBatches& batches);
/// Whether it keeps the elementals of all slices, or reads them again for every source.
bool keeps_elementals(const DistillParameters& parameters, int n_times, int n_ranks, const DistillBatches& batches);

}  // namespace kov::app
