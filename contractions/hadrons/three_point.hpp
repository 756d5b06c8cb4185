// SPDX-License-Identifier: MIT
//
// Three-point functions by sequential sources through the sink: one more solve for a sink gives every current, at every
// time and momentum.
#pragma once

#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/stencil/links/gauge_links.hpp"

#include <vector>

namespace kov {

/// A current psibar(y) Gamma O psi(y).
struct QuarkCurrent {
  /// Gamma::number()
  int gamma = 0;
  /// Directions from 0 to 3, at most two.  {mu}: D_mu = (R_mu - L_mu) / 2 with
  ///   R_mu psi(y) = [U_mu(y) psi(y + mu) - U_mu(y - mu)^+ psi(y - mu)] / 2
  /// and L_mu the same of psibar.  {mu, nu}: D_mu D_nu = (R_mu R_nu - L_mu R_nu - R_mu L_nu + L_mu L_nu) / 4, in which
  /// R_mu acts after R_nu and L_nu after L_mu.
  std::vector<int> derivatives = {};
  /// O psi(y) = U(path) psi(y + path): the steps from y on, mu + 1 forward and -(mu + 1) backward in direction mu.  Not
  /// beside derivatives.
  std::vector<int> path = {};
};

/// "rho_z", "rho_z D_z D_t", "a0 path +x-y"
std::string to_string(const QuarkCurrent& current);
/// The current of such a text; more than one blank may separate its words.  Throws InputError that names the word which
/// cannot be parsed.
QuarkCurrent quark_current(const std::string& text);

/// The source of a sequential propagator for mesons() with the quark S1 and the antiquark S2, a matrix Gamma at the
/// sink and the sink's momentum p on the time slice t_sink: g5 Gamma^+ g5 e^{-i p.(x - origin)} S2(x), zero elsewhere.
/// With Q = M1^-1 of it, where M1 is the operator of S1 or, for twisted quarks, that of opposite mu,
///   g5 Q(y)^+ g5 = sum over x of e^{i p.(x - origin)} S2(origin, x) Gamma S1(x, y),
/// so that three_point_functions(links, S1, Q, ...) has the current between quark and quark: that of the antiquark is
/// the current of S2 with the roles exchanged.  Ordered on exec.
template <class T>
Propagator<T> meson_sequential_source(const Propagator<T>& s2, int t_sink, const Gamma& sink, const Momentum& p,
                                      const Exec& exec = {});

/// The same for the quark `quark` of baryon correlators, all contractions of which are opened at every propagator of
/// that name in turn: g5 (d C / d S)^* g5 e^{-i p.(x - origin)} on t_sink with C the sum of the correlators at x, in
/// which phases beyond the end of the lattice are those of baryons().  Currents of the quark, at zero momentum and of
/// the conserved charge, count its lines.
///
/// Takes 600 flops for each propagator and 380 for each pair of quarks that contractions leave, at the sites of t_sink.
/// Waits for exec.  Collective.  Throws InputError as baryons() does, for a time outside the lattice, and when no
/// operator has the quark.
template <class T>
Propagator<T> baryon_sequential_source(const Quarks<T>& quarks, const std::vector<BaryonCorrelation>& correlations,
                                       const std::string& quark, int t_sink, const Momentum& p, const Exec& exec = {});
/// The same for channels of the quarks q, q and p, as in baryons(); of_p: the quark p is opened instead of both q.
template <class T>
Propagator<T> baryon_sequential_source(const Propagator<T>& q, const Propagator<T>& p, const BaryonChannel& channel,
                                       bool of_p, int t_sink, const Momentum& momentum, const Exec& exec = {});

/// C(q, t) = sum_y e^{+i q.(y - origin)} Tr[g5 Q(y)^+ g5 Gamma O S(y) Gamma_source] for every current and momentum q, t
/// of the current counted from the origin: the three-point function of the sink that the sequential propagator Q is
/// for, with the sign of the two-point functions.  source: Gamma_source of a meson; 0, the unit matrix, for baryons.
///
/// One correlator of kind "three-point" for each current and momentum, momenta innermost, the channel to_string() of
/// the current.  links: those of the operator, boundary phases included.  All local currents are one sweep; each
/// derivative or path takes more, and fields of 12 columns.  Runs on exec and waits for it.  Collective.  Throws
/// InputError for gammas, directions, steps and orders that do not exist, and for propagators that do not fit together.
template <class T>
std::vector<Correlator> three_point_functions(const GaugeLinks<T>& links, const Propagator<T>& s,
                                              const Propagator<T>& q, const std::vector<QuarkCurrent>& currents,
                                              const std::vector<Momentum>& momenta, int source = 0,
                                              const Exec& exec = {});

}  // namespace kov
