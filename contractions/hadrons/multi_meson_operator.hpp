// SPDX-License-Identifier: MIT
//
// Operators of several mesons as data: isospin, and their Wick contractions.
#pragma once

#include "kov/core/site/gamma.hpp"

#include <complex>
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
  /// (-1)^loops.
  int sign() const { return loops.size() % 2 == 0 ? 1 : -1; }
};

/// All of them.
///
/// Where the sign comes from: bilinears commute, so those of a loop can be brought together, (qbar_1 M_1 q_1) (qbar_2
/// M_2 q_2) ... (qbar_m M_m q_m) with q_1 qbar_2, q_2 qbar_3, ... contracted as they stand, each a propagator S, and
/// q_m with qbar_1, which first moves past the other 2 m - 1 fields: -1 for each loop.
std::vector<WickContraction> wick_contractions(const std::vector<QuarkBilinear>& mesons);

}  // namespace kov
