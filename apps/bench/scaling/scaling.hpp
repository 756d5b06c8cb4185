// SPDX-License-Identifier: MIT
//
// `kovariant bench scaling`: weak and strong scaling of solvers over the ranks of the run.
#pragma once

#include "apps/bench/scaling/scaling_solve.hpp"
#include "apps/program/command_line.hpp"

#include <optional>

namespace kov::app {

/// The options of `kovariant bench scaling`.
struct ScalingOptions {
  /// Of strong scaling, and of the plan.
  std::optional<Coord> lattice;
  /// Of a rank in weak scaling.
  Coord local{8, 8, 8, 16};
  ScalingProblem problem;
  std::string output = "scaling";
  bool plan = false;
  /// Of a rank in the plan, in GiB; 0: memory_of_rank(), of this run.
  double memory = 0;

  /// As options of the command line.
  void declare(Arguments& arguments);
  /// Throws InputError for options that change nothing.  chosen: whether the table is this one.
  void require_used(const Session& session, bool chosen) const;
};

/// Six solves for the colours of the two upper spins of a point source, on 1, 2, 4, ... ranks and on all of them, in
/// every pair of precisions, with halos before and beside the work on inner sites (R. Babich, M. A. Clark and B. Joo,
/// arXiv:1011.0024).  A table of averages and their errors, and PREFIX.txt, PREFIX_strong and PREFIX_weak with
/// pictures.  PREFIX.txt has every row as soon as it is finished.  Lattices that cannot be shared or do not fit into
/// memory are left out, with the reason; a rank that runs out of memory all the same ends the run.  Rows that did not
/// converge are marked, and are not in the pictures.  Collective.
void bench_scaling(const Session& session, const ScalingOptions& options);

}  // namespace kov::app
