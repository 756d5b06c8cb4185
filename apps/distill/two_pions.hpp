// SPDX-License-Identifier: MIT
//
// Two pions of isospin 2 in `kovariant distill`: their operators and the matrices of their correlators.
#pragma once

#include "apps/distill/distill_plan.hpp"
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/contractions/distillation/multi_meson.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kov::app {

/// The operator sum over pairs of pi(p1) pi(p2) / sqrt(number of pairs), pi(p) = dbar (phi(p) x gamma_5) u.
struct TwoPionOperator {
  /// "pion_pion_I2[0 0 1, 0 0 -1]"
  std::string name;
  /// (p1, p2); p1 + p2 is the total momentum.
  std::vector<std::pair<Momentum, Momentum>> pairs;
};

/// Those of a total momentum, by p1^2 + p2^2: from all pairs in a list of momenta, where (p1, p2) and (p2, p1) are the
/// same.
///
/// projected: an operator is the sum over the rotations and reflections of the lattice that leave the total momentum,
/// the irrep A1 of its little group (A1+ at rest), in which the S wave is (Dudek et al., Phys. Rev. D 83 (2011)
/// 071504); pi pi is even under reflections.  It is named by the pair that is turned with the total momentum into the
/// representative() of that, so that momenta of one class have the same names.  Otherwise an operator is a pair.
std::vector<TwoPionOperator> two_pion_operators(const Momentum& total, const std::vector<Momentum>& momenta,
                                                const Coord& extent, bool projected);

/// All operators of one total momentum of the job.
std::vector<TwoPionOperator> two_pion_operators(const DistillParameters& parameters, const Momentum& total,
                                                const Coord& extent);

/// The operator of elementals with these momenta, number k of momenta[k].
MultiMesonOperator multi_meson(const TwoPionOperator& op, const std::vector<Momentum>& momenta);

/// Their correlators, of any number of configurations: the contractions of a total momentum are planned once.
class TwoPionCorrelators {
 public:
  TwoPionCorrelators(const DistillParameters& parameters, const DistillPlan& plan);

  /// C_ij(delta) = <O_i(t + delta) O_j^+(t)>, averaged over the source times, for all pairs of operators at every total
  /// momentum: direct and crossed products of two traces minus the two boxes.  The channel is "sink-source", the label
  /// "irrep" says "A1" where they are projected.  Proportional to the square of the volume, as sums over sites are.
  /// Total momenta and source times are divided among the ranks.  Collective.
  std::vector<Correlator> contract(const Comm& comm, const DistillFiles& files,
                                   std::map<std::string, LabelValue> labels, const std::function<void(int n)>& advance);

 private:
  struct Group {
    Momentum total;
    std::vector<MultiMesonOperator> operators;
    /// Planned when this rank has something to contract.
    MultiMesonContraction<double> contraction = {};
  };

  const DistillParameters& parameters_;
  const DistillPlan& plan_;
  std::vector<Group> groups_;
};

/// Bytes that a process needs for those of one total momentum with one sink at a time; more fit into the workspace.
double two_pion_sink_bytes(const DistillParameters& parameters, const Momentum& total, const Coord& extent);
/// Bytes that a process needs for them.
double two_pion_bytes(const DistillParameters& parameters, const Coord& extent);

}  // namespace kov::app
