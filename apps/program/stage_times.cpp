// SPDX-License-Identifier: MIT
#include "apps/program/stage_times.hpp"

#include "kov/core/launch/kernel_clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

namespace kov::app {

StageClocks StageClocks::of_run() {
  return {
      .wall = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); },
      .kernels = [clock = std::make_shared<KernelClock>()] { return clock->seconds(); }};
}

StageTimes::StageTimes(std::vector<std::string> names, StageClocks clocks)
    : clocks_(std::move(clocks)),
      names_(std::move(names)),
      wall_(clocks_.wall()),
      kernels_(clocks_.kernels()),
      seconds_(2 * names_.size()) {}

void StageTimes::begin(std::size_t stage) {
  const double kernels = clocks_.kernels(), wall = clocks_.wall();  // kernels first, as that waits for them
  seconds_.at(2 * stage_) += wall - wall_;
  seconds_.at(2 * stage_ + 1) += kernels - kernels_;
  wall_ = wall;
  kernels_ = kernels;
  stage_ = stage;
}

std::string StageTimes::text(const Comm& comm) {
  begin(stage_);
  std::vector<double> mean = seconds_;
  comm.sum(mean);
  std::size_t width = std::string("seconds").size();
  for (const std::string& name : names_) width = std::max(width, name.size());
  std::string table = "seconds" + std::string(width - 7, ' ') + "        wall     kernels\n";
  const auto add = [&](const std::string& name, double wall, double kernels) {
    char row[80];
    std::snprintf(row, sizeof(row), "%12.2f%12.2f%6.0f %%\n", wall / comm.size(), kernels / comm.size(),
                  wall > 0 ? 100 * kernels / wall : 0.);
    table += name + std::string(width - name.size(), ' ') + row;
  };
  double wall = 0, kernels = 0;
  for (std::size_t stage = 0; stage < names_.size(); ++stage) {
    if (mean[2 * stage] > 0) add(names_[stage], mean[2 * stage], mean[2 * stage + 1]);
    wall += mean[2 * stage];
    kernels += mean[2 * stage + 1];
  }
  add("all", wall, kernels);
  return table;
}

}  // namespace kov::app
