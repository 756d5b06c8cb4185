// SPDX-License-Identifier: MIT
#include "apps/distill/distill_plan.hpp"

#include "apps/distill/baryons.hpp"
#include "apps/distill/distill_correlators.hpp"
#include "apps/distill/two_mesons.hpp"
#include "kov/contractions/correlators/label_attributes.hpp"
#include "kov/contractions/distillation/eigenvector_file.hpp"
#include "kov/contractions/distillation/slice_matrix_file.hpp"
#include "kov/core/base/hash.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <utility>

namespace kov::app {

namespace {

constexpr const char* move_it = "move it away, or take another output.prefix";

std::string job_text(const std::string& identity) {
  const std::uint64_t value = hash(identity);
  return to_hex(std::uint32_t(value >> 32)) + to_hex(std::uint32_t(value));
}

/// "PREFIX.NAME" of a configuration, without the folder of its file.
std::string distill_stem(const DistillParameters& p, const std::string& configuration) {
  return p.output.prefix + "." + std::filesystem::path(configuration).filename().string();
}

/// Whether the file is there and of this job; throws when it is something else.  labels: reads those of the file, on
/// rank 0.
template <class Labels>
bool is_finished_file(const Comm& comm, const DistillFile& file, const Labels& labels) {
  std::error_code none;
  std::int64_t there = comm.rank() == 0 && std::filesystem::exists(file.name, none);
  comm.max(std::span(&there, 1));
  if (!there) return false;
  std::string job;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    try {
      const std::map<std::string, LabelValue> found = labels();
      if (found.contains("job")) job = label_text(found.at("job"));
    } catch (const FormatError& error) {
      throw FormatError(sentence(error.what(), "-", move_it));
    }
  });
  job = comm.broadcast(job);
  require(!job.empty(), file.name, "is there, but `kovariant distill` did not write it:", move_it);
  require(job == file.job, file.name, "was made with other parameters or from another configuration:", move_it);
  return true;
}

/// Reads what the journal has of a file that is not finished.
void find_parts(const Comm& comm, const DistillParameters& p, DistillFile& file, const std::vector<int>& times,
                std::vector<std::string>& warnings) {
  if (file.is_finished) return;
  const Journal journal(comm, p.output.journal, file.job);
  for (const int t : times)
    if (std::optional<JournalEntry> entry = journal.find(file.part_key(t))) file.parts[t] = std::move(*entry);
  warnings.insert(warnings.end(), journal.rejected_entries().begin(), journal.rejected_entries().end());
}

/// ".NAME003"
std::string numbered(const std::string& name, int number) {
  char text[16];
  std::snprintf(text, sizeof(text), "%03d", number);
  return "." + name + text;
}

