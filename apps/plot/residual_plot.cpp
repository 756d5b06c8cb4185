// SPDX-License-Identifier: MIT
#include "apps/plot/residual_plot.hpp"

#include "apps/plot/typeset.hpp"
#include "apps/settings/format.hpp"

#include <algorithm>

namespace kov::app {

Plot residual_plot(const std::string& title, const std::string& caption, const std::vector<ResidualHistory>& histories,
                   double tolerance) {
  Plot plot{.title = title,
            .x_label = "iteration",
            .y_label = "relative residual",
            .series = {},
            .caption = plain(caption),
            .log_y = true,
            .integer_x = true};
  plot.height += 20 * int(histories.size());  // of the legend
  for (const ResidualHistory& history : histories) {
    PlotSeries series{.name = plain(history.name), .x = {}, .y = {}, .error = {}, .style = PlotSeries::Style::line};
    for (std::size_t i = 0; i < history.residuals.size(); ++i) {
      if (!(history.residuals[i] > 0)) continue;  // a logarithm has no place for 0
      series.x.push_back(double(i + 1));
      series.y.push_back(history.residuals[i]);
    }
    if (!series.x.empty()) plot.series.push_back(series);
  }
  plot.references.push_back({PlotReference::Axis::y, tolerance, "tolerance"});
  return plot;
}

std::string residual_table(const std::string& heading, const std::vector<ResidualHistory>& histories) {
  std::string text = "# " + heading + "\n# iteration";
  std::size_t n = 0;
  for (const ResidualHistory& history : histories) {
    text += " | " + history.name;
    n = std::max(n, history.residuals.size());
  }
  text += "\n";
  for (std::size_t i = 0; i < n; ++i) {
    text += std::to_string(i + 1);
    for (const ResidualHistory& history : histories)
      text += i < history.residuals.size() ? format(" %.6e", history.residuals[i]) : " nan";
    text += "\n";
  }
  return text;
}

}  // namespace kov::app
