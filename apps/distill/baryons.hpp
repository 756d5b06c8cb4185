// SPDX-License-Identifier: MIT
//
// Baryons in `kovariant distill`: their operators and correlators.
#pragma once

#include "apps/distill/distill_plan.hpp"
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/contractions/hadrons/baryon_operator.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kov::app {

/// The baryons of octet and decuplet without strange quarks, "_np" with lower components.
std::vector<std::string> light_baryon_names();

/// All spin components of the job's baryons.
std::vector<BaryonOperator> wanted_baryon_operators(const DistillParameters& parameters);

/// C(delta) = <O(t + delta) Obar(t)> of distilled_baryons(), averaged over the source times, of every component at
/// every momentum; the channel is the component's name, the label `quarks` of quarks with names "u light, d light, s
/// strange".  Proportional to the volume.  Momenta and source times are
/// divided among the ranks.  Collective.
std::vector<Correlator> baryon_correlators(const Comm& comm, const DistillParameters& parameters,
                                           const DistillFiles& files, const DistillPlan& plan,
                                           const std::map<std::string, LabelValue>& labels,
                                           const std::function<void(int n)>& advance);

/// Bytes that a process with a part of n_slices time slices needs for elementals of baryons.
double baryon_elemental_bytes(const DistillParameters& parameters, int n_slices);
/// Bytes that a process needs for correlators, with so many for products: DistilledBaryonOptions::workspace_bytes.
double baryon_bytes(const DistillParameters& parameters, int n_times, std::size_t workspace_bytes);

}  // namespace kov::app
