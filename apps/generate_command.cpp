// SPDX-License-Identifier: MIT
#include "apps/generate_command.hpp"

#include "apps/files/chain_files.hpp"
#include "apps/files/gauge_files.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/program/progress.hpp"
#include "kov/core/io/text.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kov::app {

namespace {

struct GenerateOptions {
  Coord extent{8, 8, 8, 16};
  QuenchedParameters chain;
  int configurations = 1, precision = 64;
  std::string start = "cold", output = "quenched", format = "ildg";
  bool dry_run = false;
  /// Links, staples and what is written and read back: matrices of 144 bytes.
  static constexpr double bytes_per_site = (4 + 3 + 4 + 4) * 144;
};

/// The options that links depend on, as on a command line.  Numbers are exact.
std::string chain_of(const GenerateOptions& options) {
  return sentence("--extent", to_string(options.extent), "--beta", exact_text(options.chain.beta), "--seed",
                  options.chain.seed, "--start", options.start, "--thermalise", options.chain.n_thermalise, "--between",
                  options.chain.n_between, "--overrelaxation", options.chain.overrelaxation_per_heatbath, "--format",
                  options.format, "--precision", options.precision);
}

/// Entry k - 1: whether configuration k exists already.
std::vector<bool> finished(const Session& session, const GenerateOptions& options, const ChainFiles& files,
                           bool exact) {
  std::vector<bool> there = files.on_disk(options.configurations);
  const auto found = std::count(there.begin(), there.end(), true);
  if (found == options.configurations) {
    session.say(sentence("all", found, "configurations are there, up to", files.file(int(found)) + ": nothing to do"));
  } else if (found > 0 && exact) {
    session.say(sentence(found, "of", options.configurations, "configurations are there, the others follow"));
  } else if (found > 0) {
    session.say(sentence(found, "of", options.configurations,
                         "configurations are there, but rounded: the chain is made again from its start"));
    there.assign(there.size(), false);
  }
  return there;
}

int updates_to_do(const std::vector<bool>& finished, const QuenchedParameters& chain) {
  int updates = 0;
  for (std::size_t k = 0; k < finished.size(); ++k)
    if (!finished[k]) updates += k == 0 ? chain.n_thermalise : chain.n_between;
  return updates;
}

std::string plan_text(const GenerateOptions& options, const Lattice& lattice, const ChainFiles& files, int updates) {
  const QuenchedParameters& chain = options.chain;
  std::string text = sentence("lattice        ", to_string(lattice.extent())) + "\n";
  text +=
      sentence("chain          ", "beta", chain.beta, "seed", std::to_string(chain.seed) + ", from a", options.start,
               "start,", chain.overrelaxation_per_heatbath, "sweeps of overrelaxation in an update\n");
  text += sentence("configurations ", options.configurations, "the first after", chain.n_thermalise,
                   "updates, then every", std::to_string(chain.n_between) + "\n");
  text += sentence("to do          ", updates, "updates\n");
  text += memory_row(options.bytes_per_site, lattice);
  std::vector<std::string> names = picture_names(options.output + ".history");
  names.insert(names.begin(), options.output + ".history.txt");
  text += "files           " + files.file(1) +
          (options.configurations > 1 ? " to " + files.file(options.configurations) : "") + ", " + list_text(names);
  return text;
}

void generate(const Session& session, GenerateOptions options) {
  require(options.configurations >= 1, "--configurations is", options.configurations, "- at least one is needed");
  require(options.configurations <= max_configurations, "--configurations is", options.configurations,
          "- a job takes at most", max_configurations);
  const QuenchedParameters& chain = options.chain;
  require(chain.n_thermalise >= 0, "--thermalise is", chain.n_thermalise, "- it must be 0 or more");
  require(chain.n_between >= 1, "--between is", chain.n_between, "- it must be 1 or more");
  require(chain.overrelaxation_per_heatbath >= 0, "--overrelaxation is", chain.overrelaxation_per_heatbath,
          "- it must be 0 or more");
  require(std::isfinite(chain.beta) && chain.beta >= 0, "--beta is", chain.beta,
          "- it must be a finite number, 0 or more: about 6 is usual");
  require_precision(options.precision);
  options.chain.start = options.start == "hot" ? Start::hot : Start::cold;
  WriteGaugeOptions write{.format = gauge_format(options.format), .bits = options.precision};
  const Lattice lattice(session.comm, options.extent);
  const ChainFiles files(session.comm, options.output, write.format, chain_of(options));
  OutputFiles outputs;
  outputs.add(options.output, {".history.txt", files.file(1).substr(options.output.size())});
  outputs.add(options.output, picture_names(".history"));
  outputs.require_usable(session);
  const std::vector<OutputLock> locks = options.dry_run ? std::vector<OutputLock>() : outputs.lock(session);

  const bool exact = write.bits == 64 && write.format != GaugeFormat::nersc_two_rows;
  const std::vector<bool> done = finished(session, options, files, exact);
  const std::string plan = plan_text(options, lattice, files, updates_to_do(done, options.chain));
  session.log.info("\n" + plan);
  warn_beyond_memory(session, options.bytes_per_site, lattice);
  if (options.dry_run) return session.say(plan + "\ndry run: nothing was computed or written");
  session.begin();
  ChainHistory history(session.comm, options.output, chain_of(options));
  if (std::find(done.begin(), done.end(), true) != done.end()) history.read();
  std::optional<QuenchedEnsemble<double>> ensemble;
  std::string picture_problem;  // of the last picture: it is drawn again with every configuration
  Progress progress({{"updates", updates_to_do(done, options.chain), 1}},
                    ProgressOutput::standard_error(session.quiet, session.comm.rank()));
  for (int k = 1; k <= options.configurations; ++k) {
    if (done[std::size_t(k - 1)]) {
      ensemble.reset();
      continue;
    }
    if (!ensemble && k == 1) ensemble.emplace(lattice, options.chain);
    if (!ensemble)
      ensemble.emplace(files.read(lattice, k - 1), options.chain,
                       options.chain.n_thermalise + (k - 2) * options.chain.n_between);
    int update = ensemble->n_updates();
    const auto gauge = ensemble->next([&](int, int) {
      history.add(++update, plaquettes(ensemble->gauge()).mean());
      progress.advance(0);
    });
    // Written before the links, so that a chain that continues from them has the plaquettes up to there.
    picture_problem = history.write();
    write.metadata = {{"ENSEMBLE_ID", ensemble->description()},
                      {"BETA", sentence(options.chain.beta)},
                      {"SEED", sentence(options.chain.seed)},
                      {"UPDATE", sentence(ensemble->n_updates())},
                      files.record()};
    const GaugeReport report = write_gauge(gauge, files.file(k), write);
    progress.hide();
    session.say(sentence(files.file(k) + ":", "update", std::to_string(ensemble->n_updates()) + ", plaquette",
                         twelve_digits(report.plaquettes.mean()) + ", links", report.links_checksum));
    session.log.info("wrote", files.file(k), "- acceptance", ensemble->chain().acceptance());
  }
  if (!picture_problem.empty()) session.warn(picture_problem);
}

}  // namespace

