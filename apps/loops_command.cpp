// SPDX-License-Identifier: MIT
#include "apps/loops_command.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/measurement.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/start_run.hpp"
#include "apps/plot/plot.hpp"
#include "apps/program/progress.hpp"
#include "apps/smear/smearing_choice.hpp"
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/hyp_smearing.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/observables/loops.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace kov::app {

namespace {

struct LoopOptions {
  std::string gauge_file, output = "loops", smearing = "none", directions = "space";
  GaugeFileOptions gauge;
  LoopSizes sizes{.space = 0, .time = 0};
  int steps = 10;
  double weight = 2.5, rho = 0.1;
  double alpha1 = 0.75, alpha2 = 0.6, alpha3 = 0.3;
  bool dry_run = false;
  /// Links, smeared links, and the lines and staples of loops: matrices of 144 bytes.
  static constexpr double bytes_per_site = (4 + 4 + 18) * 144;

  const Directions& smeared() const { return directions == "all" ? all_directions : space_directions; }
};

GaugeField<double> smeared(const GaugeField<double>& gauge, const LoopOptions& o) {
  if (o.smearing == "ape") return ape(gauge, {.weight = o.weight, .n = 1, .directions = o.smeared()});
  if (o.smearing == "stout") return stout(gauge, {.rho = o.rho, .n = 1, .directions = o.smeared()});
  return hyp(gauge, {.alpha1 = o.alpha1, .alpha2 = o.alpha2, .alpha3 = o.alpha3, .n = 1, .directions = o.smeared()});
}

std::string smearing_text(const LoopOptions& o) {
  if (o.smearing == "none") return "none";
  const bool all = o.directions == "all";
  const std::string what = o.smearing == "ape"     ? sentence("APE, weight", o.weight)
                           : o.smearing == "stout" ? sentence("stout, rho", o.rho)
                                                   : "HYP, " + (all ? sentence("alpha1", o.alpha1) + ", " : "") +
                                                         sentence("alpha2", sentence(o.alpha2) + ", alpha3", o.alpha3);
  return sentence(what + ",", o.steps, all ? "steps on the links of all directions" : "steps on the spatial links");
}

/// Messages name the options.
void require_sense(const LoopOptions& o) {
  require(o.steps >= 0, "--steps is", o.steps, "- it must be 0 or more");
  require(o.sizes.space >= 0 && o.sizes.time >= 0, "--max-r and --max-t are", o.sizes.space, "and", o.sizes.time,
          "- they must be 1 or more, or 0 for half the lattice");
  require_between("--weight", o.weight, -largest_ape_weight, largest_ape_weight);
  require_between("--rho", o.rho, -largest_stout_rho, largest_stout_rho);
  require_between("--alpha1", o.alpha1, 0, 1);
  require_between("--alpha2", o.alpha2, 0, 1);
  require_between("--alpha3", o.alpha3, 0, 1);
}

/// The options of the chosen smearing.
void require_used_options(const Session& session, const LoopOptions& o) {
  const bool hyp = o.smearing == "hyp";
  for (const char* option : {"--steps", "--directions"})
    session.require_used(option, o.smearing != "none", "with --smearing ape, stout or hyp");
  session.require_used("--weight", o.smearing == "ape", "with --smearing ape");
  session.require_used("--rho", o.smearing == "stout", "with --smearing stout");
  session.require_used("--alpha1", hyp && o.directions == "all", "with --smearing hyp --directions all");
  for (const char* option : {"--alpha2", "--alpha3"}) session.require_used(option, hyp, "with --smearing hyp");
  for (const char* option : {"--weight", "--rho", "--alpha1", "--alpha2", "--alpha3", "--directions"})
    session.require_used(option, o.steps > 0, "with --steps of 1 or more");
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
  text += memory_row(options.bytes_per_site, lattice);
  text += "files           " + list_text(outputs_of(options).names());
  return text;
}

std::vector<ColumnTable> tables_of(const WilsonLoops& loops) {
  ColumnTable time{
      .name = "space_time", .columns = {"r", "t", "W(r,t)", "V(r,t)"}, .rows = {}, .with_gaps = {"V(r,t)"}},
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

Parameters parameters_of(const LoopOptions& o, const GaugeReport& report) {
  Parameters parameters{
      {"configuration", o.gauge_file}, {"plaquette", report.plaquettes.mean()}, {"smearing", smearing_text(o)}};
  if (o.steps == 0) return parameters;
  parameters.emplace_back("steps", std::int64_t(o.steps));
  if (o.smearing == "ape") parameters.emplace_back("weight", o.weight);
  if (o.smearing == "stout") parameters.emplace_back("rho", o.rho);
  if (o.smearing == "hyp" && o.directions == "all") parameters.emplace_back("alpha1", o.alpha1);
  if (o.smearing == "hyp") parameters.insert(parameters.end(), {{"alpha2", o.alpha2}, {"alpha3", o.alpha3}});
  return parameters;
}

/// The potential's estimates against r, one curve for each t.
Plot picture(const WilsonLoops& loops, const std::string& caption) {
  Plot plot{.title = "Static potential $a V(r, t) = log W(r, t) / W(r, t + a)$",
            .x_label = "$r / a$",
            .y_label = "$a V(r, t)$",
            .series = {},
            .caption = caption,
            .integer_x = true};
  for (int t = 1; t < std::min(loops.sizes().time, 5); ++t) {
    PlotSeries series{.name = "$t / a = " + std::to_string(t) + "$",
                      .x = {},
                      .y = {},
                      .error = {},
                      .style = PlotSeries::Style::points_and_line};
    for (int r = 1; r <= loops.sizes().space; ++r) {
      series.x.push_back(r);
      series.y.push_back(loops.effective_potential(r, t));
    }
    plot.series.push_back(series);
  }
  return plot;
}

void loops(const Session& session, LoopOptions options) {
  require_sense(options);
  require_used_options(session, options);
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
  const RunPlan plan{plan_text(options, lattice), options.bytes_per_site, options.dry_run};
  const auto locks = start_run(session, plan, lattice, outputs_of(options));
  if (!locks) return;

  GaugeReport report;
  auto gauge = read_configuration(session, lattice, options.gauge_file, options.gauge, report);
  std::array<std::complex<double>, 4> lines;
  for (int mu = 0; mu < 4; ++mu) lines[std::size_t(mu)] = polyakov_loop(gauge, SumMode::exact, mu);
  Progress progress({{"smearing steps", options.steps, 4}, {"loops", int(options.sizes.n_loops()), 1}},
                    ProgressOutput::standard_error(session.quiet, session.comm.rank()));
  for (int step = 0; step < options.steps; ++step) {
    gauge = smeared(gauge, options);
    progress.advance(0);
  }
  const WilsonLoops found = wilson_loops(gauge, options.sizes, SumMode::chunked, [&] { progress.advance(1); });
  progress.hide();

  Measurement m{.what = "Wilson loops",
                .extent = extent,
                .conventions =
                    "W: mean of Re tr / 3 over sites and planes; r, s in space, t in time; V = log(W(r, t) / "
                    "W(r, t + 1)); Polyakov loops: mean of tr P / 3, of the links before smearing",
                .parameters = parameters_of(options, report),
                .inputs = report.attributes(),
                .ignored = report.overridden,
                .results = {},
                .tables = tables_of(found)};
  for (int mu = 0; mu < 4; ++mu) {
    const std::string name = std::string("Polyakov loop ") + "xyzt"[mu];
    m.results.emplace_back(name + " real", lines[std::size_t(mu)].real());
    m.results.emplace_back(name + " imaginary", lines[std::size_t(mu)].imag());
  }
  WrittenFiles files(session);
  files.add(write_measurement(session.comm, options.output, m));
  if (options.sizes.time > 1)
    files.draw(options.output, picture(found, ignored_text(m.ignored) + plain(options.gauge_file) +
                                                  ", smearing: " + smearing_text(options)));
  else
    files.missing(options.output, "the potential takes loops of two times; raise --max-t");
  session.say(measurement_text(m));
  files.say();
}

}  // namespace

Command loops_command() {
  return {"loops", "measure Wilson loops, the static potential and Polyakov loops",
          "Prints the planar loops of all sizes as columns, and writes them to PREFIX.txt and PREFIX.h5 and the "
          "potential's "
          "estimates\nto PREFIX.svg and .pdf.\n"
          "example: kovariant loops beta6.0001.lime --smearing ape --steps 20 --max-r 6 --max-t 5",
          [](Arguments& arguments) -> Action {
            auto o = std::make_shared<LoopOptions>();
            arguments.positional("FILE", o->gauge_file, "the gauge configuration");
            o->gauge.declare(arguments);
            arguments.option("--max-r", o->sizes.space, "longest side in space; 0: half the shortest extent");
            arguments.option("--max-t", o->sizes.time, "longest side in time; 0: half the extent");
            arguments.option("--smearing", o->smearing, "of the links first", {"none", "ape", "stout", "hyp"});
            arguments.option("--steps", o->steps, "of the smearing");
            arguments.option("--directions", o->directions, "whose links are smeared: space, or all four",
                             {"space", "all"});
            arguments.option("--weight", o->weight, "ape: of the old link beside the sum of the staples");
            arguments.option("--rho", o->rho, "stout: weight of the staples");
            arguments.option("--alpha1", o->alpha1, "hyp: of its outer step, with --directions all alone");
            arguments.option("--alpha2", o->alpha2, "hyp: of the step inside that");
            arguments.option("--alpha3", o->alpha3, "hyp: of the innermost step");
            arguments.option("--output", o->output, "PREFIX of the files");
            arguments.flag("--dry-run", o->dry_run, "print the plan; compute and write nothing");
            return [o](const Session& session) { loops(session, *o); };
          }};
}

}  // namespace kov::app
