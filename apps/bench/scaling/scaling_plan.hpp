// SPDX-License-Identifier: MIT
//
// The memory that the solves of `kovariant bench scaling` take, and the fewest ranks that have it.
#pragma once

#include "apps/bench/scaling/scaling_solve.hpp"
#include "apps/program/command_line.hpp"

namespace kov::app {

/// Bytes of a rank, as the library counted them where the same solve was begun on small lattices.
struct ScalingMemory {
  /// Of any rank, and more for each of its sites and of the sites on faces that have halos.
  double fixed, of_site, of_face_site;

  /// grid: processes in each direction.
  double of_rank(const Coord& extent, const Coord& grid) const;
};
/// Begins a solve of this problem on two small lattices, one of them with halos.
ScalingMemory scaling_memory(const ScalingProblem& problem, const ScalingPrecision& precision);

/// What --plan is asked.
struct ScalingPlan {
  Coord lattice;
  ScalingProblem problem;
  /// Of a rank, in bytes.
  double memory;
};

/// A table: for each precision the bytes of a site, and the smallest number of ranks, up to 65536, whose memory holds
/// the problem, with its grid and the memory that each then takes.
void plan_scaling(const Session& session, const ScalingPlan& plan);

}  // namespace kov::app
