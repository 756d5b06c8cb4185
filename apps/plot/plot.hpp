// SPDX-License-Identifier: MIT
//
// Plot: points with errors, lines, bands and reference lines over axes with round ticks.
#pragma once

#include "apps/plot/drawing.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// One curve.  Points whose y or error is not finite are left out.
struct PlotSeries {
  /// How its points are drawn.
  enum class Style { points, line, points_and_line };
  /// Markup, as in Plot.
  std::string name;
  std::vector<double> x, y;
  /// Half the length of the bar; empty: no bars.
  std::vector<double> error;
  Style style = Style::points;
};

/// A horizontal band y +- error from x_begin to x_end, in the colour of the series of that index: a fit.
struct PlotBand {
  double x_begin, x_end, y, error;
  std::size_t series = 0;
};

/// A dashed line across the plot at a value of x or y, inside the axes' ranges.
struct PlotReference {
  /// Which axis the value is on.
  enum class Axis { x, y };
  Axis axis;
  double value;
  /// Markup, beside the line.
  std::string label;
};

/// Texts are markup of typeset().
struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotSeries> series;
  std::vector<PlotBand> bands = {};
  std::vector<PlotReference> references = {};
  /// A small line below the plot: where it comes from.
  std::string caption = {};
  bool log_y = false, log_x = false;
  /// x has ticks at integers only.
  bool integer_x = false;
  /// y = 0 is inside, unless log_y.
  bool with_zero = false;
  /// Beyond these y no point and no bar widens the axis; what lies there is cut off, and a bar that leaves the frame
  /// has no end.
  std::optional<double> y_min = {}, y_max = {};
  int width = 600, height = 420;

  /// Throws InputError when a series has lists of different lengths or nothing can be drawn.
  Drawing drawing() const;
};

}  // namespace kov::app
