// SPDX-License-Identifier: MIT
#include "apps/bench/contractions/size_plots.hpp"

#include "apps/plot/typeset.hpp"

#include <algorithm>
#include <functional>

namespace kov::app {

std::string size_figure_name(SizeFigure figure, const std::string& numbers) {
  const char* const name = figure == SizeFigure::tilings ? "tilings" : figure == SizeFigure::blas ? "blas" : "speedup";
  std::string behind = std::string("_") + name + "_" + numbers;
  std::replace(behind.begin(), behind.end(), ' ', '_');
  return behind;
}

Plot size_plot(SizeFigure figure, const SizeTable& table, const std::string& device) {
  Plot plot{.title = {}, .x_label = "N", .y_label = "Gflop/s", .series = {}, .caption = plain(device), .log_x = true};
  const auto add = [&](const std::string& name, const std::function<double(const SizeRow&)>& value) {
    PlotSeries series{.name = name, .x = {}, .y = {}, .error = {}, .style = PlotSeries::Style::points_and_line};
    for (const SizeRow& row : table.rows) {
      series.x.push_back(row.n);
      series.y.push_back(value(row));
    }
    plot.series.push_back(series);
  };
  const bool has_blas = !table.blas.empty();
  switch (figure) {
    case SizeFigure::tilings:
      plot.title = "Tile sets, " + table.numbers;
      plot.with_zero = true;
      for (std::size_t k = 0; k < table.tile_sets.size(); ++k)
        add(table.tile_sets[k], [k](const SizeRow& row) { return row.tile_sets[k]; });
      add("automatic", [](const SizeRow& row) { return row.automatic; });
      break;
    case SizeFigure::blas:
      plot.title = "Products of N x N matrices, " + table.numbers;
      plot.with_zero = true;
      add("multiply()", [](const SizeRow& row) { return row.automatic; });
      add("naive", [](const SizeRow& row) { return row.naive; });
      if (has_blas) add(plain(table.blas), [](const SizeRow& row) { return row.blas; });
      break;
    case SizeFigure::speedup:
      plot.title = "Speed of multiply(), " + table.numbers;
      plot.y_label = "ratio";
      plot.log_y = true;
      plot.references = {{PlotReference::Axis::y, 1, ""}};
      add("over naive", [](const SizeRow& row) { return row.over_naive(); });
      if (has_blas) add("over " + plain(table.blas), [](const SizeRow& row) { return row.over_blas(); });
  }
  if (!has_blas && figure != SizeFigure::tilings) plot.caption += ", no BLAS";
  return plot;
}

}  // namespace kov::app
