// SPDX-License-Identifier: MIT
#include "apps/plot_svg.hpp"

#include "kov/core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace kov::app {

namespace {

/// Colours that colour-blind readers tell apart (Okabe and Ito), dark enough on white.
constexpr std::array<const char*, 6> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a07800", "#444444"};
constexpr int left = 84, right = 22, top = 46, bottom = 78;
constexpr const char* font = "font-family=\"Helvetica, Arial, sans-serif\"";

struct Range {
  double begin = std::numeric_limits<double>::infinity(), end = -begin;
  void include(double v) {
    begin = std::min(begin, v);
    end = std::max(end, v);
  }
};

/// One plot while it is drawn.
class Canvas {
 public:
  explicit Canvas(const Plot& plot) : plot_(plot) {
    measure();
    frame();
    for (const PlotBand& band : plot.bands) draw(band);
    for (std::size_t k = 0; k < plot.series.size(); ++k) draw(plot.series[k], k);
    legend();
    out_ << "</svg>\n";
  }
  std::string text() const { return out_.str(); }

 private:
  const char* colour(std::size_t series) const { return colours[series % colours.size()]; }
  double error(const PlotSeries& s, std::size_t i) const { return s.error.empty() ? 0 : s.error[i]; }
  bool drawable(const PlotSeries& s, std::size_t i) const {
    return std::isfinite(s.x[i]) && std::isfinite(s.y[i]) && std::isfinite(error(s, i)) && (!plot_.log_y || s.y[i] > 0);
  }
  double axis_value(double y) const { return plot_.log_y ? std::log10(y) : y; }
  double to_x(double x) const { return left + (x - x_.begin) / (x_.end - x_.begin) * (plot_.width - left - right); }
  double to_y(double y) const {
    return plot_.height - bottom - (axis_value(y) - y_.begin) / (y_.end - y_.begin) * (plot_.height - top - bottom);
  }
  double clamped_y(double y) const {
    const bool below = plot_.log_y && y <= 0;
    return below ? plot_.height - bottom : std::clamp(to_y(y), double(top), double(plot_.height - bottom));
  }

  void measure() {
    for (const PlotSeries& s : plot_.series) {
      require(s.x.size() == s.y.size() && (s.error.empty() || s.error.size() == s.y.size()), "the series", s.name,
              "has", s.x.size(), "x,", s.y.size(), "y and", s.error.size(), "errors: their numbers must agree");
      for (std::size_t i = 0; i < s.x.size(); ++i)
        if (drawable(s, i)) {
          x_.include(s.x[i]);
          y_.include(axis_value(s.y[i]));
          if (!plot_.log_y || s.y[i] > error(s, i)) y_.include(axis_value(s.y[i] - error(s, i)));
          y_.include(axis_value(s.y[i] + error(s, i)));
        }
    }
    require(x_.begin <= x_.end, "the plot", plot_.title, "has no finite point");
    if (plot_.y_min) y_.begin = axis_value(*plot_.y_min);
    if (plot_.y_max) y_.end = axis_value(*plot_.y_max);
    widen(x_, 0.04);
    widen(y_, 0.06);
  }
  static void widen(Range& range, double share) {
    double margin = (range.end - range.begin) * share;
    if (margin <= 0) margin = range.begin == 0 ? 1 : std::abs(range.begin) * 0.1;
    range.begin -= margin;
    range.end += margin;
  }

  void line(double x1, double y1, double x2, double y2, const char* stroke, double width) {
    out_ << "<line x1=\"" << pixels(x1) << "\" y1=\"" << pixels(y1) << "\" x2=\"" << pixels(x2) << "\" y2=\""
         << pixels(y2) << "\" stroke=\"" << stroke << "\" stroke-width=\"" << width << "\"/>\n";
  }
  void words(double x, double y, const std::string& text, int size, const char* anchor, const std::string& more = "") {
    out_ << "<text x=\"" << pixels(x) << "\" y=\"" << pixels(y) << "\" font-size=\"" << size << "\" text-anchor=\""
         << anchor << "\" fill=\"#222222\" " << font << more << ">" << xml_text(text) << "</text>\n";
  }

