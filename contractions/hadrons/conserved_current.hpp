// SPDX-License-Identifier: MIT
//
// The conserved vector current of Wilson-type quarks, point-split, in two-point functions.
#pragma once

#include "kov/contractions/sources/propagator.hpp"
#include "kov/core/site/gamma.hpp"
#include "kov/stencil/links/gauge_links.hpp"

#include <vector>

namespace kov {

/// Tr[(g5 S2 g5)^+ V_mu S1 Gamma] at every site x, Gamma being the matrix at the source, with
///   V_mu(x) = 1/2 [ psibar(x + mu) (1 + g_mu) U_mu(x)^+ psi(x) - psibar(x) (1 - g_mu) U_mu(x) psi(x + mu) ],
/// in which mesons() have psibar(x) Gamma psi(x).  Needs no renormalisation: at every x, the source too,
///   sum over mu of V_mu(x) - V_mu(x - mu) = 0
/// on every configuration, where S1 and S2 solve one operator with these links: Wilson's or any with another term at
/// each site.  For twisted quarks S2 is that of -mu, so that (g5 S2 g5)^+ goes back with +mu.
///
/// links: the operator's, with its boundary phases and the factors of its anisotropy, if any.  mu: 0 to 3 for x, y, z,
/// t. Ordered on exec.  Collective.  Throws InputError for another direction, for propagators that do not fit together,
/// see mesons(), and for links of another lattice.
template <class T>
Field<Scalar, T> conserved_current(const GaugeLinks<T>& links, int mu, const Propagator<T>& s1, const Propagator<T>& s2,
                                   const Gamma& source, const Exec& exec = {});

/// C(p, t) = sum_x e^{+i p.(x - origin)} times conserved_current(), t counted from the origin; the current of x lies
/// half a link beyond x.  One correlator of kind "conserved current" for each direction mu, each gamma number at the
/// source and each momentum, momenta innermost: channel "x-rho_x" has mu = 0 at the sink and g_1 at the source.  Runs
/// on exec and waits for it.  Collective.
template <class T>
std::vector<Correlator> conserved_currents(const GaugeLinks<T>& links, const Propagator<T>& s1, const Propagator<T>& s2,
                                           const std::vector<int>& sources, const std::vector<Momentum>& momenta,
                                           const Exec& exec = {});

}  // namespace kov
