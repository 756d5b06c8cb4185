// SPDX-License-Identifier: MIT
//
// kovariant generate
#include "apps/commands.hpp"
#include "apps/gauge_files.hpp"
#include "apps/plot_svg.hpp"
#include "apps/progress.hpp"
#include "apps/text_file.hpp"
#include "kov/stencil/heatbath.hpp"

#include <cstdio>
#include <sstream>

namespace kov::app {

namespace {

struct GenerateOptions {
  Coord extent{8, 8, 8, 16};
  QuenchedParameters chain;
  int configurations = 1, precision = 64;
  std::string start = "cold", output = "quenched", format = "ildg";
};

std::string ending(GaugeFormat format) {
  return format == GaugeFormat::ildg ? ".lime" : format == GaugeFormat::hdf5 ? ".h5" : ".nersc";
}

/// PREFIX.0001.lime
std::string file_name(const GenerateOptions& options, GaugeFormat format, int k) {
  char number[16];
  std::snprintf(number, sizeof(number), ".%04d", k);
  return options.output + number + ending(format);
}

void write_history(const Session& session, const GenerateOptions& options, const std::vector<double>& plaquette,
                   const std::string& description) {
  std::ostringstream text;
  text << "# " << description << "\n# update, plaquette\n";
  PlotSeries series{.name = "", .x = {}, .y = plaquette, .error = {}, .style = PlotSeries::Style::line};
  for (std::size_t k = 0; k < plaquette.size(); ++k) {
    text << k + 1 << " " << twelve_digits(plaquette[k]) << "\n";
    series.x.push_back(double(k + 1));
  }
  write_text_file(session.comm, options.output + ".history.txt", text.str());
  if (plaquette.empty()) return;
  Plot plot{.title = "Plaquette along the chain",
            .x_label = "update",
            .y_label = "mean Re tr P / 3",
            .series = {series},
            .bands = {}};
  plot.caption = description;
  write_text_file(session.comm, options.output + ".history.svg", plot.svg());
}

void generate(const Session& session, GenerateOptions options) {
  require(options.configurations >= 1, "--configurations is", options.configurations, "- at least one is needed");
  require(options.precision == 32 || options.precision == 64, "--precision is", options.precision,
          "- it must be 32 or 64 (bits)");
  options.chain.start = options.start == "hot" ? Start::hot : Start::cold;
  WriteGaugeOptions write{.format = gauge_format(options.format), .bits = options.precision};
  const Lattice lattice(session.comm, options.extent);
  require_writable(session.comm, file_name(options, write.format, 1));

  QuenchedEnsemble<double> ensemble(lattice, options.chain);
  const int updates = options.chain.n_thermalise + (options.configurations - 1) * options.chain.n_between;
  Progress progress({{"updates", updates, 1}}, ProgressOutput::standard_error(session.quiet, session.comm.rank()));
  std::vector<double> history;
  for (int k = 1; k <= options.configurations; ++k) {
    const auto gauge = ensemble.next([&](int, int) {
      history.push_back(plaquettes(ensemble.gauge()).mean());
      progress.advance(0);
    });
    const std::string file = file_name(options, write.format, k);
    write.metadata = {{"ENSEMBLE_ID", ensemble.description()},
                      {"BETA", sentence(options.chain.beta)},
                      {"SEED", sentence(options.chain.seed)},
                      {"UPDATE", sentence(ensemble.n_updates())}};
    const GaugeReport report = write_gauge(gauge, file, write);
    progress.hide();
    session.say(sentence(file + ":", "update", std::to_string(ensemble.n_updates()) + ", plaquette",
                         twelve_digits(report.plaquettes.mean()) + ", links", report.links_checksum));
    session.log.info("wrote", file, "- acceptance", ensemble.chain().acceptance());
    write_history(session, options, history, ensemble.description());
  }
}

}  // namespace

Command generate_command() {
  return {"generate", "make quenched SU(3) gauge configurations (heatbath and overrelaxation)",
          "Writes PREFIX.0001.lime, ... and the plaquette after every update to PREFIX.history.txt and .svg.\n"
          "The same seed gives the same links on any number of processes.",
          [](Arguments& arguments) -> Action {
            auto o = std::make_shared<GenerateOptions>();
            arguments.option("--extent", o->extent, "extents of the lattice");
            arguments.option("--beta", o->chain.beta, "coupling of Wilson's gauge action");
            arguments.option("--seed", o->chain.seed, "of all random numbers");
            arguments.option("--configurations", o->configurations, "how many to write");
            arguments.option("--thermalise", o->chain.n_thermalise, "updates before the first configuration");
            arguments.option("--between", o->chain.n_between, "updates from one configuration to the next");
            arguments.option("--overrelaxation", o->chain.overrelaxation_per_heatbath,
                             "sweeps of it in an update, after one of heatbath");
            arguments.option("--start", o->start, "cold (all links 1) or hot (random)", {"cold", "hot"});
            arguments.option("--output", o->output, "PREFIX of the files");
            arguments.option("--format", o->format, "nersc, nersc-3x2 (two rows), ildg or hdf5", format_names());
            arguments.option("--precision", o->precision, "32 or 64 bits");
            return [o](const Session& session) { generate(session, *o); };
          }};
}

}  // namespace kov::app
