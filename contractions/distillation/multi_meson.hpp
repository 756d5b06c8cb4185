// SPDX-License-Identifier: MIT
//
// Correlators of several mesons in distillation: the traces of all Wick contractions by one plan.
#pragma once

#include "kov/contractions/hadrons/multi_meson_operator.hpp"
#include "kov/contractions/kernels/trace.hpp"

#include <complex>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kov {

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

/// Which correlators multi_meson_correlators() contracts, and in how much memory.
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
