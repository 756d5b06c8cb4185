// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_plan.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace kov::app {

namespace {

/// Drops journal entries that were measured on other links than those the file holds now.
void compare_links(const Lattice& lattice, SpectrumPlan& plan, const GaugeFileOptions& options) {
  PlannedConfiguration& configuration = plan.configurations.back();
  GaugeReport report;
  read_configuration(lattice, configuration.name, options, report);
  configuration.links = report.links_checksum;
  for (PlannedPart& part : configuration.parts) {
    if (!part.entry || part.entry->notes["links_checksum"] == configuration.links) continue;
    plan.warnings.push_back(sentence("the journal has", configuration.name, part.name(),
                                     "with other links than the file has now: it is measured again"));
    part.entry.reset();
  }
}

/// Bytes of all fields that are alive at once, for each site of a process; see spectrum_measure.cpp.
double bytes_per_site(const SpectrumParameters& parameters) {
  const bool single = parameters.solver.is_single();
  const std::vector<NamedQuark> all = parameters.all_quarks();
  const bool mixed = std::any_of(all.begin(), all.end(), [](const NamedQuark& q) { return q.solver.is_mixed(); });
  const bool together = std::any_of(all.begin(), all.end(), [](const NamedQuark& q) { return q.solver.is_together(); });
  const double real = single ? 4 : 8, links = 72, spinor = 24;
  double bytes = 8 * links * 2;     // the gauge field, its smeared copy or the chain's
  bytes += real * links * 4;        // links of the operator and of the smearing, and doubled ones of the hop
  bytes += real * spinor * 12 * 2;  // source and propagator
  if (together) bytes += real * spinor * 12 * 2;  // both in the order of columns
  const double others = double(all.size()) - 1;
  bytes += others * (real * links * 3 + real * spinor * 12 * 2);  // of further quarks, and smeared at the sink
  // The smeared sink and the buffers of its smearing.
  const auto& sinks = parameters.sink.smearings;
  if (std::any_of(sinks.begin(), sinks.end(), [](const std::string& s) { return s != "none"; }))
    bytes += real * spinor * 12 * 3;
  double work = 0;
  for (const NamedQuark& quark : all) {
    work = std::max(work, quark.solver.bytes_per_site(quark.solver.columns_at_once()));
    bytes += quark.solver.bytes_of_residuals(quark.c_sw != 0);
  }
  bytes += work;
  // A sequential source and its propagator, what derivatives and paths make of two propagators, and their links.
  int moved = 0;
  for (const ThreePointChoice& choice : parameters.three_points) moved = std::max(moved, choice.n_moved());
  if (!parameters.three_points.empty()) bytes += real * spinor * 12 * (2 + moved) + real * links;
  bytes += real * spinor * double(parameters.loops.n_fields());
  // Blocks and their inverses; while they are made, the field strength and its leaves in double are smaller than what
  // sources and solvers take later.
  const double blocks = 2 * 72 * (real + (mixed ? 4 : 0));
  for (const NamedQuark& quark : all)
    if (quark.c_sw != 0) bytes += blocks;
  // Links of conserved currents; operators of the opposite twisted mass, as the others are shared.
  std::set<std::size_t> conserved, turned;
  for (const ThreePointChoice& choice : parameters.three_points) {
    const std::size_t struck = parameters.struck_quark(choice);
    if (!choice.all_currents().conserved.empty()) conserved.insert(struck);
    if (all[struck].mu != 0) turned.insert(struck);
  }
  bytes += real * links * double(conserved.size());
  for (const std::size_t q : turned)
    bytes += real * links * (mixed ? 4.5 : 3) + (all[q].c_sw != 0 ? blocks : 0) +
             all[q].solver.bytes_of_residuals(all[q].c_sw != 0);
  return bytes;
}

/// Bytes that a process needs for fields.
double bytes_of_process(const Comm& comm, const SpectrumParameters& parameters, const Coord& extent) {
  return bytes_per_site(parameters) * double(volume(extent)) / comm.size();
}

}  // namespace

int PlannedConfiguration::n_finished() const {
  return int(std::count_if(parts.begin(), parts.end(), [](const PlannedPart& part) { return part.entry.has_value(); }));
}

