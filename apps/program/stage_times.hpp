// SPDX-License-Identifier: MIT
//
// StageTimes: where the time of a run goes, stage by stage, on the wall and in kernels.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kov::app {

/// Seconds on some clocks; a test brings its own.
struct StageClocks {
  std::function<double()> wall, kernels;
  /// The steady clock, and a KernelClock, which waits for kernels of a GPU: stages should be long.
  static StageClocks of_run();
};

/// One stage after the other, in any order and as often as it comes.
class StageTimes {
 public:
  /// Stages by name, on all ranks the same; the first one begins.
  explicit StageTimes(std::vector<std::string> names, StageClocks clocks = StageClocks::of_run());

  /// What runs from now on belongs to this one.
  void begin(std::size_t stage);
  /// A table with a row for each stage that there was, and their sum: seconds on the wall and in kernels, averaged over
  /// the processes, and their ratio.  Collective.
  std::string text(const Comm& comm);

 private:
  StageClocks clocks_;
  std::vector<std::string> names_;
  std::size_t stage_ = 0;
  double wall_, kernels_;
  /// Of each stage: [wall, kernels].
  std::vector<double> seconds_;
};

}  // namespace kov::app
