// SPDX-License-Identifier: MIT
#include "apps/distill/distill_command.hpp"

#include "apps/analyze/analysis_run.hpp"
#include "apps/distill/baryons.hpp"
#include "apps/distill/distill_correlators.hpp"
#include "apps/distill/distill_plan.hpp"
#include "apps/distill/source_sums.hpp"
#include "apps/distill/two_mesons.hpp"
#include "apps/files/output_files.hpp"
#include "apps/program/progress.hpp"
#include "apps/program/stage_times.hpp"
#include "apps/quarks/gauge_visits.hpp"
#include "apps/quarks/job_options.hpp"
#include "apps/quarks/quark_operator.hpp"
#include "apps/quarks/quark_solver.hpp"
#include "kov/contractions/correlators/correlator_write.hpp"
#include "kov/contractions/distillation/baryon_elementals.hpp"
#include "kov/contractions/distillation/eigenvector_file.hpp"
#include "kov/contractions/distillation/perambulators.hpp"
#include "kov/contractions/distillation/slice_matrix_file.hpp"
#include "kov/contractions/distillation/vector_groups.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/runtime/runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <type_traits>

namespace kov::app {

namespace {

enum DistillTask : std::size_t {
  distill_updates,
  distill_searches,
  distill_displacements,
  distill_solves,
  distill_baryon_elementals,
  distill_contractions,
  distill_two_mesons,
  distill_baryons
};

/// Where the time goes.  After them comes a stage for the perambulators of each quark.
enum DistillStage : std::size_t {
  stage_configurations,
  stage_eigenvectors,
  stage_elementals,
  stage_baryon_elementals,
  stage_correlators,
  stage_files,
  stage_energies,
  stage_perambulators
};

std::vector<std::string> stage_names(const DistillParameters& parameters) {
  std::vector<std::string> names{"configurations", "eigenvectors",        "elementals", "elementals of baryons",
                                 "correlators",    "reading and writing", "energies"};
  for (const NamedQuark& quark : parameters.all_quarks())
    names.push_back("perambulators" + (quark.name.empty() ? "" : " " + quark.name));
  return names;
}

/// One run: the plan and the objects that carry it out.
class DistillRun {
 public:
  DistillRun(const Session& session, const DistillParameters& parameters, const Settings& settings, DistillPlan& plan,
             StageTimes& times)
      : session_(session),
        parameters_(parameters),
        settings_(settings),
        plan_(plan),
        times_(times),
        lattice_(session.comm, plan.gauges.extent),
        progress_({{"updates", plan.n_updates(parameters.gauge), 1},
                   {"searches", plan.n_searches(), 20},
                   {"displacements", plan.n_elementals(parameters), 1},
                   {"solves", plan.n_solves(parameters), 1},
                   {"eigenvectors in baryons", plan.n_baryon_files() * (parameters.eigenvectors.n - 2), 1},
                   {"correlator matrices of mesons", plan.n_meson_files(), 5},
                   {"contractions of two mesons", plan.n_two_mesons(parameters), 1},
                   {"contractions of baryons", plan.n_baryons(parameters), 1}},
                  ProgressOutput::standard_error(session.quiet, session.comm.rank())) {}

  void run() {
    visit_gauges(session_, lattice_, parameters_.gauge, settings_,
                 {.n = plan_.gauges.configurations.size(),
                  .planned = [&](std::size_t c) -> const PlannedGauge& { return plan_.gauges.configurations[c]; },
                  .has_work = [&](std::size_t c) { return plan_.files[c].has_work(); },
                  .work =
                      [&](std::size_t c, const GaugeField<double>& gauge, const GaugeReport& report) {
                        naming(plan_.gauges.configurations[c].name, [&] { distill_on(c, gauge, report); });
                        times_.begin(stage_configurations);
                      },
                  .updated = [&] { progress_.advance(distill_updates); },
                  .hide_progress = [&] { progress_.hide(); },
                  .kept = "finished files stay"});
  }

