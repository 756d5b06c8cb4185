// SPDX-License-Identifier: MIT
#include "apps/plot_map.hpp"

#include "apps/plot_svg.hpp"
#include "kov/core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace kov::app {

namespace {

constexpr int left = 64, top = 46, side = 480, bar_gap = 26, bar_width = 20, right = 96, bottom = 78;
constexpr const char* font = "font-family=\"Helvetica, Arial, sans-serif\"";

/// From dark blue over green to light yellow, brighter throughout, so that it reads in grey as well.
std::string colour(double share) {
  constexpr std::array<std::array<double, 3>, 6> anchors{
      {{24, 15, 61}, {45, 66, 126}, {38, 116, 140}, {56, 164, 122}, {150, 205, 82}, {253, 237, 110}}};
  const double at = std::clamp(share, 0.0, 1.0) * double(anchors.size() - 1);
  const std::size_t k = std::min(std::size_t(at), anchors.size() - 2);
  char text[8];
  std::array<int, 3> rgb;
  for (std::size_t c = 0; c < 3; ++c)
    rgb[c] = int(std::lround(anchors[k][c] + (at - double(k)) * (anchors[k + 1][c] - anchors[k][c])));
  std::snprintf(text, sizeof(text), "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
  return text;
}

}  // namespace

std::string PlotMap::svg() const {
  require(nx > 0 && ny > 0 && value.size() == std::size_t(nx) * std::size_t(ny), "the map", title, "has", value.size(),
          "values, which are not", nx, "times", ny);
  for (const double v : value)
    require(std::isfinite(v) && v >= 0, "the map", title, "has the value", v, ": it must be finite and not negative");
  const double most = *std::max_element(value.begin(), value.end()), scale = most > 0 ? most : 1;
  const double cell = double(side) / std::max(nx, ny), w = cell * nx, h = cell * ny;
  const double width = left + w + bar_gap + bar_width + right, height = top + h + bottom;
  const auto lines = caption_lines(caption, width - left - 8);
  const double whole = height + caption_line_height * std::max(0, int(lines.size()) - 1);
  std::ostringstream out;
  const auto rectangle = [&](double x, double y, double dx, double dy, const std::string& fill) {
    out << "<rect x=\"" << pixels(x) << "\" y=\"" << pixels(y) << "\" width=\"" << pixels(dx) << "\" height=\""
        << pixels(dy) << "\" fill=\"" << fill << "\"/>\n";
  };
  const auto words = [&](double x, double y, const std::string& text, int size, const char* anchor,
                         const std::string& more = "") {
    out << "<text x=\"" << pixels(x) << "\" y=\"" << pixels(y) << "\" font-size=\"" << size << "\" text-anchor=\""
        << anchor << "\" fill=\"#222222\" " << font << more << ">" << xml_text(text) << "</text>\n";
  };
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << pixels(width) << "\" height=\"" << pixels(whole)
      << "\" viewBox=\"0 0 " << pixels(width) << " " << pixels(whole)
      << "\" role=\"img\" shape-rendering=\"crispEdges\">\n<title>" << xml_text(title) << "</title>\n";
  rectangle(0, 0, width, whole, "#ffffff");
  words(left + w / 2, 28, title, 17, "middle", " font-weight=\"bold\"");
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      rectangle(left + cell * x, top + h - cell * (y + 1), cell, cell,
                colour(value[std::size_t(x) + std::size_t(nx) * std::size_t(y)] / scale));
  for (const double x : round_ticks(0, nx - 1 + 1e-9, 8))
    words(left + cell * (x + 0.5), top + h + 19, tick_label(x, 1), 13, "middle");
  for (const double y : round_ticks(0, ny - 1 + 1e-9, 8))
    words(left - 8, top + h - cell * (y + 0.5) + 4.5, tick_label(y, 1), 13, "end");
  words(left + w / 2, top + h + 42, x_label, 15, "middle");
  words(18, top + h / 2, y_label, 15, "middle", " transform=\"rotate(-90 18 " + pixels(top + h / 2) + ")\"");
  const double bar = left + w + bar_gap;
  constexpr int shades = 64;
  for (int k = 0; k < shades; ++k)
    rectangle(bar, top + h - h * (k + 1) / shades, bar_width, h / shades + 0.5, colour((k + 0.5) / shades));
  const auto ticks = round_ticks(0, scale, 5);
  for (const double v : ticks)
    words(bar + bar_width + 6, top + h - h * v / scale + 4.5, tick_label(v, ticks.size() > 1 ? ticks[1] - ticks[0] : 1),
          13, "start");
  words(bar + bar_width / 2.0, top - 8, value_label, 13, "middle");
  for (std::size_t k = 0; k < lines.size(); ++k)
    words(left, height - 12 + caption_line_height * double(k), lines[k], 11, "start");
  out << "</svg>\n";
  return out.str();
}

}  // namespace kov::app
