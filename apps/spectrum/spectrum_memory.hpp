// SPDX-License-Identifier: MIT
//
// The memory of `kovariant spectrum`: what each stage needs, and batches with which it fits into what there is.
#pragma once

#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// How much a process does, and keeps, at a time.  Smaller batches take less memory and more time; correlators have the
/// same bits whatever they are, but for columns: those of a solve in several precisions agree to its tolerance.
struct SpectrumBatches {
  /// Right-hand sides of a solve, of each of SpectrumParameters::all_quarks().
  std::vector<int> columns = {};
  /// The operators of all quarks, from the first source of a configuration to the last; or each is made for every
  /// propagator.
  bool keeps_operators = true;
  /// Quarks smeared at a sink, until all its correlators are there; or each is smeared for every correlator that has
  /// it.
  bool keeps_smeared = true;
  /// What derivatives and paths of all currents of a table make of two propagators; or those of one current.
  bool keeps_moved = true;
  /// Momenta of correlators that are summed over together; 0: all.
  int momenta = 0;

  /// The largest.
  static SpectrumBatches of(const SpectrumParameters& parameters);
};

/// What a run does after each other, for each configuration and source.
enum class SpectrumStep { solves, correlators, three_points, loops };

/// Bytes that a process needs for a step: fields, links, and sums of correlators.
double spectrum_step_bytes(const SpectrumParameters& parameters, const Lattice& lattice, const SpectrumBatches& batches,
                           SpectrumStep step);
/// The most of these steps, and at least that of the links.
double spectrum_bytes(const SpectrumParameters& parameters, const Lattice& lattice, const SpectrumBatches& batches,
                      const std::vector<SpectrumStep>& steps);

/// The largest batches with which these steps fit into so many bytes of a process.  Throws InputError where not even
/// the smallest ones fit.
SpectrumBatches batches_that_fit(const SpectrumParameters& parameters, const Lattice& lattice,
                                 const std::vector<SpectrumStep>& steps, double bytes);

/// "solves of 12 columns; operators of all quarks kept; ..."
std::string batches_text(const SpectrumParameters& parameters, const Lattice& lattice, const SpectrumBatches& batches,
                         const std::vector<SpectrumStep>& steps);

/// The momenta in groups of at most so many, all where that is 0, opposite ones together where there is room for two.
std::vector<std::vector<Momentum>> momentum_groups(const std::vector<Momentum>& momenta, int at_once);

}  // namespace kov::app
