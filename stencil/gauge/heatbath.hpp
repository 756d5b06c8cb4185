// SPDX-License-Identifier: MIT
//
// Quenched configurations: SU(3) links with the weight exp(-S), S = beta sum over plaquettes of (1 - Re tr P / 3), by
// heatbath and overrelaxation in SU(2) subgroups.  The same links come out bit by bit on any decomposition.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/gauge/staples.hpp"

#include <cstdint>
#include <functional>

namespace kov {

// Starts fill all links of a full field of four components (component mu is U_mu(x), in SU(3), without boundary
// phases). Asynchronous; those with a seed are collective.  They throw InputError for other fields and, on every rank,
// when ranks give different seeds.

/// Sets every link to 1.
template <class T>
void cold_start(const GaugeField<T>& gauge);

/// Sets every link to an independent random SU(3) matrix (Haar measure): rows of normal numbers in double, which are
/// orthonormalised (Mezzadri, Notices of the AMS 54 (2007) 592, math-ph/0609050), then rounded to T.  Numbers are keyed
/// by (seed, global site): the same links on any decomposition.
template <class T>
void hot_start(const GaugeField<T>& gauge, std::uint64_t seed);

/// Sets every link to 1 with noise: normal numbers of deviation `size` are added to the real and imaginary parts of the
/// unit matrix, which is then brought back to SU(3).  The spectrum keeps its low modes, and operators stay well
/// conditioned: for timing solvers (Babich, Clark and Joo, arXiv:1011.0024).  The same links on any decomposition.
/// Throws InputError unless size is from 0 to 1.
template <class T>
void weak_field_start(const GaugeField<T>& gauge, double size, std::uint64_t seed);

/// Sweeps over all links of a gauge field, in place.
///
/// Random numbers are keyed by (seed, sweep, direction, global site), so a chain can be continued from its links and
/// the number of heatbath sweeps.  Speed: docs/performance.md.
template <class T>
class PureGaugeUpdate {
 public:
  /// first_sweep: heatbath sweeps that the chain has done already.  Throws InputError for a beta that is negative or
  /// not finite.  Collective.
  PureGaugeUpdate(const GaugeField<T>& gauge, double beta, std::uint64_t seed, std::uint32_t first_sweep = 0);

  /// One heatbath sweep: every link in turn is multiplied by random elements of three SU(2) subgroups that have their
  /// exact conditional distribution (Cabibbo and Marinari, Phys. Lett. B 119 (1982) 387; Kennedy and Pendleton, Phys.
  /// Lett. B 156 (1985) 393; at weak fields Creutz, Phys. Rev. D 21 (1980) 2308), then put back into SU(3). Collective.
  void heatbath();

  /// One overrelaxation sweep: reflects every link so that its action does not change (Creutz, Phys. Rev. D 36 (1987)
  /// 515).  Collective.
  void overrelax();

  /// Heatbath sweeps so far, first_sweep included.
  std::uint32_t n_sweeps() const { return sweep_; }
  /// Accepted proposals per proposal in the heatbath sweeps of this object and rank; 0 before the first.
  double acceptance() const { return proposals_ == 0 ? 0 : double(accepted_) / double(proposals_); }

 private:
  GaugeField<T> gauge_, staple_;
  Staples<T> staples_;
  double beta_;
  std::uint64_t seed_;
  std::uint32_t sweep_;
  std::int64_t accepted_ = 0, proposals_ = 0;
};

/// The links that a chain starts from: those of cold_start() or of hot_start().
enum class Start { cold, hot };

/// A chain of quenched configurations with Wilson's action, beta = 6 / g^2.
struct QuenchedParameters {
  /// 6 / g^2, not negative.
  double beta = 6.0;
  /// Of all random numbers of the chain, its start included.
  std::uint64_t seed = 1;
  /// Updates before the first configuration and from each to the next.
  int n_thermalise = 100, n_between = 20;
  /// An update is one heatbath sweep and this many overrelaxation sweeps.
  int overrelaxation_per_heatbath = 4;
  Start start = Start::cold;
};

/// A Markov chain of quenched configurations.
template <class T>
class QuenchedEnsemble {
 public:
  /// Throws InputError when a parameter is out of range.  Collective.
  QuenchedEnsemble(const Lattice& lattice, const QuenchedParameters& parameters);
  /// Continues the chain with these parameters from one of its configurations: bit for bit as if it had never stopped.
  /// n_updates: the updates that led to that configuration.  The links are copied.  Throws InputError as above, and
  /// when there were fewer updates than it takes to thermalise.  Collective.
  QuenchedEnsemble(const GaugeField<T>& gauge, const QuenchedParameters& parameters, int n_updates);

  /// One update.  Collective.
  void update();

  /// The next configuration, a field of its own; progress(updates done, updates in all) is called after each update.
  /// Collective.
  GaugeField<T> next(const std::function<void(int, int)>& progress = {});

  /// The links as they are now; update() changes them.
  const GaugeField<T>& gauge() const { return gauge_; }
  int n_updates() const { return int(chain_.n_sweeps()); }
  const PureGaugeUpdate<T>& chain() const { return chain_; }
  /// "quenched Wilson action, beta 6, seed 1, cold start, 100 updates of 1 heatbath and 4 overrelaxation sweeps"
  std::string description() const;

 private:
  QuenchedParameters parameters_;
  GaugeField<T> gauge_;
  PureGaugeUpdate<T> chain_;
  bool thermalised_ = false;
};

/// The first configuration of the chain.  Collective.
template <class T>
GaugeField<T> generate_quenched(const Lattice& lattice, const QuenchedParameters& parameters) {
  return QuenchedEnsemble<T>(lattice, parameters).next();
}

}  // namespace kov
