// SPDX-License-Identifier: MIT
#include "apps/propagator/propagator_command.hpp"

#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/text_file.hpp"
#include "apps/plot/residual_plot.hpp"
#include "apps/program/progress.hpp"
#include "apps/propagator/propagator_plan.hpp"
#include "apps/quarks/gauge_visits.hpp"
#include "apps/quarks/job_options.hpp"
#include "apps/quarks/quark_solver.hpp"
#include "kov/contractions/io/spinor_io.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/runtime/runtime.hpp"
#include "kov/core/site/max_or_nan.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>

namespace kov::app {

namespace {

enum PropagatorTask : std::size_t { chain_updates, column_solves };

/// What the solves for a propagator came to.
struct Solved {
  int iterations = 0, restarts = 0, precision_switches = 0;
  double worst_residual = 0, seconds = 0;
  std::vector<ResidualHistory> histories = {};

  /// first: the first of the columns that the report is of.
  void add(const SolveReport& report, int first) {
    add(report);
    for (std::size_t k = 0; k < report.history.size(); ++k)
      histories.push_back({sentence("column", first + int(k)), report.history[k]});
  }
  void add(const SolveReport& report) {
    iterations += report.iterations;
    restarts += report.restarts;
    precision_switches += report.precision_switches;
    worst_residual = max_or_nan(worst_residual, report.residual);
    seconds += report.seconds;
  }
};

/// Whether it was not there before; on rank 0.
bool make_journal(const Session& session, const PropagatorParameters& parameters) {
  bool is_new = false;
  session.comm.agree([&] {
    if (session.comm.rank() != 0) return;
    std::error_code failed;
    is_new = std::filesystem::create_directories(parameters.output.journal, failed);
    require(!failed, "the folder", parameters.output.journal, "for finished columns cannot be made:", failed.message(),
            "- set output.journal to another");
  });
  return is_new;
}

/// One run: the plan and the objects that carry it out.
class PropagatorRun {
 public:
  PropagatorRun(const Session& session, const PropagatorParameters& parameters, const Settings& settings,
                PropagatorPlan& plan)
      : session_(session),
        parameters_(parameters),
        settings_(settings),
        plan_(plan),
        lattice_(session.comm, plan.gauges.extent),
        progress_({{"updates", plan.n_updates(parameters.gauge), 1}, {"solves", plan.n_solves(), 2}},
                  ProgressOutput::standard_error(session.quiet, session.comm.rank())) {}

  void run() {
    visit_gauges(session_, lattice_, parameters_.gauge, settings_,
                 {.n = plan_.gauges.configurations.size(),
                  .planned = [&](std::size_t c) -> const PlannedGauge& { return plan_.gauges.configurations[c]; },
                  .has_work = [&](std::size_t c) { return plan_.has_work(c); },
                  .work = [&](std::size_t c, const GaugeField<double>& gauge,
                              const GaugeReport& report) { solve_on(c, gauge, report); },
                  .updated = [&] { progress_.advance(chain_updates); },
                  .hide_progress = [&] { progress_.hide(); },
                  .kept = "finished propagators stay"});
  }

  /// The folder of columns, which is empty, where this run has made it or it has its usual name.
  void remove_journal() const {
    const std::filesystem::path folder = parameters_.output.journal;
    std::error_code none;
    if (session_.comm.rank() != 0 || !(made_journal_ || !settings_.given("output.journal"))) return;
    if (std::filesystem::is_directory(std::filesystem::symlink_status(folder, none)))
      std::filesystem::remove(folder, none);  // not where it has other files
  }

 private:
  void solve_on(std::size_t c, const GaugeField<double>& gauge, const GaugeReport& report) {
    if (parameters_.solver.is_single())
      solve_in<float>(c, gauge, report);
    else
      solve_in<double>(c, gauge, report);
  }

  template <class T>
  void solve_in(std::size_t c, const GaugeField<double>& gauge, const GaugeReport& report) {
    const std::string& name = plan_.gauges.configurations[c].name;
    const SourceMaker<T> make_source = [&] {
      SmearingMaker<T> smearings(gauge, parameters_.links);
      return SourceMaker<T>(lattice_, parameters_.links, parameters_.source, smearings,
                            {parameters_.quarks.begin(), parameters_.quarks.end()});
    }();
    std::vector<std::optional<QuarkSolver<T>>> solvers(parameters_.quarks.size());
    std::optional<Propagator<T>> source;
    std::array<double, 3> boost{};  // of the source
    for (PlannedPropagator& planned : plan_.propagators) {
      if (planned.configuration != c || planned.is_finished) continue;
      const NamedQuark& quark = parameters_.quarks[planned.quark];
      Solved solved;
      Propagator<T> s = naming(name + ", " + quark.called(), [&] {
        if (!source || source->labels.origin != planned.origin || boost != quark.boost)
          source = make_source(quark, planned.origin, name, planned.to_sink, report.links_checksum);
        boost = quark.boost;
        if (parameters_.format() == PropagatorFormat::usqcd) require_scalar_source(*source);  // before any solve
        return solve(planned, solver_of(planned, gauge, solvers), *source, solved);
      });
      write(planned, quark, name, report, *source, s, solved);
    }
  }

