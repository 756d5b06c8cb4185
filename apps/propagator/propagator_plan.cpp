// SPDX-License-Identifier: MIT
#include "apps/propagator/propagator_plan.hpp"

#include "apps/quarks/propagator_files.hpp"
#include "kov/contractions/io/spinor_io.hpp"
#include "kov/core/base/hash.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace kov::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* move_away = "move it away, or take another output.prefix";

std::string hash_text(const std::string& text) {
  const std::uint64_t value = hash(text);
  return to_hex(std::uint32_t(value >> 32)) + to_hex(std::uint32_t(value));
}

bool exists_for_all(const Comm& comm, const std::string& file) {
  std::error_code none;
  std::int64_t there = comm.rank() == 0 && fs::exists(file, none);
  comm.max(std::span(&there, 1));
  return there != 0;
}

/// Whether the file is the finished propagator; throws when it is something else.
bool is_finished(const Comm& comm, const PlannedPropagator& planned, const std::string& links) {
  if (!exists_for_all(comm, planned.file)) return false;
  PropagatorHeader header;
  try {
    header = read_propagator_header(comm, planned.file, {.order = PropagatorOrder::qdpxx});
  } catch (const FormatError& error) {
    throw FormatError(sentence(error.what(), "-", move_away));
  }
  const auto job = header.metadata_value("job");
  require(job.has_value(), planned.file, "is there, but `kovariant propagator` did not write it:", move_away);
  require(*job == planned.job, planned.file,
          "was made with other parameters or from another configuration:", move_away);
  require(links.empty() || header.metadata_value("links_checksum") == links, planned.file,
          "was made from other links than the configuration has now:", move_away);
  return true;
}

/// The columns that an earlier run kept; those that cannot be used give a warning.
void find_columns(const Comm& comm, PropagatorPlan& plan, PlannedPropagator& planned) {
  for (int k = 0; k < 12; ++k) {
    const std::string file = column_file(planned, k);
    if (!exists_for_all(comm, file)) continue;
    std::string problem;
    try {
      const PropagatorHeader header = read_spinor_header(comm, file);
      if (header.extent != plan.gauges.extent || header.metadata_value("job") != planned.job)
        problem = "it was made with other parameters";
      planned.has_column[std::size_t(k)] = problem.empty();
    } catch (const FormatError& error) {
      problem = error.what();
    } catch (const InputError& error) {
      problem = error.what();
    }
    if (!problem.empty()) plan.warnings.push_back(sentence(file, "is not used:", problem));
  }
}

/// Where columns of a file are kept.  folder: of the files, which tells apart jobs with prefixes a/p and b/p and one
/// journal.
std::string column_stem(const PropagatorParameters& p, const std::string& file, const std::string& folder) {
  const std::string name = fs::path(file).filename().string();
  const bool shared = p.output.journal != p.output.prefix + ".journal";
  return (fs::path(p.output.journal) / (shared ? name + "." + hash_text(folder) : name)).string();
}

/// The folder of the output files, as rank 0 sees it.  Collective.
std::string folder_of_files(const Comm& comm, const PropagatorParameters& p) {
  std::error_code none;
  return comm.broadcast(fs::absolute(p.output.prefix, none).lexically_normal().parent_path().string());
}

/// The propagators of configuration c.  Collective.
std::vector<PlannedPropagator> propagators_on(const Comm& comm, std::size_t c, const PropagatorPlan& plan,
                                              const PropagatorParameters& p) {
  const PlannedGauge& gauge = plan.gauges.configurations[c];
  std::vector<PlannedPropagator> result;
  // The folder of a configuration does not matter.
  std::string identity = fs::path(gauge.name).filename().string() + gauge.identity.substr(gauge.name.size());
  // Those made while checksums were ignored are not those of a job that compares them.
  if (!gauge.identified) identity += " unchecked";
  const std::string folder = folder_of_files(comm, p);
  for (const Coord& origin : p.source.positions(plan.gauges.extent, gauge.name)) {
    std::optional<StoredPropagator> to_sink;
    if (p.source.is_sequential())
      to_sink = find_propagator(comm, p.source.propagators, "source.propagators", p.source.quark,
                                p.quarks.front().boundary_angles(), gauge.name, origin, plan.gauges.extent);
    for (std::size_t q = 0; q < p.quarks.size(); ++q) {
      const std::string of_sink = to_sink ? " through " + to_sink->identity : "";
      const std::string file = propagator_stem(p.output.prefix, gauge.name, p.quarks[q].name, origin) + p.ending();
      result.push_back(
          {.configuration = c,
           .quark = q,
           .origin = origin,
           .file = file,
           .journal = column_stem(p, file, folder),
           .job = hash_text(sentence(identity, "origin", to_string(origin), p.identity(p.quarks[q]) + of_sink)),
           .to_sink = to_sink});
    }
  }
  return result;
}

