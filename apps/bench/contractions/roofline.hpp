// SPDX-License-Identifier: MIT
//
// The roofline of dense kernels: what a kernel of some flops for each byte can reach on this machine.
#pragma once

#include "apps/plot/plot.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kov::app {

/// What measures the roofs: a triad in GB/s, and fused multiplications in Gflop/s.
struct MeasureRoofs {
  std::function<double()> bandwidth;
  std::function<double(bool single)> peak;
};

/// Roofs: the triad's bandwidth times flops per byte of memory, and the peak of fused multiplications.  Both are
/// measured at the first question.
class Roofline {
 public:
  explicit Roofline(MeasureRoofs measure) : measure_(std::move(measure)) {}

  /// Gflop/s at this number of flops per byte.
  double roof(double intensity, bool single) { return std::min(intensity * bandwidth(), peak(single)); }
  /// GB/s and Gflop/s.
  double bandwidth();
  double peak(bool single);

  /// A kernel that was measured.
  void add(const std::string& series, double intensity, double gflops);
  bool empty() const { return points_.empty(); }
  /// Of all that was added, under the roofs of both precisions; device: for the caption.
  Plot plot(const std::string& device);

 private:
  MeasureRoofs measure_;
  std::optional<double> bandwidth_, peak_[2];
  std::vector<PlotSeries> points_;
};

}  // namespace kov::app
