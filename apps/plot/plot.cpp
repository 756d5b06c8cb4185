// SPDX-License-Identifier: MIT
#include "apps/plot/plot.hpp"

#include "apps/plot/axes.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kov::app {

namespace {

using Anchor = DrawnText::Anchor;

/// Colours that colour-blind readers tell apart (Okabe and Ito), dark enough on white.
constexpr std::array<const char*, 6> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a07800", "#444444"};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double line_width = 1.7, margin = 14, legend_row = 21, legend_key = 40, least_room = 60;

/// One plot while it is drawn.
class Painter {
 public:
  explicit Painter(const Plot& plot)
      : plot_(plot), drawing_{double(plot.width), double(plot.height), characters(typeset(plot.title))} {
    measure();
    arrange();
    place_legend();
    axes();
    clip(true);
    for (const PlotReference& reference : plot.references) draw(reference);
    for (const PlotBand& band : plot.bands) draw(band);
    for (std::size_t k = 0; k < plot.series.size(); ++k) draw_lines(plot.series[k], k);
    clip(false);
    for (std::size_t k = 0; k < plot.series.size(); ++k) draw_markers(plot.series[k], k);
    drawing_.items.emplace_back(
        DrawnRectangle{left_, top_, right_ - left_, bottom_ - top_, {.stroke = ink, .width = 1.2}});
    legend();
    drawing_.caption(margin, plot.height - margin, plot.caption);
  }
  Drawing drawing() { return std::move(drawing_); }

 private:
  static const char* colour(std::size_t series) { return colours[series % colours.size()]; }
  static double error(const PlotSeries& s, std::size_t i) { return s.error.empty() ? 0 : s.error[i]; }
  bool drawable(const PlotSeries& s, std::size_t i) const {
    return std::isfinite(s.x[i]) && std::isfinite(s.y[i]) && std::isfinite(error(s, i)) &&
           (!plot_.log_y || s.y[i] > 0) && (!plot_.log_x || s.x[i] > 0);
  }
  double axis_value(double y) const { return plot_.log_y ? std::log10(y) : y; }
  double axis_x(double x) const { return plot_.log_x ? std::log10(x) : x; }
  double axis_to_x(double v) const { return left_ + (v - x_.begin) / x_.length() * (right_ - left_); }
  double to_x(double x) const { return axis_to_x(axis_x(x)); }
  double axis_to_y(double v) const {
    // Far outside the frame stands for infinitely far: PDF and SVG cannot draw infinite coordinates.
    return std::clamp(bottom_ - (v - y_.begin) / y_.length() * (bottom_ - top_), -9999.0, 9999.0);
  }
  double to_y(double y) const { return plot_.log_y && y <= 0 ? 9999 : axis_to_y(axis_value(y)); }
  bool inside(double x, double y) const { return x >= left_ && x <= right_ && y >= top_ && y <= bottom_; }

  /// The ranges of the axes.
  void measure() {
    const auto include_y = [&](double y) {
      if (plot_.log_y && y <= 0) return;
      const double least = plot_.y_min.value_or(-infinity), most = plot_.y_max.value_or(infinity);
      y_.include(axis_value(std::max(least, std::min(y, most))));
    };
    for (const PlotSeries& s : plot_.series) {
      require(s.x.size() == s.y.size() && (s.error.empty() || s.error.size() == s.y.size()), "the series", s.name,
              "has", s.x.size(), "x,", s.y.size(), "y and", s.error.size(), "errors: their numbers must agree");
      for (std::size_t i = 0; i < s.x.size(); ++i)
        if (drawable(s, i)) {
          x_.include(axis_x(s.x[i]));
          for (const double end : {-error(s, i), 0.0, error(s, i)}) include_y(s.y[i] + end);
        }
    }
    require(!x_.empty() && !y_.empty(), "the plot", plot_.title, "has no", plot_.log_y ? "positive" : "finite",
            "number to draw");
    for (const PlotBand& band : plot_.bands) {
      x_.include(axis_x(band.x_begin));
      x_.include(axis_x(band.x_end));
      for (const double end : {-band.error, band.error}) include_y(band.y + end);
    }
    for (const PlotReference& reference : plot_.references)
      reference.axis == PlotReference::Axis::x ? x_.include(axis_x(reference.value)) : include_y(reference.value);
    if (plot_.with_zero && !plot_.log_y) y_.include(0);
    x_.widen(0.03);
    y_.widen(0.06);
  }