DistillFiles files_of_configuration(const Comm& comm, const PlannedGauge& gauge, const DistillParameters& p,
                                    const DistillPlan& plan, std::vector<std::string>& warnings) {
  const std::vector<int>& times = plan.source_times;
  const std::string stem = distill_stem(p, gauge.name);
  // The folder of a configuration does not matter; links whose checksums were ignored are others.
  const std::string identity = std::filesystem::path(gauge.name).filename().string() +
                               gauge.identity.substr(gauge.name.size()) + (gauge.identified ? " " : " unchecked ");
  DistillFiles files{{stem + ".eigenvectors.h5", job_text(identity + p.eigenvector_identity())},
                     {stem + ".elementals.h5", job_text(identity + p.elemental_identity())},
                     {},
                     {},
                     {},
                     {},
                     {},
                     {}};
  files.eigenvectors.is_finished = is_finished_file(
      comm, files.eigenvectors, [&] { return read_eigenvector_header(Comm::self(), files.eigenvectors.name).labels; });
  const auto labels_of_matrices = [](const DistillFile& file) { return SliceMatrixFile(file.name).header().labels; };
  files.elementals.is_finished =
      is_finished_file(comm, files.elementals, [&] { return labels_of_matrices(files.elementals); });
  const auto matrices = [&](const std::string& name, const std::string& of) {
    DistillFile file{name, job_text(identity + of)};
    file.is_finished = is_finished_file(comm, file, [&] { return labels_of_matrices(file); });
    return file;
  };
  for (int k = 0; k < p.noise.count; ++k) {
    const int n_times = plan.gauges.extent[3], n = p.eigenvectors.n;
    files.noises.push_back(p.noise.noise(k, gauge.name, n_times, n));
    files.noise.push_back(matrices(stem + numbered("noise", k) + ".h5",
                                   "noise " + std::to_string(k) + " " + p.noise.identity() + sentence(" of", n)));
  }
  for (const NamedQuark& quark : p.all_quarks()) {
    const std::string of_quark = stem + (quark.name.empty() ? "" : "." + quark.name),
                      tau = p.perambulator_identity(quark), ending = ".perambulators.h5";
    if (!p.noise.is_used()) files.perambulators.emplace_back();
    for (const int t : p.noise.is_used() ? std::vector<int>() : times)
      files.perambulators.back().push_back(
          matrices(of_quark + numbered("t", t) + ending, tau + " time " + std::to_string(t)));
    for (int k = 0; k < p.noise.count; ++k) {
      files.perambulators.emplace_back();
      for (const int c : plan.time_classes)
        files.perambulators.back().push_back(matrices(of_quark + numbered("noise", k) + numbered("class", c) + ending,
                                                      tau + sentence(" noise", k, p.noise.identity(), "class", c)));
    }
  }
  for (DistillFile* file : {&files.baryon_elementals, &files.two_pions, &files.pion_kaon, &files.baryons})
    file->is_finished = true;
  const bool has_baryons = !p.correlators.baryons.empty();
  if (has_baryons) {
    files.baryon_elementals = {stem + ".baryon_elementals.h5", job_text(identity + p.baryon_elemental_identity())};
    files.baryon_elementals.is_finished =
        is_finished_file(comm, files.baryon_elementals, [&] { return labels_of_matrices(files.baryon_elementals); });
  }
  const auto add_correlators = [&](DistillFile& file, const std::string& ending, const std::string& of) {
    file = {stem + ending, job_text(identity + of)};
    file.is_finished = is_finished_file(comm, file, [&] {
      const Hdf5File opened = Hdf5File::open(file.name);
      return opened.contains("/parameters") ? detail::read_label_attributes(opened, "/parameters")
                                            : std::map<std::string, LabelValue>();
    });
  };
  if (!p.correlators.mesons.empty())
    for (const std::array<std::size_t, 2>& pair : p.quark_pairs()) {
      const std::string label = p.pair_label(pair);
      add_correlators(files.correlators.emplace_back(),
                      (label.empty() ? "" : "." + label) + (p.noise.is_used() ? ".noise" : "") + ".correlators.h5",
                      p.correlator_identity(times, pair));
    }
  for (const MesonPair pair : meson_pairs)
    if (!p.twice_isospins(pair).empty())
      add_correlators(files.of(pair),
                      pair == MesonPair::pion_kaon ? ".pion_kaon.correlators.h5" : ".two_pions.correlators.h5",
                      p.two_meson_identity(times, pair));
  if (has_baryons) add_correlators(files.baryons, ".baryons.correlators.h5", p.baryon_identity(times));
  for (DistillFile* file : {&files.two_pions, &files.pion_kaon, &files.baryons})
    find_parts(comm, p, *file, times, warnings);
  // Another search may end in another basis of the same space.
  std::vector<const DistillFile*> of_vectors{&files.elementals};
  for (const std::vector<DistillFile>& of_quark : files.perambulators)
    for (const DistillFile& tau : of_quark) of_vectors.push_back(&tau);
  if (has_baryons) of_vectors.push_back(&files.baryon_elementals);
  const auto is_there = [](const DistillFile* file) { return file->is_finished; };
  if (!files.eigenvectors.is_finished && std::all_of(of_vectors.begin(), of_vectors.end(), is_there))
    files.eigenvectors.is_finished = true;  // nothing needs them any more
  require(files.eigenvectors.is_finished || std::none_of(of_vectors.begin(), of_vectors.end(), is_there),
          files.eigenvectors.name,
          "is gone, and some of what is made of these eigenvectors too, which others would not fit: bring it back, or "
          "move the configuration's other files away");
  return files;
}

}  // namespace

