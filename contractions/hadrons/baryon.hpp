// SPDX-License-Identifier: MIT
//
// Baryon two-point functions: of operators with up to three different quarks, and Chroma's of a diquark and a quark.
// All correlators and momenta of a call are one sweep over the propagators.
#pragma once

#include "kov/contractions/hadrons/baryon_operator.hpp"
#include "kov/contractions/sources/propagator.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kov {

/// A correlator tr[projector (direct A + exchange B)] of the two contractions of eps (P sp Q) Q:
///   A_ab = eps_ijk eps_i'j'k' (P sp)_rs^ii' (sp Q)_rs^jj' Q_ab^kk'
///   B_ab = eps_ijk eps_i'j'k' (P sp)_rs^ii' (sp Q)_rb^jj' Q_as^kk'
/// Q is the flavour that occurs twice, P the other, sink index first, primes at the source.
struct BaryonChannel {
  std::string name;
  SpinMatrix<double> projector;
  /// sp: the spin matrix of the diquark
  SpinMatrix<double> diquark;
  double direct = 1, exchange = 1;
};

/// Projectors: T_unpol = (1 + g4) / 2, T_mixed = (1 + g4 - i g1 g2 (1 + g4)) / 2, and T_mixed with -g4 for the other
/// parity.
SpinMatrix<double> unpolarised_projector();
SpinMatrix<double> mixed_projector();
SpinMatrix<double> mixed_negative_parity_projector();

/// Diquark matrices, with Gamma(n) of Gamma::number: C g5 = Gamma(5); C g5 g4 = -Gamma(13); C g_- = Gamma(10) (Gamma(2)
/// + i Gamma(1)) / 2; C g4 g_- = Gamma(10) Gamma(8) (Gamma(2) + i Gamma(1)) / 2; and the first and third times the
/// projector on upper components (1 + g4) / 2, non-relativistic.
SpinMatrix<double> diquark_cg5();
SpinMatrix<double> diquark_cg5_g4();
SpinMatrix<double> diquark_cg_minus();
SpinMatrix<double> diquark_cg4_minus();
SpinMatrix<double> diquark_cg5_nr();
SpinMatrix<double> diquark_cg_minus_nr();

/// The nucleon: T_unpol, C g5.  Q = u, P = d for the proton.
BaryonChannel nucleon();

/// The 17 baryons that Chroma's hadron spectrum measures, in its order; lambda_* and delta_* hold for equal quarks.
/// Number 14 has the mixed projector of its name, where Chroma repeats number 12.
std::vector<BaryonChannel> standard_baryons();

/// C(p, t) = sum_x e^{+i p.(x - origin)} of every channel at x; t counted from the origin that both propagators have in
/// their labels.  One correlator for each channel and momentum, momenta innermost, labelled as those of mesons().
///
/// Times that lie beyond the lattice's end, where all three quarks went through its boundary, are multiplied by e^{3 i
/// angle_t} of the boundary in the labels: -1 when antiperiodic.  The nucleon takes 6800 flops a site, or 13000 of two
/// different quarks, and all of standard_baryons() 9800; and each quark 600, each channel and momentum that is not zero
/// 8.  GPUs choose crosses of quarks that more contractions share: 5500, 12000 and 7800.  Throws InputError when the
/// propagators live on different lattices, start from different points or have different boundaries, or when a channel
/// other than direct = exchange is asked for with two different quarks.  Runs on exec and waits for it.  Collective.
template <class T>
std::vector<Correlator> baryons(const Propagator<T>& q, const Propagator<T>& p,
                                const std::vector<BaryonChannel>& channels, const std::vector<Momentum>& momenta,
                                const Exec& exec = {});

/// Propagators by the names that quarks have in operators: {{"u", light}, {"d", light}, {"s", strange}}.
template <class T>
using Quarks = std::map<std::string, std::reference_wrapper<const Propagator<T>>>;

/// The correlators <sink source> of operators, for every momentum of the sink and t from the origin:
///   C(p, t) = sum_x e^{+i p.(x - origin)} <O_sink(x) O_source(origin)>,
/// all Wick contractions of quarks with the same name; those of propagators that share their memory are computed once.
/// baryons<double>({{"u", light}, {"d", light}, {"s", strange}}, octet_operators(), momenta_up_to(1)).
///
/// One correlator of kind "baryon" and channel `name` for each and each momentum, momenta innermost, with the labels
/// that all quarks share, and "kappa_s" for the kappa of quark s where they differ.  Phases beyond the end of the
/// lattice as above.  Both spins of the proton take 3100 flops a site, all 112 components of octet and decuplet in both
/// parities with three different quarks 49000, or 29000 on GPUs; and quarks and momenta what they take above.  Throws
/// InputError when a quark has no propagator, when sink and source have different quarks, for more than four different
/// propagators, and for propagators that do not fit together, as above.  Runs on exec and waits for it.  Collective.
template <class T>
std::vector<Correlator> baryons(const Quarks<T>& quarks, const std::vector<BaryonCorrelation>& correlations,
                                const std::vector<Momentum>& momenta, const Exec& exec = {});
/// The same operator at sink and source.
template <class T>
std::vector<Correlator> baryons(const Quarks<T>& quarks, const std::vector<BaryonOperator>& operators,
                                const std::vector<Momentum>& momenta, const Exec& exec = {});

namespace detail {

/// A channel of the quarks P, Q, Q, with these numbers.
BaryonValue value_of(const BaryonChannel& channel, int q, int p);

/// The quarks that operators have, by name.
template <class T>
using QuarkList = std::vector<std::pair<std::string, const Propagator<T>*>>;
/// Throws the InputErrors of baryons() that are about operators.
template <class T>
QuarkList<T> needed_quarks(const Quarks<T>& quarks, const std::vector<BaryonCorrelation>& correlations);
/// The labels that all quarks share, and name_quark for those that do not.  Throws the InputErrors of labels_of_both().
template <class T>
PropagatorLabels labels_of_quarks(const QuarkList<T>& quarks);

}  // namespace detail

}  // namespace kov
