// SPDX-License-Identifier: MIT
#include "apps/bench/contractions/roofline.hpp"

#include "apps/settings/format.hpp"

#include <algorithm>
#include <limits>

namespace kov::app {

namespace {

/// Of a roof: other work on the machine lowers it and never raises it.
double best_of_three(const std::function<double()>& measure) { return std::max({measure(), measure(), measure()}); }

}  // namespace

double Roofline::bandwidth() {
  if (!bandwidth_) bandwidth_ = best_of_three(measure_.bandwidth);
  return *bandwidth_;
}

double Roofline::peak(bool single) {
  std::optional<double>& peak = peak_[single ? 0 : 1];
  if (!peak) peak = best_of_three([&] { return measure_.peak(single); });
  return *peak;
}

void Roofline::add(const std::string& series, double intensity, double gflops) {
  auto found = std::find_if(points_.begin(), points_.end(), [&](const auto& s) { return s.name == series; });
  if (found == points_.end()) {
    points_.push_back({.name = series, .x = {}, .y = {}, .error = {}});
    found = std::prev(points_.end());
  }
  found->x.push_back(intensity);
  found->y.push_back(gflops);
}

Plot Roofline::plot(const std::string& device) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const PlotSeries& s : points_)
    for (const double x : s.x) {
      least = std::min(least, x);
      most = std::max(most, x);
    }
  Plot plot{.title = "Roofline of products and traces",
            .x_label = "flops per byte of memory",
            .y_label = "Gflop/s",
            .series = {},
            .caption = format("%s; triad %.1f GB/s, fused multiplications %.0f and %.0f Gflop/s in single and double",
                              device.c_str(), bandwidth(), peak(true), peak(false)),
            .log_y = true,
            .log_x = true,
            .width = 800,
            .height = 560};
  for (const bool single : {true, false}) {
    const double ridge = peak(single) / bandwidth(), begin = std::min(least, ridge) / 2,
                 end = std::max(most, ridge) * 2;
    plot.series.push_back({.name = single ? "roof, single" : "roof, double",
                           .x = {begin, ridge, end},
                           .y = {begin * bandwidth(), peak(single), peak(single)},
                           .error = {},
                           .style = PlotSeries::Style::line});
  }
  plot.series.insert(plot.series.end(), points_.begin(), points_.end());
  return plot;
}

}  // namespace kov::app