 private:
  void distill_on(std::size_t c, const GaugeField<double>& gauge, const GaugeReport& report) {
    DistillFiles& files = plan_.files[c];
    const GaugeLinks<double> smooth(parameters_.links.smeared(gauge));
    labels_ = {{"configuration", plan_.gauges.configurations[c].name},
               {"link_smearing", parameters_.links.description()},
               {"version", std::string(version())},
               {"revision", std::string(git_revision())}};
    for (const auto& [name, value] : report.attributes()) labels_[name] = value;
    for (std::size_t k = 0; k < files.noise.size(); ++k)
      if (!files.noise[k].is_finished) write_noise(files.noises[k], k, files.noise[k]);
    if (files.needs_eigenvectors()) {
      const std::optional<Field<ColorVector, double>> all = eigenvectors(gauge, smooth, files.eigenvectors);
      if (!files.elementals.is_finished)
        make_elementals(smooth, vector_groups<double>(all, files.eigenvectors), files.elementals);
      if (!files.baryon_elementals.is_finished)
        make_baryon_elementals(vector_groups<double>(all, files.eigenvectors), files.baryon_elementals);
      if (files.n_unfinished() > 0) {
        if (parameters_.solver.is_single())
          solve_perambulators(gauge, vector_groups<float>(all, files.eigenvectors), files);
        else
          solve_perambulators(gauge, vector_groups<double>(all, files.eigenvectors), files);
      }
    }
    contract(files);
  }

  /// Correlators of what the files have, so that a run which is resumed gives the same.
  void contract(DistillFiles& files) {
    std::map<std::string, LabelValue> labels{{"configuration", labels_.at("configuration")},
                                             {"link_smearing", parameters_.links.description()},
                                             {"eigenvectors", std::int64_t(parameters_.eigenvectors.n)},
                                             {"source_times", std::int64_t(plan_.source_times.size())}};
    if (parameters_.quarks.empty())
      for (const auto& [name, value] : parameters_.action.labels()) labels[name] = value;
    if (parameters_.noise.is_used()) {
      labels.merge(parameters_.noise.labels());
      labels["noises"] = std::int64_t(parameters_.noise.count);
    }
    const auto steps = [&](DistillTask task) { return [this, task](int n) { progress_.advance(task, n); }; };
    const auto pairs = parameters_.quark_pairs();
    for (std::size_t k = 0; k < files.correlators.size(); ++k) {
      if (files.correlators[k].is_finished) continue;
      times_.begin(stage_correlators);
      write(files.correlators[k], {pairs[k].begin(), pairs[k].end()},
            distilled_correlators(session_.comm, parameters_, files, plan_, pairs[k], labels, lattice_.tuner()));
      progress_.advance(distill_contractions);
    }
    for (const MesonPair pair : meson_pairs) {
      DistillFile& file = files.of(pair);
      if (file.is_finished) continue;
      times_.begin(stage_correlators);
      TwoMesonCorrelators& correlators = two_mesons_.try_emplace(pair, parameters_, plan_, pair).first->second;
      std::vector<std::size_t> places;
      for (const auto& [flavour, place] : parameters_.flavours_of(pair)) places.push_back(place);
      write(file, places, correlators.contract(session_.comm, files, labels, steps(distill_two_mesons)));
      remove_parts(session_.comm, parameters_.output.journal, file, plan_.source_times);
    }
    if (!files.baryons.is_finished) {
      times_.begin(stage_correlators);
      write(files.baryons, parameters_.quarks_of_baryons(),
            baryon_correlators(session_.comm, parameters_, files, plan_, labels, steps(distill_baryons)));
      remove_parts(session_.comm, parameters_.output.journal, files.baryons, plan_.source_times);
    }
  }

