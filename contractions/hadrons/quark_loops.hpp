// SPDX-License-Identifier: MIT
//
// Quark loops Tr[Gamma S(x, x)] from noise, and the disconnected products that are made of them.
#pragma once

#include "kov/algebra/eigen/lowest_eigenvectors.hpp"
#include "kov/algebra/solver.hpp"
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/core/field/noise.hpp"

#include <vector>

namespace kov {

/// How a vector of noise is cut into parts that are solved for one by one.  Noise between sites, spins and colours of
/// different parts does not enter, so that more parts leave less of it; all of them leave none.
struct LoopDilution {
  /// Times and spatial coordinates that are equal modulo these are in one part.  Divide the extents; 1: all of them.
  int time = 1, space = 1;
  bool spin = false, color = false;
  /// Even and odd sites are in different parts.
  bool parity = false;

  /// The number of solves for a vector.
  std::int64_t n_parts() const;
  /// Parts that are accepted.
  static constexpr std::int64_t most_parts = 10'000'000;
};

/// The expansion S = (1 / d) sum over k < order of (1 - M / d)^k + (1 - M / d)^order S, of which the sum is known: for
/// Wilson's operator of mass m and d = 4 + m, without a clover term, its loops are those of k = 0, as no path of fewer
/// than four links closes that does not turn back on itself.
struct HoppingExpansion {
  /// 0 to 4; more than 0 leaves less noise.
  int order = 0;
  double diagonal = 4;
};

/// Eigenvectors of the hermitian g5 M, one for each component, and their eigenvalues: their part of S = sum over i of
/// v_i v_i^+ g5 / lambda_i + the rest is known at all sites, and noise is in the rest alone.  Need not be accurate: any
/// vectors and numbers leave the mean as it is.
template <class T>
struct LoopModes {
  SpinorField<T> vectors;
  /// lambda_i of g5 M, in lattice units.
  std::vector<double> values;
};

/// The eigenvectors of gamma_5 M with the smallest |eigenvalue|, see lowest_eigenvectors().  M must be
/// gamma_5-Hermitian, as Wilson and clover operators are without a twisted mass, and their asymmetric Schur complements
/// on the sites of parameters.subset.  Collective.
template <class T>
LoopModes<T> loop_modes(const AnyOperator<SpinorField<T>>& M, const Lattice& lattice,
                        const EigenParameters& parameters);

/// The noise of quark_loops(), and what lowers its variance.
struct LoopParameters {
  /// Hit h takes noise.stream + h.
  Noise noise = {.kind = NoiseKind::z4};
  /// Noise vectors, each of which is diluted.
  int hits = 1;
  LoopDilution dilution = {};
  HoppingExpansion hopping = {};
};

/// L(p, t) = sum_x e^{+i p.x} Tr[Gamma S(x, x)] for all 16 gammas: of M psi = eta, sum_x e^{+i p.x} eta^+ Gamma psi,
/// whose mean over the noise it is.  The sign of a closed loop of fermions is not in it.
///
/// One correlator of kind "loop" for each hit, gamma and momentum, momenta innermost, with the channel meson_names()
/// and the label "hit"; without source: t counts from time 0 of the lattice.  hits * n_parts() solves; contracting
/// takes 768 flops and 48 reals a site for each.  Collective.  Runs on exec and waits for it; the solver runs on
/// the default instance in between.  Throws InputError for dilutions that do not
/// divide the lattice or have more than most_parts, hopping expansions that wrap around it, and modes that do not fit;
/// the solver's errors otherwise.
template <class T>
std::vector<Correlator> quark_loops(const std::type_identity_t<Solver<SpinorField<T>>>& solver,
                                    const AnyOperator<SpinorField<T>>& M, const Lattice& lattice,
                                    const LoopParameters& parameters, const std::vector<Momentum>& momenta,
                                    const LoopModes<T>* modes = nullptr, const Exec& exec = {});

/// What one configuration adds to the disconnected part of <psibar Gamma psi(t) psibar Gamma' psi(0)>: real and
/// imaginary parts of P(t) = mean over t0 of L(t0 + t) L'(t0), for all t, then of the means over time of L and of L',
/// which are the vacuum's.  sinks: L of all hits at momentum p; sources: L' at -p.  Two loops of one hit share their
/// noise, so that products are those of different hits (by the label "hit", whatever their order; where no loop has it,
/// by their places in the lists), or, where shared is false because the loops are exact or of different noise, of all
/// pairs.  The connected part of the same two-point function is - Tr[...], the disconnected one
/// is +.
///
/// Takes n_times^2 products for each hit.  Throws InputError for lists without loops or of different lengths, when
/// there is no pair of different hits, and for a hit that is twice in a list or labels that only some loops have.
std::vector<double> disconnected_product(const std::vector<Correlator>& sinks, const std::vector<Correlator>& sources,
                                         bool shared = true);

/// Re of the mean product less the product of the mean loops, for every t: what to give to jackknife() with rows of
/// disconnected_product().  The subtraction is of means over all configurations, whose product has 1 / n of the
/// covariance of n configurations in it; with_vacuum() of such rows is without that bias.
std::vector<double> vacuum_subtracted(const std::vector<double>& mean_row);

}  // namespace kov