int SpectrumPlan::n_parts() const {
  int n = 0;
  for (const PlannedConfiguration& c : configurations) n += int(c.parts.size());
  return n;
}

int SpectrumPlan::n_finished_parts() const {
  int n = 0;
  for (const PlannedConfiguration& c : configurations) n += c.n_finished();
  return n;
}

std::vector<std::string> SpectrumPlan::missing_keys() const {
  std::vector<std::string> keys;
  for (const PlannedConfiguration& c : configurations)
    for (const PlannedPart& part : c.parts)
      if (!part.entry) keys.push_back(part.key);
  return keys;
}

int PlannedConfiguration::n_solves(const SpectrumParameters& parameters, bool finished) const {
  int n = 0;
  for (const PlannedPart& part : parts)
    if (part.entry.has_value() == finished)
      n += part.is_loops() ? int(parameters.n_solves_of_loops()) : parameters.n_solves_of_origin();
  return n;
}

int SpectrumPlan::n_solves(const SpectrumParameters& parameters) const {
  int n = 0;
  for (const PlannedConfiguration& c : configurations) n += c.n_solves(parameters, false);
  return n;
}

int SpectrumPlan::n_updates(const SpectrumParameters& parameters) const {
  if (!parameters.gauge.files.empty()) return 0;
  for (int k = int(configurations.size()); k-- > 0;)
    if (!configurations[std::size_t(k)].finished()) return updates_until(parameters.gauge, k);
  return 0;
}

SpectrumPlan make_plan(const Comm& comm, const SpectrumParameters& parameters, const Settings& settings,
                       const Journal& journal) {
  SpectrumPlan plan;
  const auto check = [&](const Coord& extent) {
    parameters.check(settings, extent);
    parameters.quarks.check_ranks(settings, parameters.solver, extent, comm.size());
    plan.warnings = parameters.window_warnings(settings, extent);
    if (const std::string warning = memory_warning(comm, bytes_of_process(comm, parameters, extent)); !warning.empty())
      plan.warnings.push_back(warning);
  };
  const PlannedGauges gauges = plan_gauges(comm, parameters.gauge, settings, check);
  plan.extent = gauges.extent;
  plan.warnings.insert(plan.warnings.end(), gauges.warnings.begin(), gauges.warnings.end());
  for (const PlannedGauge& gauge : gauges.configurations) {
    PlannedConfiguration configuration{gauge};
    for (const Coord& origin : parameters.origins(plan.extent, gauge.name)) {
      PlannedPart part{origin, gauge.identity + " origin " + to_string(origin)};
      for (const NamedQuark& quark : parameters.quarks) {
        if (quark.propagators.empty()) continue;
        const StoredPropagator stored = find_propagator(comm, quark, gauge.name, origin, plan.extent);
        part.key += " " + quark.name + " from " + stored.identity;
        part.stored[quark.name] = stored;
        const std::string profile = parameters.source.choice.description(parameters.source.smearing);
        if (!stored.source_profile.empty() && stored.source_profile != profile)
          plan.warnings.push_back(sentence(stored.file, "has a source smeared by",
                                           stored.source_profile + ", and [source]", "says",
                                           profile + ": correlators are labelled by the name of its smearing"));
        if (!stored.source.empty() && stored.source != parameters.source.type)
          plan.warnings.push_back(sentence(stored.file, "has a source of the type", stored.source + ", and [source]",
                                           "says", parameters.source.type + ": correlators are of both"));
      }
      part.entry = journal.find(part.key);
      configuration.parts.push_back(std::move(part));
    }
    if (parameters.loops.any()) {
      PlannedPart part{no_source, gauge.identity + " loops " + parameters.loop_identity(settings)};
      part.entry = journal.find(part.key);
      configuration.parts.push_back(std::move(part));
    }
    plan.configurations.push_back(std::move(configuration));
    if (!gauge.identified && plan.configurations.back().n_finished() > 0)
      compare_links(Lattice(comm, plan.extent), plan, parameters.gauge.file_options(settings));
  }
  return plan;
}

SpectrumOutputs outputs_of(const SpectrumParameters& parameters) {
  const std::string& prefix = parameters.output.prefix;
  return {has_hdf5() ? prefix + ".h5" : "", prefix + ".dat"};
}

