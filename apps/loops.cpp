// SPDX-License-Identifier: MIT
//
// kovariant loops
#include "kov/stencil/loops.hpp"

#include "apps/commands.hpp"
#include "apps/gauge_files.hpp"
#include "apps/measurement.hpp"
#include "apps/output_files.hpp"
#include "apps/plot_svg.hpp"
#include "apps/progress.hpp"
#include "apps/text_file.hpp"
#include "kov/stencil/link_smearing.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace kov::app {

namespace {

struct LoopOptions {
  std::string gauge_file, output = "loops", smearing = "none";
  GaugeFileOptions gauge;
  LoopSizes sizes{.space = 0, .time = 0};
  int steps = 10;
  bool dry_run = false;
};

GaugeField<double> smeared(const GaugeField<double>& gauge, const std::string& method) {
  if (method == "ape") return ape(gauge, {.n = 1});
  if (method == "stout") return stout(gauge, {.rho = 0.1, .n = 1});
  return hyp(gauge, {.n = 1, .directions = space_directions});
}

std::string smearing_text(const LoopOptions& options) {
  if (options.smearing == "none") return "none";
  const std::string what = options.smearing == "ape"     ? "APE, weight 2.5"
                           : options.smearing == "stout" ? "stout, rho 0.1"
                                                         : "HYP, alpha2 0.6, alpha3 0.3";
  return sentence(what + ",", options.steps, "steps on the spatial links");
}

OutputFiles outputs_of(const LoopOptions& options) {
  OutputFiles files;
  files.add(options.output, measurement_endings());
  return files;
}

std::string plan_text(const LoopOptions& options, const Lattice& lattice) {
  std::string text = sentence("lattice        ", to_string(lattice.extent())) + "\n";
  text += sentence("loops          ", options.sizes.n_loops(), "up to", options.sizes.space, "in space and",
                   options.sizes.time, "in time\n");
  text += "smearing        " + smearing_text(options) + "\n";
  text += sentence("memory         ", std::ceil((4 + 4 + 18) * 144.0 * double(lattice.volume()) / (1 << 20)), "MiB\n");
  text += "files           " + list_text(outputs_of(options).names());
  return text;
}

std::vector<ColumnTable> tables_of(const WilsonLoops& loops) {
  ColumnTable time{.name = "space_time", .columns = {"r", "t", "W(r,t)", "V(r,t)"}, .rows = {}},
      space{.name = "space_space", .columns = {"r", "s", "W(r,s)"}, .rows = {}};
  const LoopSizes& sizes = loops.sizes();
  for (int r = 1; r <= sizes.space; ++r) {
    for (int t = 1; t <= sizes.time; ++t)
      time.rows.push_back({double(r), double(t), loops.space_time(r, t),
                           t < sizes.time ? loops.effective_potential(r, t) : std::nan("")});
    for (int s = 1; s <= r; ++s) space.rows.push_back({double(r), double(s), loops.space_space(r, s)});
  }
  return {time, space};
}

/// The potential's estimates against r, one curve for each t; empty when there is none.
std::string picture(const WilsonLoops& loops, const std::string& caption) {
  Plot plot{.title = "Static potential, V(r, t) = log W(r, t) / W(r, t + 1)",
            .x_label = "r / a",
            .y_label = "a V",
            .series = {},
            .bands = {}};
  bool any = false;
  for (int t = 1; t < std::min(loops.sizes().time, 5); ++t) {
    PlotSeries series{
        .name = sentence("t =", t), .x = {}, .y = {}, .error = {}, .style = PlotSeries::Style::points_and_line};
    for (int r = 1; r <= loops.sizes().space; ++r) {
      series.x.push_back(r);
      series.y.push_back(loops.effective_potential(r, t));
      any = any || std::isfinite(series.y.back());
    }
    plot.series.push_back(series);
  }
  plot.caption = caption;
  return any ? plot.svg() : std::string();
}

void loops(const Session& session, LoopOptions options) {
  require(options.steps >= 0, "--steps is", options.steps, "- it must be 0 or more");
  require(options.sizes.space >= 0 && options.sizes.time >= 0, "--max-r and --max-t are", options.sizes.space, "and",
          options.sizes.time, "- they must be 1 or more, or 0 for half the lattice");
  const ReadGaugeOptions checks = read_gauge_options(options.gauge.ignore);
  outputs_of(options).require_usable(session, {options.gauge_file});
  const Lattice lattice = lattice_of(session.comm, options.gauge_file, options.gauge);
  const Coord& extent = lattice.extent();
  if (options.sizes.space == 0) options.sizes.space = std::max(1, std::min({extent[0], extent[1], extent[2]}) / 2);
  if (options.sizes.time == 0) options.sizes.time = std::max(1, extent[3] / 2);
  const int longest = std::max({extent[0], extent[1], extent[2]});
  require(options.sizes.space <= longest && options.sizes.time <= extent[3], "--max-r and --max-t are",
          options.sizes.space, "and", options.sizes.time, "- the lattice", to_string(extent), "has loops up to",
          longest, "and", extent[3]);
  if (options.smearing == "none") options.steps = 0;
  const std::string plan = plan_text(options, lattice);
  session.log.info("\n" + plan);
  if (options.dry_run) return session.say(plan + "\ndry run: nothing was computed or written");
  const std::vector<OutputLock> locks = outputs_of(options).lock(session);

  GaugeReport report;
  auto gauge = read_gauge<double>(lattice, options.gauge_file, checks, &report);
  warn_overridden(session, report);
  std::array<std::complex<double>, 4> lines;
  for (int mu = 0; mu < 4; ++mu) lines[std::size_t(mu)] = polyakov_loop(gauge, SumMode::exact, mu);
  Progress progress({{"smearing steps", options.steps, 4}, {"loops", int(options.sizes.n_loops()), 1}},
                    ProgressOutput::standard_error(session.quiet, session.comm.rank()));
  for (int step = 0; step < options.steps; ++step) {
    gauge = smeared(gauge, options.smearing);
    progress.advance(0);
  }
  const WilsonLoops found = wilson_loops(gauge, options.sizes, SumMode::chunked, [&] { progress.advance(1); });
  progress.hide();

  Measurement m{.what = "Wilson loops",
                .extent = extent,
                .conventions =
                    "W: mean of Re tr / 3 over sites and planes; r, s in space, t in time; V = log(W(r, t) / "
                    "W(r, t + 1)); Polyakov loops: mean of tr P / 3, of the links before smearing",
                .parameters = {{"configuration", options.gauge_file},
                               {"plaquette", twelve_digits(report.plaquettes.mean())},
                               {"smearing", smearing_text(options)}},
                .inputs = report.attributes(),
                .results = {},
                .tables = tables_of(found)};
  for (int mu = 0; mu < 4; ++mu) {
    const std::string name = std::string("Polyakov loop ") + "xyzt"[mu];
    m.results.emplace_back(name + " real", lines[std::size_t(mu)].real());
    m.results.emplace_back(name + " imaginary", lines[std::size_t(mu)].imag());
  }
  std::vector<std::string> files = write_measurement(session.comm, options.output, m);
  const std::string svg = picture(found, options.gauge_file + ", smearing: " + smearing_text(options));
  if (!svg.empty()) {
    write_text_file(session.comm, options.output + ".svg", svg);
    files.push_back(options.output + ".svg");
  }
  session.say(measurement_text(m));
  if (svg.empty()) session.say("no picture: it takes loops that are positive at two times");
  session.say("wrote " + list_text(files));
}

}  // namespace

Command loops_command() {
  return {"loops", "measure Wilson loops, the static potential and Polyakov loops",
          "Prints the planar loops of all sizes as columns, and writes them to PREFIX.txt and PREFIX.h5 and the "
          "potential's "
          "estimates\nto PREFIX.svg.\n"
          "example: kovariant loops beta6.0001.lime --smearing ape --steps 20 --max-r 6 --max-t 5",
          [](Arguments& arguments) -> Action {
            auto o = std::make_shared<LoopOptions>();
            arguments.positional("FILE", o->gauge_file, "the gauge configuration");
            o->gauge.declare(arguments);
            arguments.option("--max-r", o->sizes.space, "longest side in space; 0: half the shortest extent");
            arguments.option("--max-t", o->sizes.time, "longest side in time; 0: half the extent");
            arguments.option("--smearing", o->smearing, "of the spatial links first", {"none", "ape", "stout", "hyp"});
            arguments.option("--steps", o->steps, "of the smearing");
            arguments.option("--output", o->output, "PREFIX of the files");
            arguments.flag("--dry-run", o->dry_run, "print the plan; compute and write nothing");
            return [o](const Session& session) { loops(session, *o); };
          }};
}

}  // namespace kov::app