int DistillFiles::n_unfinished() const {
  int n = 0;
  for (const std::vector<DistillFile>& of_quark : perambulators)
    for (const DistillFile& file : of_quark) n += int(!file.is_finished);
  return n;
}
int DistillFiles::n_unfinished_mesons() const {
  return int(
      std::count_if(correlators.begin(), correlators.end(), [](const DistillFile& f) { return !f.is_finished; }));
}
int DistillFiles::n_unfinished_noises() const {
  return int(std::count_if(noise.begin(), noise.end(), [](const DistillFile& f) { return !f.is_finished; }));
}
bool DistillFiles::needs_eigenvectors() const {
  return !eigenvectors.is_finished || !elementals.is_finished || !baryon_elementals.is_finished || n_unfinished() > 0;
}
bool DistillFiles::has_work() const {
  return needs_eigenvectors() || n_unfinished_mesons() > 0 || n_unfinished_noises() > 0 || !two_pions.is_finished ||
         !pion_kaon.is_finished || !baryons.is_finished;
}
std::vector<const DistillFile*> DistillFiles::by_source() const {
  std::vector<const DistillFile*> list;
  for (const DistillFile* file : {&two_pions, &pion_kaon, &baryons})
    if (!file->name.empty()) list.push_back(file);
  return list;
}
std::vector<const DistillFile*> DistillFiles::all() const {
  std::vector<const DistillFile*> list{&eigenvectors, &elementals};
  for (const DistillFile& file : noise) list.push_back(&file);
  for (const std::vector<DistillFile>& of_quark : perambulators)
    for (const DistillFile& file : of_quark) list.push_back(&file);
  if (!baryon_elementals.name.empty()) list.push_back(&baryon_elementals);
  for (const DistillFile* file : all_correlators()) list.push_back(file);
  return list;
}
std::vector<const DistillFile*> DistillFiles::all_correlators() const {
  std::vector<const DistillFile*> list;
  for (const DistillFile& file : correlators) list.push_back(&file);
  for (const DistillFile* file : by_source()) list.push_back(file);
  return list;
}

int DistillPlan::n_files() const { return int(file_names().size()); }

int DistillPlan::n_finished() const {
  int n = 0;
  for (const DistillFiles& f : files)
    for (const DistillFile* file : f.all()) n += int(file->is_finished);
  return n;
}

int DistillPlan::n_parts() const {
  int n = 0;
  for (const DistillFiles& f : files)
    for (const DistillFile* file : f.by_source()) n += int(file->parts.size());
  return n;
}

int DistillPlan::n_updates(const GaugeChoice& choice) const {
  if (!choice.files.empty()) return 0;
  for (std::size_t c = files.size(); c-- > 0;)
    if (files[c].has_work()) return updates_until(choice, int(c));
  return 0;
}

int DistillPlan::n_searches() const {
  return int(
      std::count_if(files.begin(), files.end(), [](const DistillFiles& f) { return !f.eigenvectors.is_finished; }));
}

int DistillPlan::n_elementals(const DistillParameters& parameters) const {
  int n = 0;
  for (const DistillFiles& f : files)
    if (!f.elementals.is_finished) n += int(parameters.elementals.displacements.size());
  return n;
}

int DistillPlan::n_solves(const DistillParameters& parameters) const {
  int n = 0;
  for (const DistillFiles& f : files) n += parameters.sources_of_a_file(gauges.extent[3]) * f.n_unfinished();
  return n;
}

int DistillPlan::n_meson_files() const {
  int n = 0;
  for (const DistillFiles& f : files) n += f.n_unfinished_mesons();
  return n;
}

int DistillPlan::n_correlator_files() const {
  int n = n_meson_files();
  for (const DistillFiles& f : files)
    n += int(!f.two_pions.is_finished) + int(!f.pion_kaon.is_finished) + int(!f.baryons.is_finished);
  return n;
}

int DistillPlan::n_baryon_files() const {
  return int(std::count_if(files.begin(), files.end(),
                           [](const DistillFiles& f) { return !f.baryon_elementals.is_finished; }));
}

int DistillPlan::n_two_mesons(const DistillParameters& parameters) const {
  int n = 0;
  for (const DistillFiles& f : files)
    for (const MesonPair pair : meson_pairs)
      if (!f.of(pair).is_finished)
        n += int(two_meson_groups(parameters, gauges.extent, pair).size() *
                 (source_times.size() - f.of(pair).parts.size()));
  return n;
}

