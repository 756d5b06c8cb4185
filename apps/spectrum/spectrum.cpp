// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum.hpp"

#include "apps/files/file_patterns.hpp"
#include "apps/files/gauge_files.hpp"
#include "apps/files/measurement.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/text_file.hpp"
#include "apps/program/progress.hpp"
#include "apps/spectrum/correlator_checks.hpp"
#include "apps/spectrum/hadron_masses.hpp"
#include "apps/spectrum/spectrum_measure.hpp"
#include "apps/spectrum/spectrum_plan.hpp"
#include "apps/spectrum/unused_settings.hpp"
#include "kov/contractions/correlators/correlator_text.hpp"
#include "kov/contractions/correlators/correlator_write.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/runtime/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <map>

namespace kov::app {

namespace {

struct SpectrumOptions {
  std::string file;
  std::vector<std::string> set;
  bool dry_run = false, print = false;
};

/// A number's text with three digits.
std::string short_text(const std::string& number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2e", parse_real(number).value_or(0));
  return text;
}

/// Throws ConvergenceError when a value of a correlator is not finite.
void require_finite(const Correlator& c, const std::string& configuration) {
  for (const std::complex<double>& value : c.value)
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
      throw ConvergenceError(sentence("a correlator of", configuration, "at the source", to_string(c.source), "is",
                                      value.real(),
                                      "- smearing or links make numbers that are too large for this machine"));
}

enum Counted : std::size_t { updates, solves };

/// One run: the plan and the objects that carry it out.
class SpectrumRun {
 public:
  SpectrumRun(const Session& session, const SpectrumParameters& parameters, const Settings& settings,
              SpectrumPlan& plan, const Journal& journal)
      : session_(session),
        parameters_(parameters),
        settings_(settings),
        plan_(plan),
        journal_(journal),
        lattice_(session.comm, plan.extent),
        progress_({{"updates", plan.n_updates(parameters), 1}, {"solves", plan.n_solves(), 2}},
                  ProgressOutput::standard_error(session.quiet, session.comm.rank())) {
    for (const PlannedConfiguration& configuration : plan.configurations) found_.push_back(configuration.n_finished());
  }

  void generated() {
    const auto missing = [](const PlannedConfiguration& c) { return !c.finished(); };
    std::optional<QuenchedEnsemble<double>> chain;
    for (std::size_t k = 0; k < plan_.configurations.size(); ++k) {
      // Beyond the last missing configuration the chain is not needed.
      const auto rest = plan_.configurations.begin() + std::ptrdiff_t(k);
      if (std::any_of(rest, plan_.configurations.end(), missing)) {
        if (!chain) chain.emplace(lattice_, parameters_.gauge.chain);
        const auto gauge = chain->next([&](int, int) { progress_.advance(updates); });
        if (missing(*rest)) measure(*rest, gauge, describe_gauge(gauge, chain->description()));
      }
      say(*rest, k);
    }
  }

  void from_files() {
    const GaugeFileOptions options = parameters_.gauge.file_options(settings_);
    for (std::size_t k = 0; k < plan_.configurations.size(); ++k) {
      PlannedConfiguration& configuration = plan_.configurations[k];
      if (!configuration.finished()) {
        GaugeReport report;
        const auto gauge = read_configuration(lattice_, configuration.name, options, report);
        progress_.hide();
        const bool planned = identity_of_file(configuration.name, report.header) == configuration.identity &&
                             (configuration.links.empty() || configuration.links == report.links_checksum);
        require(planned, configuration.name,
                "was replaced by other links while this run was under way:", "run it again; what was finished is in",
                parameters_.output.journal);
        warn_overridden(session_, report);
        measure(configuration, gauge, report);
      }
      say(configuration, k);
    }
  }