std::vector<std::string> SpectrumOutputs::endings() {
  std::vector<std::string> endings = picture_endings();
  endings.push_back(".dat");
  if (has_hdf5()) endings.push_back(".h5");
  return endings;
}

std::string plan_text(const Comm& comm, const SpectrumPlan& plan, const SpectrumParameters& p) {
  const Lattice lattice(comm, plan.extent);
  const Geometry& geometry = lattice.geometry();
  std::string text;
  const auto row = [&text](const std::string& name, const std::string& value) {
    text += name + std::string(16 - name.size(), ' ') + value + "\n";
  };
  row("lattice", to_string(plan.extent) + " (x y z t), " + std::to_string(lattice.volume()) + " sites");
  row("processes", sentence(std::to_string(comm.size()) + ", grid", to_string(geometry.grid()) + ", local lattice",
                            to_string(geometry.local_extent()) + ", order:", to_string(lattice.layout().order()) + ",",
                            lattice.layout().lanes(), "lanes"));
  const std::size_t n = plan.configurations.size();
  if (p.gauge.files.empty())
    row("configurations", sentence(n, "generated, beta", p.gauge.chain.beta, "seed", p.gauge.chain.seed, "first after",
                                   p.gauge.chain.n_thermalise, "updates, then every", p.gauge.chain.n_between));
  else
    row("configurations",
        sentence(n, "from files:", p.gauge.files.front(), n > 1 ? "... " + p.gauge.files.back() : ""));
  for (const NamedQuark& quark : p.all_quarks())
    row(quark.name.empty() ? "quarks" : "quark " + quark.name.substr(0, 9),
        quark.description() + (quark.propagators.empty() ? quark.differences(p.solver, p.source.boost)
                                                         : ", from files " + quark.propagators));
  const std::vector<Coord> places = p.origins(plan.extent, plan.configurations.front().name);
  std::string origins;
  for (const Coord& origin : places) origins += (origins.empty() ? "[" : ", [") + to_string(origin) + "]";
  if (p.source.random) origins = "random places, on the first " + origins;
  row("sources", places.empty() ? "none: quark loops alone"
                                : sentence(places.size(), "on each, at", origins + ":", p.source.description()));
  std::string sinks;
  for (const std::string& sink : p.sink.smearings)
    sinks += (sinks.empty() ? "" : "; ") + (sink == "none" ? "point" : p.sink.choice.description(sink));
  row("sinks", sinks);
  row("their links", p.links.description());
  const std::vector<BaryonOperator> operators = p.baryon_operators();
  row("correlators", sentence(p.meson_channels().size(), "mesons and", p.baryon_channels().size() + operators.size(),
                              "baryons with", p.momenta(plan.extent).size(), "momenta"));
  if (!operators.empty() && !p.quarks.empty()) row("flavours", p.quarks.flavour_label(p.flavours()));
  for (const ThreePointChoice& choice : p.three_points)
    row("three-point", sentence(choice.hadron + ", current on", choice.struck_line() + ",", choice.n_sequential(),
                                "sinks:", choice.times.size(), "times and", choice.momenta.size(), "momenta;",
                                choice.all_currents().local.size() + choice.all_currents().conserved.size(),
                                "currents with", choice.transfers.size(), "momenta"));
  if (p.loops.any()) row("loops", p.loops.description());
  row("solver", p.solver.description() + p.solver.columns_text());
  row("finished",
      sentence(plan.n_finished_parts(), "of", plan.n_parts(),
               p.loops.any() ? "(configuration, source or loops) in" : "(configuration, source) in", p.output.journal));
  row("to do", sentence(plan.n_updates(p), "updates and", plan.n_solves(p), "solves"));
  char megabytes[32];
  std::snprintf(megabytes, sizeof(megabytes), "%.0f", bytes_of_process(comm, p, plan.extent) / (1 << 20) + 1);
  row("memory", sentence("about", megabytes, "MiB in each process for fields"));
  const SpectrumOutputs outputs = outputs_of(p);
  std::vector<std::string> files = picture_names(p.output.prefix);
  files.insert(files.begin(), {outputs.hdf5.empty() ? "(no HDF5 in this build)" : outputs.hdf5, outputs.text});
  row("output", list_text(files));
  return text;
}

}  // namespace kov::app
