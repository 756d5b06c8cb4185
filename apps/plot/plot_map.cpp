// SPDX-License-Identifier: MIT
#include "apps/plot/plot_map.hpp"

#include "apps/plot/axes.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace kov::app {

namespace {

constexpr double margin = 14, top = 46, side = 400, bar_gap = 26, bar_width = 20;

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

Drawing PlotMap::drawing() const {
  using Anchor = DrawnText::Anchor;
  require(nx > 0 && ny > 0 && value.size() == std::size_t(nx) * std::size_t(ny), "the map", title, "has", value.size(),
          "values, which are not", nx, "times", ny);
  for (const double v : value)
    require(std::isfinite(v) && v >= 0, "the map", title, "has the value", v, ": it must be finite and not negative");
  const double most = *std::max_element(value.begin(), value.end()), scale = most > 0 ? most : 1;
  const double cell = side / std::max(nx, ny), w = cell * nx, h = cell * ny;
  const Ticks x_ticks = axis_ticks({0, nx - 1 + 1e-9}, 8, AxisKind::integer),
              y_ticks = axis_ticks({0, ny - 1 + 1e-9}, 8, AxisKind::integer),
              ticks = axis_ticks({0, scale}, 5, AxisKind::real);
  const auto widest = [](const Ticks& on) {
    double width = 0;
    for (const std::string& label : on.labels) width = std::max(width, text_width(typeset(label)) * tick_size);
    return width;
  };
  const double left = margin + label_size + 10 + widest(y_ticks) + 8, bar = left + w + bar_gap, base = top + h;
  const double width = bar + bar_width + 8 + std::max(widest(ticks), 20.0) + margin;
  Drawing drawing{width, base + tick_size + label_size + 22 + (caption.empty() ? 0 : caption_size + 11) + margin,
                  characters(typeset(title))};
  drawing.write(width / 2, margin + title_size - 4, title, title_size, Anchor::middle, true);
  // Each square extends under the next one, so that no gaps show between them.
  const auto square = [&](double x, double y, double dx, double dy, const std::string& fill) {
    drawing.items.emplace_back(DrawnRectangle{x, y, dx, dy, {.fill = fill}});
  };
  for (int y = ny; y-- > 0;)
    for (int x = 0; x < nx; ++x)
      square(left + cell * x, base - cell * (y + 1), cell + (x + 1 < nx ? 0.5 : 0), cell + (y > 0 ? 0.5 : 0),
             colour(value[std::size_t(x) + std::size_t(nx) * std::size_t(y)] / scale));
  constexpr int shades = 64;
  for (int k = shades; k-- > 0;)
    square(bar, base - h * (k + 1) / shades, bar_width, h / shades + (k > 0 ? 0.5 : 0), colour((k + 0.5) / shades));
  for (const auto& [x, dx] : {std::pair(left, w), std::pair(bar, bar_width)})
    drawing.items.emplace_back(DrawnRectangle{x, top, dx, h, {.stroke = ink, .width = 1.2}});

  for (std::size_t k = 0; k < x_ticks.major.size(); ++k)
    drawing.write(left + cell * (x_ticks.major[k] + 0.5), base + tick_size + 5, x_ticks.labels[k], tick_size);
  for (std::size_t k = 0; k < y_ticks.major.size(); ++k)
    drawing.write(left - 8, base - cell * (y_ticks.major[k] + 0.5) + 0.36 * tick_size, y_ticks.labels[k], tick_size,
                  Anchor::end);
  for (std::size_t k = 0; k < ticks.major.size(); ++k) {
    const double y = base - h * ticks.major[k] / scale;
    drawing.line({bar + bar_width - 5, y}, {bar + bar_width, y}, {.stroke = ink});
    drawing.write(bar + bar_width + 6, y + 0.36 * tick_size, ticks.labels[k], tick_size, Anchor::start);
  }
  drawing.write(left + w / 2, base + tick_size + label_size + 16, x_label, label_size);
  drawing.write(margin + label_size - 4, top + h / 2, y_label, label_size, Anchor::middle, false, true);
  drawing.write(bar + bar_width / 2, top - 9, value_label, tick_size);
  drawing.caption(margin, drawing.height - margin, caption);
  return drawing;
}

}  // namespace kov::app
