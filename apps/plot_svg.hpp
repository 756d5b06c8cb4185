// SPDX-License-Identifier: MIT
//
// A plot as SVG: points with errors, lines and bands over axes with round ticks.  Self-contained text on a white
// ground, so that it reads the same on a light and a dark page.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// One curve.  Points whose y or error is not finite are left out.
struct PlotSeries {
  enum class Style { points, line, points_and_line };
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

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotSeries> series;
  std::vector<PlotBand> bands;
  /// A small line below the plot: where it comes from.
  std::string caption = {};
  bool log_y = false;
  /// Ends of the axes; found from the data where absent.
  std::optional<double> y_min = {}, y_max = {};
  int width = 720, height = 460;

  /// The SVG text.  Throws InputError when a series has lists of different lengths or nothing can be drawn.
  std::string svg() const;
};

/// Round positions (1, 2 or 5 times a power of ten apart) that cover begin to end with about n steps; those inside
/// only.
std::vector<double> round_ticks(double begin, double end, int n);

/// A number of pixels with one decimal.
std::string pixels(double value);

/// Text with the characters that XML reserves written out.
std::string xml_text(const std::string& text);

/// A tick's label with as many digits as the step needs: 0.25, 1.5e-07.
std::string tick_label(double value, double step);

/// The caption in lines of at most so many pixels, broken between words; each line is caption_line_height below the
/// last.
inline constexpr int caption_line_height = 14;
std::vector<std::string> caption_lines(const std::string& caption, double width);

}  // namespace kov::app
