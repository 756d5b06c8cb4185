// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_command.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/output_files.hpp"
#include "apps/program/progress.hpp"
#include "apps/quarks/gauge_visits.hpp"
#include "apps/quarks/job_options.hpp"
#include "apps/quarks/quark_solver.hpp"
#include "apps/spectrum/spectrum_measure.hpp"
#include "apps/spectrum/spectrum_plan.hpp"
#include "apps/spectrum/spectrum_results.hpp"
#include "apps/spectrum/unused_settings.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/runtime/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>

namespace kov::app {

namespace {

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
      throw ConvergenceError(sentence(
          "a correlator of", configuration, c.source == no_source ? "" : "at the source " + to_string(c.source), "is",
          value.real(), "- smearing or links make numbers that are too large for this machine"));
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
        progress_({{"updates", plan.n_updates(parameters), 1}, {"solves", plan.n_solves(parameters), 2}},
                  ProgressOutput::standard_error(session.quiet, session.comm.rank())) {
    for (const PlannedConfiguration& configuration : plan.configurations)
      found_.push_back(configuration.n_solves(parameters, true));
  }

  void run() {
    auto& configurations = plan_.configurations;
    visit_gauges(session_, lattice_, parameters_.gauge, settings_,
                 {.n = configurations.size(),
                  .planned = [&](std::size_t k) -> const PlannedGauge& { return configurations[k]; },
                  .has_work = [&](std::size_t k) { return !configurations[k].finished(); },
                  .work = [&](std::size_t k, const GaugeField<double>& gauge,
                              const GaugeReport& report) { measure(configurations[k], gauge, report); },
                  .done = [&](std::size_t k) { say(configurations[k], k); },
                  .updated = [&] { progress_.advance(updates); },
                  .hide_progress = [&] { progress_.hide(); },
                  .kept = "what was finished is in " + parameters_.output.journal});
  }

 private:
  void measure(PlannedConfiguration& configuration, const GaugeField<double>& gauge, const GaugeReport& report) {
    SpectrumTasks tasks{.sources = false, .loops = false};
    for (const PlannedPart& part : configuration.parts)
      if (!part.entry) (part.is_loops() ? tasks.loops : tasks.sources) = true;
    const auto named = [&](const auto& work) { return naming(configuration.name, work); };
    const auto measurement = named([&] {
      return std::make_unique<SpectrumMeasurement>(gauge, parameters_, report.links_checksum, tasks, plan_.batches);
    });
    for (const std::string& text : measurement->deflations()) {
      progress_.hide();
      session_.say(configuration.name + ", " + text);
    }
    for (PlannedPart& part : configuration.parts) {
      if (part.entry) continue;
      const auto begin = std::chrono::steady_clock::now();
      int precision_switches = 0;
      const SolveCallback solved_for = [&](const SolveReport& solve, int n_columns) {
        session_.log.debug(solve.text());
        precision_switches += solve.precision_switches;
        progress_.advance(solves, n_columns);
      };
      JournalEntry entry = named([&] {
        return part.is_loops() ? measurement->measure_loops(configuration.name, solved_for)
                               : measurement->measure(configuration.name, part.origin, part.stored, solved_for);
      });
      for (Correlator& c : entry.correlators) {
        c.labels["configuration"] = configuration.name;
        require_finite(c, configuration.name);
      }
      for (const auto& [name, value] : report.attributes()) entry.notes[name] = value;
      entry.notes["seconds"] =
          std::to_string(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      const std::int64_t n_solves =
          part.is_loops() ? parameters_.n_solves_of_loops() : parameters_.n_solves_of_origin();
      session_.log.info(configuration.name, part.name() + ":", entry.notes["iterations"], "iterations in", n_solves,
                        "solves, worst residual", short_text(entry.notes["worst_residual"]) + ",",
                        entry.notes["seconds"], "s");
      journal_.add(part.key, entry);
      if (precision_switches > 0) {
        progress_.hide();
        session_.warn(sentence(configuration.name, part.name() + ":", warning_of_switches(precision_switches)));
      }
      part.entry = std::move(entry);
    }
  }

  /// A line about a finished configuration.
  void say(const PlannedConfiguration& configuration, std::size_t k) {
    progress_.hide();
    int iterations = 0;
    for (const PlannedPart& part : configuration.parts) iterations += std::stoi(part.entry->notes.at("iterations"));
    const int found = found_[k], made = configuration.n_solves(parameters_, true) - found;
    const std::string solves =
        sentence(made, "solves") + (found > 0 ? sentence(" and", found, "in the journal") : std::string());
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
  /// How many solves of each configuration the journal had.
  std::vector<int> found_;
  Lattice lattice_;
  Progress progress_;
};

void spectrum(const Session& session, const JobOptions& options) {
  SpectrumParameters parameters;
  const Settings settings = options.read(session, parameters);
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
  if (!plan.missing_keys().empty()) journal.open();
  session.begin();
  session.say(sentence("kovariant", std::string(version()) + ",", Runtime::description()));
  session.say(text);
  SpectrumRun(session, parameters, settings, plan, journal).run();
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
            auto options = std::make_shared<JobOptions>();
            options->declare(arguments);
            return [options](const Session& session) { spectrum(session, *options); };
          }};
}

}  // namespace kov::app