  /// Of the propagator's quark, made where there is none yet.
  template <class T>
  const QuarkSolver<T>& solver_of(const PlannedPropagator& planned, const GaugeField<double>& gauge,
                                  std::vector<std::optional<QuarkSolver<T>>>& solvers) {
    const NamedQuark& quark = parameters_.quarks[planned.quark];
    std::optional<QuarkSolver<T>>& solver = solvers[planned.quark];
    if (solver) return *solver;
    if (!plan_.batches.keeps_operators) solvers.assign(solvers.size(), std::nullopt);
    solver.emplace(gauge, quark, quark.solver, plan_.batches.columns[planned.quark]);
    if (!solver->deflation().empty()) {
      progress_.hide();
      session_.say(plan_.gauges.configurations[planned.configuration].name + ", " + quark.name + ": " +
                   solver->deflation());
    }
    return *solver;
  }

  template <class T>
  Propagator<T> solve(const PlannedPropagator& planned, const QuarkSolver<T>& solver, const Propagator<T>& source,
                      Solved& solved) {
    Propagator<T> s = source.like("propagator");
    if (!parameters_.quarks[planned.quark].solver.is_together()) {
      solve_columns(planned, solver, source, s, solved);
      return s;
    }
    int first = 0;
    solver.solve_together(source, s, [&](const SolveReport& report, int n_columns) {
      session_.log.debug(report.text());
      solved.add(report, first);
      first += n_columns;
      progress_.advance(column_solves, n_columns);
    });
    return s;
  }

  /// Reads a column of an earlier run.  False, with a warning, where it is damaged.
  template <class T>
  bool take_column(const std::string& file, const SpinorField<T>& column, Solved& solved) {
    PropagatorHeader header;
    try {
      header = read_spinor(column, file);
    } catch (const FormatError& error) {
      return refuse_column(file, error);
    } catch (const InputError& error) {
      return refuse_column(file, error);
    }
    const auto number = [&](const std::string& name, double otherwise) {
      return parse_real(header.metadata_value(name).value_or("")).value_or(otherwise);
    };
    SolveReport earlier;
    earlier.iterations = int(number("iterations", 0));
    earlier.restarts = int(number("restarts", 0));
    earlier.precision_switches = int(number("precision_switches", 0));
    earlier.residual = number("residual", std::numeric_limits<double>::quiet_NaN());
    solved.add(earlier);
    return true;
  }

  bool refuse_column(const std::string& file, const Error& error) {
    progress_.hide();
    session_.warn(sentence(file, "is not used:", error.what()));
    return false;
  }

  /// Column by column, each kept until the propagator is written.
  template <class T>
  void solve_columns(const PlannedPropagator& planned, const QuarkSolver<T>& solver, const Propagator<T>& source,
                     const Propagator<T>& s, Solved& solved) {
    for (int k = 0; k < 12; ++k) {
      const std::string file = column_file(planned, k);
      if (planned.has_column[std::size_t(k)] && take_column(file, s.column(k), solved)) continue;
      const SolveReport report = solver.solve_column(source, k, s);
      session_.log.debug(report.text());
      solved.add(report, k);
      // Columns do not say of which links they are.
      if (plan_.gauges.configurations[planned.configuration].identified)
        keep_column(planned, report, s.column(k), file);
      progress_.advance(column_solves);
    }
  }

  template <class T>
  void keep_column(const PlannedPropagator& planned, const SolveReport& report, const SpinorField<T>& column,
                   const std::string& file) {
    made_journal_ = make_journal(session_, parameters_) || made_journal_;
    write_spinor(column, file,
                 {{"job", planned.job},
                  {"iterations", std::to_string(report.iterations)},
                  {"restarts", std::to_string(report.restarts)},
                  {"precision_switches", std::to_string(report.precision_switches)},
                  {"residual", exact_text(report.residual)}});
  }

  template <class T>
  void write(PlannedPropagator& planned, const NamedQuark& quark, const std::string& configuration,
             const GaugeReport& report, const Propagator<T>& source, Propagator<T>& s, const Solved& solved) {
    s.labels.boundary = quark.boundary_angles();
    for (const auto& [name, value] : quark.labels()) s.labels.others[name] = value;
    s.labels.others["quark"] = quark.name;
    s.labels.others["mass"] = quark.mass;
    WritePropagatorOptions options{.format = parameters_.format(), .bits = parameters_.output.precision};
    options.metadata = report.attributes();
    options.metadata.insert(options.metadata.end(), {{"configuration", configuration},
                                                     {"job", planned.job},
                                                     {"solver", quark.solver.description()},
                                                     {"iterations", std::to_string(solved.iterations)},
                                                     {"restarts", std::to_string(solved.restarts)},
                                                     {"precision_switches", std::to_string(solved.precision_switches)},
                                                     {"worst_residual", exact_text(solved.worst_residual)},
                                                     {"version", std::string(version())},
                                                     {"revision", std::string(git_revision())}});
    if (parameters_.writes_sources())
      write_propagator(s, source, planned.file, options);
    else
      write_propagator(s, planned.file, options);
    planned.is_finished = true;
    remove_columns(planned);
    progress_.hide();
    char numbers[80];
    std::snprintf(numbers, sizeof(numbers), "%d iterations, worst residual %.2e, %.2f s", solved.iterations,
                  solved.worst_residual, solved.seconds);
    session_.say(planned.file + ": " + numbers);
    if (solved.precision_switches > 0)
      session_.warn(planned.file + ": " + warning_of_switches(solved.precision_switches));
    if (parameters_.output.residuals && !solved.histories.empty()) write_residuals(planned, solved);
  }