void require_distinct_files(const PropagatorPlan& plan) {
  std::map<std::string, std::size_t> configurations;
  for (const PlannedPropagator& planned : plan.propagators) {
    const auto [other, is_new] = configurations.emplace(planned.file, planned.configuration);
    require(is_new, plan.gauges.configurations[planned.configuration].name, "and",
            plan.gauges.configurations[other->second].name, "would have propagators of one name,",
            planned.file + ": rename one of them, or make a job for each folder");
  }
}

/// The checksum of the links that a file holds now.
std::string links_of(const Comm& comm, const PlannedGauge& gauge, const Coord& extent,
                     const GaugeFileOptions& options) {
  GaugeReport report;
  read_configuration(Lattice(comm, extent), gauge.name, options, report);
  return report.links_checksum;
}

}  // namespace

int PlannedPropagator::n_columns() const { return int(std::count(has_column.begin(), has_column.end(), true)); }

int PropagatorPlan::n_finished() const {
  return int(std::count_if(propagators.begin(), propagators.end(),
                           [](const PlannedPropagator& planned) { return planned.is_finished; }));
}

int PropagatorPlan::n_columns_kept() const {
  int n = 0;
  for (const PlannedPropagator& planned : propagators) n += planned.is_finished ? 0 : planned.n_columns();
  return n;
}

int PropagatorPlan::n_solves() const {
  int n = 0;
  for (const PlannedPropagator& planned : propagators) n += planned.n_missing();
  return n;
}

int PropagatorPlan::n_updates(const GaugeChoice& choice) const {
  if (!choice.files.empty()) return 0;
  for (std::size_t c = gauges.configurations.size(); c-- > 0;)
    if (has_work(c)) return updates_until(choice, int(c));
  return 0;
}

bool PropagatorPlan::has_work(std::size_t configuration) const {
  return std::any_of(propagators.begin(), propagators.end(), [&](const PlannedPropagator& planned) {
    return planned.configuration == configuration && !planned.is_finished;
  });
}

double PropagatorPlan::bytes_to_write(const PropagatorParameters& parameters) const {
  const PropagatorFormat format = parameters.format();
  const int source_reals = format == PropagatorFormat::usqcd_pairs ? 288 : format == PropagatorFormat::usqcd ? 2 : 0;
  return double(int(propagators.size()) - n_finished()) * double(volume(gauges.extent)) * (288 + source_reals) *
         parameters.output.precision / 8;
}

std::string column_file(const PlannedPropagator& planned, int column) {
  char ending[16];
  std::snprintf(ending, sizeof(ending), ".column%02d", column);
  return planned.journal + ending;
}

PropagatorPlan plan_propagators(const Comm& comm, const PropagatorParameters& parameters, const Settings& settings) {
  PropagatorPlan plan;
  plan.gauges = plan_gauges(comm, parameters.gauge, settings, [&](const Coord& extent) {
    Geometry::choose_grid(extent, 1);  // throws for invalid extents
    parameters.source.check(settings, extent);
    parameters.quarks.check_extent(settings, parameters.solver, extent);
    parameters.quarks.check_ranks(settings, {}, parameters.solver, extent, comm.size());
  });
  plan.warnings.insert(plan.warnings.end(), plan.gauges.warnings.begin(), plan.gauges.warnings.end());
  for (std::size_t c = 0; c < plan.gauges.configurations.size(); ++c)
    for (const PlannedPropagator& planned : propagators_on(comm, c, plan, parameters))
      plan.propagators.push_back(planned);
  require_distinct_files(plan);
  std::map<std::size_t, std::string> links;  // of configurations whose headers do not identify them
  for (PlannedPropagator& planned : plan.propagators) {
    const PlannedGauge& gauge = plan.gauges.configurations[planned.configuration];
    const bool compare = !gauge.identified && exists_for_all(comm, planned.file);
    if (compare && !links.contains(planned.configuration))
      links[planned.configuration] = links_of(comm, gauge, plan.gauges.extent, parameters.gauge.file_options(settings));
    planned.is_finished = is_finished(comm, planned, compare ? links[planned.configuration] : "");
    // Columns do not say of which links they are.
    const bool has_columns = !parameters.quarks[planned.quark].solver.is_together();
    if (!planned.is_finished && gauge.identified && has_columns) find_columns(comm, plan, planned);
  }
  plan.batches = PropagatorBatches::of(parameters);
  if (plan.n_finished() < int(plan.propagators.size()))
    plan.batches = batches_that_fit(parameters, double(volume(plan.gauges.extent)) / comm.size(),
                                    parameters.memory.bytes_of_process(comm));
  return plan;
}

PropagatorBatches PropagatorBatches::of(const PropagatorParameters& parameters) {
  PropagatorBatches batches;
  for (const NamedQuark& quark : parameters.quarks) batches.columns.push_back(quark.solver.columns_at_once());
  return batches;
}

