// SPDX-License-Identifier: MIT
//
// Two pions, or a pion and a kaon, in `kovariant distill`: their operators, what mixes with them, and the matrices of
// their correlators.
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

/// The operator sum over pairs of weight times pi(p1) pi(p2), or pi(p1) K(p2), coupled to an isospin, I3 = I, with
/// pi(p) and K(p) of the elemental phi(p) and gamma_5; the weights' squares add up to 1.
struct TwoMesonOperator {
  /// "pion_pion_I2[0 0 1, 0 0 -1]", "pion_kaon_I3o2[0 0 1, 0 0 -1]"
  std::string name;
  int twice_isospin = 4;
  /// (p1, p2); p1 + p2 is the total momentum.
  std::vector<std::pair<Momentum, Momentum>> pairs = {};
  std::vector<double> weights = {};
};

/// Those of a total momentum, by p1^2 + p2^2: from all pairs in a list of momenta, where (p1, p2) and (p2, p1) are the
/// same for two pions.  With isospin 1, which is odd under their exchange, p1 and p2 differ.
///
/// irrep "A1": an operator is the sum over the rotations and reflections of the lattice that leave the total momentum,
/// the irrep A1 of its little group (A1+ at rest), in which the S wave is (Dudek et al., Phys. Rev. D 83 (2011)
/// 071504); two pseudoscalars are even under reflections.  Isospin 1 has no A1 at rest.  "T1", at rest alone: T1-, in
/// which the P wave is (Dudek et al., Phys. Rev. D 87 (2013) 034505), of isospin 1 or a pion and a kaon; weights are
/// proportional to component `row` of p1, and the operator is that of this row.  Both are named by the pair that is
/// turned with the total momentum into the representative() of that, so that momenta of one class have the same names.
/// "": an operator is a pair.
std::vector<TwoMesonOperator> two_meson_operators(const Momentum& total, const std::vector<Momentum>& momenta,
                                                  const Coord& extent, const std::string& irrep, int twice_isospin = 4,
                                                  std::size_t row = 2);

/// The operator of elementals with these momenta, number k of momenta[k].
MultiMesonOperator multi_meson(const TwoMesonOperator& op, const std::vector<Momentum>& momenta);

/// Operators that have correlators with each other.
struct TwoMesonGroup {
  int twice_isospin = 4;
  Momentum total{};
  /// "A1", "T1" or, where operators are not projected, "".
  std::string irrep;
  /// Those of two mesons, then single ones and the vacuum.  Elemental k has no displacement and momentum k of
  /// momenta_up_to(elementals.max_momentum), of which there are m; m + k is elemental k of DistillParameters::labels().
  std::vector<MultiMesonOperator> operators = {};
};

/// Whether the name of a single meson says a displacement, as "a0[dx]" does.
inline bool is_displaced(const std::string& meson) { return meson.find('[') != std::string::npos; }

/// "2", "3/2"
std::string isospin_text(int twice_isospin);

/// All groups of the job: by isospin, total momentum, irrep and rows of T1, which are averaged over: z, and axes as
/// long.  A pion and a kaon at rest have A1, and T1 unless their momenta are all 0.
///
/// Single mesons are those of correlators.two_pion_mesons and pion_kaon_mesons with the isospin: "a0_I0" is
/// isoscalar_meson() of 1, "rho_I1" i isovector_meson() of the sum over n_k gamma_k, with n the row's axis or the
/// direction of the total momentum, and "rho_g4_I1" that of gamma_k gamma_4; "K0star_I1o2", "Kstar_I1o2" and
/// "Kstar_g4_I1o2" are strange_meson() of the same.  The i makes correlators with two mesons real on average.  Where
/// operators are not projected, there are three vectors instead, "rho_x_I1" and so on.  Displaced ones,
/// "a0[dx]_I1", are projected_meson(): of an isospin 0 or 1 unless conjugation_sign() belongs to the other, with a
/// factor i where inversion_sign() is -1.  "vacuum", of isospin 0 at rest, is the number 1: its correlators are the
/// means of the others, and the GEVP with it takes the vacuum out of them.
std::vector<TwoMesonGroup> two_meson_groups(const DistillParameters& parameters, const Coord& extent, MesonPair pair);

/// Warnings of operators that are another one of their group up to a factor, as a0[dy] is a0[dx] at rest: a GEVP with
/// both has no solution.
std::vector<std::string> equal_operator_warnings(const DistillParameters& parameters, const Coord& extent);

/// Their correlators, of any number of configurations: the contractions of a total momentum are planned once.
class TwoMesonCorrelators {
 public:
  TwoMesonCorrelators(const DistillParameters& parameters, const DistillPlan& plan, MesonPair pair);

  /// C_ij(delta) = <O_i(t + delta) O_j^+(t)>, averaged over the source times and the rows of an irrep, for all pairs of
  /// operators of an isospin, total momentum and irrep, by multi_meson_correlators(): the vacuum is not subtracted. The
  /// channel is "sink-source", the label "irrep" says "A1" or "T1" where they are projected.  Proportional to the
  /// square of the volume between two mesons, as sums over sites are.  Groups and source times are divided among the
  /// ranks. Collective.
  std::vector<Correlator> contract(const Comm& comm, const DistillFiles& files,
                                   std::map<std::string, LabelValue> labels, const std::function<void(int n)>& advance);

 private:
  const DistillParameters& parameters_;
  const DistillPlan& plan_;
  MesonPair pair_;
  std::vector<TwoMesonGroup> groups_;
  /// Of each group: planned when this rank has something to contract.
  std::vector<MultiMesonContraction<double>> contractions_;
};

/// Bytes that a process needs for those of one group with one sink at a time; more fit into the workspace.
double two_meson_sink_bytes(const DistillParameters& parameters, const TwoMesonGroup& group);
/// Bytes that a process needs for them, with a workspace of so many for as many sinks as fit.
double two_meson_bytes(const DistillParameters& parameters, const Coord& extent, MesonPair pair,
                       std::size_t workspace_bytes);

}  // namespace kov::app