 private:
  void measure(PlannedConfiguration& configuration, const GaugeField<double>& gauge, const GaugeReport& report) {
    const SpectrumMeasurement measurement(gauge, parameters_);
    for (PlannedPart& part : configuration.parts) {
      if (part.entry) continue;
      const auto begin = std::chrono::steady_clock::now();
      JournalEntry entry = measurement.measure(part.origin, [&](const SolveReport& solve) {
        session_.log.debug(solve.text());
        progress_.advance(solves);
      });
      for (Correlator& c : entry.correlators) {
        c.labels["configuration"] = configuration.name;
        require_finite(c, configuration.name);
      }
      for (const auto& [name, value] : report.attributes()) entry.notes[name] = value;
      entry.notes["seconds"] =
          std::to_string(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      session_.log.info(configuration.name, "at", to_string(part.origin) + ":", entry.notes["iterations"],
                        "iterations in 12 solves, worst residual", short_text(entry.notes["worst_residual"]) + ",",
                        entry.notes["seconds"], "s");
      journal_.add(part.key, entry);
      part.entry = std::move(entry);
    }
  }

  /// A line about a finished configuration.
  void say(const PlannedConfiguration& configuration, std::size_t k) {
    progress_.hide();
    int iterations = 0;
    for (const PlannedPart& part : configuration.parts) iterations += std::stoi(part.entry->notes.at("iterations"));
    const int found = found_[k], made = int(configuration.parts.size()) - found;
    const std::string solves =
        sentence(12 * made, "solves") + (found > 0 ? sentence(" and", 12 * found, "in the journal") : std::string());
    session_.say(
        sentence("configuration", k + 1, "of", std::to_string(plan_.configurations.size()) + ":",
                 configuration.name + ", plaquette",
                 twelve_digits(std::stod(configuration.parts.front().entry->notes.at("plaquette"))).substr(0, 9) + ",",
                 solves + ",", iterations, "iterations"));
  }

  const Session& session_;
  const SpectrumParameters& parameters_;
  const Settings& settings_;
  SpectrumPlan& plan_;
  const Journal& journal_;
  /// How many parts of each configuration the journal had.
  std::vector<int> found_;
  Lattice lattice_;
  Progress progress_;
};

/// A note of the journal as a number or text: the journal stores all of them as texts.
LabelValue note_value(const std::string& name, const std::string& text) {
  const auto real = name == "worst_residual" ? parse_real(text) : std::nullopt;
  if (real) return *real;
  const auto integer = name == "iterations" ? parse_integer(text) : std::nullopt;
  if (integer) return *integer;
  return input_value(name, text);
}

CorrelatorProvenance provenance_of(const SpectrumPlan& plan, const Settings& settings) {
  CorrelatorProvenance provenance{.extent = plan.extent};
  for (const auto& [key, value] : settings.typed_values())
    if (key.rfind("output.", 0) != 0) provenance.parameters[key] = value;
  for (const PlannedConfiguration& configuration : plan.configurations)
    for (const PlannedPart& part : configuration.parts)
      for (const auto& [name, text] : part.entry->notes) {
        if (name == "seconds") continue;  // differs from run to run
        const bool solve = name == "iterations" || name == "worst_residual";
        auto& values =
            solve ? provenance.solves[{configuration.name, part.origin}] : provenance.inputs[configuration.name];
        values[name] = note_value(name, text);
      }
  return provenance;
}

/// The reason why there is no table and no picture; empty when there are.
std::string without_masses(const std::vector<HadronMass>& masses) {
  if (masses.empty())
    return "neither pion-pion, rho-rho nor a nucleon was measured at momentum 0 0 0; name one in correlators.mesons or "
           "correlators.baryons, and [0, 0, 0] among correlators.momenta";
  std::vector<std::string> names;
  for (const HadronMass& m : masses) {
    if (std::any_of(m.effective.begin(), m.effective.end(), [](const Estimate& e) { return std::isfinite(e.mean); }))
      return "";
    names.push_back(m.name);
  }
  return list_text(names) + (names.size() == 1 ? " falls" : " fall") +
         " from no time to the next: its sign changes, or there are too few times";
}

/// Warnings of configurations with the same links that their headers did not tell, such as copies in other formats.
std::vector<std::string> copies(const SpectrumPlan& plan) {
  std::vector<std::string> warnings;
  std::map<std::string, std::string> files;  // by their links
  for (const PlannedConfiguration& configuration : plan.configurations) {
    const auto& notes = configuration.parts.front().entry->notes;
    const auto links = notes.find("links_checksum");
    if (links == notes.end()) continue;
    const auto [other, is_new] = files.emplace(links->second, configuration.name);
    if (!is_new && !configuration.seen) warnings.push_back(same_configuration(other->second, configuration.name));
  }
  return warnings;
}

/// The largest |source - M S| / |source| of all solves.
double worst_residual(const SpectrumPlan& plan) {
  double worst = 0;
  for (const PlannedConfiguration& configuration : plan.configurations)
    for (const PlannedPart& part : configuration.parts)
      worst = std::max(worst, parse_real(part.entry->notes.at("worst_residual")).value_or(0));
  return worst;
}

/// For the caption: the configurations whose failed checks were ignored.
std::string ignored_checks(const SpectrumPlan& plan) {
  std::string names;
  for (const PlannedConfiguration& configuration : plan.configurations) {
    const auto& notes = configuration.parts.front().entry->notes;
    const auto found = notes.find("checks_overridden");
    if (found != notes.end() && found->second != "none") names += (names.empty() ? "" : ", ") + configuration.name;
  }
  return names.empty() ? "" : "IGNORED CHECKS of " + plain(names) + ". ";
}

void write_results(const Session& session, const SpectrumParameters& parameters, const Settings& settings,
                   const SpectrumPlan& plan) {
  std::vector<Correlator> correlators;
  for (const PlannedConfiguration& configuration : plan.configurations)
    for (const PlannedPart& part : configuration.parts)
      correlators.insert(correlators.end(), part.entry->correlators.begin(), part.entry->correlators.end());
  const CorrelatorProvenance provenance = provenance_of(plan, settings);
  const SpectrumOutputs outputs = outputs_of(parameters);
  WrittenFiles files(session);
  if (!outputs.hdf5.empty()) {
    write_correlators(outputs.hdf5, correlators, provenance, session.comm);
    files.add({outputs.hdf5});
  }
  write_correlator_text(outputs.text, correlators, provenance, session.comm);
  files.add({outputs.text});

  for (const std::string& warning : copies(plan)) session.warn(warning);
  for (const std::string& warning : underflow_warnings(correlators, parameters, plan.extent)) session.warn(warning);
  for (const std::string& warning : resolution_warnings(correlators, parameters, plan.extent, worst_residual(plan)))
    session.warn(warning);

  const ErrorSamples samples = error_samples(correlators, parameters.analysis);
  bool drawn = false;
  for (const std::string& sink : parameters.sink.smearings) {
    const auto masses = hadron_masses(correlators, sink, parameters.analysis, plan.extent[3]);
    if (const std::string why = without_masses(masses); !why.empty()) {
      session.warn("there are no effective masses for the sink " + sink + ": " + why);
      continue;
    }
    session.say("\neffective masses in lattice units between t and t + 1, source " + parameters.source.smearing +
                ", sink " + sink + "; " + samples.heading() + "\n");
    session.say(mass_table(masses));
    if (drawn) continue;  // the picture shows the first sink
    drawn = true;
    std::string lattice = to_string(plan.extent);
    for (std::size_t at; (at = lattice.find(' ')) != lattice.npos;) lattice.replace(at, 1, "×");
    const std::string caption = sentence(
        ignored_checks(plan) +
            (parameters.gauge.files.empty() ? sentence("quenched, $beta =", parameters.gauge.chain.beta) + "$," : ""),
        lattice + ",", parameters.action.name(), "quarks, $kappa =",
        std::to_string(parameters.action.kappa).substr(0, 7) + "$" +
            (parameters.action.c_sw == 0 ? "" : sentence(", c_sw =", parameters.action.c_sw)) + ",",
        samples.text + "; kovariant", version());
    files.draw(parameters.output.prefix, mass_plot(masses, caption));
  }
  if (!drawn) files.missing(parameters.output.prefix, "it would show effective masses");
  if (drawn && !samples.warning().empty()) session.warn(samples.warning());
  if (outputs.hdf5.empty()) session.say("this build has no HDF5: correlators are in " + outputs.text + " only");
  files.say();
}

void spectrum(const Session& session, const SpectrumOptions& options) {
  SpectrumParameters parameters;
  Settings settings = parameters.settings();
  if (!options.file.empty()) {
    const std::string text = read_text_file(session.comm, options.file);
    require(text.find('\0') == text.npos, options.file, "is not text, but PARAMETERS must be a TOML file: gauge",
            "configurations are named by --set 'gauge.files=[\"" + options.file + "\"]'");
    settings.read(text, options.file);
  }
  for (const std::string& assignment : options.set) settings.assign(assignment);
  for (const std::string& warning : settings.warnings()) session.warn(warning);
  parameters.gauge.files = matched_files(session.comm, parameters.gauge.files, settings.origin("gauge.files"));
  parameters.complete(settings);
  if (options.print) return session.say(settings.toml());

  const Journal journal(session.comm, parameters.output.journal, parameters.identity(settings));
  SpectrumPlan plan = make_plan(session.comm, parameters, settings, journal);
  for (const std::string& entry : journal.rejected_entries()) session.warn(entry);
  for (const std::string& entry : plan.warnings) session.warn(entry);
  const std::string text = plan_text(session.comm, plan, parameters);
  session.log.info("\n" + text);
  const SpectrumOutputs outputs = outputs_of(parameters);
  OutputFiles files;
  files.add(parameters.output.prefix, outputs.endings());
  files.add_folder(parameters.output.journal, "set output.journal to another");
  std::vector<std::string> read = parameters.gauge.files;
  read.push_back(options.file);
  files.require_usable(session, read);
  journal.require_free(plan.missing_keys());
  for (const std::string& warning : parameters.smearing_warnings()) session.warn(warning);
  for (const std::string& warning : unused_settings(parameters, settings)) session.warn(warning);
  if (options.dry_run) return session.say(text + "\ndry run: nothing was computed or written");

  const std::vector<OutputLock> locks = files.lock(session);
  if (plan.n_solves() > 0) journal.open();
  session.begin();
  session.say(sentence("kovariant", std::string(version()) + ",", Runtime::description()));
  session.say(text);
  SpectrumRun run(session, parameters, settings, plan, journal);
  if (parameters.gauge.files.empty())
    run.generated();
  else
    run.from_files();
  write_results(session, parameters, settings, plan);
}

}  // namespace

Command spectrum_command() {
  return {"spectrum", "measure hadron correlators and effective masses",
          "Without PARAMETERS it makes its own small quenched configurations and measures on those.\n"
          "--print shows every setting with its value and what it means, as TOML to start from.\n"
          "Writes PREFIX.h5, PREFIX.dat, PREFIX.svg and .pdf (PREFIX is output.prefix, 'spectrum'), and the folder "
          "PREFIX.journal,\n"
          "from which the same command goes on where a killed run stopped.\n"
          "example: kovariant spectrum run.toml --set action.kappa=0.1515 --set gauge.files='[\"conf.1000\", "
          "\"conf.1010\"]'",
          [](Arguments& arguments) -> Action {
            auto options = std::make_shared<SpectrumOptions>();
            arguments.positional("PARAMETERS", options->file, "a TOML file", false);
            arguments.option("--set", options->set, "KEY=VALUE, as in the TOML file; several times");
            arguments.flag("--dry-run", options->dry_run, "print the plan; compute and write nothing");
            arguments.flag("--print", options->print, "print the configuration in force as TOML and exit");
            return [options](const Session& session) { spectrum(session, *options); };
          }};
}

}  // namespace kov::app
