// SPDX-License-Identifier: MIT
//
// Correlators of several mesons in distillation: operators as data, their Wick contractions, isospin, and the traces
// of them all by one plan.
#pragma once

#include "kov/contractions/kernels/trace.hpp"
#include "kov/core/site/gamma.hpp"

#include <complex>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kov {

/// An elemental with a gamma matrix, phi x Gamma; the elemental has the momentum and the displacement.
struct MesonVertex {
  int elemental = 0;
  Gamma gamma = Gamma::five();
  bool operator==(const MesonVertex&) const = default;
};

/// A meson on a time slice: antiquark-bar (phi x Gamma) quark, "dbar Gamma u" for {"d", "u", vertex}.
struct QuarkBilinear {
  std::string antiquark, quark;
  MesonVertex vertex = {};
};

/// coefficient times a product of mesons on one time slice, in any order.
struct MultiMesonTerm {
  std::complex<double> coefficient = 1;
  std::vector<QuarkBilinear> mesons;
};

/// A sum of products of mesons: one meson, two of a definite isospin, or any number.
struct MultiMesonOperator {
  std::string name;
  std::vector<MultiMesonTerm> terms;
};

// Isospin.  (u, d) and (dbar, -ubar) are doublets, so that the pions are pi+ = dbar u, pi0 = (dbar d - ubar u) /
// sqrt 2, pi- = -ubar d, and the kaons K+ = sbar u, K0 = sbar d.

/// Two mesons of isospin 1 with these vertices, coupled to isospin 0, 1 or 2, with I3 = I: (pi+ pi- - pi0 pi0 + pi-
/// pi+) / sqrt 3, (pi+ pi0 - pi0 pi+) / sqrt 2 and pi+ pi+, first and second as written.  Throws InputError for another
/// isospin.
MultiMesonOperator two_pions(int isospin, const MesonVertex& first, const MesonVertex& second);
/// A meson of isospin 1 and a strange one, coupled to isospin 1/2 or 3/2 with I3 = I: sqrt(2/3) pi+ K0 - sqrt(1/3) pi0
/// K+, and pi+ K+.  Throws InputError unless twice_isospin is 1 or 3.
MultiMesonOperator pion_kaon(int twice_isospin, const MesonVertex& pion, const MesonVertex& kaon);
/// A meson dbar (phi x Gamma) u of isospin 1, I3 = 1.
MultiMesonOperator isovector_meson(const MesonVertex& vertex);
/// (ubar (phi x Gamma) u + dbar (phi x Gamma) d) / sqrt 2
MultiMesonOperator isoscalar_meson(const MesonVertex& vertex);
/// sbar (phi x Gamma) u of isospin 1/2, I3 = 1/2.
MultiMesonOperator strange_meson(const MesonVertex& vertex);

/// T_- of the operator: every u in turn becomes a d, every dbar a -ubar.  Of |I, I3> it is sqrt((I + I3) (I - I3 + 1))
/// |I, I3 - 1>.
MultiMesonOperator isospin_lowered(const MultiMesonOperator& op);

/// A Wick contraction of a product of mesons: (-1)^loops times the product of Tr[M_k S M_l S ...] over loops [k, l,
/// ...].  The quark of meson k is contracted with the antiquark of the next one, l.
struct WickContraction {
  std::vector<std::vector<int>> loops;
  int sign() const { return loops.size() % 2 == 0 ? 1 : -1; }
};

/// All of them.
///
/// Where the sign comes from: bilinears commute, so those of a loop can be brought together, (qbar_1 M_1 q_1) (qbar_2
/// M_2 q_2) ... (qbar_m M_m q_m) with q_1 qbar_2, q_2 qbar_3, ... contracted as they stand, each a propagator S, and
/// q_m with qbar_1, which first moves past the other 2 m - 1 fields: -1 for each loop.
std::vector<WickContraction> wick_contractions(const std::vector<QuarkBilinear>& mesons);

