// SPDX-License-Identifier: MIT
//
// Drawing: lines, areas and text on a white page, kept until they are written as SVG or PDF.  Coordinates are in pixels
// of the SVG from the upper left corner; a pixel is 0.6 points of the PDF.
#pragma once

#include "apps/plot/typeset.hpp"

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kov::app {

/// "#rrggbb".
using Colour = std::string;

/// How lines and areas look; an empty colour draws nothing.
struct Pen {
  /// Of lines, and their width in pixels.
  Colour stroke = {};
  double width = 1;
  /// Of areas.
  Colour fill = {};
  /// Of the area.
  double opacity = 1;
  bool dashed = false;
};

/// x to the right and y down, in pixels.
using DrawnPoint = std::array<double, 2>;

/// A line through points, back to the first where it is closed.
struct DrawnPath {
  std::vector<DrawnPoint> points;
  bool closed;
  Pen pen;
};
/// A rectangle by its upper left corner.
struct DrawnRectangle {
  double x, y, width, height;
  Pen pen;
};
/// A circle by its midpoint.
struct DrawnCircle {
  double x, y, radius;
  Pen pen;
};
/// A line of text.
struct DrawnText {
  /// Which end of the line lies at x.
  enum class Anchor { start, middle, end };
  /// Of the baseline.
  double x, y;
  TextLine line;
  /// Height of the letters.
  double size = 14;
  Anchor anchor = Anchor::start;
  bool bold = false;
  /// From the bottom upwards.
  bool upright = false;
};
/// What follows is drawn inside this rectangle alone, until the next one; everywhere where it has no width.
struct DrawnClip {
  double x = 0, y = 0, width = 0, height = 0;
};
/// Anything that is drawn.
using DrawnItem = std::variant<DrawnPath, DrawnRectangle, DrawnCircle, DrawnText, DrawnClip>;

/// A page of so many pixels, for SVG and PDF.
struct Drawing {
  double width, height;
  /// For readers who cannot see it, and for PDF's title.
  std::string title;
  /// Later ones lie on top.
  std::vector<DrawnItem> items = {};

  /// A straight line.
  void line(const DrawnPoint& from, const DrawnPoint& to, const Pen& pen) {
    items.emplace_back(DrawnPath{{from, to}, false, pen});
  }
  /// A line of markup; nothing where it is empty.
  void write(double x, double y, const std::string& markup, double size,
             DrawnText::Anchor anchor = DrawnText::Anchor::middle, bool bold = false, bool upright = false);
  /// Small markup in lines from x to the right edge, the first with its baseline at y; the page grows for the others.
  void caption(double x, double y, const std::string& markup);

  /// The page as a file of SVG.
  std::string svg() const;
  /// Its letters are part of the file.  Throws NotBuilt where has_pdf() is false.
  std::string pdf() const;
};

/// Ink, and the sizes of letters in pixels, of all pictures.
inline constexpr const char *ink = "#222222", *faint_ink = "#777777";
inline constexpr double title_size = 17, label_size = 17, tick_size = 15, legend_size = 15, caption_size = 11;

/// Whether this build writes PDF.
bool has_pdf();

/// Points of a PDF for a pixel.
inline constexpr double points_per_pixel = 0.6;

/// Text with the characters that XML reserves written out.
std::string xml_text(const std::string& text);

}  // namespace kov::app