  /// Ticks, and from their labels the frame.
  void arrange() {
    x_ticks_ = axis_ticks(x_, 7,
                          plot_.log_x       ? AxisKind::logarithmic
                          : plot_.integer_x ? AxisKind::integer
                                            : AxisKind::real);
    y_ticks_ = axis_ticks(y_, 6, plot_.log_y ? AxisKind::logarithmic : AxisKind::real);
    double widest = 0;
    for (const std::string& label : y_ticks_.labels) widest = std::max(widest, text_width(typeset(label)) * tick_size);
    top_ = plot_.title.empty() ? margin : margin + title_size + 13;
    left_ = margin + (plot_.y_label.empty() ? 0 : label_size + 10) + widest + 8;
    right_ = plot_.width - margin - 6;
    bottom_ = plot_.height - margin - (plot_.caption.empty() ? 0 : caption_size + 11) -
              (plot_.x_label.empty() ? 0 : label_size + 10) - tick_size - 8;
  }

  void line(const DrawnPoint& from, const DrawnPoint& to, const char* stroke, double width) {
    drawing_.line(from, to, {.stroke = stroke, .width = width});
  }
  void clip(bool on) {
    drawing_.items.emplace_back(on ? DrawnClip{left_, top_, right_ - left_, bottom_ - top_} : DrawnClip{});
  }

  void axes() {
    drawing_.write(plot_.width / 2.0, margin + title_size - 4, plot_.title, title_size, Anchor::middle, true);
    drawing_.write((left_ + right_) / 2, bottom_ + tick_size + label_size + 16, plot_.x_label, label_size);
    drawing_.write(margin + label_size - 4, (top_ + bottom_) / 2, plot_.y_label, label_size, Anchor::middle, false,
                   true);
    for (std::size_t k = 0; k < x_ticks_.major.size(); ++k) {
      const double x = axis_to_x(x_ticks_.major[k]);
      x_tick(x, 7);
      drawing_.write(x, bottom_ + tick_size + 5, x_ticks_.labels[k], tick_size);
    }
    for (const double x : x_ticks_.minor) x_tick(axis_to_x(x), 4);
    for (std::size_t k = 0; k < y_ticks_.major.size(); ++k) {
      const double y = axis_to_y(y_ticks_.major[k]);
      y_tick(y, 7);
      drawing_.write(left_ - 8, y + 0.36 * tick_size, y_ticks_.labels[k], tick_size, Anchor::end);
    }
    for (const double y : y_ticks_.minor) y_tick(axis_to_y(y), 4);
  }
  void x_tick(double x, double length) {
    line({x, bottom_}, {x, bottom_ - length}, ink, 1);
    line({x, top_}, {x, top_ + length}, ink, 1);
  }
  void y_tick(double y, double length) {
    line({left_, y}, {left_ + length, y}, ink, 1);
    line({right_, y}, {right_ - length, y}, ink, 1);
  }

  void draw(const PlotReference& reference) {
    const Pen pen{.stroke = faint_ink, .width = 1.1, .fill = {}, .opacity = 1, .dashed = true};
    const double size = tick_size - 1;
    if (reference.axis == PlotReference::Axis::y) {
      const double y = to_y(reference.value);
      drawing_.line({left_, y}, {right_, y}, pen);
      drawing_.write(left_ + 12, y - 6, reference.label, size, Anchor::start);
    } else {
      const double x = to_x(reference.value);
      drawing_.line({x, bottom_}, {x, top_}, pen);
      drawing_.write(x + 6, bottom_ - 12, reference.label, size, Anchor::start);
    }
  }

  void draw(const PlotBand& band) {
    const double high = to_y(band.y + band.error), low = to_y(band.y - band.error), begin = to_x(band.x_begin),
                 end = to_x(band.x_end), y = to_y(band.y);
    drawing_.items.emplace_back(
        DrawnRectangle{begin, high, end - begin, low - high, {.fill = colour(band.series), .opacity = 0.22}});
    line({begin, y}, {end, y}, colour(band.series), 1);
  }

