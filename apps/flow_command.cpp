// SPDX-License-Identifier: MIT
#include "apps/flow_command.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/measurement.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/start_run.hpp"
#include "apps/plot/plot.hpp"
#include "apps/program/progress.hpp"
#include "kov/stencil/gauge/gradient_flow.hpp"

#include <cmath>

namespace kov::app {

namespace {

struct FlowOptions {
  std::string gauge_file, output = "flow", action = "wilson", write, format;
  GaugeFileOptions gauge;
  FlowParameters parameters{.action = FlowAction::wilson, .step = 0.02, .time = 4, .measure_every = 5};
  double reference = 0.3;
  int precision = 64;
  bool dry_run = false;

  /// Links, exponents, staples and what the clover is made of: matrices of 144 bytes.
  double bytes_per_site() const { return 144 * (action == "wilson" ? 4 + 4 + 4 + 3 + 8 : 4 + 4 + 4 + 4 + 4 + 2 + 8); }
};

OutputFiles outputs_of(const FlowOptions& options) {
  OutputFiles files;
  files.add(options.output, measurement_endings());
  files.add(options.write);
  return files;
}

std::string plan_text(const FlowOptions& options, const Lattice& lattice) {
  const int steps = options.parameters.n_steps(), every = options.parameters.measure_every;
  std::string text = sentence("lattice        ", to_string(lattice.extent())) + "\n";
  text +=
      sentence("flow           ", options.action + ", to t / a^2 =", options.parameters.time, "in", steps, "steps\n");
  text += sentence("rows           ", (steps + every - 1) / every + 1) + "\n";
  text += memory_row(options.bytes_per_site(), lattice);
  text += "files           " + list_text(outputs_of(options).names());
  return text;
}

ColumnTable table_of(const FlowHistory& history) {
  ColumnTable table{
      .name = "flow",
      .columns = {"t/a^2", "E plaquette", "E clover", "E clover time", "E clover space", "t^2 E", "W(t)", "Q"},
      .rows = {}};
  for (std::size_t k = 0; k < history.points().size(); ++k) {
    const FlowPoint& p = history.points()[k];
    table.rows.push_back({p.t, p.plaquette_energy, p.energy(), p.temporal_energy, p.spatial_energy, p.t2_energy(),
                          history.w(k), p.charge});
  }
  return table;
}

Plot picture(const FlowHistory& history, const FlowOptions& options, const std::string& caption) {
  Plot plot{.title = "Gradient flow",
            .x_label = "flow time $t / a^2$",
            .y_label = "$t^2 E$, $W(t)$",
            .series = {},
            .references = {{PlotReference::Axis::y, options.reference, number_markup(options.reference)}},
            .caption = caption,
            .with_zero = true};
  const auto add = [&](const std::string& name, const auto& value) {
    PlotSeries series{.name = name, .x = {}, .y = {}, .error = {}, .style = PlotSeries::Style::line};
    for (std::size_t k = 0; k < history.points().size(); ++k) {
      series.x.push_back(history.points()[k].t);
      series.y.push_back(value(k));
    }
    plot.series.push_back(series);
  };
  add("$t^2 E$, clover", [&](std::size_t k) { return history.points()[k].t2_energy(); });
  add("$t^2 E$, plaquette", [&](std::size_t k) { return history.points()[k].t2_energy(FlowEnergy::plaquette); });
  add("$W(t)$, clover", [&](std::size_t k) { return history.w(k); });
  const auto t0 = history.t0(FlowEnergy::clover, options.reference),
             w0 = history.w0(FlowEnergy::clover, options.reference);
  if (t0) plot.references.push_back({PlotReference::Axis::x, *t0, "$t_0 / a^2$"});
  if (w0) plot.references.push_back({PlotReference::Axis::x, *w0 * *w0, "$w_0^2 / a^2$"});
  return plot;
}

std::string caption_of(const FlowOptions& options, const Measurement& m) {
  std::string caption = ignored_text(m.ignored) + options.action + " flow of " + plain(options.gauge_file);
  for (const auto& [name, value] : m.results) {
    if (!name.ends_with("clover")) continue;
    caption += ", $" + std::string(name.starts_with("t0") ? "t_0 / a^2" : "w_0 / a") + "$ = " + number_markup(value);
  }
  return caption;
}

/// The scales found in the table, each with its interpolation error, the names of those that the table does not reach,
/// and of those whose third digit is uncertain.
struct Scales {
  std::vector<std::pair<std::string, double>> results;
  std::vector<std::string> unreached, uncertain;

  Scales(const FlowHistory& history, double reference) {
    const FlowHistory half = history.thinned();
    for (const FlowEnergy energy : {FlowEnergy::clover, FlowEnergy::plaquette}) {
      const std::string name = energy == FlowEnergy::clover ? "clover" : "plaquette";
      add("t0/a^2 " + name, history.t0(energy, reference), half.t0(energy, reference));
      add("w0/a " + name, history.w0(energy, reference), half.w0(energy, reference));
    }
  }

