// SPDX-License-Identifier: MIT
//
// The memory of `kovariant distill`: what each stage needs, and batches with which it fits into what there is.
#pragma once

#include "apps/distill/distill_parameters.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// How much a process does at a time.  Smaller batches take less memory and more time; correlators and elementals agree
/// to rounding whatever they are, and what is searched for or solved for to its tolerance.  How many vectors are in
/// memory changes no bit.
struct DistillBatches {
  /// Time slices of a process whose eigenvectors are searched for together; 0: all.
  int slices = 0;
  /// Eigenvectors in memory at a time, which are read again and again; 0: all, from the first step to the last that has
  /// them.
  int vectors = 0;
  /// Eigenvectors that are displaced at a time, and pairs of them in elementals of baryons.
  int displaced = 16, pairs = 16;
  /// Right-hand sides of a solve, of each of DistillParameters::all_quarks().
  std::vector<int> columns = {};
  /// For the products of all momenta of single mesons that are contracted together, and for their elementals on all
  /// slices: those that take more are read again for every source.
  std::size_t meson_bytes = 0, slice_bytes = 0;
  /// For matrices and products of two mesons, and of baryons.
  std::size_t two_meson_bytes = 0, baryon_bytes = 0;

  /// The largest.
  static DistillBatches of(const DistillParameters& parameters);
};

/// What a run does after each other.
enum class DistillStep {
  eigenvectors,
  elementals,
  baryon_elementals,
  perambulators,
  mesons,
  two_pions,
  pion_kaon,
  baryons
};
inline constexpr DistillStep distill_steps[] = {
    DistillStep::eigenvectors, DistillStep::elementals, DistillStep::baryon_elementals, DistillStep::perambulators,
    DistillStep::mesons,       DistillStep::two_pions,  DistillStep::pion_kaon,         DistillStep::baryons};

/// Bytes that a process needs for a step, the links included, where a grid of processes shares the lattice: fields and
/// matrices.  Those that share a time slice have all matrices of it, each.
double distill_step_bytes(const DistillParameters& parameters, const Coord& extent, const Coord& grid,
                          const DistillBatches& batches, DistillStep step);
/// The most of these steps, and at least that of the links.
double distill_bytes(const DistillParameters& parameters, const Coord& extent, const Coord& grid,
                     const DistillBatches& batches, const std::vector<DistillStep>& steps);

/// The largest batches with which these steps fit into so many bytes of a process.  Throws InputError where not even
/// the smallest ones fit, which says what does: fewer eigenvectors, more processes or more memory.
DistillBatches batches_that_fit(const DistillParameters& parameters, const Coord& extent, const Coord& grid,
                                const std::vector<DistillStep>& steps, double bytes);

/// "16 vectors displaced at a time; solves of 12 columns; ..."
std::string batches_text(const DistillParameters& parameters, const Coord& extent, const Coord& grid,
                         const DistillBatches& batches, const std::vector<DistillStep>& steps);

}  // namespace kov::app