  /// quarks: the places in all_quarks() of those that the correlators have.
  void write(DistillFile& file, const std::vector<std::size_t>& quarks, const std::vector<Correlator>& correlators) {
    times_.begin(stage_files);
    CorrelatorProvenance provenance{.extent = plan_.gauges.extent, .parameters = labels_with(file)};
    if (!parameters_.quarks.empty())
      for (const std::size_t place : quarks) {
        const NamedQuark& quark = parameters_.quarks[place];
        for (const auto& [name, value] : quark.labels()) provenance.parameters[quark.name + "." + name] = value;
      }
    write_correlators(file.name, correlators, provenance, session_.comm);
    finish(file, "%d correlators", int(correlators.size()));
  }

  /// Those of the file, found first if it is not there; nothing where some are in memory at a time.  All that follows
  /// uses what the file has, so that a run which is resumed gives the same.
  std::optional<Field<ColorVector, double>> eigenvectors(const GaugeField<double>& gauge,
                                                         const GaugeLinks<double>& links, DistillFile& file) {
    const bool keeps = plan_.batches.vectors == 0;
    if (!file.is_finished) {
      const LaplacianEigenvectors<double> found = find_eigenvectors(gauge, links, file);
      finish(file, "%d restarts, residual %.1e, orthonormal to %.1e, %.1f s", found.report.restarts,
             found.report.residual, found.report.orthogonality, found.report.seconds);
      progress_.advance(distill_searches);
      if (keeps && parameters_.output.precision == 64) return found.vectors.alias();
    }
    if (!keeps) return {};
    return all_vectors(file);
  }

  /// Writes them as well; where some are in memory at a time, group by group of slices.
  LaplacianEigenvectors<double> find_eigenvectors(const GaugeField<double>& gauge, const GaugeLinks<double>& links,
                                                  const DistillFile& file) {
    times_.begin(stage_eigenvectors);
    LaplacianEigenParameters search = parameters_.search();
    search.progress = [&](const SliceEigenProgress& state) {
      session_.log.debug(sentence("eigenvectors: restart", std::to_string(state.restart) + ",", state.finished_slices,
                                  "of", state.n_slices, "slices, residual", state.residual));
    };
    const int slices = plan_.batches.slices, bits = parameters_.output.precision;
    if (slices > 0 && plan_.batches.vectors > 0) {
      EigenvectorWriter writer(file.name, lattice_, search.n, bits);
      const auto write_some = [&](const LaplacianEigenvectors<double>& some, const std::vector<int>& times) {
        times_.begin(stage_files);
        writer.write(some.vectors, times);
        times_.begin(stage_eigenvectors);
      };
      auto found = laplacian_eigenvectors_in_groups(parameters_.links.smeared(gauge), search, slices,
                                                    TakeSlices<double>(write_some));
      writer.finish(found.values, found.residuals, labels_with(file));
      return found;
    }
    auto found = slices == 0 ? laplacian_eigenvectors(links, search)
                             : laplacian_eigenvectors_in_groups(parameters_.links.smeared(gauge), search, slices);
    times_.begin(stage_files);
    write_eigenvectors(file.name, found, bits, labels_with(file));
    return found;
  }

  Field<ColorVector, double> all_vectors(const DistillFile& file) {
    times_.begin(stage_files);
    return read_eigenvectors<double>(lattice_, file.name).vectors.alias();
  }

  /// All that there are, rounded to T, or those of the file, some at a time.
  template <class T>
  VectorGroups<T> vector_groups(const std::optional<Field<ColorVector, double>>& all, const DistillFile& file) const {
    if (!all) return eigenvector_groups<T>(lattice_, file.name, plan_.batches.vectors);
    if constexpr (std::is_same_v<T, double>) {
      return VectorGroups<T>(*all);
    } else {
      const Field<ColorVector, T> rounded(lattice_, "eigenvectors", all->n_components());
      convert(*all, rounded);
      return VectorGroups<T>(rounded);
    }
  }

  void make_elementals(const GaugeLinks<double>& links, const VectorGroups<double>& vectors, DistillFile& file) {
    times_.begin(stage_elementals);
    const Elementals found = elementals(
        links, vectors, parameters_.labels(),
        {.columns = plan_.batches.displaced, .progress = [&](int, int) { progress_.advance(distill_displacements); }});
    times_.begin(stage_files);
    write_elementals(file.name, lattice_, found, parameters_.output.precision, labels_with(file));
    finish(file, "%d elementals on each time slice", int(found.labels.size()));
  }

