// SPDX-License-Identifier: MIT
//
// Two pions in `kovariant distill`: their operators, what mixes with them, and the matrices of their correlators.
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

/// The operator sum over pairs of weight times pi(p1) pi(p2) coupled to an isospin, I3 = I, with pi(p) of the elemental
/// phi(p) and gamma_5; the weights' squares add up to 1.
struct TwoPionOperator {
  /// "pion_pion_I2[0 0 1, 0 0 -1]"
  std::string name;
  int isospin = 2;
  /// (p1, p2); p1 + p2 is the total momentum.
  std::vector<std::pair<Momentum, Momentum>> pairs = {};
  std::vector<double> weights = {};
};

/// Those of a total momentum, by p1^2 + p2^2: from all pairs in a list of momenta, where (p1, p2) and (p2, p1) are the
/// same.  With isospin 1, which is odd under their exchange, p1 and p2 differ.
///
/// projected: an operator is the sum over the rotations and reflections of the lattice that leave the total momentum,
/// the irrep A1 of its little group (A1+ at rest), in which the S wave is (Dudek et al., Phys. Rev. D 83 (2011)
/// 071504); pi pi is even under reflections.  Isospin 1 has no A1 at rest but T1-, in which the P wave is (Dudek et
/// al., Phys. Rev. D 87 (2013) 034505): then weights are proportional to component `row` of p1, and the operator is
/// that of this row.  It is named by the pair that is turned with the total momentum into the representative() of that,
/// so that momenta of one class have the same names.  Otherwise an operator is a pair.
std::vector<TwoPionOperator> two_pion_operators(const Momentum& total, const std::vector<Momentum>& momenta,
                                                const Coord& extent, bool projected, int isospin = 2,
                                                std::size_t row = 2);

/// The operator of elementals with these momenta, number k of momenta[k].
MultiMesonOperator multi_meson(const TwoPionOperator& op, const std::vector<Momentum>& momenta);

/// Operators that have correlators with each other.
struct TwoPionGroup {
  int isospin = 2;
  Momentum total{};
  /// "A1", "T1" or, where operators are not projected, "".
  std::string irrep;
  /// Those of two pions, then single mesons and the vacuum; of momenta_up_to(elementals.max_momentum).
  std::vector<MultiMesonOperator> operators = {};
};

/// All groups of the job: by isospin, total momentum and rows of T1, which are averaged over: z, and axes as long.
///
/// Single mesons are those of correlators.two_pion_mesons with the isospin: "a0_I0" is isoscalar_meson() of 1, "rho_I1"
/// i isovector_meson() of the sum over n_k gamma_k, with n the row's axis or the direction of the total momentum, and
/// "rho_g4_I1" that of gamma_k gamma_4.  The i makes correlators with two pions real on average.  Where operators are
/// not projected, there are three instead, "rho_x_I1" and so on.  "vacuum", of isospin 0 at rest, is the number 1: its
/// correlators are the means of the others, and the GEVP with it takes the vacuum out of them.
std::vector<TwoPionGroup> two_pion_groups(const DistillParameters& parameters, const Coord& extent);

/// Their correlators, of any number of configurations: the contractions of a total momentum are planned once.
class TwoPionCorrelators {
 public:
  TwoPionCorrelators(const DistillParameters& parameters, const DistillPlan& plan);

  /// C_ij(delta) = <O_i(t + delta) O_j^+(t)>, averaged over the source times and the rows of an irrep, for all pairs of
  /// operators of an isospin and total momentum, by multi_meson_correlators(): the vacuum is not subtracted.  The
  /// channel is "sink-source", the label "irrep" says "A1" or "T1" where they are projected.  Proportional to the
  /// square of the volume between two pions, as sums over sites are.  Groups and source times are divided among the
  /// ranks. Collective.
  std::vector<Correlator> contract(const Comm& comm, const DistillFiles& files,
                                   std::map<std::string, LabelValue> labels, const std::function<void(int n)>& advance);

 private:
  const DistillParameters& parameters_;
  const DistillPlan& plan_;
  std::vector<TwoPionGroup> groups_;
  /// Of each group: planned when this rank has something to contract.
  std::vector<MultiMesonContraction<double>> contractions_;
};

/// Bytes that a process needs for those of one group with one sink at a time; more fit into the workspace.
double two_pion_sink_bytes(const DistillParameters& parameters, const TwoPionGroup& group);
/// Bytes that a process needs for them.
double two_pion_bytes(const DistillParameters& parameters, const Coord& extent);

}  // namespace kov::app
