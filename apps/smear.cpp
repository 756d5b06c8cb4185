// SPDX-License-Identifier: MIT
//
// kovariant smear
#include "apps/commands.hpp"
#include "apps/gauge_files.hpp"
#include "apps/plot_svg.hpp"
#include "apps/progress.hpp"
#include "apps/text_file.hpp"
#include "kov/contractions/source.hpp"
#include "kov/stencil/heatbath.hpp"
#include "kov/stencil/link_smearing.hpp"
#include "kov/stencil/wuppertal.hpp"

#include <cmath>
#include <cstdio>
#include <sstream>

namespace kov::app {

namespace {

struct SmearOptions {
  std::string gauge_file, output = "smear", direction = "x";
  Coord extent{24, 24, 24, 4};
  GaugeFileOptions gauge;
  double width = 4.0;
  int iterations = 30, ape_steps = 0;
};

/// |psi| summed over spin and colour, along a line through the midpoint.  Collective.
std::vector<double> profile(const SpinorField<double>& psi, const Coord& midpoint, int mu) {
  const Lattice& lattice = psi.lattice();
  const HostField host(psi);
  std::vector<double> squares(std::size_t(lattice.extent()[std::size_t(mu)]));
  for (std::size_t i = 0; i < squares.size(); ++i) {
    Coord x = midpoint;
    x[std::size_t(mu)] = int(i);
    if (!lattice.geometry().owns(x)) continue;
    const Layout::Position at = lattice.layout().locate(lattice.geometry().local(x));
    squares[i] = norm2(host.view()(LaneSite{at.outer, at.lane}));
  }
  lattice.comm().sum(squares);
  for (double& v : squares) v = std::sqrt(v);
  return squares;
}

/// sqrt(<r^2>) with weight |psi|^2, r the distance in space from the midpoint.  Collective.
double radius(const SpinorField<double>& psi, const Coord& midpoint) {
  const Lattice& lattice = psi.lattice();
  const Geometry& geometry = lattice.geometry();
  const HostField host(psi);
  std::array<double, 2> sums{};
  for (std::int64_t i = 0; i < geometry.local_volume(); ++i) {
    const Coord local = coordinate(i, geometry.local_extent()), x = geometry.global(local);
    const Layout::Position at = lattice.layout().locate(local);
    const double weight = norm2(host.view()(LaneSite{at.outer, at.lane}));
    double r2 = 0;
    for (std::size_t mu = 0; mu < 3; ++mu) {
      const int extent = lattice.extent()[mu], d = std::abs(x[mu] - midpoint[mu]), shortest = std::min(d, extent - d);
      r2 += double(shortest) * shortest;
    }
    sums[0] += weight;
    sums[1] += weight * r2;
  }
  lattice.comm().sum(sums);
  return std::sqrt(sums[1] / sums[0]);
}

void smear(const Session& session, const SmearOptions& options) {
  const int mu = int(std::string("xyz").find(options.direction));
  require(options.iterations >= 0, "--iterations is", options.iterations, "- it must be 0 or more");
  require(options.width >= 0, "--width is", options.width, "- it must be 0 or more, in lattice units");
  const ReadGaugeOptions checks = read_gauge_options(options.gauge.ignore);
  require(options.ape_steps >= 0, "--ape is", options.ape_steps, "- it must be 0 or more");
  require_writable(session.comm, options.output + ".svg");
  const bool unit = options.gauge_file.empty();
  const Lattice lattice = unit ? Lattice(session.comm, options.gauge.extent.value_or(options.extent))
                               : lattice_of(session.comm, options.gauge_file, options.gauge);
  GaugeField<double> gauge(lattice, "links", 4);
  std::string about = "links 1 (free field)";
  if (unit) {
    cold_start(gauge);
  } else {
    GaugeReport report;
    gauge = read_gauge<double>(lattice, options.gauge_file, checks, &report);
    warn_overridden(session, report);
    about = sentence("links from", options.gauge_file + ", plaquette", twelve_digits(report.plaquettes.mean()));
  }
  if (options.ape_steps > 0) {
    gauge = ape(gauge, {.n = options.ape_steps});
    about += sentence(", APE x", options.ape_steps);
  }
  const Coord& extent = lattice.extent();
  const Coord midpoint{extent[0] / 2, extent[1] / 2, extent[2] / 2, extent[3] / 2};
  const GaugeLinks<double> links(gauge);
  // Step by step, so that progress is seen: N iterations of width w are N times one of width w / sqrt(N).
  const WuppertalSmearing<double> step(links,
                                       {options.iterations > 0 ? options.width / std::sqrt(options.iterations) : 0, 1});
  SpinorField<double> psi = point_source<double>(lattice, midpoint, 0, 0);
  Progress progress({{"iterations", options.iterations, 1}},
                    ProgressOutput::standard_error(session.quiet, session.comm.rank()));
  for (int i = 0; i < options.iterations; ++i) {
    step.apply(psi, psi);
    progress.advance(0);
  }
  progress.hide();
  const std::vector<double> values = profile(psi, midpoint, mu);

  std::ostringstream text;
  text << "# delta at (" << to_string(midpoint) << ") on " << to_string(extent)
       << ", smeared by (1 + w^2/(4 N) Laplacian)^N, w = " << options.width << ", N = " << options.iterations << "\n# "
       << about << "\n# root mean square radius " << radius(psi, midpoint) << "\n# " << options.direction
       << "  |psi|\n";
  PlotSeries series{.name = "", .x = {}, .y = values, .error = {}, .style = PlotSeries::Style::points_and_line};
  for (std::size_t x = 0; x < values.size(); ++x) {
    char row[64];
    std::snprintf(row, sizeof(row), "%3zu  %.12e\n", x, values[x]);
    text << row;
    series.x.push_back(double(x));
  }
  Plot plot{.title = "A smeared delta",
            .x_label = options.direction + " / a",
            .y_label = "|psi|",
            .series = {series},
            .bands = {}};
  plot.y_min = 0;
  plot.caption = sentence("w =", options.width, "N =", std::to_string(options.iterations) + ",", about);
  session.say(text.str());
  write_text_file(session.comm, options.output + ".txt", text.str());
  write_text_file(session.comm, options.output + ".svg", plot.svg());
  session.say("wrote " + options.output + ".txt and " + options.output + ".svg");
}

}  // namespace

Command smear_command() {
  return {"smear", "smear a delta at the midpoint and show its profile",
          "Prints columns x and |psi| (norm over spin and colour) along a line through the midpoint, and writes them "
          "to PREFIX.txt\n"
          "and PREFIX.svg.  Without a file all links are 1, and the profile is a Gaussian of width w / sqrt(2): "
          "exp(-r^2 / w^2).",
          [](Arguments& arguments) -> Action {
            auto options = std::make_shared<SmearOptions>();
            arguments.positional("FILE", options->gauge_file, "a gauge configuration", false);
            options->gauge.declare(arguments);
            arguments.option("--width", options->width, "w in (1 + w^2 / (4 N) Laplacian)^N");
            arguments.option("--iterations", options->iterations, "N");
            arguments.option("--ape", options->ape_steps, "APE steps on the spatial links first");
            arguments.option("--direction", options->direction, "of the profile", {"x", "y", "z"});
            arguments.option("--output", options->output, "PREFIX of the files");
            return [options](const Session& session) { smear(session, *options); };
          }};
}

}  // namespace kov::app