  void make_baryon_elementals(const VectorGroups<double>& vectors, DistillFile& file) {
    times_.begin(stage_baryon_elementals);
    const BaryonElementals found = baryon_elementals(
        vectors, parameters_.baryon_momenta(),
        {.columns = plan_.batches.pairs, .progress = [&](int, int) { progress_.advance(distill_baryon_elementals); }});
    SliceMatrixHeader header{
        .kind = "baryon elementals", .names = {}, .labels = labels_with(file), .bits = parameters_.output.precision};
    times_.begin(stage_files);
    for (const Momentum& p : found.momenta) header.names.push_back("p = " + to_string(p));
    write_slice_matrices(file.name, lattice_, found.matrices, header);
    finish(file, "elementals of baryons at %d momenta on each time slice", int(found.momenta.size()));
  }

  void write_noise(const DilutedNoise& noise, std::size_t number, DistillFile& file) {
    times_.begin(stage_files);
    SliceMatrices rho(lattice_, 1, 4, parameters_.eigenvectors.n);
    for (int t = 0; t < rho.n_slices; ++t)
      for (int spin = 0; spin < 4; ++spin)
        for (int n = 0; n < rho.columns; ++n) rho.at(t)[spin * rho.columns + n] = noise.noise(rho.first + t, n, spin);
    write_slice_matrices(file.name, lattice_, rho, noise_header("noise", number, file, 64));
    finish(file, "%d spins, %d eigenvectors", rho.rows, rho.columns);
  }

  /// Of a noise, or of what is made of it.
  SliceMatrixHeader noise_header(const std::string& kind, std::size_t number, const DistillFile& file, int bits) const {
    SliceMatrixHeader header{.kind = kind, .labels = labels_with(file), .bits = bits};
    header.labels.merge(parameters_.noise.labels());
    header.labels["noise_number"] = std::int64_t(number);
    return header;
  }

  template <class T>
  void solve_perambulators(const GaugeField<double>& gauge, const VectorGroups<T>& vectors, DistillFiles& files) {
    const std::vector<NamedQuark> quarks = parameters_.all_quarks();
    const std::size_t n_lines = files.perambulators.size() / quarks.size();  // of each quark
    for (std::size_t q = 0; q < quarks.size(); ++q) {
      const auto first = files.perambulators.begin() + std::ptrdiff_t(q * n_lines);
      if (std::all_of(first, first + std::ptrdiff_t(n_lines), [](const std::vector<DistillFile>& line) {
            return std::all_of(line.begin(), line.end(), [](const DistillFile& file) { return file.is_finished; });
          }))
        continue;
      times_.begin(stage_perambulators + q);
      const NamedQuark& named = quarks[q];
      naming(named.called(), [&] {
        solve_quark(quark_operator<T>(gauge, named, named.solver, plan_.batches.columns[q]), named, vectors, files, q,
                    n_lines);
      });
    }
  }

  /// The files of quark q, n_lines lines of them.
  template <class T>
  void solve_quark(const QuarkOperator<T>& quark, const NamedQuark& named, const VectorGroups<T>& vectors,
                   DistillFiles& files, std::size_t q, std::size_t n_lines) {
    if (!quark.deflation.empty()) {
      progress_.hide();
      session_.say((named.name.empty() ? "" : named.name + ": ") + quark.deflation);
    }
    for (std::size_t line = q * n_lines; line < (q + 1) * n_lines; ++line)
      for (std::size_t k = 0; k < files.perambulators[line].size(); ++k) {
        if (files.perambulators[line][k].is_finished) continue;
        times_.begin(stage_perambulators + q);
        solve_perambulator(quark, named, plan_.batches.columns[q], vectors, files, line, k);
      }
  }