 private:
  void add(const std::string& name, const std::optional<double>& value, const std::optional<double>& other) {
    if (!value) return unreached.push_back(name);
    const double error = other ? std::abs(*value - *other) : *value;
    results.emplace_back(name, *value);
    results.emplace_back(name + " interpolation error", error);
    if (error > 1e-3 * *value) uncertain.push_back(name);
  }
};

void flow(const Session& session, FlowOptions options) {
  options.parameters.action = options.action == "wilson" ? FlowAction::wilson : FlowAction::symanzik;
  const int steps = options.parameters.n_steps();
  require_precision(options.precision);
  for (const char* option : {"--format", "--precision"})
    session.require_used(option, !options.write.empty(), "with --write FILE");
  require(options.reference > 0, "--reference is", options.reference, "- it must be positive");
  WriteGaugeOptions write;
  if (!options.write.empty()) write.format = output_format(options.format, options.write);
  write.bits = options.precision;
  outputs_of(options).require_usable(session, {options.gauge_file});
  const Lattice lattice = lattice_of(session.comm, options.gauge_file, options.gauge);
  const RunPlan plan{plan_text(options, lattice), options.bytes_per_site(), options.dry_run};
  const auto locks = start_run(session, plan, lattice, outputs_of(options));
  if (!locks) return;

  const double largest = largest_flow_step(options.parameters.action);
  if (options.parameters.time / steps > largest)
    session.warn(sentence(
        "the shortest waves grow with steps of more than",
        sentence(largest) + ": results may be wrong before the run ends because the energy rises; lower --step"));

  GaugeReport report;
  auto gauge = read_configuration(session, lattice, options.gauge_file, options.gauge, report);
  GradientFlow<double> flow(gauge, options.parameters.action);
  gauge = {};  // the flow has a copy
  Progress progress({{"steps", steps, 1}}, ProgressOutput::standard_error(session.quiet, session.comm.rank()));
  const FlowHistory history = gradient_flow(flow, options.parameters, [&](const FlowPoint*) { progress.advance(0); });
  progress.hide();

  const Scales scales(history, options.reference);
  Measurement m{.what = "gradient flow",
                .extent = lattice.extent(),
                .conventions =
                    "E = - sum over planes of tr F F (clover) or 2 sum of Re tr (1 - P) (plaquette), a^4 times "
                    "the mean over sites; t^2 E and W = t d/dt (t^2 E) of the clover; Q = - 8 / (32 pi^2) sum "
                    "tr (F_xy F_zt - F_xz F_yt + F_xt F_yz); t0: t^2 E = reference; w0: W(w0^2) = reference",
                .parameters = {{"configuration", options.gauge_file},
                               {"plaquette", report.plaquettes.mean()},
                               {"action", options.action},
                               {"step", options.parameters.time / steps},
                               {"integrator", "Runge-Kutta of third order"},
                               {"reference", options.reference}},
                .inputs = report.attributes(),
                .ignored = report.overridden,
                .results = scales.results,
                .tables = {table_of(history)}};
  WrittenFiles files(session);
  files.add(write_measurement(session.comm, options.output, m));
  if (!options.write.empty()) {
    write.metadata = report.attributes();
    write.metadata.emplace_back("FLOW_ACTION", options.action);
    write.metadata.emplace_back("FLOW_TIME", digits(options.parameters.time));
    write_gauge(flow.gauge(), options.write, write);
    files.add({options.write});
  }
  files.draw(options.output, picture(history, options, caption_of(options, m)));
  session.say(measurement_text(m));
  if (!scales.uncertain.empty())
    session.warn(list_text(scales.uncertain) +
                 ": uncertain by more than a thousandth, the rows of the table being too far apart; lower " +
                 (options.parameters.measure_every > 1 ? "--every" : "--step"));
  if (!scales.unreached.empty())
    session.say(list_text(scales.unreached) +
                sentence(": not reached by t / a^2 =", digits(options.parameters.time) + "; raise --time"));
  files.say();
}

}  // namespace

Command flow_command() {
  return {"flow", "flow a gauge configuration and find t0 and w0",
          "Prints columns of flow time, energy densities, t^2 E, W(t) and topological charge, and writes them to "
          "PREFIX.txt, "
          "PREFIX.h5\nand PREFIX.svg and .pdf.\n"
          "example: kovariant flow beta6.0001.lime --action symanzik --time 5 --write flowed.lime",
          [](Arguments& arguments) -> Action {
            auto o = std::make_shared<FlowOptions>();
            arguments.positional("FILE", o->gauge_file, "the gauge configuration");
            o->gauge.declare(arguments);
            arguments.option("--action", o->action, "whose gradient is followed", {"wilson", "symanzik"});
            arguments.option("--time", o->parameters.time, "t / a^2 to flow");
            arguments.option("--step", o->parameters.step, "of the integrator, at most");
            arguments.option("--every", o->parameters.measure_every, "steps from one row of the table to the next");
            arguments.option("--reference", o->reference, "of t^2 E at t0 and of W at w0^2");
            arguments.option("--output", o->output, "PREFIX of the files");
            arguments.option("--write", o->write, "FILE for the flowed links; none are written without it");
            arguments.option("--format", o->format, "of --write; otherwise by its ending", format_names());
            arguments.option("--precision", o->precision, "of --write, 32 or 64 bits");
            arguments.flag("--dry-run", o->dry_run, "print the plan; compute and write nothing");
            return [o](const Session& session) { flow(session, *o); };
          }};
}

}  // namespace kov::app