  void frame() {
    const int w = plot_.width, h = plot_.height;
    const auto caption = caption_lines(plot_.caption, w - left - 8);
    const int whole = h + caption_line_height * std::max(0, int(caption.size()) - 1);
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << w << "\" height=\"" << whole << "\" viewBox=\"0 0 "
         << w << " " << whole << "\" role=\"img\">\n<title>" << xml_text(plot_.title) << "</title>\n<rect width=\"" << w
         << "\" height=\"" << whole << "\" fill=\"#ffffff\"/>\n";
    words(w / 2.0, 28, plot_.title, 17, "middle", " font-weight=\"bold\"");
    words((w + left - right) / 2.0, h - bottom + 42, plot_.x_label, 15, "middle");
    words(18, (h + top - bottom) / 2.0, plot_.y_label, 15, "middle",
          " transform=\"rotate(-90 18 " + pixels((h + top - bottom) / 2.0) + ")\"");
    for (std::size_t k = 0; k < caption.size(); ++k)
      words(left, h - 12 + caption_line_height * int(k), caption[k], 11, "start");
    const auto xs = round_ticks(x_.begin, x_.end, 9);
    for (const double x : xs) {
      line(to_x(x), top, to_x(x), h - bottom, "#e4e4e4", 1);
      words(to_x(x), h - bottom + 19, tick_label(x, xs.size() > 1 ? xs[1] - xs[0] : 1), 13, "middle");
    }
    const auto ys = round_ticks(y_.begin, y_.end, plot_.log_y ? 6 : 7);
    for (const double y : ys) {
      const double at = h - bottom - (y - y_.begin) / (y_.end - y_.begin) * (h - top - bottom);
      if (plot_.log_y && std::abs(y - std::round(y)) > 1e-9) continue;
      line(left, at, w - right, at, "#e4e4e4", 1);
      char power[32];
      std::snprintf(power, sizeof(power), "1e%+03d", int(std::lround(y)));
      words(left - 8, at + 4.5, plot_.log_y ? power : tick_label(y, ys.size() > 1 ? ys[1] - ys[0] : 1), 13, "end");
    }
    out_ << "<rect x=\"" << left << "\" y=\"" << top << "\" width=\"" << w - left - right << "\" height=\""
         << h - top - bottom << "\" fill=\"none\" stroke=\"#222222\" stroke-width=\"1.2\"/>\n";
  }

  void draw(const PlotBand& band) {
    const double high = clamped_y(band.y + band.error), low = clamped_y(band.y - band.error);
    const double begin = std::max(to_x(band.x_begin), double(left)),
                 end = std::min(to_x(band.x_end), double(plot_.width - right));
    out_ << "<rect x=\"" << pixels(begin) << "\" y=\"" << pixels(high) << "\" width=\""
         << pixels(std::max(0.0, end - begin)) << "\" height=\"" << pixels(std::max(1.5, low - high)) << "\" fill=\""
         << colour(band.series) << "\" fill-opacity=\"0.22\"/>\n";
  }