  /// Of the columns that this run has solved for; nothing if an earlier one has solved for all.
  void write_residuals(const PlannedPropagator& planned, const Solved& solved) const {
    const std::string stem = planned.file.substr(0, planned.file.size() - parameters_.ending().size()) + ".residuals";
    const SolverChoice& of_quark = parameters_.quarks[planned.quark].solver;
    const std::string solver = of_quark.description();
    write_text_file(session_.comm, stem + ".txt", residual_table(planned.file + ": " + solver, solved.histories));
    WrittenFiles files(session_);
    files.add({stem + ".txt"});
    files.draw(stem, residual_plot("Residuals of the columns", planned.file + ": " + solver, solved.histories,
                                   of_quark.tolerance));
    files.say();
  }

  void remove_columns(const PlannedPropagator& planned) const {
    if (session_.comm.rank() != 0) return;
    std::error_code none;
    for (int k = 0; k < 12; ++k) std::filesystem::remove(column_file(planned, k), none);
  }

  const Session& session_;
  const PropagatorParameters& parameters_;
  const Settings& settings_;
  PropagatorPlan& plan_;
  Lattice lattice_;
  Progress progress_;
  bool made_journal_ = false;
};

/// Where the files are not going to fit; empty where they do, or nobody knows.
std::string disk_warning(const Session& session, const PropagatorParameters& parameters, const PropagatorPlan& plan) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::absolute(parameters.output.prefix).parent_path();
  const auto space = std::filesystem::space(folder, failed);
  const double needed = plan.bytes_to_write(parameters);
  if (failed || session.comm.rank() != 0 || needed <= double(space.available)) return "";
  return sentence("the files take", std::int64_t(needed / 1e9) + 1, "GB, but", folder.string(), "has",
                  std::int64_t(double(space.available) / 1e9), "GB left: free some, or write elsewhere");
}

void propagator(const Session& session, const JobOptions& options) {
  PropagatorParameters parameters;
  const Settings settings = options.read(session, parameters);
  if (options.print) return session.say(settings.toml());

  PropagatorPlan plan = plan_propagators(session.comm, parameters, settings);
  for (const std::string& warning : plan.warnings) session.warn(warning);
  for (const std::string& warning : parameters.warnings(settings)) session.warn(warning);
  const std::string text = plan_text(session.comm, plan, parameters);
  session.log.info("\n" + text);
  OutputFiles files;
  std::vector<std::string> endings;
  for (const PlannedPropagator& planned : plan.propagators) {
    std::string ending = planned.file.substr(parameters.output.prefix.size());
    endings.push_back(ending);
    ending.resize(ending.size() - parameters.ending().size());
    for (const std::string& other : parameters.residual_endings()) endings.push_back(ending + other);
  }
  files.add(parameters.output.prefix, endings);
  files.add_folder(parameters.output.journal, "set output.journal to another");
  std::vector<std::string> read = parameters.gauge.files;
  for (const PlannedPropagator& planned : plan.propagators)
    if (planned.to_sink) read.push_back(planned.to_sink->file);
  read.push_back(options.file);
  files.require_usable(session, read);
  if (const std::string warning = disk_warning(session, parameters, plan); !warning.empty()) session.warn(warning);
  if (options.dry_run) return session.say(text + "\ndry run: nothing was computed or written");

  const std::vector<OutputLock> locks = files.lock(session);
  session.begin();
  session.say(sentence("kovariant", std::string(version()) + ",", Runtime::description()));
  session.say(text);
  PropagatorRun run(session, parameters, settings, plan);
  run.run();
  session.say(sentence(plan.n_finished(), "propagators are there"));
  run.remove_journal();
}

}  // namespace

Command propagator_command() {
  return {"propagator", "solve for quark propagators and write them",
          "--print shows every setting with its value and what it means, as TOML to start from; a table [[quark]] for "
          "each quark.\n"
          "Writes PREFIX.CONFIGURATION.QUARK.X.Y.Z.T.h5 or .lime (PREFIX is output.prefix, 'propagator') for each "
          "configuration,\n"
          "quark and source.  Finished ones are kept: the same command goes on where a killed run stopped.\n"
          "example: kovariant propagator run.toml --set gauge.files='conf.*' --set quark.0.kappa=0.1515",
          [](Arguments& arguments) -> Action {
            auto options = std::make_shared<JobOptions>();
            options->declare(arguments);
            return [options](const Session& session) { propagator(session, *options); };
          }};
}

}  // namespace kov::app
