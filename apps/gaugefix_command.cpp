// SPDX-License-Identifier: MIT
#include "apps/gaugefix_command.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/measurement.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/start_run.hpp"
#include "apps/plot/plot.hpp"
#include "apps/program/progress.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/stencil/gauge/gauge_fixing.hpp"
#include "kov/stencil/io/transformation_io.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kov::app {

namespace {

struct GaugefixOptions {
  std::string in, out, output = "gaugefix", gauge = "landau", format, transformation, apply;
  GaugeFileOptions file;
  GaugeFixing parameters;
  int precision = 64;
  bool dry_run = false;
  /// Links before and after, and the transformation: matrices of 144 bytes.
  static constexpr double bytes_per_site = 9 * 144;

  bool applies() const { return !apply.empty(); }
  bool iterates() const { return gauge != "temporal" && !applies(); }
  /// The text that describes the job in plans and metadata.
  std::string what() const { return applies() ? "the transformation in " + apply : gauge + " gauge"; }
};

OutputFiles outputs_of(const GaugefixOptions& options) {
  OutputFiles files;
  files.add(options.out);
  files.add(options.transformation);
  if (options.iterates()) files.add(options.output, measurement_endings());
  return files;
}

std::string plan_text(const GaugefixOptions& options, const Lattice& lattice) {
  const GaugeFixing& p = options.parameters;
  std::string text = sentence("lattice        ", to_string(lattice.extent())) + "\n";
  text += "gauge           " + options.what() +
          (options.iterates() ? sentence(", theta <=", p.tolerance, "in at most", p.max_iterations, "iterations\n")
                              : ", exact\n");
  text += memory_row(options.bytes_per_site, lattice);
  text += "files           " + list_text(outputs_of(options).names());
  return text;
}

/// The number of iterations is unknown beforehand, but theta falls exponentially: progress counts the remaining factors
/// of 10.
class DecadeProgress {
 public:
  DecadeProgress(double tolerance, const ProgressOutput& output) : tolerance_(tolerance), output_(output) {}

  void operator()(const GaugeFixingPoint& point) {
    const int left = std::max(0, int(std::ceil(10 * std::log10(std::max(point.theta, 1e-300) / tolerance_))));
    if (!progress_) {
      steps_ = left;
      progress_ = std::make_unique<Progress>(std::vector<Task>{{"tenths of a decade of theta", steps_, 1}}, output_);
    }
    const int done = std::clamp(steps_ - left, 0, steps_);
    if (done > shown_) progress_->advance(0, done - shown_);
    shown_ = std::max(shown_, done);
  }
  void hide() {
    if (progress_) progress_->hide();
  }