Command generate_command() {
  return {
      "generate", "make quenched SU(3) gauge configurations (heatbath and overrelaxation)",
      "Writes PREFIX.0001.lime, ... and the plaquette after every update to PREFIX.history.txt, .svg and .pdf.\n"
      "The same seed gives the same links on any number of processes.  Run again, after it was interrupted or with\n"
      "more --configurations, it makes those that are not there yet: the same as without the interruption.",
      [](Arguments& arguments) -> Action {
        auto o = std::make_shared<GenerateOptions>();
        arguments.option("--extent", o->extent, "extents of the lattice");
        arguments.option("--beta", o->chain.beta, "coupling of Wilson's gauge action");
        arguments.option("--seed", o->chain.seed, "seed of all random numbers");
        arguments.option("--configurations", o->configurations, "how many to write");
        arguments.option("--thermalise", o->chain.n_thermalise, "updates before the first configuration");
        arguments.option("--between", o->chain.n_between, "updates from one configuration to the next");
        arguments.option("--overrelaxation", o->chain.overrelaxation_per_heatbath,
                         "sweeps of it in an update, after one of heatbath");
        arguments.option("--start", o->start, "cold (all links 1) or hot (random)", {"cold", "hot"});
        arguments.option("--output", o->output, "PREFIX of the files");
        arguments.option("--format", o->format, "nersc, nersc-3x2 (two rows), ildg or hdf5", format_names());
        arguments.option("--precision", o->precision, "32 or 64 bits");
        arguments.flag("--dry-run", o->dry_run, "print the plan; compute and write nothing");
        return [o](const Session& session) { generate(session, *o); };
      }};
}

}  // namespace kov::app