/// Elementals and perambulators of a configuration, in the index orders of engine/engine.hpp.
template <class T>
struct DistilledQuarks {
  int n_vectors = 0, n_times = 0;
  /// phi(t) of an elemental, [n][m].
  std::function<void(int t, int elemental, std::span<Complex<T>> to)> elemental;
  /// tau(t_sink, t_source) of a quark, [row][column].  Where quark lines begin and end on the sink's slice, t_source is
  /// any time; otherwise one of the sources.
  std::function<void(const std::string& quark, int t_sink, int t_source, std::span<Complex<T>> to)> perambulator;
  /// Quarks that are the same as another: {{"d", "u"}} with equal masses.  Only the one at the end of such a chain is
  /// read.
  std::map<std::string, std::string> same_as = {};
};

struct MultiMesonOptions {
  /// Source times, each of them once; empty: all.
  std::vector<int> sources = {};
  /// For matrices, on the host too, and products: as many sinks are contracted together as fit.  One sink takes what it
  /// needs, even if that is more.
  std::size_t workspace_bytes = std::size_t(1) << (has_packs ? 28 : 32);
  /// Called with ContractionPlan::description() before the work.
  std::function<void(const std::string&)> plan = {};
};

/// C_ij(delta) = sum over the sources t of <O_i(t + delta) O_j(t)^+>, times modulo n_times, [delta][i][j]: all Wick
/// contractions, those without a quark line from source to sink too.  (qbar (phi x Gamma) q')^+ is q'bar (phi^+ x g4
/// Gamma^+ g4) q, and tau(t, t') = gamma_5 tau(t', t)^+ gamma_5, which a twisted mass breaks.
///
/// Contractions that cancel, of quarks that are the same, are not computed; the plan makes products that different
/// operators share once.  A box of four mesons by itself takes (4 x 128 + 2 x 512) N_v^3 flops a sink.  Local: every
/// rank that calls computes everything.  Throws InputError without operators, for sources that do not exist or are
/// named twice, where same_as has no end, and what the functions of `quarks` throw.
template <class T>
std::vector<std::complex<double>> multi_meson_correlators(const std::vector<MultiMesonOperator>& operators,
                                                          const DistilledQuarks<T>& quarks,
                                                          const MultiMesonOptions& options = {}, const Exec& exec = {});

/// The correlators of multi_meson_correlators() from some sources (none: all) of a configuration.
template <class T>
using MultiMesonContraction = std::function<std::vector<std::complex<double>>(
    const DistilledQuarks<T>& quarks, const std::vector<int>& sources, const Exec& exec)>;

/// A list of operators whose contractions and plan are made here, once for any number of calls; with hundreds of boxes
/// that takes a second.  quarks: of the same n_vectors, n_times and same_as as later ones; its functions are not
/// called. options.sources does not matter.  Throws InputError without operators; a call throws what
/// multi_meson_correlators() does, and for quarks that do not fit.
template <class T>
MultiMesonContraction<T> multi_meson_contraction(const std::vector<MultiMesonOperator>& operators,
                                                 const DistilledQuarks<T>& quarks,
                                                 const MultiMesonOptions& options = {});

extern template MultiMesonContraction<float> multi_meson_contraction(const std::vector<MultiMesonOperator>&,
                                                                     const DistilledQuarks<float>&,
                                                                     const MultiMesonOptions&);
extern template MultiMesonContraction<double> multi_meson_contraction(const std::vector<MultiMesonOperator>&,
                                                                      const DistilledQuarks<double>&,
                                                                      const MultiMesonOptions&);
extern template std::vector<std::complex<double>> multi_meson_correlators(const std::vector<MultiMesonOperator>&,
                                                                          const DistilledQuarks<float>&,
                                                                          const MultiMesonOptions&, const Exec&);
extern template std::vector<std::complex<double>> multi_meson_correlators(const std::vector<MultiMesonOperator>&,
                                                                          const DistilledQuarks<double>&,
                                                                          const MultiMesonOptions&, const Exec&);

}  // namespace kov
