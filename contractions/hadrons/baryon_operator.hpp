// SPDX-License-Identifier: MIT
//
// Interpolating operators of baryons as data: which quarks, which spins, which coefficients.
#pragma once

#include "kov/core/site/spin_matrix.hpp"

#include <array>
#include <complex>
#include <string>
#include <vector>

namespace kov {

/// coefficient eps_abc q1_a(spin[0]) q2_b(spin[1]) q3_c(spin[2]), spins of the Dirac-Pauli basis.
struct BaryonTerm {
  std::array<int, 3> spin;
  std::complex<double> coefficient = 1;
};

/// One component of an interpolating operator of three quarks, a sum of terms with the same quarks.
///
/// Spins are those of the Dirac-Pauli basis, where gamma_4 = diag(1, 1, -1, -1): 0 and 1 are the upper components with
/// spin up and down along z, 2 and 3 the lower ones.  From the DeGrand-Rossi basis, psi_DP = U^+ psi with U =
/// dirac_pauli_rotation().  A term keeps its value when two of its quarks are exchanged with their spins, so the order
/// of the quarks is a matter of taste.
struct BaryonOperator {
  /// "proton_up": of correlators.
  std::string name;
  /// The names of the quarks, {"d", "u", "u"}.
  std::array<std::string, 3> quarks;
  std::vector<BaryonTerm> terms;
};

/// A two-point function <sink source>: the source is what is written with the same spins of qbar as the sink has of q
/// and with conjugate coefficients, without gamma_4's.  With upper components alone, or lower ones alone, gamma_4's
/// would be an overall sign.
struct BaryonCorrelation {
  std::string name;
  BaryonOperator sink, source;
};

/// Upper components make the ground states of their names, lower ones their partners of negative parity: forward in
/// time; backward it is the other way round.
enum class BaryonParity { positive, negative };

/// The components of all baryons with u, d and s of spin 1/2 and of spin 3/2, in S waves of upper components (names
/// "proton_up") or lower ones ("proton_np_up"): the operators of Basak et al., Phys. Rev. D 72, 074501 (2005), as
/// lalibe and Chroma have them.
///
/// Octet, components up and dn: proton, neutron, lambda_z, sigma_p, sigma_z, sigma_m, xi_z, xi_m.  Decuplet, components
/// upup, up, dn and dndn: delta_pp, delta_p, delta_z, delta_m, sigma_star_p, sigma_star_z, sigma_star_m, xi_star_z,
/// xi_star_m, omega_m.  lambda_z has u and d in a diquark of spin and isospin 0, and no part of the octet's other
/// diquarks.
///
/// Members of an isospin multiplet have the same normalisation; of multiplets it is that of lalibe, in which equal
/// quarks of all three flavours make the sigma 4/3 of the proton and the delta 3 times the sigma_star.
std::vector<BaryonOperator> octet_operators(BaryonParity parity = BaryonParity::positive);
std::vector<BaryonOperator> decuplet_operators(BaryonParity parity = BaryonParity::positive);

/// The operators of a baryon, "proton" or "proton_np", all components.  Throws InputError for another name.
std::vector<BaryonOperator> baryon_operators(const std::string& baryon);
/// The names of the baryons above: octet, decuplet, then both with "_np".
const std::vector<std::string>& baryon_names();

/// U of BaryonOperator, unitary; gamma_4 is diagonal in U^+ gamma U.
SpinMatrix<double> dirac_pauli_rotation();

namespace detail {

/// c eps_abc eps_a'b'c' q1[pair[0]]_aa' q2[pair[1]]_bb' q3[pair[2]]_cc': pairs are 4 * spin at the sink + spin at the
/// source, in the Dirac-Pauli basis.
struct BaryonContraction {
  std::array<int, 3> pair;
  std::complex<double> coefficient;
};

/// One number at a site: a sum of contractions of the same three quarks, which are numbers of a list of propagators.
struct BaryonValue {
  std::array<int, 3> quark;
  std::vector<BaryonContraction> terms;
};

/// The Wick contractions of two operators with the same quarks: each quark of the sink with each of the source that has
/// its name.  Those that are equal because quarks are equal are one.  quark: the numbers of the sink's quarks.
BaryonValue wick_contraction(const BaryonOperator& sink, const BaryonOperator& source, const std::array<int, 3>& quark);

/// Puts the quarks and, of equal quarks, the pairs in rising order, adds up terms with the same pairs and leaves out
/// those that vanish.
BaryonValue in_order(const BaryonValue& value);

}  // namespace detail

}  // namespace kov