int DistillPlan::n_baryons(const DistillParameters& parameters) const {
  int n = 0;
  for (const DistillFiles& f : files)
    if (!f.baryons.is_finished)
      n += int(parameters.baryon_momenta().size() * (source_times.size() - f.baryons.parts.size()));
  return n;
}

std::vector<DistillStep> DistillPlan::steps() const {
  const auto is_missing = [&](const auto& is_missing_of) {
    return std::any_of(files.begin(), files.end(), is_missing_of);
  };
  const std::pair<DistillStep, bool> all[] = {
      {DistillStep::eigenvectors, n_searches() > 0},
      {DistillStep::elementals, is_missing([](const DistillFiles& f) { return !f.elementals.is_finished; })},
      {DistillStep::baryon_elementals, n_baryon_files() > 0},
      {DistillStep::perambulators, is_missing([](const DistillFiles& f) { return f.n_unfinished() > 0; })},
      {DistillStep::mesons, n_meson_files() > 0},
      {DistillStep::two_pions, is_missing([](const DistillFiles& f) { return !f.two_pions.is_finished; })},
      {DistillStep::pion_kaon, is_missing([](const DistillFiles& f) { return !f.pion_kaon.is_finished; })},
      {DistillStep::baryons, is_missing([](const DistillFiles& f) { return !f.baryons.is_finished; })}};
  std::vector<DistillStep> steps;
  for (const auto& [step, has_work] : all)
    if (has_work) steps.push_back(step);
  return steps;
}

std::vector<std::string> DistillPlan::file_names() const {
  std::vector<std::string> names;
  for (const DistillFiles& f : files)
    for (const DistillFile* file : f.all()) names.push_back(file->name);
  return names;
}

std::vector<std::string> DistillPlan::correlator_file_names() const {
  std::vector<std::string> names;
  for (const DistillFiles& f : files)
    for (const DistillFile* file : f.all_correlators()) names.push_back(file->name);
  return names;
}

DistillPlan plan_distillation(const Comm& comm, const DistillParameters& parameters, const Settings& settings) {
  DistillPlan plan;
  plan.gauges = plan_gauges(comm, parameters.gauge, settings, [&](const Coord& extent) {
    Geometry::choose_grid(extent, 1);  // throws for invalid extents
    parameters.check(settings, extent);
    parameters.quarks.check_ranks(settings, parameters.action, parameters.solver, extent, comm.size());
    plan.warnings = equal_operator_warnings(parameters, extent);
  });
  plan.warnings.insert(plan.warnings.end(), plan.gauges.warnings.begin(), plan.gauges.warnings.end());
  plan.source_times = parameters.source_times(plan.gauges.extent[3]);
  if (parameters.noise.is_used())
    plan.time_classes = parameters.noise.time_classes(plan.source_times, plan.gauges.extent[3]);
  std::set<std::string> names;
  for (const PlannedGauge& gauge : plan.gauges.configurations) {
    require(names.insert(distill_stem(parameters, gauge.name)).second, "two configurations have the name",
            std::filesystem::path(gauge.name).filename().string() + ": rename one, or make a job for each folder");
    plan.files.push_back(files_of_configuration(comm, gauge, parameters, plan, plan.warnings));
  }
  plan.batches =
      batches_that_fit(parameters, plan.gauges.extent, Geometry::choose_grid(plan.gauges.extent, comm.size()),
                       plan.steps(), parameters.memory.bytes_of_process(comm));
  return plan;
}