  template <class T>
  void solve_perambulator(const QuarkOperator<T>& quark, const NamedQuark& named, int columns,
                          const VectorGroups<T>& vectors, DistillFiles& files, std::size_t line, std::size_t k) {
    DistillFile& file = files.perambulators[line][k];
    int done = 0;
    int precision_switches = 0;
    const auto advance = [&](int now, int, const SolveReport& solved) {
      session_.log.debug(solved.text());
      precision_switches += solved.precision_switches;
      progress_.advance(distill_solves, now - done);
      done = now;
    };
    const PerambulatorOptions options{.columns = columns, .progress = advance};
    SliceMatrixHeader header{
        .kind = "perambulators", .labels = labels_with(file), .bits = parameters_.output.precision};
    Perambulators tau;
    if (files.noises.empty()) {
      const int time = plan_.source_times[k];
      header.labels["source_time"] = std::int64_t(time);
      tau = naming(sentence(vectors.n(), "eigenvectors, source time", time),
                   [&] { return perambulators(vectors, *quark.solver, *quark.M, time, options); });
    } else {
      const std::size_t number = line % files.noises.size();
      const DilutedNoise& noise = files.noises[number];
      const int time_class = plan_.time_classes[k], sources = noise.sources_of_a_time();
      header = noise_header("stochastic perambulators", number, file, header.bits);
      header.labels["time_class"] = std::int64_t(time_class);
      const SourceCoefficient coefficient = [&](int source, int t, int n, int spin) {
        return noise.coefficient(time_class * sources + source, t, n, spin);
      };
      tau = naming(sentence("noise", std::to_string(number) + ",", "class", time_class, "in time"),
                   [&] { return perambulators(vectors, *quark.solver, *quark.M, sources, coefficient, options); });
    }
    header.labels["solver"] = named.solver.description();
    header.labels["worst_residual"] = tau.worst_residual;
    if (!named.name.empty()) header.labels["quark"] = named.name;
    for (const auto& [name, value] : named.labels()) header.labels[name] = value;
    times_.begin(stage_files);
    write_slice_matrices(file.name, lattice_, tau.matrices, header);
    finish(file, "%d solves, worst residual %.1e, %.1f s", tau.matrices.columns, tau.worst_residual, tau.seconds);
    if (precision_switches > 0) session_.warn(file.name + ": " + warning_of_switches(precision_switches));
  }

  std::map<std::string, LabelValue> labels_with(const DistillFile& file) const {
    auto labels = labels_;
    labels["job"] = file.job;
    return labels;
  }

  /// Notes that a file is there, with a line of numbers.
  template <class... Numbers>
  void finish(DistillFile& file, const char* format, Numbers... numbers) {
    file.is_finished = true;
    progress_.hide();
    char text[120];
    std::snprintf(text, sizeof(text), format, numbers...);
    session_.say(file.name + ": " + text);
  }