 private:
  double tolerance_;
  ProgressOutput output_;
  std::unique_ptr<Progress> progress_;
  int steps_ = 0, shown_ = 0;
};

Measurement measurement_of(const GaugefixOptions& options, const Lattice& lattice, const GaugeReport& report,
                           const std::vector<GaugeFixingPoint>& history) {
  ColumnTable table{.name = "iterations", .columns = {"iteration", "functional", "theta"}, .rows = {}};
  for (const GaugeFixingPoint& p : history) table.rows.push_back({double(p.iteration), p.functional, p.theta});
  return {.what = "gauge fixing",
          .extent = lattice.extent(),
          .conventions =
              "functional: mean of Re tr U / 3 over sites and the directions of the gauge (Coulomb: space); "
              "theta: mean over sites of tr D D^+ / 3, D(x) = sum over these directions of A_mu(x) - A_mu(x - mu), "
              "A = (U - U^+) / 2 without its trace",
          .parameters = {{"configuration", options.in},
                         {"plaquette", report.plaquettes.mean()},
                         {"gauge", options.gauge},
                         {"tolerance", options.parameters.tolerance},
                         {"overrelaxation", options.parameters.overrelaxation},
                         {"output", options.out}},
          .inputs = report.attributes(),
          .ignored = report.overridden,
          .results = {{"iterations", double(history.back().iteration)},
                      {"functional", history.back().functional},
                      {"theta", history.back().theta}},
          .tables = {table}};
}

Plot picture(const Measurement& m, const GaugefixOptions& options) {
  PlotSeries series{.name = "", .x = {}, .y = {}, .error = {}, .style = PlotSeries::Style::line};
  for (const auto& row : m.tables[0].rows) {
    series.x.push_back(row[0]);
    series.y.push_back(row[2]);
  }
  Plot plot{.title = "Gauge fixing: what is left of the divergence",
            .x_label = "iteration",
            .y_label = "$θ$",
            .series = {series},
            .references = {{PlotReference::Axis::y, options.parameters.tolerance, "tolerance"}},
            .caption = ignored_text(m.ignored) + options.gauge + " gauge of " + plain(options.in) +
                       ", overrelaxation " + number_markup(options.parameters.overrelaxation),
            .log_y = true,
            .integer_x = true};
  return plot;
}

void gaugefix(const Session& session, GaugefixOptions options) {
  options.parameters.condition = options.gauge == "coulomb" ? GaugeCondition::coulomb : GaugeCondition::landau;
  require_precision(options.precision);
  session.require_used("--gauge", !options.applies(), "without --apply");
  for (const char* option : {"--tolerance", "--iterations", "--overrelaxation", "--every", "--output"})
    session.require_used(option, options.iterates(), "with --gauge coulomb or landau, and without --apply");
  WriteGaugeOptions write;
  write.format = output_format(options.format, options.out);
  write.bits = options.precision;
  if (!options.transformation.empty()) {
    require(!options.applies(), "--apply takes a transformation from a file: --transformation would write it again");
    require<NotBuilt>(has_hdf5(),
                      "this build has no HDF5, in which --transformation is written: configure with KOV_HDF5=ON");
  }
  outputs_of(options).require_usable(session, {options.in, options.apply});
  const Lattice lattice = lattice_of(session.comm, options.in, options.file);
  const RunPlan plan{plan_text(options, lattice), options.bytes_per_site, options.dry_run};
  const auto locks = start_run(session, plan, lattice, outputs_of(options));
  if (!locks) return;

  GaugeReport report;
  const auto gauge = read_configuration(session, lattice, options.in, options.file, report);
  write.metadata = report.attributes();
  write.metadata.emplace_back("GAUGE", options.applies() ? options.what() : options.gauge);
  Field<ColorMatrix, double> g;
  std::optional<Measurement> m;
  if (options.iterates()) {
    DecadeProgress progress(options.parameters.tolerance,
                            ProgressOutput::standard_error(session.quiet, session.comm.rank()));
    const FixedGauge<double> fixed =
        fix_gauge(gauge, options.parameters, [&](const GaugeFixingPoint& point) { progress(point); });
    progress.hide();
    g = fixed.transformation.alias();
    m = measurement_of(options, lattice, report, fixed.history);
    write.metadata.emplace_back("GAUGE_THETA", digits(fixed.result().theta));
    write.metadata.emplace_back("GAUGE_FUNCTIONAL", digits(fixed.result().functional));
  } else if (options.applies()) {
    g = read_transformation(lattice, options.apply);
  } else {
    g = temporal_gauge(gauge);
  }
  const GaugeReport written = write_gauge(gauge_transform(gauge, g), options.out, write);
  WrittenFiles files(session);
  files.add({options.out});
  if (!options.transformation.empty()) {
    write_transformation(g, options.transformation, write.metadata);
    files.add({options.transformation});
  }
  if (m) {
    files.add(write_measurement(session.comm, options.output, *m));
    files.draw(options.output, picture(*m, options));
    session.say(measurement_text(*m));
  }
  session.say(sentence(options.out + ":", options.what() + ", plaquette",
                       twelve_digits(written.plaquettes.mean()) + ", before",
                       twelve_digits(report.plaquettes.mean()) + ", link trace",
                       twelve_digits(written.link_trace) + ", before", twelve_digits(report.link_trace)));
  files.say();
}

}  // namespace

Command gaugefix_command() {
  return {
      "gaugefix", "bring a gauge configuration to Coulomb, Landau or temporal gauge",
      "Writes the transformed links to OUT, in the format of its ending (.nersc, .lime, .ildg, .h5), and for Coulomb "
      "and "
      "Landau gauge\n"
      "the functional and theta along the iterations to PREFIX.txt, PREFIX.h5, PREFIX.svg and .pdf.  Ends with code 3, "
      "and "
      "without OUT,\n"
      "when --iterations were not enough.  --transformation keeps g(x) with U_mu(x) -> g(x) U_mu(x) g(x + mu)^+, "
      "--apply\n"
      "does with IN what such a file says.\n"
      "example: kovariant gaugefix beta6.0001.lime coulomb.lime --gauge coulomb --tolerance 1e-14",
      [](Arguments& arguments) -> Action {
        auto o = std::make_shared<GaugefixOptions>();
        arguments.positional("IN", o->in, "the gauge configuration");
        arguments.positional("OUT", o->out, "the new file");
        o->file.declare(arguments);
        arguments.option("--gauge", o->gauge, "the condition", {"coulomb", "landau", "temporal"});
        arguments.option("--tolerance", o->parameters.tolerance, "theta to reach");
        arguments.option("--iterations", o->parameters.max_iterations, "at most");
        arguments.option("--overrelaxation", o->parameters.overrelaxation, "between 0 and 2; 1 is none");
        arguments.option("--every", o->parameters.check_every, "iterations from one look at theta to the next");
        arguments.option("--output", o->output, "PREFIX of the files about the iterations");
        arguments.option("--transformation", o->transformation, "an HDF5 file to write the gauge transformation to");
        arguments.option("--apply", o->apply, "such a file: transform by it instead of fixing");
        arguments.option("--format", o->format, "of OUT; otherwise by its ending", format_names());
        arguments.option("--precision", o->precision, "of OUT, 32 or 64 bits");
        arguments.flag("--dry-run", o->dry_run, "print the plan; compute and write nothing");
        return [o](const Session& session) { gaugefix(session, *o); };
      }};
}

}  // namespace kov::app