  void draw_lines(const PlotSeries& s, std::size_t k) {
    if (s.style != PlotSeries::Style::points) {
      DrawnPath path{{}, false, {.stroke = colour(k), .width = line_width}};
      const auto finish = [&] {
        if (path.points.size() > 1) drawing_.items.emplace_back(path);
        path.points.clear();
      };
      for (std::size_t i = 0; i < s.x.size(); ++i)
        if (drawable(s, i))
          path.points.push_back({to_x(s.x[i]), to_y(s.y[i])});
        else
          finish();
      finish();
    }
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!drawable(s, i) || !(error(s, i) > 0)) continue;
      const double x = to_x(s.x[i]), high = to_y(s.y[i] + error(s, i)), low = to_y(s.y[i] - error(s, i));
      line({x, high}, {x, low}, colour(k), line_width);
      line({x - 4, high}, {x + 4, high}, colour(k), line_width);
      line({x - 4, low}, {x + 4, low}, colour(k), line_width);
    }
  }

  void draw_markers(const PlotSeries& s, std::size_t k) {
    for (std::size_t i = 0; i < s.x.size(); ++i)
      if (drawable(s, i) && inside(to_x(s.x[i]), to_y(s.y[i])) && (s.style != PlotSeries::Style::line || alone(s, i)))
        marker(to_x(s.x[i]), to_y(s.y[i]), k);
  }
  /// A single point makes no line.
  bool alone(const PlotSeries& s, std::size_t i) const {
    return (i == 0 || !drawable(s, i - 1)) && (i + 1 == s.x.size() || !drawable(s, i + 1));
  }

  void marker(double x, double y, std::size_t k) {
    const Pen pen{.stroke = colour(k), .width = 1.8, .fill = "#ffffff"};
    switch (k % 4) {
      case 0:
        drawing_.items.emplace_back(DrawnCircle{x, y, 4.2, pen});
        break;
      case 1:
        drawing_.items.emplace_back(DrawnRectangle{x - 3.8, y - 3.8, 7.6, 7.6, pen});
        break;
      case 2:
        drawing_.items.emplace_back(DrawnPath{{{x, y - 5.2}, {x + 4.8, y + 3.6}, {x - 4.8, y + 3.6}}, true, pen});
        break;
      default:
        drawing_.items.emplace_back(DrawnPath{{{x, y - 5.4}, {x + 5.4, y}, {x, y + 5.4}, {x - 5.4, y}}, true, pen});
    }
  }

  /// In the corner that least is drawn in; above everything where no corner is free and that leaves room for the rest.
  void place_legend() {
    double widest = 0;
    int named = 0;
    for (const PlotSeries& s : plot_.series)
      if (!s.name.empty()) {
        widest = std::max(widest, text_width(typeset(s.name)) * legend_size);
        ++named;
      }
    if (named == 0) return;
    legend_ = {0, 0, legend_key + widest + 8, 12 + legend_row * named, {}};
    if (least_covered_corner() == 0) return;
    const double room = bottom_ - top_ - legend_.height - 24;
    if (room < least_room) return;
    y_.end += y_.length() * (legend_.height + 24) / room;
    arrange();
    least_covered_corner();
  }
  int least_covered_corner() {
    int fewest = std::numeric_limits<int>::max();
    const DrawnRectangle box = legend_;
    for (const bool low : {false, true})
      for (const bool at_left : {false, true}) {
        DrawnRectangle corner = box;
        corner.x = at_left ? left_ + 12 : right_ - 12 - box.width;
        corner.y = low ? bottom_ - 12 - box.height : top_ + 12;
        if (const int n = covered(corner); n < fewest) {
          fewest = n;
          legend_ = corner;
        }
      }
    return fewest;
  }
  /// How much is drawn in a rectangle.
  int covered(const DrawnRectangle& box) const {
    const auto hit = [&box](double x, double low, double high) {
      return x > box.x - 6 && x < box.x + box.width + 6 && low > box.y - 6 && high < box.y + box.height + 6;
    };
    int n = 0;
    for (const PlotSeries& s : plot_.series)
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        if (!drawable(s, i)) continue;
        const double x = to_x(s.x[i]), y = to_y(s.y[i]);
        n += hit(x, to_y(s.y[i] - error(s, i)), to_y(s.y[i] + error(s, i)));
        if (s.style == PlotSeries::Style::points || i == 0 || !drawable(s, i - 1)) continue;
        const double x0 = to_x(s.x[i - 1]), y0 = to_y(s.y[i - 1]);
        for (double share = 0.1; share < 0.95; share += 0.1)
          n += hit(x0 + share * (x - x0), y0 + share * (y - y0), y0 + share * (y - y0));
      }
    for (const PlotReference& r : plot_.references)
      n += r.axis == PlotReference::Axis::y
               ? hit(box.x, to_y(r.value), to_y(r.value)) || hit(left_ + 12, to_y(r.value), to_y(r.value) - 16)
               : hit(to_x(r.value), box.y + 1, box.y + 1);
    return n;
  }

  void legend() {
    if (legend_.height == 0) return;
    double row = legend_.y + 20;
    for (std::size_t k = 0; k < plot_.series.size(); ++k) {
      const PlotSeries& s = plot_.series[k];
      if (s.name.empty()) continue;
      if (s.style != PlotSeries::Style::points)
        line({legend_.x + 6, row - 5}, {legend_.x + 32, row - 5}, colour(k), line_width);
      if (s.style != PlotSeries::Style::line) marker(legend_.x + 19, row - 5, k);
      drawing_.write(legend_.x + legend_key, row, s.name, legend_size, Anchor::start);
      row += legend_row;
    }
  }

  const Plot& plot_;
  Drawing drawing_;
  Range x_, y_;
  Ticks x_ticks_, y_ticks_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
  DrawnRectangle legend_{0, 0, 0, 0, {}};
};

}  // namespace

Drawing Plot::drawing() const { return Painter(*this).drawing(); }

}  // namespace kov::app