std::string distill_plan_text(const Comm& comm, const DistillPlan& plan, const DistillParameters& p) {
  const Lattice lattice(comm, plan.gauges.extent);
  std::string text;
  const auto row = [&text](const std::string& name, const std::string& value) {
    text += name + std::string(16 - name.size(), ' ') + value + "\n";
  };
  row("lattice", to_string(plan.gauges.extent) + " (x y z t), " + std::to_string(lattice.volume()) + " sites");
  row("processes",
      sentence(std::to_string(comm.size()) + ", grid", to_string(lattice.geometry().grid()) + ", local lattice",
               to_string(lattice.geometry().local_extent())));
  const std::size_t n = plan.gauges.configurations.size();
  if (p.gauge.files.empty())
    row("configurations", sentence(n, "generated, beta", p.gauge.chain.beta, "seed", p.gauge.chain.seed));
  else
    row("configurations",
        sentence(n, "from files:", p.gauge.files.front() + (n > 1 ? " ... " + p.gauge.files.back() : "")));
  row("eigenvectors", sentence(p.eigenvectors.n, "on each time slice, links", p.links.description() + ", to",
                               p.eigenvectors.tolerance));
  row("elementals", sentence(p.labels().size(), "on each time slice:", p.elementals.displacements.size(),
                             "displacements at", momenta_up_to(p.elementals.max_momentum).size(), "momenta"));
  for (const NamedQuark& quark : p.all_quarks())
    row(quark.name.empty() ? "quark" : "quark " + quark.name.substr(0, 9),
        quark.description() + quark.differences(p.solver, {}));
  std::string times;
  for (const int t : plan.source_times) times += (times.empty() ? "" : " ") + std::to_string(t);
  row("source times", times);
  if (p.noise.is_used())
    row("noises", sentence(p.noise.count, "of", p.noise.description() + ":", p.sources_of_a_file(plan.gauges.extent[3]),
                           "sources in each of", plan.time_classes.size(), "classes in time"));
  if (!p.correlators.mesons.empty()) {
    const std::size_t n_operators = meson_operators(p).size();
    row("correlators", sentence("of", n_operators, "operators at each momentum:", p.correlators.mesons.size(),
                                "gamma matrices with", p.elementals.displacements.size(), "displacements") +
                           (p.quarks.size() > 1 ? sentence(", of", p.quark_pairs().size(), "pairs of quarks") : ""));
  }
  for (const MesonPair pair : meson_pairs) {
    std::string before;
    for (const TwoMesonGroup& group : two_meson_groups(p, plan.gauges.extent, pair)) {
      std::string of = sentence("isospin", isospin_text(group.twice_isospin), "total momentum", to_string(group.total));
      if (pair == MesonPair::pion_kaon && !group.irrep.empty()) of += " " + group.irrep;
      if (std::exchange(before, of) == of) continue;  // another row of the irrep
      const auto& operators = group.operators;
      row(pair == MesonPair::pion_kaon ? "pion and kaon" : "two pions",
          sentence(of + ":", operators.size(), operators.size() > 1 ? "operators," : "operator,",
                   operators.front().name + (operators.size() > 1 ? " ... " + operators.back().name : "")));
    }
  }
  if (!p.correlators.baryons.empty()) {
    std::string names;
    for (const std::string& name : p.correlators.baryons) names += (names.empty() ? "" : ", ") + name;
    row("baryons", sentence(names + ":", wanted_baryon_operators(p).size(), "components at", p.baryon_momenta().size(),
                            "momenta"));
  }
  row("solver", p.solver.description() + p.solver.columns_text());
  row("finished", sentence(plan.n_finished(), "of", plan.n_files(), "files") +
                      (plan.n_parts() > 0 ? sentence(", and", plan.n_parts(), "source times of others") : ""));
  std::string of_baryons;
  if (!p.correlators.baryons.empty()) of_baryons = sentence(plan.n_baryon_files(), "files of elementals of baryons, ");
  row("to do", sentence(plan.n_updates(p.gauge), "updates,", plan.n_searches(), "searches,", plan.n_elementals(p),
                        "displacements,", of_baryons + std::to_string(plan.n_solves(p)), "solves and",
                        plan.n_correlator_files(), "files of correlators"));
  const Coord &extent = plan.gauges.extent, &grid = lattice.geometry().grid();
  const std::vector<DistillStep> steps = plan.steps();
  row("memory",
      sentence("about", mebibytes_text(distill_bytes(p, extent, grid, plan.batches, steps)), "in each process"));
  if (const std::string batches = batches_text(p, extent, grid, plan.batches, steps); !batches.empty())
    row("batches", batches);
  if (!p.analysis.output.prefix.empty()) {
    const std::size_t n_files = plan.correlator_file_names().size();
    row("energies", sentence("of", n_files, n_files == 1 ? "file:" : "files:", p.analysis.output.prefix + ".txt ..."));
  }
  row("output", plan.files.front().eigenvectors.name + " ... " + plan.file_names().back());
  return text;
}

}  // namespace kov::app
