// SPDX-License-Identifier: MIT
#include "apps/smear/smear_pictures.hpp"

#include "apps/plot/plot.hpp"
#include "apps/plot/plot_map.hpp"

#include <cmath>
#include <numbers>

namespace kov::app {

namespace {

using std::numbers::pi;

/// |psi(r)| of a delta in the continuum.
RealFunction continuum(const SmearOptions& options) {
  const SmearingChoice& o = options.smearing;
  if (options.profile == "theta") {
    const double p = std::sqrt(std::max(o.p2_max, 0.0));
    return [p](double r) {
      const double x = p * r;
      return std::abs(x < 1e-3 ? p * p * p / (6 * pi * pi)
                               : (std::sin(x) - x * std::cos(x)) / (2 * pi * pi * r * r * r));
    };
  }
  const double sigma = options.profile == "wuppertal" ? o.width / std::sqrt(2.0) : o.sigma;
  const double peak = std::pow(2 * pi * sigma * sigma, -1.5);
  const double node = o.node > 0 ? o.node : std::sqrt(1.5) * o.sigma;
  return [sigma, peak, node, has_node = options.profile == "node"](double r) {
    const double shape = has_node ? (node * node - r * r) / (sigma * sigma) : 1;
    return std::abs(shape) * peak * std::exp(-r * r / (2 * sigma * sigma));
  };
}

std::vector<double> column(const ColumnTable& table, std::size_t k) {
  std::vector<double> values;
  for (const auto& row : table.rows) values.push_back(row[k]);
  return values;
}

PlotSeries curve(const std::string& name, double begin, double end, const RealFunction& f) {
  PlotSeries series{.name = name, .x = {}, .y = {}, .error = {}, .style = PlotSeries::Style::line};
  for (int k = 0; k <= 300; ++k) {
    series.x.push_back(begin + (end - begin) * k / 300);
    series.y.push_back(f(series.x.back()));
  }
  return series;
}

}  // namespace

void draw_smearing(WrittenFiles& files, const SmearOptions& options, const Measurement& measurement,
                   const RealFunction& profile, const std::string& caption) {
  const ColumnTable &line = measurement.tables[0], &radial = measurement.tables[1], &plane = measurement.tables[2],
                    &spectrum = measurement.tables[3];
  const Coord& extent = measurement.extent;
  const int mu = options.mu();
  const auto points = [](const ColumnTable& table, PlotSeries::Style style, const std::string& name) {
    return PlotSeries{.name = name, .x = column(table, 0), .y = column(table, 1), .error = {}, .style = style};
  };
  const std::string title = "A smeared " + options.source + (options.source == "point" ? "" : " source");
  Plot plot{.title = title,
            .x_label = "$" + options.direction + " / a$",
            .y_label = "$|ψ|$",
            .series = {points(line, PlotSeries::Style::points_and_line, "")},
            .caption = caption,
            .integer_x = true,
            .with_zero = true};
  files.draw(options.output, plot);

  plot.x_label = "$r / a$";
  const bool known = profile && options.profile != "formula";
  plot.series = {points(radial, PlotSeries::Style::points, known ? "lattice" : "")};
  if (known) plot.series.push_back(curve("continuum", 0, radial.rows.back()[0], continuum(options)));
  files.draw(options.output + ".radial", plot);

  files.draw(options.output + ".plane", PlotMap{.title = title,
                                                .x_label = "$x / a$",
                                                .y_label = "$y / a$",
                                                .value_label = "$|ψ|$",
                                                .nx = extent[0],
                                                .ny = extent[1],
                                                .value = column(plane, 2),
                                                .caption = caption});

  plot.title = "Overlap with plane waves";
  plot.x_label = "$p_" + options.direction + " L_" + options.direction + " / 2π$";
  plot.y_label = "$|ψ(p)|$";
  plot.series = {points(spectrum, PlotSeries::Style::points, profile ? "lattice" : "")};
  if (profile)
    plot.series.push_back(curve("$F((p - k)^2)$", spectrum.rows.front()[0], spectrum.rows.back()[0], [&](double n) {
      double p2 = 0;
      for (std::size_t nu = 0; nu < 3; ++nu) {
        const double p = int(nu) == mu ? n : std::round(options.momentum[nu]);
        p2 += 4 * std::pow(std::sin(pi * (p - options.momentum[nu]) / extent[nu]), 2);
      }
      return std::abs(profile(p2));
    }));
  files.draw(options.output + ".spectrum", plot);
}

}  // namespace kov::app
