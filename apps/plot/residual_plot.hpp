// SPDX-License-Identifier: MIT
//
// The residuals of solves after each of their iterations, as a plot and as a table.
#pragma once

#include "apps/plot/plot.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// The relative residuals of one solve.
struct ResidualHistory {
  /// Plain text.
  std::string name;
  /// After iterations 1, 2, ..., as SolveReport::history has it.
  std::vector<double> residuals;
};

/// A line for each history over the iterations, on a logarithmic scale, and the tolerance as a reference.  title:
/// markup; caption: plain text.
Plot residual_plot(const std::string& title, const std::string& caption, const std::vector<ResidualHistory>& histories,
                   double tolerance);

/// "# heading", a line with the names, "# iteration | name | ...", and a line for each iteration: its number and the
/// residuals, "nan" after the end of a shorter history.
std::string residual_table(const std::string& heading, const std::vector<ResidualHistory>& histories);

}  // namespace kov::app
