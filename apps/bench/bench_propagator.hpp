// SPDX-License-Identifier: MIT
//
// `kovariant bench solver`: what the 12 columns of a clover propagator take, by every way to solve for them; and
// `kovariant bench delta`: how often reliable updates should compute the residual anew.
#pragma once

#include "apps/program/command_line.hpp"

#include <string>

namespace kov::app {

/// The problem of the table.
struct PropagatorBench {
  Coord lattice;
  /// The links: quenched, beta, and this many sweeps from a cold start, each a heatbath and three overrelaxations.
  double beta = 6.0;
  int sweeps = 60;
  /// Near the critical mass of these links, where pions weigh about 0.4 in lattice units.
  double mass = -0.27, c_sw = 1.769;
  double tolerance = 1e-10;
  /// PREFIX of files with the residuals of `kovariant bench solver`; empty: none.
  std::string output = {};
};

/// A table: for each way the most iterations of a column, seconds for all 12, how much faster that is than the first
/// row (BiCGstab in double on the even sites, a column at a time), effective Gflop/s, and the largest true residual of
/// a column; with an output also PREFIX.txt and a picture, PREFIX.svg, of the residual of the first column after each
/// iteration, by every way.  Throws ConvergenceError where one does not converge.
void bench_propagator(const Session& session, const PropagatorBench& problem);

/// A table of reliable updates of BiCGstab on the even sites, for one column of the same problem: for each pair of
/// precisions and each delta, iterations, renewals of the residual, solves that ended in high precision alone, seconds,
/// how much faster that is than BiCGstab in the high precision, and the true residual.  The tolerance is 1e-6 where the
/// high precision is float, 1e-12 where it is double.  Rows that do not converge say so.
void bench_delta(const Session& session, const PropagatorBench& problem);

}  // namespace kov::app
