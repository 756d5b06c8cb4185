// SPDX-License-Identifier: MIT
//
// Axes of plots: ranges of numbers and round positions in them.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace kov::app {

/// Numbers from begin to end; empty until a number is included.
struct Range {
  double begin = std::numeric_limits<double>::infinity(), end = -begin;

  /// Whether no number was included.
  bool empty() const { return begin > end; }
  double length() const { return end - begin; }
  void include(double value);
  /// By this share of its length on either side; by something visible where it has no length.
  void widen(double share);
};

/// Where an axis has ticks and what is written there.
struct Ticks {
  std::vector<double> major, minor;
  /// Markup, one for each of major.
  std::vector<std::string> labels;
};

/// Round positions (1, 2 or 5 times a power of ten apart, and not less than smallest_step) that cover begin to end with
/// about n steps; those inside only.
std::vector<double> round_ticks(double begin, double end, int n, double smallest_step = 0);

/// What an axis counts: numbers, whole numbers, or powers of 10.
enum class AxisKind { real, integer, logarithmic };

/// About n ticks.  range: of a logarithmic axis that of the logarithms to base 10, as the ticks are.
Ticks axis_ticks(const Range& range, int n, AxisKind kind);

}  // namespace kov::app