  const Session& session_;
  const DistillParameters& parameters_;
  const Settings& settings_;
  DistillPlan& plan_;
  StageTimes& times_;
  Lattice lattice_;
  Progress progress_;
  std::map<MesonPair, TwoMesonCorrelators> two_mesons_;
  std::map<std::string, LabelValue> labels_;
};

/// Throws InputError where something else is in the place of an entry that the journal will have.
void require_journal_is_free(const Comm& comm, const DistillParameters& parameters, const DistillPlan& plan) {
  for (const DistillFiles& files : plan.files)
    for (const DistillFile* file : files.by_source()) {
      if (file->is_finished) continue;
      std::vector<std::string> keys;
      for (const int t : plan.source_times) keys.push_back(file->part_key(t));
      Journal(comm, parameters.output.journal, file->job).require_free(keys);
    }
}

/// Makes it, if it is needed, and removes entries that a run which was killed did not come to remove.
void open_journal(const Comm& comm, const DistillParameters& parameters, const DistillPlan& plan) {
  bool is_needed = false;
  for (const DistillFiles& files : plan.files)
    for (const DistillFile* file : files.by_source()) {
      is_needed = is_needed || !file->is_finished;
      if (file->is_finished) remove_parts(comm, parameters.output.journal, *file, plan.source_times);
    }
  if (is_needed) Journal(comm, parameters.output.journal, "").open();
}

void distill(const Session& session, const JobOptions& options) {
  DistillParameters parameters;
  const Settings settings = options.read(session, parameters);
  if (options.print) return session.say(settings.toml());

  DistillPlan plan = plan_distillation(session.comm, parameters, settings);
  for (const std::string& warning : plan.warnings) session.warn(warning);
  for (const std::string& warning : parameters.warnings(settings)) session.warn(warning);
  const std::string text = distill_plan_text(session.comm, plan, parameters);
  session.log.info("\n" + text);
  OutputFiles files;
  std::vector<std::string> endings;
  for (const std::string& name : plan.file_names()) endings.push_back(name.substr(parameters.output.prefix.size()));
  files.add(parameters.output.prefix, endings);
  const bool has_analysis = !parameters.analysis.output.prefix.empty();
  if (has_analysis) add_analysis_outputs(files, parameters.analysis);
  std::vector<std::string> read = parameters.gauge.files;
  read.push_back(options.file);
  if (!plan.files.front().by_source().empty())
    files.add_folder(parameters.output.journal, "set output.journal to another");
  files.require_usable(session, read);
  require_journal_is_free(session.comm, parameters, plan);
  if (options.dry_run) return session.say(text + "\ndry run: nothing was computed or written");

  const std::vector<OutputLock> locks = files.lock(session);
  open_journal(session.comm, parameters, plan);
  session.begin();
  session.say(sentence("kovariant", std::string(version()) + ",", Runtime::description()));
  session.say(text);
  StageTimes times(stage_names(parameters));
  DistillRun(session, parameters, settings, plan, times).run();
  session.say(sentence(plan.n_finished(), "files are there"));
  if (has_analysis) {
    times.begin(stage_energies);
    analyse(session, {.files = plan.correlator_file_names(), .extent = plan.gauges.extent}, parameters.analysis);
  }
  const std::string table = times.text(session.comm);
  session.say("\n" + table);
  session.log.info("\n" + table);
}

}  // namespace

Command distill_command() {
  return {
      "distill", "correlators by distillation: eigenvectors, elementals, perambulators and their contractions",
      "--print shows every setting with its value and what it means, as TOML to start from.\n"
      "Writes PREFIX.CONFIGURATION.eigenvectors.h5, .elementals.h5, .tTTT.perambulators.h5 for each source time\n"
      "and .correlators.h5 (PREFIX is output.prefix, 'distill'); with correlators.two_pions also\n"
      ".two_pions.correlators.h5, with correlators.pion_kaon_isospin .pion_kaon.correlators.h5,\n"
      "with correlators.baryons .baryon_elementals.h5 and .baryons.correlators.h5.\n"
      "With noise.count it solves for sources of diluted noise instead of all eigenvectors and writes .noiseNNN.h5,\n"
      ".noiseNNN.classNNN.perambulators.h5 for each class of source times and .noise.correlators.h5.\n"
      "Quarks in tables [[quark]] have their names in those of files: .NAME.tTTT.perambulators.h5,\n"
      ".NAME-NAME.correlators.h5 for every pair; with noise .NAME.noiseNNN.classNNN.perambulators.h5 and\n"
      ".NAME-NAME.noise.correlators.h5.\n"
      "Finished files are kept: the same command goes on where a killed run stopped.  With analysis.prefix it ends\n"
      "with the energies of all correlators, as `kovariant analyze` finds them.\n"
      "example: kovariant distill run.toml --set gauge.files='conf.*' --set eigenvectors.n=64",
      [](Arguments& arguments) -> Action {
        auto options = std::make_shared<JobOptions>();
        options->declare(arguments);
        return [options](const Session& session) { distill(session, *options); };
      }};
}

}  // namespace kov::app
