// SPDX-License-Identifier: MIT
//
// The solves of `kovariant bench scaling`: weak-field links, an operator, and reliable updates of BiCGstab on even
// sites in one of several pairs of precisions.
#pragma once

#include "kov/algebra/solve_report.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kov::app {

/// The system that is solved: a Dirac operator on random links.
struct ScalingProblem {
  /// "wilson" or "clover".
  std::string action = "clover";
  double mass = 0.1, c_sw = 1;
  /// Of one solve.
  int columns = 1;
};

/// Solves for a point source at the origin: column k has spin k / 3 % 2 and colour k % 3, and a solve for several
/// columns those that follow.  Does not throw where it does not converge.
using ScalingSolve = std::function<SolveReport(int first_column, int max_iterations)>;

/// High and low precision, and how far and how often.
struct ScalingPrecision {
  /// "double/16-bit"
  std::string name;
  double tolerance, delta;
  /// Everything on a lattice.
  ScalingSolve (*make)(const Lattice& lattice, const ScalingProblem& problem, const ScalingPrecision& precision);
};

/// All of them: single, single/16-bit, double, double/single, double/16-bit.
const std::vector<ScalingPrecision>& scaling_precisions();

}  // namespace kov::app
