// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_plan.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cmath>

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

std::vector<SpectrumStep> SpectrumPlan::steps(const SpectrumParameters& parameters) const {
  bool sources = false, loops = false;
  for (const PlannedConfiguration& c : configurations)
    for (const PlannedPart& part : c.parts)
      if (!part.entry) (part.is_loops() ? loops : sources) = true;
  std::vector<SpectrumStep> steps;
  if (sources && parameters.n_solved_quarks() > 0) steps.push_back(SpectrumStep::solves);
  if (sources) steps.push_back(SpectrumStep::correlators);
  if (sources && !parameters.three_points.empty()) steps.push_back(SpectrumStep::three_points);
  if (loops) steps.push_back(SpectrumStep::loops);
  return steps;
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
    parameters.quarks.check_ranks(settings, parameters.action, parameters.solver, extent, comm.size());
    plan.warnings = parameters.window_warnings(settings, extent);
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
  plan.batches = batches_that_fit(parameters, Lattice(comm, plan.extent), plan.steps(parameters),
                                  parameters.memory.bytes_of_process(comm));
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
  const std::vector<SpectrumStep> steps = plan.steps(p);
  row("memory", sentence("about", mebibytes_text(spectrum_bytes(p, lattice, plan.batches, steps)), "in each process"));
  if (const std::string batches = batches_text(p, lattice, plan.batches, steps); !batches.empty())
    row("batches", batches);
  const SpectrumOutputs outputs = outputs_of(p);
  std::vector<std::string> files = picture_names(p.output.prefix);
  files.insert(files.begin(), {outputs.hdf5.empty() ? "(no HDF5 in this build)" : outputs.hdf5, outputs.text});
  row("output", list_text(files));
  return text;
}

}  // namespace kov::app