  void draw(const PlotSeries& s, std::size_t k) {
    if (s.style != PlotSeries::Style::points) {
      out_ << "<polyline fill=\"none\" stroke=\"" << colour(k) << "\" stroke-width=\"1.6\" points=\"";
      for (std::size_t i = 0; i < s.x.size(); ++i)
        if (drawable(s, i)) out_ << pixels(to_x(s.x[i])) << "," << pixels(clamped_y(s.y[i])) << " ";
      out_ << "\"/>\n";
    }
    if (s.style == PlotSeries::Style::line) return;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!drawable(s, i)) continue;
      const double x = to_x(s.x[i]), e = error(s, i);
      if (e > 0) {
        const double high = clamped_y(s.y[i] + e), low = clamped_y(s.y[i] - e);
        line(x, high, x, low, colour(k), 1.6);
        line(x - 4, high, x + 4, high, colour(k), 1.6);
        line(x - 4, low, x + 4, low, colour(k), 1.6);
      }
      const double y = to_y(s.y[i]);
      if (y >= top && y <= plot_.height - bottom) marker(x, y, k);
    }
  }

  void marker(double x, double y, std::size_t k) {
    const std::string fill = "\" fill=\"#ffffff\" stroke=\"" + std::string(colour(k)) + "\" stroke-width=\"1.8\"/>\n";
    switch (k % 3) {
      case 0:
        out_ << "<circle cx=\"" << pixels(x) << "\" cy=\"" << pixels(y) << "\" r=\"4.2" << fill;
        break;
      case 1:
        out_ << "<rect x=\"" << pixels(x - 4) << "\" y=\"" << pixels(y - 4) << "\" width=\"8\" height=\"8" << fill;
        break;
      default:
        out_ << "<polygon points=\"" << pixels(x) << "," << pixels(y - 5.2) << " " << pixels(x + 4.8) << ","
             << pixels(y + 3.6) << " " << pixels(x - 4.8) << "," << pixels(y + 3.6) << fill;
    }
  }

  /// In the corner that fewest points are in.
  void legend() {
    std::size_t longest = 0, named = 0;
    for (const PlotSeries& s : plot_.series)
      if (!s.name.empty()) {
        longest = std::max(longest, s.name.size());
        ++named;
      }
    if (named == 0) return;
    const double w = 44 + 7.4 * double(longest), h = 14 + 21 * double(named);
    double x = 0, y = 0;
    int fewest = std::numeric_limits<int>::max();
    for (const bool low : {false, true})
      for (const bool at_left : {false, true}) {
        const double cx = at_left ? left + 12 : plot_.width - right - 12 - w,
                     cy = low ? plot_.height - bottom - 12 - h : top + 12;
        if (const int n = points_in(cx, cy, w, h); n < fewest) {
          fewest = n;
          x = cx;
          y = cy;
        }
      }
    out_ << "<rect x=\"" << pixels(x) << "\" y=\"" << pixels(y) << "\" width=\"" << pixels(w) << "\" height=\""
         << pixels(h) << "\" fill=\"#ffffff\" fill-opacity=\"0.88\" stroke=\"#bbbbbb\"/>\n";
    double row = y + 21;
    for (std::size_t k = 0; k < plot_.series.size(); ++k) {
      if (plot_.series[k].name.empty()) continue;
      if (plot_.series[k].style != PlotSeries::Style::points) line(x + 8, row - 4.5, x + 28, row - 4.5, colour(k), 1.6);
      if (plot_.series[k].style != PlotSeries::Style::line) marker(x + 18, row - 4.5, k);
      words(x + 36, row, plot_.series[k].name, 14, "start");
      row += 21;
    }
  }
  int points_in(double x, double y, double w, double h) const {
    int n = 0;
    for (const PlotSeries& s : plot_.series)
      for (std::size_t i = 0; i < s.x.size(); ++i)
        if (drawable(s, i)) {
          const double px = to_x(s.x[i]), low = clamped_y(s.y[i] - error(s, i)) + 6,
                       high = clamped_y(s.y[i] + error(s, i)) - 6;
          n += px > x - 6 && px < x + w + 6 && low > y && high < y + h;
        }
    return n;
  }

  const Plot& plot_;
  Range x_, y_;
  std::ostringstream out_;
};

}  // namespace

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

std::vector<double> round_ticks(double begin, double end, int n) {
  const double raw = (end - begin) / n, power = std::pow(10, std::floor(std::log10(raw)));
  const double share = raw / power;
  const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  for (double k = std::ceil(begin / step - 1e-9); k * step <= end + 1e-9 * step; ++k) ticks.push_back(k * step);
  return ticks;
}

std::string tick_label(double value, double step) {
  char text[40];
  const int decimals = std::max(0, int(std::ceil(-std::log10(std::abs(step)) - 1e-9)));
  if (std::abs(value) < 1e-9 * std::abs(step)) value = 0;
  if (decimals > 5 || std::abs(value) >= 1e6)
    std::snprintf(text, sizeof(text), "%.3g", value);
  else
    std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

std::string Plot::svg() const { return Canvas(*this).text(); }

std::vector<std::string> caption_lines(const std::string& caption, double width) {
  // Letters of this size are 5 to 6.5 pixels wide, by font.
  const std::size_t most = std::max<std::size_t>(1, std::size_t(width / 6.4));
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < caption.size();) {
    std::size_t n = std::min(most, caption.size() - begin);
    if (begin + n < caption.size())
      if (const std::size_t blank = caption.rfind(' ', begin + n); blank != std::string::npos && blank > begin)
        n = blank - begin;
    lines.push_back(caption.substr(begin, n));
    begin += n + (begin + n < caption.size() && caption[begin + n] == ' ');
  }
  return lines;
}

}  // namespace kov::app