double propagator_job_bytes(const PropagatorParameters& p, double sites, const PropagatorBatches& batches) {
  const double real = p.solver.is_single() ? 4 : 8, links = 72, propagator = 12 * 24;
  double operators = 0, most_operator = 0, work = 0;
  std::set<std::array<double, 3>> boosts;
  for (std::size_t q = 0; q < p.quarks.size(); ++q) {
    const NamedQuark& quark = p.quarks[q];
    const int columns = batches.columns.at(q);
    operators += operator_bytes_per_site(quark, columns);
    most_operator = std::max(most_operator, operator_bytes_per_site(quark, columns));
    work = std::max(work, work_bytes_per_site(quark, columns));
    boosts.insert(quark.boost);
  }
  // The configuration and its smeared copy or that of the chain, smeared links as sources read them, source and
  // solution.
  const double kept = 8 * links * 2 + (p.source.is_smeared() ? real * links * double(boosts.size()) : 0);
  const double smearing = p.source.is_smeared() ? 2 * real * propagator : 0;
  return sites * (kept + (batches.keeps_operators ? operators : most_operator) + real * propagator +
                  std::max(real * propagator + work, smearing));
}

PropagatorBatches batches_that_fit(const PropagatorParameters& p, double sites, double bytes) {
  PropagatorBatches batches = PropagatorBatches::of(p);
  const auto fits = [&] { return propagator_job_bytes(p, sites, batches) <= bytes; };
  // Operators take little time to make but for their eigenvectors.
  const bool deflated =
      std::any_of(p.quarks.begin(), p.quarks.end(), [](const NamedQuark& q) { return q.solver.deflation > 0; });
  if (!fits()) batches.keeps_operators = p.quarks.size() == 1 || deflated;
  while (!fits() && make_fewer({p.quarks.begin(), p.quarks.end()}, batches.columns)) continue;
  if (!fits()) batches.keeps_operators = p.quarks.size() == 1;
  // Fewer columns may do more than enough.
  const bool kept = std::exchange(batches.keeps_operators, true);
  if (!fits()) batches.keeps_operators = kept;
  require(fits(), too_little_memory("solves", propagator_job_bytes(p, sites, batches), bytes, ""));
  return batches;
}

std::string plan_text(const Comm& comm, const PropagatorPlan& plan, const PropagatorParameters& p) {
  const Lattice lattice(comm, plan.gauges.extent);
  const Geometry& geometry = lattice.geometry();
  std::string text;
  const auto row = [&text](const std::string& name, const std::string& value) {
    text += name + std::string(16 - name.size(), ' ') + value + "\n";
  };
  row("lattice", to_string(plan.gauges.extent) + " (x y z t), " + std::to_string(lattice.volume()) + " sites");
  row("processes", sentence(std::to_string(comm.size()) + ", grid", to_string(geometry.grid()) + ", local lattice",
                            to_string(geometry.local_extent())));
  const std::size_t n = plan.gauges.configurations.size();
  if (p.gauge.files.empty())
    row("configurations", sentence(n, "generated, beta", p.gauge.chain.beta, "seed", p.gauge.chain.seed));
  else
    row("configurations",
        sentence(n, "from files:", p.gauge.files.front() + (n > 1 ? " ... " + p.gauge.files.back() : "")));
  for (const NamedQuark& quark : p.quarks)
    row("quark " + quark.name.substr(0, 9), quark.description() + quark.differences(p.solver, p.source.boost));
  row("source", p.source.description());
  if (p.source.is_smeared()) row("its links", p.links.description());
  std::string origins;
  for (const Coord& origin : p.source.positions(plan.gauges.extent, plan.gauges.configurations.front().name))
    origins += (origins.empty() ? "[" : ", [") + to_string(origin) + "]";
  row("origins", (p.source.random ? "at random, on the first configuration " : "") + origins);
  row("solver", p.solver.description() + p.solver.columns_text());
  row("finished", sentence(plan.n_finished(), "of", plan.propagators.size(), "propagators, and", plan.n_columns_kept(),
                           "columns of others in", p.output.journal));
  row("to do", sentence(plan.n_updates(p.gauge), "updates and", plan.n_solves(), "solves"));
  const double bytes = propagator_job_bytes(p, double(lattice.geometry().local_volume()), plan.batches);
  row("memory", sentence("about", mebibytes_text(bytes), "in each process"));
  row("batches", "solves of " + columns_text(plan.batches.columns) +
                     (p.quarks.size() == 1 ? "" : "; " + operators_text(plan.batches.keeps_operators)));
  const std::size_t n_files = plan.propagators.size();
  row("output",
      sentence(n_files, n_files == 1 ? "file," : "files,", mebibytes_text(plan.bytes_to_write(p)), "to write:",
               plan.propagators.front().file + (n_files > 1 ? " ... " + plan.propagators.back().file : "")));
  return text;
}

}  // namespace kov::app
